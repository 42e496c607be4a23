"""The statistical part of a gate: claims take turns, the most suspicious first, until runs or time are spent."""

import math
import time
from collections.abc import Callable
from fractions import Fraction

from attrs import define, frozen

from crowdproof import interrupts
from crowdproof.audit.gate.cases import Case, Engine, slice_seed
from crowdproof.audit.gate.deadline import Deadline
from crowdproof.audit.gate.evidence import Slice, Standing
from crowdproof.audit.gate.ledger import Account, Ledger
from crowdproof.audit.request import Budget
from crowdproof.errors import pass_interrupts, told

ROUNDS = 3
"""Slices of a claim in one run of the gate. Each is twice as long as the one before, so that the first takes a seventh
of the claim's runs: a large leak is found early, and a small one still gets a long slice. The number is a guess."""
SMALLEST = 2
"""Runs of the smallest slice: a test compares two datasets, so it needs a run on each."""


@define
class ClaimUnderTest:
    """A claim, the account that its evidence is kept in, and what its slices have shown so far."""

    case: Case
    account: Account
    spent: int = 0
    """Runs that this gate has spent on it."""
    done: int = 0
    """Runs of the slices that were not cut short by the time."""
    sees: bool = False
    """Whether a leak could have shown in any of its slices."""
    doubt: str = ""
    """Why the runs of some slice are not what the test takes them for."""
    seconds: float = 0.0
    failure: str | None = None
    """Why it could not be examined to the end."""
    detectable: str = ""
    """What this gate would have seen, in words."""

    @property
    def alpha(self) -> Fraction:
        """The chance of refuting it if it is true."""
        return self.account.alpha

    @property
    def standing(self) -> Standing:
        """What the evidence so far amounts to."""
        return self.account.standing

    @property
    def refuted(self) -> bool:
        """Whether the evidence of all gates so far suffices."""
        return self.standing.refutes(self.alpha)

    @property
    def over(self) -> bool:
        """Whether there is nothing left to do for it in this gate."""
        return self.refuted or self.failure is not None or self.done >= self.case.runs

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
    ledger: Ledger
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
        """Run one slice. Trouble with one claim, whosever fault, is not that of the others."""
        started = time.monotonic()
        self.tell(f"{test.case.entry.name}: {test.spent:,} of {test.case.runs:,} runs")
        try:
            number = self.ledger.draw(test.account)
        except BaseException as error:  # noqa: BLE001
            pass_interrupts(error)
            test.failure = told(error)
            return
        try:
            found = self._found(test, number, size)
        except BaseException as error:  # noqa: BLE001
            pass_interrupts(error)
            self.ledger.close(test.account)
            test.failure = f"The target could not be run: {told(error)}"
            return
        self._count(test, number, size, found)
        test.seconds += time.monotonic() - started

    def _found(self, test: ClaimUnderTest, number: int, size: int) -> Slice:
        seed = slice_seed(self.seed, test.account.epoch.number, number)
        budget = Budget(size, self.deadline.left)
        return self.engine.slice(test.case, budget, alpha=test.alpha, seed=seed, state=test.standing.state)

    def _count(self, test: ClaimUnderTest, number: int, size: int, found: Slice) -> None:
        """Add a slice to the evidence; it counts in this run whatever breaks into that."""
        test.detectable = found.detectable or test.detectable
        test.spent += found.runs
        test.sees |= found.sees
        test.doubt = found.doubt or test.doubt
        test.done += size if found.whole else 0
        try:
            self.ledger.commit(test.account, number, found)
        except BaseException as error:  # noqa: BLE001
            pass_interrupts(error)
            test.failure = told(error)
        if test.standing.closed:
            test.failure = "The target could not be run: it crashed in another audit of the same claim at the same time"
