"""The sequential audit: a test by betting against one claim, over all its pairs, directions and events at once.

Each block of trials is on one pair, chosen by what is known so far, or on several that have a dataset in common and
share its runs; the bets on it are chosen before it runs (see `betting`). Under the claim every block has mean at most 1
given the past, so the product of a pair's blocks is an e-process, and so is the wealth over all pairs (see `wealth`):
it may be looked at after every block, and it refutes the claim when it reaches 1 / error. Pairs on which nothing is bet
cost runs and no evidence.

A fair coin that the target cannot see decides on which dataset each run is. Only the runs of a mechanism that declares
them to be independent are drawn dataset by dataset, in batches.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import Factory, define
from numpy.typing import NDArray

from crowdproof.audit.compare.betting.arms import FIRST, Arm, Block
from crowdproof.audit.compare.betting.bets import BOUND, NOISE, Bets, Goal, Nulls, choose, strongest
from crowdproof.audit.compare.betting.bounds import Ladder, epsilon_ladder
from crowdproof.audit.compare.betting.course import Course
from crowdproof.audit.compare.betting.learning import Counts
from crowdproof.audit.compare.betting.sharing import Shared, arms_of, shared
from crowdproof.audit.compare.betting.streams import Streams
from crowdproof.audit.compare.betting.summary import summarise
from crowdproof.audit.compare.betting.tested import Ended, SequentialResult
from crowdproof.audit.compare.betting.trials import BatchRefusedError, Chunk, OfDataset, RunChunk
from crowdproof.audit.compare.betting.wealth import in_equal_parts, of_all_pairs
from crowdproof.audit.request import Budget, Pair, Progress, Runner
from crowdproof.audit.targets import own_process
from crowdproof.errors import CrowdproofError, ParameterError
from crowdproof.exact import Epsilon
from crowdproof.mechanism import Mechanism, declares_independence

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
RESTART = Fraction(1, 64)
"""The share of the error of an audit that begins anew, without batches, after a batch ended with an exception.

