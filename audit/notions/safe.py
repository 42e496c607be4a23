"""Safe and strongly safe k-anonymization: does the recoding of the other rows depend on one row?

A target that shows its first step, `choose(data, rng)`, has that step audited as an eps-DP mechanism. Of any other only
the release is seen. There a deterministic target betrays a recoding that depends on the data where people are shown in
both releases with different values. And a deterministic recoding that depends on the data at all is eps-safe for no
eps. What suppression may have changed, of whole groups or of cells, refutes nothing.

Where it was only measured that the target is deterministic, the two releases must come again in fresh runs. No recoding
makes both. So if the target is random after all and gives them with probabilities pi and sigma, an eps-safe one has
pi <= e^eps (1 - sigma): as for an event of probability 1 on one side and 0 on the other (see `audit.exact.confirm`).
"""

from collections import Counter
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, frozen

from crowdproof.audit.exact import Excess, NotDeterministicError
from crowdproof.audit.exact.confirm import affordable
from crowdproof.audit.exact.engine import declares_law, only_outcome
from crowdproof.audit.interface import Conclusion, Pair, Request
from crowdproof.audit.meter import Meter
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.notions import indistinguishable
from crowdproof.audit.notions.question import ASSUMED, UNCONFIRMED, Finite, check_pairs, finite, if_deterministic
from crowdproof.audit.notions.releases import Releases, one_threshold
from crowdproof.audit.outcome import Outcome, key_of, stored_key
from crowdproof.audit.probe import probe
from crowdproof.audit.releases import as_table
from crowdproof.audit.witness import data_to_json
from crowdproof.claims import DP, Safe
from crowdproof.errors import TargetError
from crowdproof.findings import (
    Certainty,
    Confidence,
    Estimate,
    Event,
    Exact,
    Measured,
    Note,
    NotRefuted,
    PairWitness,
    Refuted,
    Skipped,
    Undecided,
)

FORM = Note(
    "What was compared",
    "The releases of neighbouring datasets. Each row of a release is taken for one row of the data, recoded, and a "
    "missing cell, one of stars or a word such as NA for a suppressed one; which rows and cells are suppressed may "
    "depend on the data.",
)
CHOOSE = "give it a method choose(data, rng) that returns the recoding."
AMBIGUOUS = (
    "More changed between neighbours than the group of one row. Whether the recoding depends on the data, or only what "
    f"is suppressed, the releases alone do not tell: if the target chooses a recoding, {CHOOSE}"
)
CHANGED = f"A recoding changed between neighbours if the target is {UNCONFIRMED}"


@frozen
class FirstStep:
    """The choice of the recoding, as a mechanism of its own."""

    mechanism: Any

    def __call__(self, data: Any, rng: np.random.Generator, /) -> Any:
        """The recoding that was chosen."""
        return self.mechanism.choose(data, rng)


def examine(request: Request) -> Conclusion:
    """Audit the first step where it can be seen, and else the releases."""
    claim = request.claim
    assert isinstance(claim, Safe)
    if hasattr(request.target, "choose"):
        first = evolve(request, target=FirstStep(request.target), claim=DP(claim.epsilon, 0, claim.neighbours))
        return indistinguishable.examine(first)
    known = finite(request.target, request)
    if not known.finite or declares_law(request.target):
        reason = f"The target is randomized and does not show its first step: {CHOOSE}"
        return Conclusion(Skipped(reason), None, known.notes, 0)
    return _examine_releases(request, claim, known)


