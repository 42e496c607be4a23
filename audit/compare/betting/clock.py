"""The time of an audit: when it ends, and how many runs there will be until then."""

import time

from attrs import Factory, define

from crowdproof.audit.request import Budget


@define
class Clock:
    """Started with the audit. It is the clock of `time.time`, which all workers can read."""

    budget: Budget
    pace: float = 0.0
    """Seconds that a run takes, as far as is known before the first one; 0 is not known."""
    started: float = Factory(time.time)

    @property
    def until(self) -> float | None:
        """When it ends; None is never."""
        return None if self.budget.seconds is None else self.started + self.budget.seconds

    @property
    def over(self) -> bool:
        """Whether the time has come."""
        return self.until is not None and time.time() >= self.until

    def expected(self, runs: int) -> int | None:
        """Runs that there will be in all, by the budget; where that sets a time, by the pace of the `runs` so far.

        >>> Clock(Budget(runs=1000, seconds=10.0), pace=0.1).expected(0)
        100
        """
        return self.budget.runs_at((time.time() - self.started) / runs if runs else self.pace)
