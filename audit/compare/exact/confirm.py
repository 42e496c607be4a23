"""Fresh runs for a refutation that rests on a target being deterministic, where that was only measured.

Enumeration gives the event probability p on the heavier side and at most q on the lighter one. Suppose the target is
random after all: on the samples that make up p it gives the event with probability pi, and on the lighter side's other
samples with probability rho. A true claim then asks for

    p pi <= e^eps (q + (1 - q) rho) + delta.

A coin that the target cannot see decides for each fresh run whether it is on a sample of the first kind, with
probability w, or of the second, and the sample is drawn by its weight. Whatever came before, the run comes out as
enumerated with probability w pi + (1 - w)(1 - rho). With w = 1 / (1 + s), where s = e^eps (1 - q) / p, that is the same
all along the edge of the claim: 1 - w (1 - (e^eps q + delta) / p). So all of n runs come out as enumerated with at most
the n-th power of this number, even if the target remembers every run: it never knows which kind is next, as it would
towards the end of an order in which either kind has its fixed number of runs.
"""

import math
from fractions import Fraction

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.audit.allowance import Allowance
from crowdproof.audit.compare.exact.enumerate import ExactResult
from crowdproof.audit.compare.exact.profile import Excess, exp_bounds
from crowdproof.audit.compare.exact.sample_runs import NotDeterministicError, RunSampleOnce
from crowdproof.audit.compare.exact.samples import Sample
from crowdproof.audit.request import Runner
from crowdproof.mechanism import Mechanism

LEAST_MISSED = Fraction(1, 10**12)
"""How likely a run must be, at least, to show that a true claim's target is random: below, no number of runs would do,
and the logarithms would be lost in rounding. Derived from the precision of floats, with a margin."""
ROUNDING = 1e-9
"""What the number of runs is raised by, relative to itself: far more than rounding in its logarithms can take off."""
MOST = 40_000
"""Runs beyond which no confirmation is tried. A guess: more take longer than anyone waits, and with fewer a rare leak
stays undecided."""


@frozen
class Plan:
    """How a refutation is confirmed: so many runs, each of them on the heavier side's samples by a coin."""

    runs: int
    heavy: Fraction
    """The probability that a run is on one of the samples that make up the event on the heavier side."""

    def coins(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """For each run whether it is on such a sample."""
        return rng.random(self.runs) < float(self.heavy)


def planned(excess: Excess, delta: Fraction, error: Fraction) -> Plan | None:
    """The fewest runs that rule out that the claim is true; None where no reasonable number does.

    >>> from crowdproof.exact import Epsilon
    >>> certain = Excess(Epsilon.of("ln 9"), (), Fraction(1), Fraction(0))
    >>> planned(certain, Fraction(0), Fraction(1, 10**6)), 0.9**132 <= 1e-6 < 0.9**131
    (Plan(runs=132, heavy=Fraction(1, 10)), True)
    """
    heavy, missed = _missed(excess, delta)
    # the largest probability that one run comes out as enumerated is 1 - missed
    if missed <= LEAST_MISSED:
        return None
    runs = 1 if missed >= 1 else math.ceil(math.log(error) / math.log1p(-float(missed)) * (1 + ROUNDING))
    return Plan(runs=runs, heavy=heavy) if runs <= MOST else None


def _missed(excess: Excess, delta: Fraction) -> tuple[Fraction, Fraction]:
    """The best w, and how likely a fresh run then is to come out otherwise than as enumerated if the claim is true.

    In fractions, since e^eps and one over p may be beyond the floats.
    """
    x, q = exp_bounds(excess.epsilon)[1], excess.q + excess.unseen_q
    heavy = excess.p / (excess.p + x * (1 - q))
    return heavy, heavy * (1 - (x * q + delta) / excess.p)


def ease(excess: Excess, delta: Fraction) -> Fraction:
    """How much each fresh run says for a refutation: the larger it is, the fewer runs confirm it."""
    return _missed(excess, delta)[1]


def affordable(excess: Excess, delta: Fraction, error: Fraction, allowance: Allowance) -> Plan | None:
    """The plan of a confirmation, or None where the budget is too small for it."""
    plan = planned(excess, delta, error)
    return plan if plan is not None and allowance.affords(plan.runs) else None


def confirmed(
    result: ExactResult,
    excess: Excess,
    *,
    flipped: bool,
    mechanism: Mechanism,
    delta: Fraction,
    error: Fraction,
    seed: np.random.SeedSequence,
    runner: Runner,
    allowance: Allowance,
) -> bool:
    """Whether fresh runs confirm the refutation, with at most this error; False where the budget is too small for it.

    A run that comes out otherwise than enumeration has it raises `NotDeterministicError`.
    """
    plan = affordable(excess, delta, error, allowance)
    if plan is None:
        return False
    keys = {each.key for each in excess.event}
    for_draws, for_runs = seed.spawn(2)
    drawn = _in_turn(result, keys, plan, flipped=flipped, rng=np.random.default_rng(for_draws))
    seeds = for_runs.generate_state(len(drawn), np.uint64).tolist()
    tasks = [(sample, each) for (sample, _), each in zip(drawn, seeds, strict=True)]
    seen = runner.map(RunSampleOnce(mechanism, result.grouped), tasks)
    for (_, expected), key in zip(drawn, seen, strict=True):
        if (key in keys) is not expected:
            raise NotDeterministicError
        if not allowance.draw(1, "confirming with fresh runs") and allowance.late:  # of runs there are enough
            return False
    return True


def _in_turn(
    result: ExactResult, keys: set[str], plan: Plan, *, flipped: bool, rng: np.random.Generator
) -> list[tuple[Sample, bool]]:
    """The samples of the fresh runs in their order, each with whether the event is to come of it."""
    heavy = [(sample, sample.right if flipped else sample.left) for sample, key in result.ran if key in keys]
    light = [(sample, sample.left if flipped else sample.right) for sample, key in result.ran if key not in keys]
    coins = plan.coins(rng).tolist()
    fresh = {True: iter(_drawn(heavy, plan.runs, rng)), False: iter(_drawn(light, plan.runs, rng))}
    return [(next(fresh[coin]), coin) for coin in coins]


def _drawn(weighted: list[tuple[Sample, int]], runs: int, rng: np.random.Generator) -> list[Sample]:
    """So many of the samples, by their weights; none where no sample has any."""
    total = sum(weight for _, weight in weighted)
    if not total:
        return []
    chances = np.array([float(Fraction(weight, total)) for _, weight in weighted])
    return [weighted[place][0] for place in rng.choice(len(weighted), runs, p=chances / chances.sum())]
