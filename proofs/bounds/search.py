"""Where a falling function crosses a limit: floats guess, certified values decide."""

import math
from collections.abc import Callable
from fractions import Fraction

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.certificate import Certified

WIDTH = Fraction(1, 2**40)
"""How narrow an interval for epsilon is, relative to epsilon."""
COARSE = Fraction(1, 2**12)
"""The same for the lower end alone, where the values themselves are known less closely."""
_MOST = Fraction(700)
"""Epsilons beyond this are not looked at."""


def crossing(value: Callable[[Epsilon], Certified], limit: Fraction, start: Fraction = Fraction(0)) -> Estimate:
    """The smallest epsilon >= start with value(epsilon) <= limit, for a value that does not rise with epsilon.

    At the upper end the value is certainly at most the limit, at the lower end (unless it is the start) certainly not.
    """
    search = _Crossing(value, limit)
    if search.below(start):
        return Estimate.exactly(start)
    low, high = start, start * Fraction(5, 4) or Fraction(1, 8)
    while not search.below(high):
        low, high = high, 2 * high
        if high > _MOST:
            raise ParameterError(f"no epsilon up to {_MOST} brings delta down to the limit: raise delta or k.")
    found = search.narrow(low, high)
    return Estimate(search.certainly_above(start, found.low), found.high)


class _Crossing:
    """The values seen so far, as logarithms relative to the limit, for the next guess."""

    def __init__(self, value: Callable[[Epsilon], Certified], limit: Fraction) -> None:
        self.value, self.limit = value, limit
        self.seen: dict[Fraction, float] = {}

    def below(self, epsilon: Fraction) -> bool:
        """Whether the value is certainly at most the limit there."""
        found = self.value(Epsilon(epsilon)).high
        ratio = found / self.limit
        self.seen[epsilon] = math.log(ratio.numerator) - math.log(ratio.denominator)
        return found <= self.limit

    def narrow(self, low: Fraction, high: Fraction) -> Estimate:
        """Alternate the secant's guess, taken a little to either side, with halving."""
        halve = False
        while high - low > WIDTH * high:
            width = high - low
            guess = (low + high) / 2 if halve else self._secant(low, high)
            near = [guess] if halve else [guess - WIDTH * high / 4, guess + WIDTH * high / 4]
            for point in (_short(each, high) for each in near):
                if low < point < high:
                    low, high = (low, point) if self.below(point) else (point, high)
            halve = high - low > width / 8
        return Estimate(low, high)

    def certainly_above(self, start: Fraction, end: Fraction) -> Fraction:
        """The end if the value is certainly above the limit there, else a point before it where it is, or the start.

        Where values are intervals, their upper ends pass the limit later than they themselves do.
        """
        if end == start or self._above(end):
            return end
        low, high = start, end
        while high - low > COARSE * high:
            middle = _short((low + high) / 2, high)
            low, high = (middle, high) if self._above(middle) else (low, middle)
        return low

    def _above(self, epsilon: Fraction) -> bool:
        return self.value(Epsilon(epsilon)).low > self.limit

    def _secant(self, low: Fraction, high: Fraction) -> Fraction:
        above, below = self.seen[low], self.seen[high]
        part = above / (above - below) if above > below else 0.5
        return low + (high - low) * Fraction(min(max(part, 0.001), 0.999))


def _short(number: Fraction, scale: Fraction) -> Fraction:
    """A dyadic number near it, with few digits."""
    bits = 46 - math.frexp(float(scale))[1]
    return Fraction(round(number * 2**bits), 2**bits)
