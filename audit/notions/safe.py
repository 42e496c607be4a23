"""Safe and strongly safe k-anonymization: does the recoding of the other rows depend on one row?

A target that shows its first step, `choose(data, rng)`, has that step audited as an eps-DP mechanism. Of any other only
the release is seen. There a deterministic target betrays a recoding that depends on the data where people are shown in
both releases with different values. And a deterministic recoding that depends on the data at all is eps-safe for no
eps. What suppression may have changed, of whole groups or of cells, refutes nothing.

Where it was only measured that the target is deterministic, the two releases must come again in fresh runs. No recoding
makes both. So if the target is random after all and gives them with probabilities pi and sigma, an eps-safe one has
pi <= e^eps (1 - sigma): as for an event of probability 1 on one side and 0 on the other (see `compare.exact.confirm`).
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve, field, frozen

from crowdproof.audit.allowance import Allowance, Stream
from crowdproof.audit.compare.exact import Excess, NotDeterministicError
from crowdproof.audit.compare.exact.confirm import affordable
from crowdproof.audit.compare.exact.sample_runs import only_outcome
from crowdproof.audit.compare.measured import ASSUMED, UNCONFIRMED, if_deterministic
from crowdproof.audit.compare.question import Known, check_pairs, known_of
from crowdproof.audit.data.as_json import data_to_json
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.notions import indistinguishable
from crowdproof.audit.notions.recoded_rows import Releases, one_threshold
from crowdproof.audit.releases import as_table
from crowdproof.audit.request import Conclusion, Pair, Request
from crowdproof.audit.targets.generators import Sent
from crowdproof.audit.targets.interface import started_afresh
from crowdproof.audit.targets.probe import probe
from crowdproof.audit.targets.run import Outcome, RunOnce, key_of, stored_key
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
from crowdproof.mechanism import Capabilities

RUNS_PER_PAIR = 4
"""Derived: two datasets, and two runs on each, which must agree."""
FORM = Note(
    "What was compared",
    "The releases of neighbouring datasets. Each row of a release is taken for one row of the data, recoded in the "
    "columns that have the name of a column of the data, and a missing cell, one of stars or a word such as NA for a "
    "suppressed one; which rows and cells are suppressed may depend on the data.",
)
CHOOSE = "give it a method choose(data, rng) that returns the recoding."
AMBIGUOUS = (
    "More changed between neighbours than the group of one row. Whether the recoding depends on the data, or only what "
    "is suppressed or worked out from the release (a group's size, a row's number), the releases alone do not tell: if "
    f"the target chooses a recoding, {CHOOSE}"
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
    if Capabilities.of(request.target).choose is not None:
        first = evolve(request, target=FirstStep(request.target), claim=DP(claim.epsilon, 0, claim.neighbours))
        return indistinguishable.examine(first)
    known = known_of(request.target, request)
    if not known.finite or Capabilities.of(request.target).declares_law:
        reason = f"The target is randomized and does not show its first step: {CHOOSE}"
        return Conclusion(Skipped(reason), None, known.notes, 0)
    return _examine_releases(request, claim, known)


def _examine_releases(request: Request, claim: Safe, known: Known) -> Conclusion:
    notes: tuple[Note, ...] = (FORM, *([ASSUMED] if known.measured else []), *known.notes)
    allowance, pairs = Allowance.of(request), _pairs(request, claim)
    allowance.count(probe(request.target, [pair.left for pair in pairs[:2]], until=allowance.until).runs)
    seen: list[Releases] = []
    try:
        for pair, left, right in _ran(request, pairs, allowance):
            tables = _table(left.output), _table(right.output)
            seen.append(Releases.of(pair, *tables))
            moved = seen[-1].moved()
            if moved:
                sure = not known.measured or _confirmed(request, [(pair.left, left), (pair.right, right)], allowance)
                verdict = Refuted(_witness(pair, left.output, tables, moved)) if sure else Undecided(CHANGED)
                how_sure = Confidence(request.error) if known.measured else Exact()
                notes = Note("Pair", pair.origin), *notes
                return Conclusion(verdict, how_sure if sure else None, notes, allowance.runs)
    except KeyboardInterrupt:
        return Conclusion(Undecided(f"It was interrupted after {len(seen)} pairs."), None, notes, allowance.runs)
    return _nothing_moved(claim, known, seen=seen, notes=notes, allowance=allowance)


def _nothing_moved(
    claim: Safe, known: Known, *, seen: list[Releases], notes: tuple[Note, ...], allowance: Allowance
) -> Conclusion:
    """What is said where no pair refutes."""
    if not seen:
        spent = "the budget was spent, raise --runs or --seconds"
        reason = spent if allowance.spent else "of no pair did both datasets have a release"
        verdict = Undecided if allowance.spent else Skipped
        return Conclusion(verdict(f"Nothing was examined: {reason}."), None, notes, allowance.runs)
    if not one_threshold(seen, claim.neighbours):
        return Conclusion(Undecided(AMBIGUOUS), None, notes, allowance.runs)
    words = f"On {len(seen)} pairs of neighbours no more changed than suppression of small groups can change"
    certainty: Certainty = Exact()
    if known.measured:
        agreed = RUNS_PER_PAIR * len(seen)
        words, certainty = f"{words}, {if_deterministic(agreed)}", Measured(agreed)
    return Conclusion(NotRefuted(f"{words}; other pairs were not examined."), certainty, notes, allowance.runs)


def _ran(request: Request, pairs: list[Pair], allowance: Allowance) -> Iterator[tuple[Pair, Outcome, Outcome]]:
    """The releases of the pairs on which both datasets have one, for as long as the allowance lasts.

    A refusal says nothing about the recoding.
    """
    if allowance.spent:
        return
    seeds = allowance.stream(Stream.RELEASES).generate_state(2).tolist()
    ran = request.runner.map(_OnBoth(request.target, tuple(seeds)), pairs)
    for pair, (left, right) in zip(pairs, ran, strict=True):
        go_on = allowance.draw(RUNS_PER_PAIR, "comparing releases")
        if left.failure is None and right.failure is None:
            yield pair, left, right
        if not go_on:
            return


@frozen(eq=False)
class _OnBoth:
    """Runs the target twice on either dataset of a pair, and must get the same. Picklable, for any runner."""

    sent: Sent = field(converter=Sent)
    seeds: tuple[int, ...]

    def __call__(self, pair: Pair) -> tuple[Outcome, Outcome]:
        with self.sent.ready(np.random.SeedSequence(self.seeds)) as target:
            left, right = (only_outcome(target, data, self.seeds) for data in (pair.left, pair.right))
        return left, right


def _confirmed(request: Request, seen: list[tuple[Any, Outcome]], allowance: Allowance) -> bool:
    """Whether the releases of both datasets come again in fresh runs; False where the budget is too small for these."""
    claim = request.claim
    assert isinstance(claim, Safe)
    certain = Excess(claim.epsilon, (), p=Fraction(1), q=Fraction(0))
    plan = affordable(certain, Fraction(0), error=request.error, allowance=allowance)
    if plan is None:
        return False
    for_coins, for_runs = allowance.stream(Stream.CONFIRMING_RELEASES).spawn(2)
    seeds = for_runs.generate_state(plan.runs).tolist()
    first, second = [(data, key_of(outcome)) for data, outcome in seen]
    drawn = [first if coin else second for coin in plan.coins(np.random.default_rng(for_coins)).tolist()]
    tasks = [(data, seed) for (data, _), seed in zip(drawn, seeds, strict=True)]
    with started_afresh(request.target) as target:
        for (_, expected), outcome in zip(drawn, request.runner.map(RunOnce(target), tasks), strict=True):
            if key_of(outcome) != expected:
                raise NotDeterministicError
            allowance.draw(1, "confirming with fresh runs")  # they were affordable when they were planned
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
    proposals = Proposals(request.data, request.target, relation=claim.neighbours, epsilon=claim.epsilon, beta=None)
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
    return PairWitness(
        left=data_to_json(pair.left),
        right=data_to_json(pair.right),
        event=event,
        p_left=one,
        p_right=none,
        excess=one,
    )
