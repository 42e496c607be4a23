"""Scales of a chart: from numbers to positions, and where the ticks stand."""

import math
from collections.abc import Iterable

from attrs import frozen

_HUGE = 1e150
"""Numbers beyond this, or on a logarithmic axis below its inverse, are left out."""
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@frozen
class Scale:
    """Maps [low, high] to [start, stop], by logarithm if asked to."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    @classmethod
    def over(cls, values: Iterable[float], start: float, stop: float, *, log: bool = False) -> "Scale | None":
        """A scale that holds every value that can be drawn; None where there is no such value."""
        drawn = [value for value in values if drawable(value, log=log)]
        if not drawn:
            return None
        low, high = _roomy(min(drawn), max(drawn), log=log)
        return cls(low, high, start, stop, log)

    def __call__(self, value: float) -> float:
        """The position of the value; beyond the ends, the end."""
        low, high = self._on_axis(self.low), self._on_axis(self.high)
        share = (self._on_axis(max(self.low, min(self.high, value))) - low) / (high - low)
        return self.start + share * (self.stop - self.start)

    def ticks(self, count: int = 6) -> list[float]:
        """About `count` round numbers within the scale."""
        if not self.log:
            return _linear_ticks(self.low, self.high, count)
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        if last - first >= 2:
            stride = max(1, math.ceil((last - first) / count))
            return [10.0**power for power in range(last, first - 1, -stride)][::-1]
        steps = [digit * 10.0**power for power in range(first - 1, last + 1) for digit in (1, 2, 5)]
        within = [step for step in steps if self.low * 0.999 <= step <= self.high * 1.001]
        return within if len(within) >= 2 else _linear_ticks(self.low, self.high, count)

    def _on_axis(self, value: float) -> float:
        return math.log10(value) if self.log else value


def drawable(value: float, *, log: bool) -> bool:
    """Whether the value has a place on such a scale."""
    return abs(value) <= _HUGE and (value >= 1 / _HUGE or not log)


def _roomy(low: float, high: float, *, log: bool) -> tuple[float, float]:
    """The range with a little air, down to zero where that is near; never a range of one point."""
    if log:
        room = max(0.15, 0.03 * math.log10(high / low))
        return low / 10**room, high * 10**room
    size = max(abs(low), abs(high))
    if high - low <= 1e-9 * size or size < 1 / _HUGE:
        low, high = (low - size / 2, high + size / 2) if size >= 1 / _HUGE else (-0.5, 0.5)
    if 0 < low < 0.4 * high:
        low = 0.0
    room = 0.04 * (high - low)
    return (low if low == 0 else low - room), high + room


def _linear_ticks(low: float, high: float, count: int) -> list[float]:
    rough = (high - low) / max(1, count)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def tick_labels(values: list[float]) -> list[str]:
    """Numbers as they stand at ticks, all of them as powers of ten where some are very large or small.

    >>> tick_labels([0.0, 0.25, 0.5]), tick_labels([1e-9, 1e-3, 1.0])
    (['0', '0.25', '0.5'], ['10⁻⁹', '10⁻³', '1'])
    """
    plain = all(value == 0 or 1e-3 <= abs(value) < 1e6 for value in values)
    return [_plain(value) if plain or value in {0, 1, 10} else _power(value) for value in values]


def _plain(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"


def _power(value: float) -> str:
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPT)}"
    return power if mantissa == "1" else f"{mantissa}×{power}"