def _examine_releases(request: Request, claim: Safe, known: Finite) -> Conclusion:
    notes: tuple[Note, ...] = (FORM, *([ASSUMED] if known.measured else []), *known.notes)
    meter = Meter(request.budget, request.progress)
    pairs = _pairs(request, claim)
    meter.runs += probe(request.target, [pair.left for pair in pairs[:2]])
    seen: list[Releases] = []
    seeds = np.random.SeedSequence([request.seed, 5]).generate_state(2).tolist()
    try:
        for pair in pairs:
            if meter.spent:
                break
            left, right = (only_outcome(request.target, data, seeds) for data in (pair.left, pair.right))
            meter.runs += 4
            if left.failure is not None or right.failure is not None:  # a refusal says nothing about the recoding
                continue
            tables = _table(left.output), _table(right.output)
            seen.append(Releases.of(pair, *tables))
            moved = seen[-1].moved()
            if moved:
                sure = not known.measured or _confirmed(request, claim, [(pair.left, left), (pair.right, right)], meter)
                verdict = Refuted(_witness(pair, left.output, tables, moved)) if sure else Undecided(CHANGED)
                how_sure = Confidence(request.error) if known.measured else Exact()
                notes = Note("Pair", pair.origin), *notes
                return Conclusion(verdict, how_sure if sure else None, notes, meter.runs)
    except KeyboardInterrupt:
        return Conclusion(Undecided(f"It was interrupted after {len(seen)} pairs."), None, notes, meter.runs)
    if meter.late:
        return Conclusion(Undecided(f"The time was spent after {len(seen)} pairs."), None, notes, meter.runs)
    if not seen:
        reason = "the budget of runs was spent" if meter.spent else "of no pair did both datasets have a release"
        return Conclusion(Skipped(f"Nothing was examined: {reason}."), None, notes, meter.runs)
    if not one_threshold(seen, claim.neighbours):
        return Conclusion(Undecided(AMBIGUOUS), None, notes, meter.runs)
    words = f"On {len(seen)} pairs of neighbours no more changed than suppression of small groups can change"
    certainty: Certainty = Exact()
    if known.measured:
        agreed = 4 * len(seen)
        words, certainty = f"{words}, {if_deterministic(agreed)}", Measured(agreed)
    return Conclusion(NotRefuted(f"{words}; other pairs were not examined."), certainty, notes, meter.runs)


def _confirmed(request: Request, claim: Safe, seen: list[tuple[Any, Outcome]], meter: Meter) -> bool:
    """Whether the releases of both datasets come again in fresh runs; False where the budget is too small for these."""
    certain = Excess(claim.epsilon, (), Fraction(1), Fraction(0))
    plan = affordable(certain, Fraction(0), request.error, meter)
    if plan is None:
        return False
    for_coins, for_runs = np.random.SeedSequence([request.seed, 6]).spawn(2)
    seeds = for_runs.generate_state(plan.runs).tolist()
    first, second = [(data, key_of(outcome)) for data, outcome in seen]
    for coin, seed in zip(plan.coins(np.random.default_rng(for_coins)).tolist(), seeds, strict=True):
        data, expected = first if coin else second
        if key_of(only_outcome(request.target, data, [seed])) != expected:
            raise NotDeterministicError
    meter.runs += plan.runs
    return True


def changed_groups(left: Counter[Any], right: Counter[Any]) -> dict[Any, tuple[int, int]]:
    """The groups whose counts differ, with both counts.

    >>> changed_groups(Counter(a=3, b=2), Counter(a=2, b=2))
    {'a': (3, 2)}
    """
    return {group: (left[group], right[group]) for group in {**left, **right} if left[group] != right[group]}


def _pairs(request: Request, claim: Safe) -> list[Pair]:
    if request.pairs is not None:
        check_pairs(request.pairs, claim.neighbours)
        return list(request.pairs)
    proposals = Proposals(request.data, request.target, claim.neighbours, claim.epsilon, None)
    return list(chain(proposals.worst_cases(), proposals.own_data()))


def _table(release: Any) -> pl.DataFrame:
    table = as_table(release)
    if table is None:
        raise TargetError(f"it returned a {type(release).__name__}: safety speaks of tables, so return one.")
    return table.fill_nan(None)


def _witness(pair: Pair, release: Any, tables: tuple[pl.DataFrame, pl.DataFrame], moved: int) -> PairWitness:
    changed = changed_groups(*(Counter(table.rows()) for table in tables))
    named = "; ".join(f"({', '.join(map(str, group))}) {a} and {b}" for group, (a, b) in list(changed.items())[:3])
    people = "1 person is" if moved == 1 else f"{moved} people are"
    words = (
        f"the release is that of the first dataset: at least {people} shown with another value than in that of the "
        f"second, where {len(changed)} groups of rows differ in number, such as {named}"
    )
    event = Event(words, {"kind": "releases", "keys": [stored_key(release)]})
    one, none = Estimate.exactly(Fraction(1)), Estimate.exactly(Fraction(0))
    return PairWitness(data_to_json(pair.left), data_to_json(pair.right), event, one, none, one)
