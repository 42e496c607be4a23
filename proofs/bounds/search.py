"""Where a falling function crosses a limit: floats guess, certified values decide."""

import math
from collections.abc import Callable
from fractions import Fraction

from attrs import field, mutable

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.certificate import Certified

WIDTH = Fraction(1, 2**40)
"""How narrow an interval for epsilon is, relative to epsilon."""
COARSE = Fraction(1, 2**12)
"""The same where the values themselves are known less closely."""
_LEAST = 0.01
"""By how much the logarithm is to fall at least after an upper end that is above the limit: a percent."""
_FINEST = Fraction(1, 2**80)
"""Numbers nearer than this are not told apart: lower ends found with little effort may fall where epsilon leaves 0."""
_MOST = Fraction(700)
"""Epsilons beyond this are not looked at."""


def crossing(value: Callable[[Epsilon], Certified], limit: Fraction, start: Fraction = Fraction(0)) -> Estimate:
    """The smallest epsilon >= start with value(epsilon) <= limit, for a value that does not rise with epsilon.

    At the upper end the value is certainly at most the limit, at the lower end (unless it is the start) certainly not.
    """
    return Crossing(lambda epsilon: value(Epsilon(epsilon)), limit).after(start)


@mutable
class Crossing:
    """Where a falling value crosses a limit: lower ends tell where they do, and upper ends are asked for from there on.

    The values seen so far are kept as logarithms relative to the limit, for the next guess.
    """

    value: Callable[[Fraction], Certified]
    limit: Fraction
    surely: Callable[[Fraction], Certified] | None = None
    """The value with an upper end that may take longer to find."""
    width: Fraction = WIDTH
    """How closely the lower ends are followed."""
    slack: tuple[float, ...] = ()
    """By how much the logarithm is to be below the limit's where upper ends are asked for first."""
    most: Fraction = _MOST
    """Numbers beyond this are not looked at."""
    seen: dict[Fraction, float] = field(factory=dict, init=False)
    slope: float = field(default=1.0, init=False)
    """How fast the logarithm falls, about."""

    def after(self, start: Fraction) -> Estimate:
        """The smallest number from the start on at which the value is at most the limit."""
        low, high = self.attained(start)
        return Estimate(low, self.certain(high))

    def attained(self, start: Fraction) -> tuple[Fraction, Fraction]:
        """Where lower ends cross the limit: above it at the first of the two (unless it is the start)."""
        if not self._above(start):
            return start, start
        low, high = start, start * Fraction(5, 4) or Fraction(1, 8)
        while self._above(high):
            low, high = high, 2 * high
            self._not_too_far(high)
        self.slope = max(self.slope, (self.seen[low] - self.seen[high]) / float(high - low))
        return self._narrow(low, high)

    def certain(self, end: Fraction) -> Fraction:
        """The first epsilon from there on, about, at which the upper end is at most the limit."""
        low, step = end, self.width * end
        first = [_short(end + Fraction(each / self.slope), end) for each in self.slack]
        end = first.pop(0) if first else end
        while (excess := self._excess(end)) > 0:
            step = max(2 * step, Fraction(excess / self.slope))  # doubled: the slope may be far too steep a guess
            low, end = end, _short(end + step, end + step)
            self._not_too_far(end)
        while end - low > COARSE * end:
            middle = first.pop() if first and low < first[-1] < end else _short((low + end) / 2, end)
            low, end = (middle, end) if self._excess(middle) > 0 else (low, middle)
        return end

    def _narrow(self, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        """The secant's guess, taken to either side by about its error, or halving where that did not help."""
        halve = False
        while high - low > max(self.width * high, _FINEST):
            width = high - low
            guess = (low + high) / 2 if halve else self._secant(low, high)
            error = max(self.width * high / 4, width * width / high)
            near = [guess] if halve else [guess - error, guess + error]
            for point in (_short(each, high) for each in near):
                if low < point < high:
                    low, high = (point, high) if self._above(point) else (low, point)
            halve = not halve and high - low > width / 8
        return low, high

    def _not_too_far(self, epsilon: Fraction) -> None:
        if epsilon > self.most:
            raise ParameterError(f"no epsilon up to {self.most} brings delta down to the limit: raise delta or k.")

    def _above(self, epsilon: Fraction) -> bool:
        found = self.value(epsilon).low
        self.seen[epsilon] = _log(found / self.limit)
        return found > self.limit

    def _excess(self, epsilon: Fraction) -> float:
        """By how much the logarithm of the value is above the limit's, as far as is known; 0 where it is not."""
        found = (self.surely or self.value)(epsilon)
        if found.high <= self.limit:
            return 0.0
        return max(_log((found.low if found.low > self.limit else found.high) / self.limit), _LEAST)

    def _secant(self, low: Fraction, high: Fraction) -> Fraction:
        above, below = self.seen[low], self.seen[high]
        part = above / (above - below) if above > below else 0.5
        return low + (high - low) * Fraction(min(max(part, 0.001), 0.999))


def _short(number: Fraction, scale: Fraction) -> Fraction:
    """A dyadic number near it, with few digits."""
    bits = max(0, 46 - (scale.numerator.bit_length() - scale.denominator.bit_length()))
    return Fraction(round(number * 2**bits), 2**bits)


def _log(ratio: Fraction) -> float:
    return math.log(ratio.numerator) - math.log(ratio.denominator)
