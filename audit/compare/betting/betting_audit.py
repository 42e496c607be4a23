"""A sequential audit under way: which pairs to run next, how long, and what the bets on them have gained.

Under the claim every block has mean at most 1 given the past, so the product of a pair's blocks is an e-process, and so
is the wealth over all pairs (see `wealth`): it may be looked at after every block.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import Factory, define

from crowdproof.audit.compare.betting.arms import Arm
from crowdproof.audit.compare.betting.bets import Goal, choose
from crowdproof.audit.compare.betting.blocks import Block, Prepared, Step
from crowdproof.audit.compare.betting.hypotheses import Counts, Floats
from crowdproof.audit.compare.betting.schedule import Schedule
from crowdproof.audit.compare.betting.sharing import shared
from crowdproof.audit.compare.betting.tested import Ended
from crowdproof.audit.compare.betting.thresholds import strongest
from crowdproof.audit.compare.betting.trials import BatchRefusedError
from crowdproof.audit.compare.betting.wealth import in_equal_parts, parts_of
from crowdproof.audit.request import Progress
from crowdproof.claims import Point
from crowdproof.errors import CrowdproofError, OutOfTimeError, ParameterError

AT_ONCE = 8
"""Blocks of different pairs that are under way at once. A guess: enough that hundreds of workers have something to do,
and few enough that the choice of pairs goes by what was seen lately. Batches are quick, and wait for one another."""


@define(eq=False, kw_only=True)
class Audit(Schedule):
    """A sequential audit under way."""

    points: Sequence[Point]
    """Those of the claim, exactly."""
    error: Fraction
    """What intervals and bounds may spend."""
    stop: bool = True
    blocks: list[Block] = Factory(list)
    peak: float = 0.0
    """The highest log-wealth that there has been."""
    most: Floats = Factory(lambda self: np.full(len(self.points), -np.inf), takes_self=True)
    """The most that each point has held of it, as a logarithm."""
    trace: list[tuple[int, float]] = Factory(list)
    """Runs so far and log-wealth, after each block."""
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
        self.parts = parts_of(len(self.points), state.get("points"))

    @property
    def refuted(self) -> bool:
        """Whether the wealth reached 1 / error at the end of some block."""
        return self.peak >= -self.log_error

    @property
    def state(self) -> dict[str, Any]:
        """What a later audit can start from: what was learned of each pair, and which points hold the wealth."""
        points = {"points": self.held.tolist()} if len(self.points) > 1 else {}
        return {"pairs": [arm.to_json() for arm in self.arms], **points}

    def run(self, progress: Progress | None = None) -> None:
        """Run blocks until the claim is refuted or the budget is spent; what was found is kept whatever happens."""
        self.block_runs.until = self.clock.until
        try:
            self._run(progress)
        except OutOfTimeError:
            self.ended = Ended.SECONDS
        except KeyboardInterrupt:
            self.ended = Ended.INTERRUPTED
        except BatchRefusedError:
            raise
        except CrowdproofError as error:
            self.ended, self.failure = Ended.FAILED, str(error)
        finally:
            for step in self.under_way:
                step.begun.close()
            self.under_way.clear()

    def _run(self, progress: Progress | None) -> None:
        def tell() -> None:
            if progress is not None:
                progress.update(self.runs, self.clock.expected(self.runs), self._message())

        self._begin_some()
        while self.under_way:
            self._finish(tell)
            tell()
            if self.refuted and self.stop and self.ladder is None:
                self.ended = Ended.REFUTED
                return
            if self.clock.over:
                self.ended = Ended.SECONDS
                return
            self._begin_some()

    def _begin_some(self) -> None:
        """Begin blocks of further pairs, so that many workers have something to do.

        What is begun, and the bets on it, depend on blocks that are finished, and not on who runs them: with one worker
        a block that was begun has not run when the one before it is looked at, and that changes nothing.
        """
        at_once = AT_ONCE if self.coins else 1
        while len(self.under_way) < at_once and self._room() > 0:
            arms = self._pick()
            if not arms:
                return
            size, remaining = self._size(arms[0]), self.remaining
            prepared = [self._prepared(arm) for arm in arms]
            begun = self.block_runs.begin(shared(arms), size, block=len(self.trace) + len(self.under_way))
            promise = self._promise(arms[0])
            self.under_way.append(Step(arms, prepared, begun=begun, remaining=remaining, promise=promise))

    def _finish(self, told: Callable[[], None]) -> None:
        """Wait for the block that was begun first, pay out the bets on it, and learn from it."""
        step = self.under_way[0]
        cells, size = self.block_runs.finish(step.begun, told)
        self.under_way.popleft()
        arms = step.arms
        lead = max(arms, key=lambda arm: arm.trials)
        before = [arm.wealth.total.copy() for arm in arms]
        for each in step.prepared:
            if each.score is not None:
                self._settle(each, cells[each.arm.index], remaining=step.remaining, leads=each.arm is lead)
        gained = [arm.wealth.total - old for arm, old in zip(arms, before, strict=True)]
        self.together = self.together + in_equal_parts(gained)
        self.peak, self.most = max(self.peak, self.log_e), np.maximum(self.most, self.held)
        self.trace.append((self.runs, self.log_e))
        for arm in arms:
            arm.absorb(cells[arm.index], size)
            arm.relearn(self._aim())

    def _prepared(self, arm: Arm) -> Prepared:
        """The bets on the next block of this pair, chosen before it runs."""
        seen, known = arm.seen, arm.known
        nats = -self.log_error - self.held + arm.wealth.total - arm.wealth.parts[-1]
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

    def _message(self) -> str:
        share = min(max(self.log_e / -self.log_error, 0.0), 1.0)
        likely = f"{share:.0%} of the evidence that a refutation needs"
        if self.ladder is not None and self.ladder.rejected:
            x = float(self.ladder.nulls.x[self.ladder.rejected - 1])
            return f"{likely}, epsilon above {math.log(x):.4g}"
        return likely
