"""What a released cell says: stars or missing says nothing, `[20, 40)` is a range, `{a, b}` a set, all else itself."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from attrs import frozen

STARS = re.compile(r"\s*\*+\s*")
"""A suppressed cell, of one star or of one for each character."""
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

    low: Decimal
    high: Decimal
    low_open: bool = False
    high_open: bool = False

    def covers(self, other: "Cell") -> bool:
        """Whether all that the other could be lies within."""
        match other:
            case Range():
                above = (other.low, other.low_open) >= (self.low, self.low_open)
                return above and (other.high, not other.high_open) <= (self.high, not self.high_open)
            case Values():
                return all(isinstance(value, Decimal) and self._holds(value) for value in other.values)
            case Anything():
                return False

    def _holds(self, value: Decimal) -> bool:
        above = value > self.low if self.low_open else value >= self.low
        return above and (value < self.high if self.high_open else value <= self.high)


@frozen
class Values:
    """One of these; numbers as they are written, to the last digit, all else as text."""

    values: frozenset[Decimal | str]

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
    if STARS.fullmatch(text):
        return Anything()
    match = _RANGE.fullmatch(text)
    low, high = (number(match[2]), number(match[3])) if match else (None, None)
    if match and low is not None and high is not None and low < high:
        return Range(low, high, match[1] == "(", match[4] == ")")
    if match and low is not None and low == high and match[1] + match[4] == "[]":
        return Values(frozenset([low]))
    inside = _SET.fullmatch(text)
    parts = [part.strip() for part in inside[1].split(",")] if inside else [text]
    return Values(frozenset(_plain(part) for part in parts))


def number(text: str) -> Decimal | None:
    """The number that is written there, without rounding; None where it is none.

    >>> number("20.0") == number("2e1"), number("12345678901234567890") == number("12345678901234567891")
    (True, False)
    """
    try:
        read = Decimal(text)
    except InvalidOperation:
        return None
    return None if read.is_nan() else read


def _plain(text: str) -> Decimal | str:
    read = number(text)
    return text if read is None else read
