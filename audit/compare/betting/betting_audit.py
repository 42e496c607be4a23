"""A sequential audit under way: which pairs to run next, how long, and what the bets on them have gained.

Under the claim every block has mean at most 1 given the past, so the product of a pair's blocks is an e-process, and so
is the wealth over all pairs (see `wealth`): it may be looked at after every block.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import Factory, define

from crowdproof.audit.compare.betting.arms import FIRST, Arm
from crowdproof.audit.compare.betting.bets import NOISE, Goal, choose
from crowdproof.audit.compare.betting.block_runs import BlockRuns
from crowdproof.audit.compare.betting.blocks import Block, Prepared
from crowdproof.audit.compare.betting.bounds import Ladder
from crowdproof.audit.compare.betting.clock import Clock
from crowdproof.audit.compare.betting.hypotheses import Counts, Nulls
from crowdproof.audit.compare.betting.sharing import shared
from crowdproof.audit.compare.betting.tested import Ended
from crowdproof.audit.compare.betting.thresholds import strongest
from crowdproof.audit.compare.betting.trials import BatchRefusedError
from crowdproof.audit.compare.betting.wealth import in_equal_parts, of_all_pairs
from crowdproof.audit.request import Budget, Progress
from crowdproof.errors import CrowdproofError, OutOfTimeError, ParameterError
from crowdproof.exact import Epsilon

BLOCKS = 256
"""Where a bound is raised no block is larger than one part in so many of the budget: smaller blocks gave steadier
bounds, measured by `benchmarks peers`. The number itself is a guess."""
FIRST_PART = 16
"""Nothing is bet on the first block of a pair, so it is no larger than one part in so many of the budget. A guess: a
larger block wastes runs, a smaller one teaches too little to bet well."""
LEAST = 16
"""Runs on each side in the first block where the budget is smallest. A guess: from fewer hardly anything is learned,
and more would take the whole of a small budget."""
NEARLY = 0.6
"""A pair that promises this share of the best one's growth is played with it where they have a dataset in common. That
costs half of what the pair costs by itself, so a share above 0.5 pays. Chosen by `benchmarks power`."""
UNLIMITED = 2**24
"""Runs that a block may have on either dataset where the budget sets none: a guess, above what fits into memory."""
EXPECTED = 4096
"""Trials that are expected to come at first where the budget sets no runs. A guess that only sizes bets: too many makes
the first stakes small, too few makes them large."""


@define(eq=False)
class Audit:
    """A sequential audit under way."""

    arms: list[Arm]
    block_runs: BlockRuns
    claim: Nulls
    log_error: float
    budget: Budget
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
    trace: list[tuple[int, float]] = Factory(list)
    """Runs so far and log-wealth, after each block."""
    clock: Clock = Factory(lambda self: Clock(self.budget), takes_self=True)
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
    def runs(self) -> int:
        """Runs of the target so far, on all datasets."""
        return self.block_runs.runs

    @property
    def refuted(self) -> bool:
        """Whether the wealth reached 1 / error at the end of some block."""
        return self.peak >= -self.log_error

    @property
    def coins(self) -> bool:
        """Whether a coin decides on which dataset each run is."""
        return not self.block_runs.task.in_batches

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
        """Trials that are still to come: those that the budget of runs has left, or else as many as there were."""
        return self._room() if self.budget.runs is not None else max(EXPECTED, self.runs)

    def run(self, progress: Progress | None = None) -> None:
        """Run blocks until the claim is refuted or the budget is spent; what was found is kept whatever happens."""
        self.block_runs.until = self.clock.until
        try:
            while self._room() > 0:
                self.step(self._pick())
                if progress is not None:
                    progress.update(self.runs, self.budget.runs, self._message())
                if self.refuted and self.stop and self.ladder is None:
                    self.ended = Ended.REFUTED
                    return
                if self.clock.over:
                    self.ended = Ended.SECONDS
                    return
        except OutOfTimeError:
            self.ended = Ended.SECONDS
        except KeyboardInterrupt:
            self.ended = Ended.INTERRUPTED
        except BatchRefusedError:
            raise
        except CrowdproofError as error:
            self.ended, self.failure = Ended.FAILED, str(error)

    def step(self, arms: Sequence[Arm]) -> None:
        """Bet on one block of trials on each of these pairs, run them, and learn from them; the first says how many."""
        size, remaining = self._size(arms[0]), self.remaining
        lead = max(arms, key=lambda arm: arm.trials)
        prepared = [self._prepared(arm) for arm in arms]
        cells, size = self.block_runs.run(shared(arms), size, block=len(self.trace))
        before = [float(arm.wealth.total[0]) for arm in arms]
        for each in prepared:
            if each.score is not None:
                self._settle(each, cells[each.arm.index], remaining=remaining, leads=each.arm is lead)
        gained = [float(arm.wealth.total[0]) - old for arm, old in zip(arms, before, strict=True)]
        self.together += in_equal_parts(gained)
        self.peak = max(self.peak, self.log_e)
        self.trace.append((self.runs, self.log_e))
        for arm in arms:
            arm.absorb(cells[arm.index], size)
            arm.relearn(self._aim())

    def _prepared(self, arm: Arm) -> Prepared:
        """The bets on the next block of this pair, chosen before it runs."""
        seen, known = arm.seen, arm.known
        nats = self.lacking + arm.wealth.total - arm.wealth.parts[-1]
        events = strongest(*known, nulls=self.claim)
        bets = choose(*seen, nulls=self.claim, events=events, goal=Goal(nats, self.remaining))
        return Prepared(arm, arm.score, seen=seen, known=known, bets=bets)

    def _settle(self, prepared: Prepared, cells: Counts, *, remaining: int, leads: bool) -> None:
        """Pay out the bets on a pair by what came, and keep the record of its block."""
        block = prepared.block(cells, remaining=remaining, leads=leads)
        prepared.arm.wealth.gain(block.gained)
        self.blocks.append(block)
        if self.ladder is not None and leads:
            self.ladder.climb(block)

    def _size(self, arm: Arm) -> int:
        """Runs on either side in the next block: few at first where the budget is small."""
        budget, most = self.clock.expected(self.runs), self._room()
        first = FIRST if budget is None else min(FIRST, max(LEAST, budget // FIRST_PART))
        wanted = arm.next_size(first)
        if wanted != first:
            wanted = max(first, min(wanted, self._enough(arm)))
        return min(wanted, most)

    def _enough(self, arm: Arm) -> int:
        """The largest block worth running next, in runs on either side.

        Where a bound is raised, it is a small part of the budget, so that bets keep up with the bound. Where the wealth
        is on its way to a refutation, it is what the pair promises to need for the rest of the way.
        """
        if self.ladder is not None:
            return self._room() if self.budget.runs is None else self.budget.runs // BLOCKS
        under_way = self.log_e > 0 and self.lacking > 0
        return math.ceil(self.lacking / self._promise(arm)) if under_way else self._room()

    def _room(self, datasets: int = 2) -> int:
        """Runs on each of so many datasets that the budget still has."""
        return UNLIMITED if self.budget.runs is None else (self.budget.runs - self.runs) // datasets

    def _pick(self) -> list[Arm]:
        """The pair that promises the fastest growth, and others that promise nearly as much.

        The others have a dataset in common with it, so that they cost half as many runs, and have had as many trials.
        Where a bound is raised there are none, since it can be raised by one block at a time only.
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
        """What the pair promises, with what chance alone would promise subtracted where the claim is to be refuted.

        Where a bound is raised nothing is subtracted: at its next rung no pair promises more than chance would.
        """
        chance = NOISE if self.ladder is None else 0.0
        return arm.promise(self._aim(), chance)

    def _aim(self) -> Nulls:
        """What is to be refuted next: the claim, or the next rung of the bound to raise."""
        return self.claim if self.ladder is None else self.ladder.next_rung()

    def _message(self) -> str:
        share = min(max(self.log_e / -self.log_error, 0.0), 1.0)
        likely = f"{share:.0%} of the evidence that a refutation needs"
        if self.ladder is not None and self.ladder.rejected:
            x = float(self.ladder.nulls.x[self.ladder.rejected - 1])
            return f"{likely}, epsilon above {math.log(x):.4g}"
        return likely