Which runs of such a batch released nothing is not known, and to draw them again would give them another law. So that
audit's wealth is lost, and the new one has what was put aside for it. The share costs the first audit a hundredth of a
nat, and the second four.
"""
COINS = 2**31
"""The random stream of the coins that decide on which dataset each run is; no pair has so large a number."""
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
    result. Without `bounds` lower bounds are left at 0, but for the one that is measured.
    """
    if not pairs:
        raise ParameterError("there are no pairs of neighbouring datasets: give at least one.")
    if not 0 < error < 1:
        raise ParameterError(f"error is {error}: it must be above 0 and below 1.")
    in_batches = declares_independence(mechanism)

    def start(share: Fraction, *, in_batches: bool, seed: np.random.SeedSequence, budget: Budget) -> Audit:
        level = math.log(error * share)
        audit = Audit(
            arms=arms_of(pairs),
            task=RunChunk(mechanism, in_batches),
            claim=Nulls.of(_above_exp(epsilon), float(delta)),
            log_error=math.log(error),
            budget=budget,
            seed=seed,
            runner=runner,
            ladder=epsilon_ladder(float(delta), level, BOUND) if measure else None,
            epsilon=epsilon,
            error=error * share,
            share=math.log(share),
            stop=stop,
        )
        audit.warm(warm)
        return audit

    limits = Budget(runs=DEFAULT_RUNS) if budget == Budget() else budget
    begun = time.monotonic()
    share = 1 - RESTART if in_batches else Fraction(1)
    audit = start(share, in_batches=in_batches, seed=seed, budget=limits)
    with own_process.kept():
        try:
            audit.run(progress)
        except BatchRefusedError:
            rest = limits.less(runs=audit.runs, seconds=time.monotonic() - begun)
            audit = start(RESTART, in_batches=False, seed=seed.spawn(1)[0], budget=rest)
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
    """What intervals and bounds may spend."""
    share: float
    """Log of the wealth that it started with."""
    stop: bool = True
    blocks: list[Block] = Factory(list)
    together: float = 0.0
    """Log-wealth of what is staked in equal parts on the pairs that are played."""
    peak: float = 0.0
    """The highest log-wealth that there has been."""
    runs: int = 0
    refused: int = 0
    trace: list[tuple[int, float]] = Factory(list)
    streams: Streams = Factory(Streams)
    course: Course = Factory(Course)
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
    def coins(self) -> bool:
        """Whether a coin decides on which dataset each run is."""
        return not self.task.in_batches

    @property
    def log_e(self) -> float:
        """Log of the wealth by now."""
        return self.share + of_all_pairs(np.array([arm.wealth.total[0] for arm in self.arms]), self.together)

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
        except BatchRefusedError:
            raise
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
                block = Block(
                    arm=arm.index,
                    score=score,
                    seen=seen,
                    known=known,
                    bets=bets,
                    left=counts[0],
                    right=counts[1],
                    remaining=remaining,
                    leads=arm is lead,
                )
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
        """Run each dataset about so many times: for each pair the counts on both sides, by cells of its score."""
        counts = {arm.index: arm.nothing for each in datasets for arm, _ in each.users}
        groups = [[each] for each in datasets] if self.task.in_batches else [list(datasets)]
        chunks = [(group, chunk) for group in groups for chunk in self._chunks(group, size * len(group))]
        ran = self.runner.map(self.task, [chunk for _, chunk in chunks])
        for (group, _), result in zip(chunks, ran, strict=True):
            self.streams.check(result.glimpse)
            self.refused += result.refused
            self.course.add(result)
            for dataset, found in zip(group, result.found, strict=True):
                _tally(dataset, found, counts)
        self.runs += size * len(datasets)
        return counts

    def _chunks(self, group: Sequence[Shared], runs: int) -> Iterator[Chunk]:
        """So many runs on these datasets, cut into pieces that do not depend on who runs them.

        Each piece has its own random stream. The coins have theirs, which no target is given.
        """
        order = self._coins(len(group), runs)
        piece = BATCHED_CHUNK if self.task.in_batches else min(max(-(-runs // 8), SMALLEST_CHUNK), PLAIN_CHUNK)
        room = [max(arm.pools[side].room() for arm, side in each.users) for each in group]
        for place, start in enumerate(range(0, runs, piece)):
            part = order[start : start + piece]
            had = np.bincount(order[:start], minlength=len(group))
            yield Chunk(
                datasets=tuple(each.data for each in group),
                numbers=tuple(each.number for each in group),
                order=part,
                seed=self._stream(*group[0].stream, place),
                keep=tuple(max(most - int(taken), 0) for most, taken in zip(room, had, strict=True)),
                scores=tuple(tuple(arm.score for arm, _ in each.users) for each in group),
            )

    def _coins(self, datasets: int, runs: int) -> NDArray[np.int64]:
        """On which of the datasets each run is: each of them equally likely, whatever came before."""
        if datasets == 1:
            return np.zeros(runs, np.int64)
        return np.random.default_rng(self._stream(COINS, len(self.trace))).integers(datasets, size=runs)

    def _stream(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, *key))

    def _message(self) -> str:
        likely = f"evidence {self.log_e:.1f} of {-self.log_error:.1f} nats"
        if self.ladder is not None and self.ladder.rejected:
            x = float(self.ladder.nulls.x[self.ladder.rejected - 1])
            return f"{likely}, epsilon above {math.log(x):.4g}"
        return likely


def _tally(dataset: Shared, found: OfDataset, counts: dict[int, Counts]) -> None:
    """Add what came of the runs on one dataset to what is known of the pairs that it serves."""
    for (arm, side), new in zip(dataset.users, found.counts, strict=True):
        arm.pools[side].add(found.kept)
        if new is not None:
            np.add(counts[arm.index][side], new, out=counts[arm.index][side])
