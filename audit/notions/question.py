"""A claim of indistinguishability as the engines see it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeGuard

import polars as pl
from attrs import frozen

from crowdproof.audit.exact import has_finite_law
from crowdproof.audit.exact.engine import declares_law
from crowdproof.audit.interface import Pair, Request, Sampling
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.releases import as_table
from crowdproof.audit.rows import SampledRows, group, is_rows, size
from crowdproof.claims import DP, DPS, Neighbours
from crowdproof.errors import DataError, NoReleaseError, ParameterError
from crowdproof.exact import show
from crowdproof.findings import Note
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms.sampling import Sampled, for_samples

if TYPE_CHECKING:
    from crowdproof.audit.targets import ReleasePair

ASSUMED = Note(
    "Assumption",
    "That the target is deterministic was measured: on every dataset that was enumerated it was run twice, with "
    "different seeds, with one result.",
)
UNCONFIRMED = (
    "deterministic, which was only measured, and the budget of runs is too small to confirm it by fresh runs: state "
    "that it is (--deterministic, or deterministic = true in a gate), or give more runs."
)
"""How a sentence ends that says what follows if the target is."""

GOING_ON = 120.0
"""Seconds for which a target that seems deterministic is tested on after all was enumerated, where the budget sets no
time: as long as the auditor's budget is by default, since a program that takes a second to start would run for days."""


def if_deterministic(runs: int) -> str:
    """What a sentence says that rests on so many runs that agreed."""
    return f"if the target is deterministic, which was measured in {runs:,} runs and not declared"


@frozen(eq=False)
class Question:
    """Sample at rate beta (None: not at all), then run the mechanism: is that (eps, delta)-DP?"""

    mechanism: Mechanism
    beta: Fraction | None
    claim: DP | DPS
    finite: bool
    """Whether one run on a sample tells all that can come of it."""
    distrust: bool = False
    """Whether that was only measured, and is to be checked on every sample."""
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, request: Request) -> "Question":
        """What is asked, with a target that samples by itself taken apart where that is known how."""
        claim, target = request.claim, request.target
        assert isinstance(claim, DP | DPS)
        mechanism, beta = _sampling(target, claim, request.sampling)
        known = finite(mechanism, request)
        return cls(mechanism, beta, claim, known.finite, known.measured, known.notes)

    @property
    def whole(self) -> Mechanism:
        """Sampling and the mechanism as one."""
        return self.mechanism if self.beta is None else SampledRows(self.beta, self.mechanism)

    def proposals(self, data: Any) -> Proposals:
        """Where to look."""
        claim = self.claim
        return Proposals(data, self.mechanism, claim.neighbours, claim.epsilon, self.beta)


def check_pairs(pairs: Sequence[Pair], relation: Neighbours, *, sampled: bool = False) -> None:
    """Pairs that are given must be neighbours in the claim's sense, or they would refute nothing.

    Where rows are `sampled`, all data is made of rows. Else two vectors of one length may be answers to queries, and
    what neighbours are among these is the caller's to know.
    """
    if not pairs:
        raise DataError("the list of pairs is empty: give at least one, or leave the choice to the auditor.")
    for pair in pairs:
        if pair.relation is not relation:
            raise DataError(
                f"the pair '{pair.origin}' is one of {pair.relation.value} neighbours, and the claim speaks of "
                f"{relation.value}: write neighbours={pair.relation.value} into the claim."
            )
        left, right = (each if (table := as_table(each)) is None else table for each in (pair.left, pair.right))
        if (sampled or _must_be_rows(left, right)) and not group(left, right).neighbours(relation):
            raise DataError(
                f"the datasets of the pair '{pair.origin}' are not {relation.value} neighbours: give two with the same "
                f"rows, but for one that {_ONE_ROW[relation]}."
            )


_ONE_ROW = {Neighbours.ADD_REMOVE: "only one of them has", Neighbours.REPLACE: "is another on either side"}


def _must_be_rows(left: Any, right: Any) -> bool:
    if isinstance(left, pl.DataFrame) and isinstance(right, pl.DataFrame):
        return True
    return is_rows(left) and type(left) is type(right) and len(left) != len(right)


def _sampling(target: Mechanism, claim: DP | DPS, who: Sampling) -> tuple[Mechanism, Fraction | None]:
    """What runs on the sample, and the rate of the sampling before it; None where the target is taken as it is."""
    if is_recorded(target):
        return target, None
    own = target.beta if isinstance(target, Sampled) else None
    if isinstance(claim, DPS) and who is Sampling.AUDITOR:
        if own is not None:
            raise ParameterError("the target draws a sample by itself: audit it with sampling by the target.")
        return for_samples(target), claim.beta
    if own is not None and isinstance(claim, DPS) and own != claim.beta:
        raise ParameterError(f"the target samples at rate {show(own)}, and the claim speaks of {show(claim.beta)}.")
    return (target.mechanism, own) if isinstance(target, Sampled) else (target, None)


def is_recorded(target: object) -> "TypeGuard[ReleasePair]":
    """Whether the target only hands out outputs that were made before, each once."""
    from crowdproof.audit.targets import ReleasePair  # noqa: PLC0415  (targets of all kinds, needed only here)

    return isinstance(target, ReleasePair)


@frozen
class Finite:
    """Whether one run tells all that can come of a dataset, and how that is known."""

    finite: bool
    measured: bool = False
    notes: tuple[Note, ...] = ()


def finite(mechanism: Mechanism, request: Request) -> Finite:
    """Ask the user, the target, or its behaviour, in this order."""
    if request.deterministic is not None:
        return Finite(request.deterministic or declares_law(mechanism))
    examine = getattr(mechanism, "examine", None)
    if is_recorded(mechanism):
        return Finite(False)
    if examine is None:
        return Finite(has_finite_law(mechanism))
    try:
        behaviour = getattr(mechanism, "behaviour", None) or examine(_some_data(request))
    except NoReleaseError:  # refused data tell nothing about the target: it is taken to be randomized
        return Finite(False)
    return Finite(bool(behaviour.deterministic), measured=True, notes=(behaviour.note(),))


def _some_data(request: Request) -> Any:
    if request.data is not None:
        return request.data
    if request.pairs:
        return max((data for pair in request.pairs for data in (pair.left, pair.right)), key=_weight)
    raise DataError("there is nothing to audit on: give data, or pairs of neighbouring datasets of your own.")


def _weight(data: Any) -> int:
    return size(data) if is_rows(data) else 0
