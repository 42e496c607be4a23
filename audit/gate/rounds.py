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
"""Slices of a claim in one run of the gate. Each is twice as long as the one before, so that the first takes a seventh
of the claim's runs: a large leak is found early, and a small one still gets a long slice. The number is a guess."""
SMALLEST = 2
"""Runs of the smallest slice: a test compares two datasets, so it needs a run on each."""


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
class ClaimUnderTest:
    """A claim, the epoch of the evidence file that it is tested in, and what its slices have shown so far."""

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
        """The share of the evidence that a refutation needs, in logarithms: 1 refutes."""
        return self.standing.log_e / -math.log(self.alpha)

    def next_size(self, round_: int) -> int:
        """Runs of the next slice: fixed before it starts."""
        first = max(SMALLEST, self.case.runs // (2**ROUNDS - 1))
        size = first * 2**round_
        left = self.case.runs - self.done
        too_few_for_another = left < size + SMALLEST
        return left if round_ >= ROUNDS - 1 or too_few_for_another else size


@frozen
class Rounds:
    """Runs the slices of all claims in rounds: in each round every claim has one slice, the most suspicious first."""

    engine: Engine
    evidence: Evidence
    run_id: str
    """Tells this run of the gate from others that add to the same evidence."""
    seed: int
    deadline: Deadline
    tell: Callable[[str], None] = lambda _: None

    def run(self, tests: list[ClaimUnderTest]) -> None:
        """Run the slices of these claims until runs or time are spent; what they show is kept in each."""
        for round_ in range(ROUNDS):
            for test in sorted(tests, key=lambda each: -each.suspicion):
                interrupts.check()  # a target may have caught what was raised to end the gate
                if not test.over and self.deadline.left > 0:
                    self._slice(test, test.next_size(round_))

    def _slice(self, test: ClaimUnderTest, size: int) -> None:
        started = time.monotonic()
        number = self.evidence.draw(test.epoch)
        self.tell(f"{test.case.entry.name}: {test.spent:,} of {test.case.runs:,} runs")
        budget = Budget(size, self.deadline.left)
        try:
            seed = slice_seed(self.seed, test.epoch.number, number)
            found = self.engine.slice(test.case, budget, alpha=test.alpha, seed=seed, state=test.standing.state)
        except BaseException as error:  # noqa: BLE001  (a crash of one claim, whosever fault, is not that of the others)
            pass_interrupts(error)
            self.evidence.close_epoch(test.epoch)
            test.crash = told(error)
            return
        test.standing = self.evidence.commit(test.epoch, number, run=self.run_id, found=found)
        if test.standing.closed:
            test.crash = "it crashed in another audit of the same claim at the same time"
            return
        test.detectable = found.detectable or test.detectable
        test.spent += found.runs
        test.sees |= found.sees
        test.done += size if found.whole else 0
        test.seconds += time.monotonic() - started
