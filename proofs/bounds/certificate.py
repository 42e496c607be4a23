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
class WorstPair:
    """Rows in the cells in which two neighbouring datasets differ, the dataset that makes the event likelier first.

    (42,) against (41,): the target's cell has 42 rows with the target. (13, 24) against (12, 25): the target leaves a
    cell of 13 rows, and its replacement makes 25 of another's 24.
    """

    likelier: tuple[int, ...]
    other: tuple[int, ...]


@frozen
class Certified:
    """A number that certainly lies between `low` and `high`, attained with n rows in the target's cell."""

    low: Fraction
    high: Fraction
    n: int
    certificate: Certificate
    pair: WorstPair | None = None
    """Datasets whose delta is the number, where it is the delta of datasets."""

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
        return scientific(self.high, rounding="up")


def above(value: Fraction) -> float:
    """The smallest float that is not below the number.

    >>> above(Fraction(1, 10**400)) > 0
    True
    """
    nearest = float(value)
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)
