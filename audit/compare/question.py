"""What is asked of a comparison: which mechanism, on which neighbouring datasets, and what is claimed of it."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.audit.compare.curve import points_of, spread
from crowdproof.audit.data.rows import SampledRows, group, in_one_place, is_rows, size
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.releases import as_table
from crowdproof.audit.request import Pair, Request, Runner, Sampling
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import DPS, DistributionClaim, Neighbours, Point
from crowdproof.errors import DataError, NoReleaseError, ParameterError
from crowdproof.exact import show
from crowdproof.findings import Note
from crowdproof.mechanism import Capabilities, Mechanism
from crowdproof.mechanisms.sampling import Sampled, for_samples

if TYPE_CHECKING:
    from crowdproof.audit.targets import ReleasePair

EXAMINED_SHARE = 0.25
"""The part of the time that may go into seeing how a target behaves, where time is limited. A guess: what it shows
decides how the rest is spent, and with more too little of the rest is left."""


@frozen
class Known:
    """Whether one run tells all that can come of a dataset, and how that is known."""

    finite: bool
    measured: bool = False
    """Whether it was only seen in a few runs, so that every sample is to be checked."""
    notes: tuple[Note, ...] = ()

    @property
    def distrusted(self) -> bool:
        """Whether what is enumerated holds only if the target is deterministic, as was measured."""
        return self.finite and self.measured


@frozen(eq=False)
class Question:
    """Sample at rate beta (None: not at all), then run the mechanism: is that (epsilon, delta)-DP at all these points?

    The pairs of neighbours are those that are given, or else those that the auditor chooses by looking at the data.
    """

    mechanism: Mechanism
    curve: Sequence[Point]
    """What is claimed: all points hold if the claim does, and one that does not refutes it."""
    neighbours: Neighbours
    known: Known
    beta: Fraction | None = None
    pairs: Sequence[Pair] | None = None
    data: Any = None
    search: int = 0
    """How many further pairs the guided search may try."""
    runner: Runner = field(factory=Inline)

    @classmethod
    def of(cls, request: Request) -> "Question":
        """What is asked, with a target that samples by itself taken apart where that is known how."""
        claim, target = request.claim, request.target
        assert isinstance(claim, DistributionClaim)
        mechanism, beta = _sampling(target, claim, request.sampling)
        if request.pairs is not None:
            check_pairs(request.pairs, claim.neighbours, sampled=beta is not None)
        return cls(
            mechanism=mechanism,
            curve=points_of(claim),
            neighbours=claim.neighbours,
            known=known_of(mechanism, request),
            beta=beta,
            pairs=request.pairs,
            data=request.data,
            search=0 if request.pairs is not None else request.search,
            runner=request.runner,
        )

    @property
    def whole(self) -> Mechanism:
        """Sampling and the mechanism as one."""
        return self.mechanism if self.beta is None else SampledRows(self.beta, self.mechanism)

    @property
    def bet_on(self) -> Sequence[Point]:
        """The points that are tested by betting, among which the wealth is split: not too many, and far apart."""
        return spread(self.curve)

    @property
    def many(self) -> bool:
        """Whether the claim has several points, so that a reader must be told which one is spoken of."""
        return len(self.curve) > 1

    @property
    def recorded(self) -> bool:
        """Whether the outputs were made before, so that nothing can be run."""
        return is_recorded(self.mechanism)

    @property
    def proposals(self) -> Proposals:
        """Where to look, if no pairs are given."""
        return Proposals(self.data, self.mechanism, self.neighbours, self.curve[0].epsilon, self.beta)

    def own_data_first(self) -> Iterator[Pair]:
        """The pairs that are given; or those of the user's own data, and then the worst cases made by hand."""
        if self.pairs is not None:
            return iter(self.pairs)
        return chain(self.proposals.own_data(), self.proposals.worst_cases())

    def in_turn(self) -> Iterator[Pair]:
        """The same pairs, of hand-made and own data by turns, so that a small budget sees something of both."""
        if self.pairs is not None:
            return iter(self.pairs)
        both = zip_longest(self.proposals.worst_cases(), self.proposals.own_data())
        return (pair for pair in chain.from_iterable(both) if pair is not None)


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
        left, right = _table_or_itself(pair.left), _table_or_itself(pair.right)
        if (is_rows(left) or is_rows(right)) and _kind(pair.left) != _kind(pair.right):
            raise DataError(
                f"the datasets of the pair '{pair.origin}' differ in more than their rows, as in kind, types, index or "
                "notes: give two of one kind, such as tables of polars."
            )
        if not (sampled or _must_be_rows(left, right)):
            continue
        if not group(left, right).neighbours(relation):
            raise DataError(
                f"the datasets of the pair '{pair.origin}' are not {relation.value} neighbours: give two with the same "
                f"rows, but for one that {_ONE_ROW[relation]}."
            )
        if not in_one_place(left, right):
            raise DataError(
                f"the datasets of the pair '{pair.origin}' have their rows in different orders, at which a target may "
                "look: give the rows that both have in the same order."
            )


_ONE_ROW = {Neighbours.ADD_REMOVE: "only one of them has", Neighbours.REPLACE: "is another on either side"}


def _table_or_itself(data: Any) -> Any:
    """The dataset as a table of polars, where it is a table of any kind."""
    table = as_table(data)
    return data if table is None else table


def _kind(data: Any) -> str:
    """What a dataset is beside its rows: its kind; of a table of pandas or pyarrow also its index, types and notes."""
    if isinstance(data, pl.DataFrame | np.ndarray):  # whose types are compared with the rows
        return type(data).__name__
    index, names = (getattr(data, name, None) for name in ("index", "columns"))
    told = [getattr(data, name, None) for name in ("dtypes", "attrs", "schema")]
    return repr((type(data), type(index), getattr(names, "names", None), told))


def _must_be_rows(left: Any, right: Any) -> bool:
    """Whether the two, which are of one kind, can only be neighbours as rows: tables, and what differs in length."""
    return isinstance(left, pl.DataFrame) or (is_rows(left) and len(left) != len(right))


def _sampling(target: Mechanism, claim: DistributionClaim, who: Sampling) -> tuple[Mechanism, Fraction | None]:
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


def known_of(mechanism: Mechanism, request: Request) -> Known:
    """Ask the user, the target, or its behaviour, in this order."""
    offered = Capabilities.of(mechanism)
    if request.deterministic is not None:
        return Known(request.deterministic or offered.declares_law)
    if is_recorded(mechanism):
        return Known(finite=False)
    if offered.examine is None:
        return Known(offered.finite)
    try:
        behaviour = offered.behaviour or _examined(offered, request)
    except NoReleaseError:  # refused data tell nothing about the target: it is taken to be randomized
        return Known(finite=False)
    return Known(bool(behaviour.deterministic), measured=True, notes=(behaviour.note(),))


def _examined(offered: Capabilities, request: Request) -> Any:
    assert offered.examine is not None
    seconds = request.budget.seconds
    if seconds is None:
        return offered.examine(_some_data(request))
    return offered.examine(_some_data(request), seconds * EXAMINED_SHARE)


def _some_data(request: Request) -> Any:
    if request.data is not None:
        return request.data
    if request.pairs:
        return max((data for pair in request.pairs for data in (pair.left, pair.right)), key=_weight)
    raise DataError("there is nothing to audit on: give data, or pairs of neighbouring datasets of your own.")


def _weight(data: Any) -> int:
    return size(data) if is_rows(data) else 0
