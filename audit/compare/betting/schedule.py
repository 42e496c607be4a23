"""What a sequential audit runs next: which pairs, and how many runs of each.

All of it depends on blocks that are finished. So the bets may be looked at after every block, whatever was chosen.
"""

import math
from collections import deque

import numpy as np
from attrs import Factory, define

from crowdproof.audit.compare.betting.arms import FIRST, Arm
from crowdproof.audit.compare.betting.bets import NOISE
from crowdproof.audit.compare.betting.block_runs import BlockRuns
from crowdproof.audit.compare.betting.blocks import Step
from crowdproof.audit.compare.betting.bounds import Ladder
from crowdproof.audit.compare.betting.clock import Clock
from crowdproof.audit.compare.betting.hypotheses import Floats, Nulls
from crowdproof.audit.compare.betting.sharing import shared
from crowdproof.audit.compare.betting.wealth import of_all_pairs, parts_of
from crowdproof.audit.request import Budget

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
ALONGSIDE = 0.5
"""A block of another pair is begun beside those under way where it promises this share of their growth. A guess: with
less, many runs would go to pairs that show little while one shows a leak."""
UNLIMITED = 2**24
"""Runs that a block may have on either dataset where the budget sets none: a guess, above what fits into memory."""
EXPECTED = 4096
"""Trials that are expected to come at first where the budget sets no runs. A guess that only sizes bets: too many makes
the first stakes small, too few makes them large."""


@define(eq=False, kw_only=True)
class Schedule:
    """The pairs of an audit under way, what may be spent on them, and what they promise."""

    arms: list[Arm]
    block_runs: BlockRuns
    claim: Nulls
    """The points of the claim, which are tested side by side."""
    log_error: float
    budget: Budget
    ladder: Ladder | None
    """The bound to raise, where the audit measures."""
    share: float
    """Log of the wealth that it started with."""
    together: Floats = Factory(lambda self: np.zeros(len(self.claim.x)), takes_self=True)
    """For each point, the log-wealth of what is staked in equal parts on the pairs that are played."""
    parts: Floats = Factory(lambda self: parts_of(len(self.claim.x)), takes_self=True)
    """Logs of the parts in which the wealth was split among the points at the start."""
    under_way: deque[Step] = Factory(deque)
    """Blocks that were begun, in the order in which they will be looked at."""
    clock: Clock = Factory(lambda self: Clock(self.budget), takes_self=True)

    @property
    def runs(self) -> int:
        """Runs of the target so far, on all datasets."""
        return self.block_runs.runs

    @property
    def coins(self) -> bool:
        """Whether a coin decides on which dataset each run is."""
        return not self.block_runs.task.in_batches

    @property
    def log_e(self) -> float:
        """Log of the wealth by now."""
        return float(np.logaddexp.reduce(self.held))

    @property
    def held(self) -> Floats:
        """Log of what each point of the claim holds of it."""
        logs = of_all_pairs(np.array([arm.wealth.total for arm in self.arms]), self.together)
        return self.share + self.parts + logs

    @property
    def lacking(self) -> float:
        """Nats by which the wealth is short of a refutation."""
        return -self.log_error - self.log_e

    @property
    def remaining(self) -> int:
        """Trials that are still to come: those that the budget of runs has left, or else as many as there were."""
        return self._room() if self.budget.runs is not None else max(EXPECTED, self.runs)

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
        """Runs on each of so many datasets that the budget still has, beside the blocks that were begun."""
        if self.budget.runs is None:
            return UNLIMITED
        begun = sum(step.begun.runs for step in self.under_way)
        return (self.budget.runs - self.runs - begun) // datasets

    def _pick(self) -> list[Arm]:
        """The pair that promises the fastest growth, and others that promise nearly as much; none where it has to wait.

        The others have a dataset in common with it, so that they cost half as many runs, and have had as many trials.
        Where a bound is raised there are none, since it can be raised by one block at a time only. A pair of which a
        block is under way waits for it, so that the next bets on it rest on all that is known of it. So does one that
        has a dataset in common with such a pair, since they may be played together then.
        """
        busy = {number for step in self.under_way for arm in step.arms for number in arm.datasets}
        idle = [arm for arm in self.arms if not busy & set(arm.datasets)]
        if not idle or (busy and self.ladder is not None):
            return []
        best = max(idle, key=self._promise)
        if any(self._promise(best) < ALONGSIDE * step.promise for step in self.under_way):
            return []
        if self.ladder is not None:
            return [best]
        enough = NEARLY * self._promise(best)
        others = [
            arm
            for arm in idle
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
