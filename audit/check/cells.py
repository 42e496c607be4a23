"""What a released cell says: `*` or missing says nothing, `[20, 40)` is a range, `{a, b}` a set, all else itself."""

import math
import re
from typing import Any

from attrs import frozen

_RANGE = re.compile(r"\s*([\[(])\s*([^,\[\](){}]+?)\s*,\s*([^,\[\](){}]+?)\s*([\])])\s*")
_SET = re.compile(r"\s*\{(.*)\}\s*", re.DOTALL)


@frozen
class Anything:
    """A suppressed or missing cell: the value could be any."""

    def covers(self, other: "Cell") -> bool:  # noqa: ARG002
        """Whatever the other is."""
        return True


@frozen
class Range:
    """Numbers from low to high; an open end does not belong to it."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False

    def covers(self, other: "Cell") -> bool:
        """Whether all that the other could be lies within."""
        match other:
            case Range():
                above = (other.low, other.low_open) >= (self.low, self.low_open)
                return above and (other.high, not other.high_open) <= (self.high, not self.high_open)
            case Values():
                return all(isinstance(value, float) and self._holds(value) for value in other.values)
            case Anything():
                return False

    def _holds(self, value: float) -> bool:
        above = value > self.low if self.low_open else value >= self.low
        return above and (value < self.high if self.high_open else value <= self.high)


@frozen
class Values:
    """One of these; numbers as floats, all else as text."""

    values: frozenset[float | str]

    def covers(self, other: "Cell") -> bool:
        """Whether all that the other could be is among them."""
        return isinstance(other, Values) and other.values <= self.values


Cell = Anything | Range | Values


def parse_cell(value: Any) -> Cell:
    """What the cell says.

    >>> parse_cell("[20, 40)").covers(parse_cell("39.5")), parse_cell("[20, 40)").covers(parse_cell("40"))
    (True, False)
    >>> parse_cell("{a, b}").covers(parse_cell("a")), parse_cell("*").covers(parse_cell("{a, b}"))
    (True, True)
    """
    text = "*" if value is None else str(value).strip()
    if text == "*":
        return Anything()
    match = _RANGE.fullmatch(text)
    if match is not None and _number(match[2]) is not None and _number(match[3]) is not None:
        return Range(float(match[2]), float(match[3]), match[1] == "(", match[4] == ")")
    inside = _SET.fullmatch(text)
    parts = [part.strip() for part in inside[1].split(",")] if inside else [text]
    return Values(frozenset(_plain(part) for part in parts))


def _plain(text: str) -> float | str:
    number = _number(text)
    return text if number is None else number


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number
