"""The sequential audit: a test by betting against one claim, over all its pairs, directions and events at once.

Each block of trials is on one pair, chosen by what is known so far, or on several that have a dataset in common and
share its runs; the bets on it are chosen before it runs (see `betting`). Under the claim every block has mean at most 1
given the past, so the product of a pair's blocks is an e-process, and so is the wealth over all pairs (see `wealth`):
it may be looked at after every block, and it refutes the claim when it reaches 1 / error. Pairs on which nothing is bet
cost runs and no evidence.
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
from crowdproof.audit.sequential.betting import BOUND, NOISE, Bets, Goal, Nulls, choose, strongest
from crowdproof.audit.sequential.bounds import Ladder, epsilon_ladder
from crowdproof.audit.sequential.learning import Counts
from crowdproof.audit.sequential.result import Ended, SequentialResult
from crowdproof.audit.sequential.sharing import Shared, arms_of, shared
from crowdproof.audit.sequential.summary import summarise
from crowdproof.audit.sequential.trials import Chunk, Ran, RunChunk
from crowdproof.audit.sequential.wealth import in_equal_parts, of_all_pairs
from crowdproof.errors import CrowdproofError, ParameterError, TargetError
from crowdproof.exact import Epsilon
from crowdproof.mechanism import Mechanism, batch_of

BATCHED_CHUNK = 2**16
PLAIN_CHUNK = 256
SMALLEST_CHUNK = 64
LARGEST = 1e15
"""The largest e^epsilon that runs are bet against; above, stakes would be lost in rounding."""
BLOCKS = 256
"""Where a bound is raised no block is larger than this part of the budget."""
FIRST_PART = 16
"""Nothing is bet on the first block of a pair, so it is no larger than this part of the budget."""
LEAST = 16
"""Runs on each side in the first block where the budget is smallest."""
NEARLY = 0.6
"""A pair that promises this share of the best one's growth is played with it where they have a dataset in common."""
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
        arms=arms_of(pairs),
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
    together: float = 0.0
    """Log-wealth of what is staked in equal parts on the pairs that are played."""
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
        return of_all_pairs(np.array([arm.wealth.total[0] for arm in self.arms]), self.together)

    @property
    def lacking(self) -> float:
        """Nats by which the wealth is short of a refutation."""
        return -self.log_error - self.log_e

    @property
    def remaining(self) -> int:
        """Trials that there will be yet: what the budget of runs has left, or as many as there were."""
        return self._room() if self.budget.runs is not None else max(4096, self.runs)

    def run(self, progress: Progress | None = None) -> None:
        """Run blocks until the claim is refuted or the budget is spent; what was found is kept whatever happens."""
        start = time.monotonic()
        try:
            while self._room() > 0:
                self.step(self._pick())
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

    def step(self, arms: Sequence[Arm]) -> None:
        """Bet on one block of trials on each of these pairs, run them, and learn from them; the first says how many."""
        size, remaining, lead = self._size(arms[0]), self.remaining, max(arms, key=lambda arm: arm.trials)
        before = [(arm, arm.score, *self._bets(arm)) for arm in arms]
        cells = self._run(shared(arms), size)
        had = [float(arm.wealth.total[0]) for arm in arms]
        for arm, score, seen, known, bets in before:
            if score is not None:
                counts = score.binned(cells[arm.index][0]), score.binned(cells[arm.index][1])
                block = Block(arm.index, score, seen, known, bets, *counts, size, remaining, arm is lead)
                arm.wealth.gain(block.gained)
                self.blocks.append(block)
                if self.ladder is not None and block.leads:
                    self.ladder.climb(block)
        self.together += in_equal_parts([float(arm.wealth.total[0]) - old for arm, old in zip(arms, had, strict=True)])
        self.peak = max(self.peak, self.log_e)
        self.trace.append((self.runs, self.log_e))
        for arm in arms:
            arm.absorb(cells[arm.index], size)
            arm.relearn(self._aim())

    def _bets(self, arm: Arm) -> tuple[Counts, Counts, Bets]:
        """The bets on the next block of this pair, after the counts that they go by: those seen, and all known."""
        seen, known = arm.seen, arm.known
        goal = Goal(self.lacking + arm.wealth.total - arm.wealth.parts[-1], self.remaining)
        return seen, known, choose(*seen, self.claim, strongest(*known, self.claim), goal)

    def _size(self, arm: Arm) -> int:
        """Runs on either side in the next block: few at first where the budget is small."""
        budget, most = self.budget.runs, self._room()
        first = FIRST if budget is None else min(FIRST, max(LEAST, budget // FIRST_PART))
        wanted = arm.next_size(first)
        return min(wanted if wanted == first else max(first, min(wanted, self._enough(arm))), most)

    def _enough(self, arm: Arm) -> int:
        """Runs on either side that the next block need not exceed: stakes are to keep up, and an audit is to end."""
        if self.ladder is not None:
            return self._room() if self.budget.runs is None else self.budget.runs // BLOCKS
        under_way = self.log_e > 0 and self.lacking > 0
        return math.ceil(self.lacking / self._promise(arm)) if under_way else self._room()

    def _room(self, datasets: int = 2) -> int:
        """Runs on each of so many datasets that the budget still has."""
        return 2**24 if self.budget.runs is None else (self.budget.runs - self.runs) // datasets

    def _pick(self) -> list[Arm]:
        """The pair that promises the fastest growth, and others that promise nearly as much for half the price.

        Those have one of its datasets and have had as many trials. A bound can be raised by one block at a time only.
        """
        if len(self.arms) == 1:
            return self.arms
        best = max(self.arms, key=self._promise)
        if self.ladder is not None:
            return [best]
        enough = NEARLY * self._promise(best)
        others = [
            arm
            for arm in self.arms
            if arm is not best
            and arm.trials >= best.trials
            and self._promise(arm) >= enough
            and set(arm.datasets) & set(best.datasets)
        ]
        played = [best, *others]
        return played if self._room(len(shared(played))) >= self._size(best) else [best]

    def _promise(self, arm: Arm) -> float:
        """What the pair promises; the next rung of a bound is where no pair promises more than chance would."""
        return arm.promise(self._aim(), NOISE if self.ladder is None else 0.0)

    def _aim(self) -> Nulls:
        """What is to be refuted next: the claim, or the next rung of the bound to raise."""
        return self.claim if self.ladder is None else self.ladder.next_rung()

    def _run(self, datasets: Sequence[Shared], size: int) -> dict[int, Counts]:
        """Run each dataset so many times: for each pair the counts on both sides, by cells of its score."""
        chunks = [(each, place, chunk) for each in datasets for place, chunk in enumerate(self._chunks(each, size))]
        counts = {arm.index: arm.nothing for each in datasets for arm, _ in each.users}
        ran = self.runner.map(self.task, [chunk for _, _, chunk in chunks])
        for (dataset, place, _), found in zip(chunks, ran, strict=True):
            self._check_stream(found, (*dataset.stream, place))
            self.refused += found.refused
            for (arm, side), new in zip(dataset.users, found.counts, strict=True):
                arm.pools[side].add(found.kept)
                if new is not None:
                    np.add(counts[arm.index][side], new, out=counts[arm.index][side])
        self.runs += size * len(datasets)
        return counts

    def _chunks(self, dataset: Shared, size: int) -> Iterator[Chunk]:
        """The block cut into pieces that do not depend on who runs them, each with its own stream."""
        largest = PLAIN_CHUNK if batch_of(self.task.mechanism) is None else BATCHED_CHUNK
        piece = min(max(-(-size // 8), SMALLEST_CHUNK), largest) if largest == PLAIN_CHUNK else largest
        room = max(arm.pools[side].room() for arm, side in dataset.users)
        scores = tuple(arm.score for arm, _ in dataset.users)
        for place, start in enumerate(range(0, size, piece)):
            key = (*self.seed.spawn_key, *dataset.stream, place)
            seed = np.random.SeedSequence(self.seed.entropy, spawn_key=key)
            keep = min(max(room - start, 0), piece)
            yield Chunk(dataset.data, seed, min(piece, size - start), keep, scores)

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
