"""A certified number: its interval, where it is attained, and why nothing beyond was overlooked."""

import math
from fractions import Fraction

from attrs import frozen

from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.balls import scientific


@frozen
class Certificate:
    """Why a maximum over infinitely many n is the maximum over the few that were looked at."""

    examined: tuple[int, ...]
    """The n whose value was computed or bounded."""
    rest: Fraction
    """A bound on the value at every other n; 0 where monotonicity alone excludes them."""
    argument: str


@frozen
class Certified:
    """A number that certainly lies between `low` and `high`, attained with n rows in the target's cell."""

    low: Fraction
    high: Fraction
    n: int
    certificate: Certificate

    @property
    def interval(self) -> Estimate:
        """The two ends."""
        return Estimate(self.low, self.high)

    @property
    def exact(self) -> bool:
        """Whether both ends are the number itself."""
        return self.low == self.high

    def __float__(self) -> float:
        return above(self.high)

    def __str__(self) -> str:
        return scientific(self.high)


def above(value: Fraction) -> float:
    """The smallest float that is not below the number.

    >>> above(Fraction(1, 10**400)) > 0
    True
    """
    nearest = float(value)
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)
