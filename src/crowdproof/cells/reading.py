"""The readings of a cell: one where it is clear, and else all that it can say."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

from crowdproof.cells.kinds import Anything, Cell, Masked, Range, Values
from crowdproof.cells.notation import (
    BLANKS,
    REMEMBERED,
    SHORT,
    STAR,
    Ends,
    find_ends,
    is_code,
    is_suppressed,
    members,
    number_or_fraction,
    text_of,
)

Readings = tuple[Cell, ...]
"""The one reading of a clear cell, or the five of an unclear one: the usual reading, that without the upper end, that
without the lower end, that as a text, and the vaguest. A column is written in one of these ways throughout, so two
unclear cells are compared way by way."""

_VAGUE = frozenset("*[](){}")
"""What a plain member of a set, or the beginning of a mask, has not."""


def parse_cell(value: Any) -> Cell:
    """What the cell says, by its usual reading.

    >>> parse_cell("[20, 40)").covers(parse_cell("39.5")), parse_cell("[20, 40)").covers(parse_cell("40"))
    (True, False)
    >>> parse_cell("{a, b}").covers(parse_cell("a")), parse_cell("*").covers(parse_cell("{a, b}"))
    (True, True)
    """
    return readings(value)[0]


def readings(value: Any) -> Readings:
    """All that the cell can say, the usual reading first; one reading where it is clear.

    >>> len(readings("[20, 40)")), len(readings("20-40"))
    (1, 5)
    """
    if is_suppressed(value):
        return (Anything(),)
    text = text_of(value)
    return _remembered(text) if len(text) <= SHORT else _read(text)


def is_clear(value: Any) -> bool:
    """Whether the cell can be read in one way only."""
    return len(readings(value)) == 1


def surely_covers(vague: Readings, sharp: Readings) -> bool:
    """Whether by every reading all that the sharp cell could be is among what the vague one could be.

    >>> surely_covers(readings("20-40"), readings("30")), surely_covers(readings("[20, 40]"), readings("30"))
    (False, True)
    """
    return all(one.covers(other) for one, other in _way_by_way(vague, sharp))


def may_cover(vague: Readings, sharp: Readings) -> bool:
    """The same by at least one reading.

    >>> may_cover(readings("20-40"), readings("30")), may_cover(readings("20-40"), readings("50"))
    (True, False)
    """
    return any(one.covers(other) for one, other in _way_by_way(vague, sharp))


def _way_by_way(one: Readings, other: Readings) -> Iterator[tuple[Cell, Cell]]:
    if len(one) == len(other):
        return zip(one, other, strict=True)
    if len(one) == 1:
        return zip(repeat(one[0]), other)
    return zip(one, repeat(other[0]))


def _unclear(
    usual: Cell,
    *,
    as_text: Cell,
    without_high: Cell | None = None,
    without_low: Cell | None = None,
    vaguest: Cell | None = None,
) -> Readings:
    return usual, without_high or usual, without_low or usual, as_text, vaguest or usual


def _read(text: str) -> Readings:
    """The readings of a text that is not suppressed."""
    inside = members(text)
    if inside:
        return _set(inside)
    if number_or_fraction(text) is not None:
        return _unclear(_value(text), as_text=_literal(text)) if is_code(text) else (_value(text),)
    found = find_ends(text)
    if found is not None:
        return _range(text, found)
    start = text.rstrip(STAR)
    if start == text or _VAGUE.intersection(start):
        return (_literal(text),)
    masked = Masked(start, len(text))
    return _unclear(masked, as_text=masked, vaguest=Masked(start, None))


_remembered = lru_cache(maxsize=REMEMBERED)(_read)


def _literal(text: str) -> Values:
    return Values(frozenset([text]), frozenset([text]))


def _value(text: str) -> Values:
    read = number_or_fraction(text)
    return Values(frozenset([text if read is None else read]), frozenset([text]))


def _set(inside: Sequence[str]) -> Readings:
    """One of the members. One that is no plain value, such as a range or a star, may stand for any value."""
    inside = [each.strip(BLANKS) for each in inside]
    texts = frozenset(inside)
    usual = Values(frozenset[Any]().union(*(_value(each).values for each in inside)), texts)
    plain = [_read(each) for each in inside if not _VAGUE.intersection(each)]
    is_vague = len(plain) < len(inside) or any(not isinstance(each[0], Values) for each in plain)
    if not is_vague and all(len(each) == 1 for each in plain):
        return (usual,)
    return _unclear(usual, as_text=Values(texts, texts), vaguest=Anything() if is_vague else usual)


def _range(text: str, found: Ends) -> Readings:
    if not found.is_of_numbers:
        return _unclear(_literal(text), as_text=_literal(text), vaguest=Anything())
    low, high = found.numbers
    low_open, high_open = found.opened
    usual: Cell = Range(low, high, low is not None and low_open, high is not None and high_open)
    if low is not None and low == high:
        usual = Values(frozenset([low]), frozenset([found.low]))
    if found.is_clear:
        return (usual,)
    if low == high or high is None or low_open or high_open:
        return _unclear(usual, as_text=_literal(text))
    return _unclear(
        usual,
        as_text=_literal(text),
        without_high=Range(low, high, high_open=True),
        without_low=Range(low, high, low_open=True),
    )
