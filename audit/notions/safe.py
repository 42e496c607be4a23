"""Safe and strongly safe k-anonymization: does the recoding of the other rows depend on one row?

A target that shows its first step, `choose(data, rng)`, has that step audited as an eps-DP mechanism. Of any other only
the release is seen. There a deterministic target of the form 'recode every row by itself, drop the groups below k'
betrays a recoding that depends on the data: with a fixed one, a row that comes or goes changes the number of rows in
its own group only. And a deterministic recoding that depends on the data at all is eps-safe for no eps.
"""

from collections import Counter
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from attrs import evolve, frozen

from crowdproof.audit.exact.engine import declares_law, only_outcome
from crowdproof.audit.interface import Conclusion, Pair, Request
from crowdproof.audit.meter import Meter
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.notions import indistinguishable
from crowdproof.audit.notions.question import ASSUMED, finite
from crowdproof.audit.outcome import stored_key
from crowdproof.audit.outputs import as_table
from crowdproof.audit.probe import probe
from crowdproof.audit.witness import data_to_json
from crowdproof.claims import DP, Neighbours, Safe
from crowdproof.errors import TargetError
from crowdproof.findings import Estimate, Event, Exact, Note, NotRefuted, PairWitness, Refuted, Skipped, Undecided

FORM = Note(
    "What was compared",
    "The releases of neighbouring datasets, as counts of equal rows. Recoding by a fixed mapping and dropping small "
    "groups changes the count of one group as a row comes or goes (two when it is replaced), by one or to or from 0.",
)
CONFIRMING = 24
"""Runs on either dataset that must agree before they refute."""


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
        reason = (
            "The target is randomized and does not show its first step: give it a method choose(data, rng) that "
            "returns the recoding."
        )
        return Conclusion(Skipped(reason), None, known.notes, 0)
    return _examine_releases(request, claim, (FORM, *([ASSUMED] if known.measured else []), *known.notes))


def _examine_releases(request: Request, claim: Safe, notes: tuple[Note, ...]) -> Conclusion:
    meter = Meter(request.budget, request.progress)
    pairs = _pairs(request, claim)
    meter.runs += probe(request.target, [pair.left for pair in pairs[:2]])
    examined, seeds = 0, np.random.SeedSequence([request.seed, 5]).generate_state(CONFIRMING).tolist()
    try:
        for pair in pairs:
            if meter.spent:
                break
            left, right = (only_outcome(request.target, data, seeds[:2]) for data in (pair.left, pair.right))
            meter.runs += 4
            if left.failure is not None or right.failure is not None:  # a refusal says nothing about the recoding
                continue
            changed = changed_groups(_counts(left.output), _counts(right.output))
            examined += 1
            if not explained(changed, claim.neighbours):
                for data in (pair.left, pair.right):
                    only_outcome(request.target, data, seeds)
                meter.runs += 2 * len(seeds)
                witness = _witness(pair, left.output, changed)
                return Conclusion(Refuted(witness), Exact(), (Note("Pair", pair.origin), *notes), meter.runs)
    except KeyboardInterrupt:
        return Conclusion(Undecided(f"It was interrupted after {examined} pairs."), None, notes, meter.runs)
    if meter.late:
        return Conclusion(Undecided(f"The time was spent after {examined} pairs."), None, notes, meter.runs)
    if not examined:
        reason = "the budget of runs was spent" if meter.spent else "of no pair did both datasets have a release"
        return Conclusion(Skipped(f"Nothing was examined: {reason}."), None, notes, meter.runs)
    seen = (
        f"On {examined} pairs of neighbours the groups of the other rows did not change; other pairs were not examined."
    )
    return Conclusion(NotRefuted(seen), Exact(), notes, meter.runs)


def changed_groups(left: Counter[Any], right: Counter[Any]) -> dict[Any, tuple[int, int]]:
    """The groups whose counts differ, with both counts.

    >>> changed_groups(Counter(a=3, b=2), Counter(a=2, b=2))
    {'a': (3, 2)}
    """
    return {group: (left[group], right[group]) for group in {**left, **right} if left[group] != right[group]}


def explained(changed: dict[Any, tuple[int, int]], relation: Neighbours) -> bool:
    """Whether a fixed recoding can have made these changes."""
    most = 1 if relation is Neighbours.ADD_REMOVE else 2
    return len(changed) <= most and all(abs(a - b) == 1 or 0 in {a, b} for a, b in changed.values())


def _pairs(request: Request, claim: Safe) -> list[Pair]:
    if request.pairs is not None:
        return list(request.pairs)
    proposals = Proposals(request.data, request.target, claim.neighbours, claim.epsilon, None)
    return list(chain(proposals.worst_cases(), proposals.own_data()))


def _counts(release: Any) -> Counter[Any]:
    table = as_table(release)
    if table is None:
        raise TargetError(f"it returned a {type(release).__name__}: safety speaks of tables, so return one.")
    return Counter(table.rows())


def _witness(pair: Pair, release: Any, changed: dict[Any, tuple[int, int]]) -> PairWitness:
    named = "; ".join(f"({', '.join(map(str, group))}) {a} and {b}" for group, (a, b) in list(changed.items())[:3])
    words = f"the release is that of the first dataset: {len(changed)} groups of rows differ in number, such as {named}"
    event = Event(words, {"kind": "releases", "keys": [stored_key(release)]})
    one, none = Estimate.exactly(Fraction(1)), Estimate.exactly(Fraction(0))
    return PairWitness(data_to_json(pair.left), data_to_json(pair.right), event, one, none, one)
