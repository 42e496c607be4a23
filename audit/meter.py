"""Counts runs against the budget, and tells whoever watches."""

import time

from attrs import Factory, define

from crowdproof.audit.interface import Budget, Progress


class BudgetSpentError(Exception):
    """The budget is spent; never shown: it ends the work and what was found so far is reported."""


@define
class Meter:
    """What has been spent of a budget so far."""

    budget: Budget = Factory(Budget)
    progress: Progress | None = None
    runs: int = 0
    found: str = ""
    """What is known by now, in a few words."""
    start: float = Factory(time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.start

    def spend(self, runs: int, message: str) -> None:
        """Count these runs; raises once the budget is spent."""
        self.runs += runs
        if self.progress is not None:
            self.progress.update(self.runs, self.budget.runs, f"{message}; {self.found}" if self.found else message)
        if self.spent:
            raise BudgetSpentError

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self.late or (self.budget.runs is not None and self.runs >= self.budget.runs)

    @property
    def late(self) -> bool:
        """Whether the time is spent: what has been seen by then depends on the machine."""
        seconds = self.budget.seconds
        return seconds is not None and self.seconds >= seconds

    def affords(self, runs: int) -> bool:
        """Whether that many more runs are within the budget, and there is time left."""
        left = self.left().runs
        return not self.late and (left is None or runs <= left)

    def part(self, share: int) -> "Meter":
        """A meter of its own for one part in `share` of what is left; add its runs to this one in the end."""
        left = self.left()
        runs, seconds = left.runs, left.seconds
        budget = Budget(None if runs is None else runs // share, None if seconds is None else seconds / share)
        return Meter(budget, self.progress)

    def rest(self, seconds: float) -> "Meter":
        """A meter of its own for all that is left, and for so many seconds where no time is set."""
        left = self.left()
        return Meter(Budget(left.runs, seconds if left.seconds is None else left.seconds), self.progress)

    def left(self) -> Budget:
        """What remains, as a budget of its own."""
        return self.budget.less(runs=self.runs, seconds=self.seconds)
