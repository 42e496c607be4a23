"""The statistical part of a gate: claims take turns, the most suspicious first, until runs or time are spent."""

import math
import time
from collections.abc import Callable
from fractions import Fraction

from attrs import define, frozen

from crowdproof import interrupts
from crowdproof.audit.gate.cases import Case, Engine, slice_seed
from crowdproof.audit.gate.evidence import Epoch, Evidence, Standing
from crowdproof.audit.request import Budget
from crowdproof.errors import pass_interrupts, told

ROUNDS = 3
"""Slices double from one to the next: the first of this many is a seventh of a claim's runs."""
SMALLEST = 2
"""Runs of the smallest slice: one on either dataset."""


@frozen
class Deadline:
    """When the time of a gate is over."""

    end: float

    @classmethod
    def within(cls, seconds: float) -> "Deadline":
        """So many seconds from now."""
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds that are left; 0 when it is over."""
        return max(0.0, self.end - time.monotonic())


@define
class Bout:
    """A claim in its statistical test."""

    case: Case
    epoch: Epoch
    alpha: Fraction
    standing: Standing
    spent: int = 0
    """Runs that this gate has spent on it."""
    done: int = 0
    """Runs of the slices that were not cut short by the time."""
    sees: bool = False
    """Whether a leak could have shown in any of its slices."""
    seconds: float = 0.0
    crash: str | None = None
    detectable: str = ""
    """What this gate would have seen, in words."""

    @property
    def refuted(self) -> bool:
        """Whether the evidence of all gates so far suffices."""
        return self.standing.refutes(self.alpha)

    @property
    def over(self) -> bool:
        """Whether there is nothing left to do for it in this gate."""
        return self.refuted or self.crash is not None or self.done >= self.case.runs

    @property
    def suspicion(self) -> float:
        """How far the evidence has come on the way to a refutation."""
        return self.standing.log_e / -math.log(self.alpha)

    def next_size(self, round_: int) -> int:
        """Runs of the next slice: fixed before it starts."""
        first = max(SMALLEST, self.case.runs // (2**ROUNDS - 1))
        left, size = self.case.runs - self.done, first * 2**round_
        return left if round_ >= ROUNDS - 1 or left < size + SMALLEST else size


@frozen
class Ring:
    """Where the bouts take place."""

    engine: Engine
    evidence: Evidence
    run: str
    """The id of this run of the gate."""
    seed: int
    deadline: Deadline
    tell: Callable[[str], None] = lambda _: None

    def fight(self, bouts: list[Bout]) -> None:
        """Give every claim its slices."""
        for round_ in range(ROUNDS):
            for bout in sorted(bouts, key=lambda each: -each.suspicion):
                interrupts.check()  # a target may have caught what was raised to end the gate
                if not bout.over and self.deadline.left > 0:
                    self._slice(bout, bout.next_size(round_))

    def _slice(self, bout: Bout, size: int) -> None:
        started = time.monotonic()
        number = self.evidence.draw(bout.epoch)
        self.tell(f"{bout.case.entry.name}: {bout.spent:,} of {bout.case.runs:,} runs")
        budget = Budget(size, self.deadline.left)
        try:
            seed = slice_seed(self.seed, bout.epoch.number, number)
            found = self.engine.slice(bout.case, budget, bout.alpha, seed, bout.standing.state)
        except BaseException as error:  # noqa: BLE001  (a crash of one claim, whosever fault, is not that of the others)
            pass_interrupts(error)
            self.evidence.close_epoch(bout.epoch)
            bout.crash = told(error)
            return
        bout.standing = self.evidence.commit(bout.epoch, number, self.run, found)
        if bout.standing.closed:
            bout.crash = "it crashed in another audit of the same claim at the same time"
            return
        bout.detectable = found.detectable or bout.detectable
        bout.spent += found.runs
        bout.sees |= found.sees
        bout.done += size if found.whole else 0
        bout.seconds += time.monotonic() - started
