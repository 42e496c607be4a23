"""The time of an audit: when it ends, and how many runs there will be until then."""

import time

from attrs import Factory, define

from crowdproof.audit.request import Budget

UNLIMITED = 2**24
"""Runs that are expected where nothing limits them: a guess, above what fits into memory."""


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
        seconds, most = self.budget.seconds, self.budget.runs
        if seconds is None:
            return most
        pace = (time.time() - self.started) / runs if runs else self.pace
        in_time = UNLIMITED if pace <= 0 else int(seconds / pace)
        return in_time if most is None else min(most, in_time)
