"""The sequential audit: a test by betting against one claim, over all its pairs, directions and events at once.

Each block of trials is on one pair, chosen by what is known so far; the bets on it are chosen before it runs (see
`betting`). Under the claim every block has mean at most 1 given the past, so the product of a pair's blocks is an
e-process, and so is the wealth over all pairs (see `wealth`): it may be looked at after every block, and it refutes the
claim when it reaches 1 / error. Pairs on which nothing is bet cost runs and no evidence.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import Factory, define

from crowdproof.audit import global_random
from crowdproof.audit.interface import Budget, Pair, Progress, Runner
from crowdproof.audit.sequential.arms import FIRST, Arm, Block
from crowdproof.audit.sequential.betting import BOUND, Goal, Nulls, choose, strongest
from crowdproof.audit.sequential.bounds import Ladder, epsilon_ladder
from crowdproof.audit.sequential.learning import Counts
from crowdproof.audit.sequential.result import Ended, SequentialResult
from crowdproof.audit.sequential.summary import summarise
from crowdproof.audit.sequential.trials import Chunk, Ran, RunChunk
from crowdproof.audit.sequential.wealth import of_all_pairs
from crowdproof.errors import CrowdproofError, ParameterError, TargetError
from crowdproof.exact import Epsilon
from crowdproof.mechanism import Mechanism, batch_of

BATCHED_CHUNK = 2**16
PLAIN_CHUNK = 256
SMALLEST_CHUNK = 64
LARGEST = 1e15
"""The largest e^epsilon that runs are bet against; above, stakes would be lost in rounding."""
BLOCKS = 256
"""Where a bound is raised no block is larger than this part of the budget, so that stakes keep up with the wealth."""
FIRST_PART = 16
"""Nothing is bet on the first block of a pair, so it is no larger than this part of the budget."""
LEAST = 16
"""Runs on each side in the first block where the budget is smallest."""
DEFAULT_RUNS = 1_000_000
"""Runs where the budget sets no limit of any kind."""


def sequential_audit(
    pairs: Sequence[Pair],
    mechanism: Mechanism,
    epsilon: Epsilon,
    delta: Fraction,
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
) -> SequentialResult:
    """Try to refute `Pr[M(D) in E] <= e^epsilon Pr[M(D') in E] + delta` on the pairs, in both directions.

    A true claim is refuted with probability at most `error`. The result depends on the seed and not on the runner (a
    budget in seconds aside). `measure` goes on after a refutation and spends the whole budget on raising the lower
    bound of epsilon; without `stop` it also goes on, still against the claim. `warm` is the state of an earlier
    result. Without `bounds` the lower bounds are left at 0.
    """
    if not pairs:
        raise ParameterError("there are no pairs of neighbouring datasets: give at least one.")
    if not 0 < error < 1:
        raise ParameterError(f"error is {error}: it must be above 0 and below 1.")
    log_error = math.log(error)
    audit = Audit(
        arms=[Arm(index, pair) for index, pair in enumerate(pairs)],
        task=RunChunk(mechanism),
        claim=Nulls.of(_above_exp(epsilon), float(delta)),
        log_error=log_error,
        budget=Budget(runs=DEFAULT_RUNS) if budget == Budget() else budget,
        seed=seed,
        runner=runner,
        ladder=epsilon_ladder(float(delta), log_error, BOUND) if measure else None,
        epsilon=epsilon,
        error=error,
        stop=stop,
    )
    audit.warm(warm)
    with global_random.kept():
        audit.run(progress)
    return summarise(audit, bounds=bounds)


def _above_exp(epsilon: Epsilon) -> float:
    """A float that is at least e^epsilon: rounding must never make a claim stronger than it is."""
    x = epsilon.exp() * (1 + 2.0**-50 * (1 + float(epsilon)))
    if x > LARGEST:
        raise ParameterError(
            f"epsilon is {epsilon}: no number of runs shows a leak beyond it. Audit a smaller epsilon, or a pair whose "
            "law can be enumerated."
        )
    return x


@define(eq=False)
class Audit:
    """A sequential audit under way."""

    arms: list[Arm]
    task: RunChunk
    claim: Nulls
    log_error: float
    budget: Budget
    seed: np.random.SeedSequence
    runner: Runner
    ladder: Ladder | None
    """The bound to raise, where the audit measures."""
    epsilon: Epsilon
    error: Fraction
    stop: bool = True
    blocks: list[Block] = Factory(list)
    peak: float = 0.0
    """The highest log-wealth that there has been."""
    runs: int = 0
    refused: int = 0
    trace: list[tuple[int, float]] = Factory(list)
    fingerprints: dict[str, tuple[int, ...]] = Factory(dict)
    ended: Ended = Ended.RUNS
    failure: str = ""

    def warm(self, state: Any) -> None:
        """Start from the state of an earlier audit, pair by pair."""
        if state is None:
            return
        if not isinstance(state, Mapping) or not isinstance(state.get("pairs"), Sequence):
            raise ParameterError("the state to start from was not written by this auditor: leave it out to start anew.")
        for arm, record in zip(self.arms, state["pairs"], strict=False):
            arm.warm(record)

    @property
    def refuted(self) -> bool:
        """Whether the wealth reached 1 / error at the end of some block."""
        return self.peak >= -self.log_error

    @property
    def log_e(self) -> float:
        """Log of the wealth by now."""
        return of_all_pairs(np.array([arm.wealth.total[0] for arm in self.arms]))

    @property
    def remaining(self) -> int:
        """Trials that there will be yet: what the budget of runs has left, or as many as there were."""
        return self._room() if self.budget.runs is not None else max(4096, self.runs)

    def run(self, progress: Progress | None = None) -> None:
        """Run blocks until the claim is refuted or the budget is spent; what was found is kept whatever happens."""
        start = time.monotonic()
        try:
            while (size := self._room()) > 0:
                self.step(self._pick(), size)
                if progress is not None:
                    progress.update(self.runs, self.budget.runs, self._message())
                if self.refuted and self.stop and self.ladder is None:
                    self.ended = Ended.REFUTED
                    return
                if self.budget.seconds is not None and time.monotonic() - start > self.budget.seconds:
                    self.ended = Ended.SECONDS
                    return
        except KeyboardInterrupt:
            self.ended = Ended.INTERRUPTED
        except CrowdproofError as error:
            self.ended, self.failure = Ended.FAILED, str(error)

    def step(self, arm: Arm, most: int) -> None:
        """Bet on one block of trials on this pair, run it, and learn from it."""
        size, score, seen, known = self._size(arm, most), arm.score, arm.seen, arm.known
        lacking = -self.log_error - self.log_e
        goal = Goal(lacking + arm.wealth.total - arm.wealth.parts[-1], self.remaining)
        bets = choose(*seen, self.claim, strongest(*known, self.claim), goal)
        cells = self._run(arm, size)
        if score is not None:
            counts = score.binned(cells[0]), score.binned(cells[1])
            block = Block(arm.index, score, seen, known, bets, *counts, size, self.remaining)
            arm.wealth.gain(block.gained)
            self.peak = max(self.peak, self.log_e)
            if self.ladder is not None:
                self.ladder.climb(block)
            self.blocks.append(block)
        self.runs += 2 * size
        self.trace.append((self.runs, self.log_e))
        arm.absorb(cells, size)
        arm.relearn(self._aim())

    def _size(self, arm: Arm, most: int) -> int:
        """Runs on either side in the next block: few at first where the budget is small."""
        budget = self.budget.runs
        first = FIRST if budget is None else min(FIRST, max(LEAST, budget // FIRST_PART))
        largest = most if budget is None or self.ladder is None else max(first, budget // BLOCKS)
        return min(arm.next_size(first), largest, most)

    def _room(self) -> int:
        """Runs on either side that the budget still has."""
        return 2**24 if self.budget.runs is None else (self.budget.runs - self.runs) // 2

    def _pick(self) -> Arm:
        """The pair that promises the fastest growth."""
        if len(self.arms) == 1:
            return self.arms[0]
        aim = self._aim()
        return max(self.arms, key=lambda arm: arm.promise(aim))

    def _aim(self) -> Nulls:
        """What is to be refuted next: the claim, or the next rung of the bound to raise."""
        return self.claim if self.ladder is None else self.ladder.next_rung()

    def _run(self, arm: Arm, size: int) -> Counts:
        """Run one block on both datasets of the pair: counts by cells of the score."""
        chunks = list(self._chunks(arm, size))
        half = len(chunks) // 2
        empty = np.zeros(1 if arm.score is None else len(arm.score.rank), np.int64)
        counts = empty, empty.copy()
        for place, ran in enumerate(self.runner.map(self.task, chunks)):
            side = place // half
            self._check_stream(ran, (arm.index, arm.blocks, place))
            arm.pools[side].add(ran.kept)
            self.refused += ran.refused
            if ran.counts is not None:
                np.add(counts[side], ran.counts, out=counts[side])
        return counts

    def _chunks(self, arm: Arm, size: int) -> Iterator[Chunk]:
        """The block cut into pieces that do not depend on who runs them, each with its own stream."""
        largest = PLAIN_CHUNK if batch_of(self.task.mechanism) is None else BATCHED_CHUNK
        piece = min(max(-(-size // 8), SMALLEST_CHUNK), largest) if largest == PLAIN_CHUNK else largest
        for side, data in enumerate((arm.pair.left, arm.pair.right)):
            room = arm.pools[side].room() if arm.pools[side].size else max(size, FIRST)
            for place, start in enumerate(range(0, size, piece)):
                key = (*self.seed.spawn_key, arm.index, arm.blocks, side, place)
                seed = np.random.SeedSequence(self.seed.entropy, spawn_key=key)
                keep = min(max(room - start, 0), piece)
                yield Chunk(data, seed, min(piece, size - start), keep, arm.score)

    def _check_stream(self, ran: Ran, place: tuple[int, ...]) -> None:
        """Trials that repeat an earlier random stream are no evidence."""
        if ran.fingerprint is None:
            return
        if self.fingerprints.setdefault(ran.fingerprint, place) != place:
            raise TargetError(
                "the target gave the same sequence of outputs for different seeds, so its runs are not independent: "
                "make it draw from the generator that it is given, or run each trial in a fresh process."
            )

    def _message(self) -> str:
        likely = f"evidence {self.log_e:.1f} of {-self.log_error:.1f} nats"
        if self.ladder is not None and self.ladder.rejected:
            x = float(self.ladder.nulls.x[self.ladder.rejected - 1])
            return f"{likely}, epsilon above {math.log(x):.4g}"
        return likely
