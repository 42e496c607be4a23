"""The sequential audit: a test by betting against one claim, over all its pairs, directions and events at once.

Each block of trials is on one pair, chosen by what is known so far, or on several that have a dataset in common and
share its runs; the bets on it are chosen before it runs (see `bets`). Under the claim every block has mean at most 1
given the past, so the product of a pair's blocks is an e-process, and so is the wealth over all pairs (see `wealth`):
it may be looked at after every block, and it refutes the claim when it reaches 1 / error. Pairs on which nothing is bet
cost runs and no evidence.

A fair coin that the target cannot see decides on which dataset each run is. Only the runs of a mechanism that declares
them to be independent are drawn dataset by dataset, in batches.
"""

import math
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

from crowdproof.audit.compare.betting.bets import BOUND
from crowdproof.audit.compare.betting.betting_audit import Audit
from crowdproof.audit.compare.betting.block_runs import BlockRuns
from crowdproof.audit.compare.betting.bounds import epsilon_ladder
from crowdproof.audit.compare.betting.clock import Clock
from crowdproof.audit.compare.betting.hypotheses import LARGEST, Nulls
from crowdproof.audit.compare.betting.sharing import arms_of
from crowdproof.audit.compare.betting.summary import summarise
from crowdproof.audit.compare.betting.tested import SequentialResult
from crowdproof.audit.compare.betting.trials import BatchRefusedError, RunChunk
from crowdproof.audit.request import Budget, Pair, Progress, Runner
from crowdproof.audit.targets import own_process
from crowdproof.claims import Point
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.mechanism import Mechanism, declares_independence

RESTART = Fraction(1, 64)
"""The share of the error of an audit that begins anew, without batches, after a batch ended with an exception.

Which runs of such a batch released nothing is not known, and to draw them again would give them another law. So that
audit's wealth is lost, and the new one has what was put aside for it. The share is a guess: it costs the first audit a
hundredth of a nat, and the second four.
"""
DEFAULT_RUNS = 1_000_000
"""Runs where the budget sets no limit of any kind: a guess, so that such an audit ends."""


def sequential_audit(
    pairs: Sequence[Pair],
    mechanism: Mechanism,
    points: Sequence[Point],
    *,
    error: Fraction,
    budget: Budget,
    seed: np.random.SeedSequence,
    runner: Runner,
    progress: Progress | None = None,
    warm: Any = None,
    measure: bool = False,
    stop: bool = True,
    bounds: bool = True,
    pace: float = 0.0,
) -> SequentialResult:
    """Try to refute `Pr[M(D) in E] <= e^epsilon Pr[M(D') in E] + delta` on the pairs, in both directions.

    The claim may have several points (epsilon, delta), all of which hold if it is true: they are tested together. A
    true claim is refuted with probability at most `error`. The result depends on the seed and not on the runner (a
    budget in seconds aside). `measure` goes on after a refutation and spends the whole budget on raising the lower
    bound of epsilon at the first point; without `stop` it also goes on, still against the claim. `warm` is the state of
    an earlier result. Without `bounds` lower bounds are left at 0, but for the one that is measured. `pace` is how many
    seconds a run takes, where that is known: with a budget in seconds it decides how large the first blocks are.
    """
    if not pairs:
        raise ParameterError("there are no pairs of neighbouring datasets: give at least one.")
    if not 0 < error < 1:
        raise ParameterError(f"error is {error}: it must be above 0 and below 1.")
    options = {"warm": warm, "measure": measure, "stop": stop, "pace": pace}
    asked = _Asked(pairs, mechanism, points, error=error, runner=runner, **options)
    limits = Budget(runs=DEFAULT_RUNS) if budget == Budget() else budget
    with own_process.kept():
        audit = _run(asked, limits, seed=seed, progress=progress)
    return summarise(audit, bounds=bounds)


@frozen(eq=False)
class _Asked:
    """What an audit was asked, the same before and after it has to begin anew."""

    pairs: Sequence[Pair]
    mechanism: Mechanism
    points: Sequence[Point]
    error: Fraction
    runner: Runner
    warm: Any = None
    measure: bool = False
    stop: bool = True
    pace: float = 0.0

    def start(self, share: Fraction, *, in_batches: bool, seed: np.random.SeedSequence, budget: Budget) -> Audit:
        """An audit that has this share of the error."""
        ladder = None
        if self.measure:
            ladder = epsilon_ladder(float(self.points[0].delta), math.log(self.error * share), shares=BOUND)
        audit = Audit(
            arms=arms_of(self.pairs, len(self.points)),
            block_runs=BlockRuns(RunChunk(self.mechanism, in_batches), self.runner, seed=seed),
            claim=nulls_of(self.points),
            log_error=math.log(self.error),
            budget=budget,
            ladder=ladder,
            points=self.points,
            error=self.error * share,
            share=math.log(share),
            stop=self.stop,
            clock=Clock(budget, self.pace),
        )
        audit.warm(self.warm)
        return audit


def _run(asked: _Asked, limits: Budget, *, seed: np.random.SeedSequence, progress: Progress | None) -> Audit:
    """The audit when it has ended; one whose batch ended with an exception is begun anew, run by run."""
    begun = time.monotonic()
    in_batches = declares_independence(asked.mechanism)
    share = 1 - RESTART if in_batches else Fraction(1)
    audit = asked.start(share, in_batches=in_batches, seed=seed, budget=limits)
    try:
        audit.run(progress)
    except BatchRefusedError:
        rest = limits.less(runs=audit.runs, seconds=time.monotonic() - begun)
        audit = asked.start(RESTART, in_batches=False, seed=seed.spawn(1)[0], budget=rest)
        audit.run(progress)
    return audit


def nulls_of(points: Sequence[Point]) -> Nulls:
    """What is bet against: e^epsilon and delta of each point, rounded up."""
    return Nulls.of([_above_exp(each.epsilon) for each in points], [float(each.delta) for each in points])


def _above_exp(epsilon: Epsilon) -> float:
    """A float that is at least e^epsilon: rounding must never make a claim stronger than it is."""
    x = epsilon.exp() * (1 + 2.0**-50 * (1 + float(epsilon)))
    if x > LARGEST:
        raise ParameterError(
            f"epsilon is {epsilon}: no number of runs shows a leak beyond it. Audit a smaller epsilon, or a pair whose "
            "law can be enumerated."
        )
    return x
