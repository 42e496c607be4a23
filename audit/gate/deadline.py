"""When a gate has to come to its end."""

import time

from attrs import frozen


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
