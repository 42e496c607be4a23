"""How much work is sent away at once, by the time that it takes: all that the number of workers decides."""

from attrs import define

MOST_SECONDS = 0.1
"""How long a piece of work should take at most: long against the cost of sending it, short against anyone's patience. A
guess. A single unit that takes longer is a piece by itself."""
LEAST_SECONDS = 0.02
"""And at least, even where fewer pieces are left than there are workers: ten times what it costs to send one. A
guess."""
AHEAD = 3
"""Pieces under way for each worker: enough that none waits for work, few enough to stop soon. A guess."""


@define
class Pace:
    """How long a unit of work has taken so far; remembered from one piece of work to the next."""

    each: float | None = None
    """Seconds for a unit; None before any was done."""
    most: int = 1
    """Units that may be sent at once: no more than twice as many as were done at once before."""

    def units(self, left: int | None, *, workers: int) -> int:
        """Units of the next piece where so many are left; None is not known."""
        if self.each is None:
            return 1
        each = max(self.each, 1e-9)
        wanted = MOST_SECONDS / each
        if left is not None:
            shares = left / (AHEAD * workers)
            wanted = min(max(shares, LEAST_SECONDS / each), wanted, left)
        return max(1, min(int(wanted), self.most))

    def took(self, seconds: float, units: int) -> None:
        """Learn from a piece that is done."""
        self.each = seconds / max(units, 1)
        self.most = max(self.most, 2 * units)
