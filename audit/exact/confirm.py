"""Fresh runs for a refutation that rests on a target being deterministic, where that was only measured.

Enumeration gives the event probability p on the heavier side and at most q on the lighter one. Suppose the target is
random after all: on the samples that make up p it gives the event with probability pi, and on the lighter side's other
samples with probability rho. A true claim then asks for

    p pi <= e^eps (q + (1 - q) rho) + delta.

Now n runs on samples of the first kind, and n on samples of the second, drawn by their weights. That all the first give
the event and none of the second does has probability pi^n (1 - rho)^n. The largest value that a true claim allows is
on its edge, and n is chosen so that it is at most the error.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from attrs import frozen

from crowdproof.audit.exact.engine import ExactResult, NotDeterministicError, only_outcome
from crowdproof.audit.exact.profile import Excess, exp_bounds
from crowdproof.audit.exact.samples import Sample
from crowdproof.audit.interface import Runner
from crowdproof.audit.meter import BudgetSpentError, Meter
from crowdproof.audit.outcome import key_of
from crowdproof.audit.rows import GroupedPair
from crowdproof.mechanism import Mechanism

MOST = 20_000
"""Runs on either side beyond which no confirmation is tried."""


@frozen(eq=False)
class _RunOnce:
    """One run with its own seed: the key of what came out. Picklable, for any runner."""

    mechanism: Mechanism
    pair: GroupedPair

    def __call__(self, task: tuple[Sample, int]) -> str:
        sample, seed = task
        return key_of(only_outcome(self.mechanism, self.pair.dataset(sample.counts), [seed]))


def needed(excess: Excess, delta: Fraction, error: Fraction) -> float:
    """Runs on either side that rule out that the claim is true; infinite where no number does.

    >>> from crowdproof.exact import Epsilon
    >>> certain = Excess(Epsilon.of("ln 9"), (), Fraction(1), Fraction(0))
    >>> needed(certain, Fraction(0), Fraction(1, 10**6)), (8 / 9) ** 118 <= 1e-6 < (8 / 9) ** 117
    (118, True)
    """
    # in fractions: e^eps and one over p may be beyond the floats
    x, q = exp_bounds(excess.epsilon)[1], excess.q + excess.unseen_q
    least, slope = (x * q + delta) / excess.p, x * (1 - q) / excess.p
    rho = min(max((slope - least) / (2 * slope), Fraction(0)), (1 - least) / slope) if slope else Fraction(0)
    likely = float(min(Fraction(1), least + slope * rho) * (1 - rho))
    if likely >= 1 - 1e-12:
        return math.inf
    return math.ceil(math.log(error) / math.log(likely) * (1 + 1e-9)) if likely > 0 else 1


def enough(excess: Excess, delta: Fraction, error: Fraction, meter: Meter) -> int | None:
    """The same, or None where so many are not to be had."""
    runs = needed(excess, delta, error)
    return int(runs) if runs <= MOST and meter.affords(2 * int(runs)) else None


def confirmed(
    result: ExactResult,
    excess: Excess,
    *,
    flipped: bool,
    mechanism: Mechanism,
    delta: Fraction,
    error: Fraction,
    seed: Sequence[int],
    runner: Runner,
    meter: Meter,
) -> bool:
    """Whether fresh runs confirm the refutation, with at most this error; False where the budget is too small for it.

    A run that comes out otherwise than enumeration has it raises `NotDeterministicError`.
    """
    runs = enough(excess, delta, error, meter)
    if runs is None:
        return False
    keys = {each.key for each in excess.event}
    heavy = [(sample, sample.right if flipped else sample.left) for sample, key in result.ran if key in keys]
    light = [(sample, sample.left if flipped else sample.right) for sample, key in result.ran if key not in keys]
    for_draws, for_runs = np.random.SeedSequence(seed).spawn(2)
    rng = np.random.default_rng(for_draws)
    drawn = [(each, True) for each in _drawn(heavy, runs, rng)]
    drawn += [(each, False) for each in _drawn(light, runs, rng)]
    rng.shuffle(drawn)
    seeds = for_runs.generate_state(len(drawn), np.uint64).tolist()
    seen = runner.map(
        _RunOnce(mechanism, result.grouped), [(sample, each) for (sample, _), each in zip(drawn, seeds, strict=True)]
    )
    for (_, expected), key in zip(drawn, seen, strict=True):
        if (key in keys) is not expected:
            raise NotDeterministicError
        try:
            meter.spend(1, "confirming with fresh runs")
        except BudgetSpentError:
            if meter.late:  # of runs there are enough
                return False
    return True


def _drawn(weighted: list[tuple[Sample, int]], runs: int, rng: np.random.Generator) -> list[Sample]:
    """So many of the samples, by their weights; none where no sample has any."""
    total = sum(weight for _, weight in weighted)
    if not total:
        return []
    chances = np.array([float(Fraction(weight, total)) for _, weight in weighted])
    return [weighted[place][0] for place in rng.choice(len(weighted), runs, p=chances / chances.sum())]
