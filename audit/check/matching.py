"""What an adversary can conclude from generalized cells who knows the values of everybody in the release.

Such an adversary looks for all ways to give each person a row that fits, one row to each. A row may be a person's if
one of these ways says so. What the people's values are is not in the release, so a claim must hold for every original
that fits it: every choice of one value from each cell.

**Theorem.** Every person has at least k rows in every original that fits, if and only if for every row R and every
value v in R, at least k of the rows that are covered by R hold v.

*Proof.* Let the person of R have v, and let S be the rows that R covers. A row of S that holds v may be this
person's: its own person has a value in R, so the two can change places. For the other direction, take an R and a v
that fewer than k rows of S hold, and give every person outside S a value outside R. That is possible, since R does
not cover their rows. To take a row other than R, the person of R must start a round in which each takes another's row
and the last takes R. The last has a value in R, so belongs to S; the one before has a value in a row of S, which R
covers, so belongs to S; and so on back to the first, whose row holds v. There are fewer than k such rows.

A star or a missing cell may be any value, also one that no other cell names. The search for v goes column by column.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from attrs import define, field, frozen

from crowdproof.audit.check.cell_columns import Column, Way
from crowdproof.audit.check.groups import Groups
from crowdproof.cells import Anything, Cell, Masked, Range, Values
from crowdproof.exact import show

ANY_OTHER = "(a value that no narrower cell names)"
"""How a value is shown that lies in a vague cell, and in none of the narrower ones."""
STEPS = 200_000
"""Choices of values that are tried before the search gives up. A guess: some seconds."""
MOST_COMPARED = 20_000_000
"""Values that are compared with cells, one by one, before the search gives up. A guess: some seconds."""
MOST_KEPT = 1 << 28
"""Comparisons of one cell with all that are kept, in bytes. A guess: what any computer has."""
MOST_WAYS = 125
"""Ways to read the whole release that are gone through: three columns with unclear cells have so many."""


@frozen
class Pinned:
    """A person in a possible original, and how many rows may be theirs: fewer than k."""

    place: int
    values: tuple[str, ...]
    rows: int


class TooHardError(Exception):
    """The search would take too long."""


@frozen
class Matched:
    """What was found by all ways to read the cells."""

    pinned: Pinned | None
    """Somebody who is pinned; None where nobody is by any way."""
    by_every_reading: bool
    """Whether all ways agree that somebody is pinned, or that nobody is."""
    only_by_fractions: bool = False
    """Whether nobody is pinned if the values are whole numbers, by some way."""


def match(groups: Groups, k: int) -> Matched:
    """Whether some original that fits the release leaves a person fewer than k rows, by each way to read the cells.

    Whole numbers are numbers, so that nobody else is pinned by originals of whole numbers.
    """
    columns = [Column.of(groups.table[key]) for key in groups.keys]
    ways = list(product(*(column.ways for column in columns)))
    if len(ways) > MOST_WAYS:
        raise TooHardError
    found = [_Search(columns, way, groups.sizes, k).pinned() for way in ways]
    seen = [each for each in found if each is not None]
    if 0 < len(seen) < len(found) or not seen:
        return Matched(seen[0] if seen else None, by_every_reading=not seen)
    for way in ways:
        whole = tuple(each.whole for each in way)
        if whole != way and _Search(columns, whole, groups.sizes, k).pinned() is None:
            return Matched(seen[0], by_every_reading=True, only_by_fractions=True)
    return Matched(seen[0], by_every_reading=True)


@define(eq=False)
class _Search:
    columns: list[Column]
    ways: tuple[Way, ...]
    sizes: np.ndarray
    k: int
    _steps: int = 0
    _covered: dict[tuple[int, int], np.ndarray] = field(factory=dict)
    _order: list[int] = field(factory=list)
    """The columns, those with the most different cells last: of the last, all values are counted at once."""

    def pinned(self) -> Pinned | None:
        self._order = sorted(range(len(self.columns)), key=lambda at: len(self.ways[at].cells))
        for place in np.argsort(self.sizes, kind="stable"):
            if self.sizes[place] >= self.k:
                return None
            found = self._of(int(place))
            if found is not None:
                return found
        return None

    def _of(self, place: int) -> Pinned | None:
        """A value of the group's own that too few of the rows that it covers hold."""
        within = np.arange(len(self.sizes))
        for at, column in enumerate(self.columns):
            covered = self._covered_by(at, int(column.codes[place]))
            within = within[covered[column.codes[within]]]
        return self._choose(place, 0, within, {})

    def _covered_by(self, at: int, code: int) -> np.ndarray:
        if (at, code) not in self._covered:
            if len(self._covered) * len(self.sizes) > MOST_KEPT:
                self._covered.clear()
            self._covered[at, code] = self.ways[at].covered(code)
        return self._covered[at, code]

    def _choose(self, place: int, at: int, rows: np.ndarray, values: dict[int, str]) -> Pinned | None:
        """Choose the values of the columns from `at` on, where `rows` hold all that was chosen so far."""
        self._steps += 1
        if self._steps > STEPS:
            raise TooHardError
        column = self._order[at]
        way, codes = self.ways[column], self.columns[column].codes
        code = int(codes[place])
        if at + 1 == len(self.columns):
            weights = np.bincount(codes[rows], weights=self.sizes[rows])
            value, left = rarest(way, code, weights)
            chosen = {**values, column: value}
            return Pinned(place, tuple(chosen[each] for each in sorted(chosen)), left) if left < self.k else None
        within = sorted(set(codes[rows].tolist()))
        for value, holders in pieces(way, code, within):
            kept = rows[np.isin(codes[rows], holders)]
            found = self._choose(place, at + 1, kept, {**values, column: value})
            if found is not None:
                return found
        return None


def rarest(way: Way, code: int, weights: np.ndarray) -> tuple[str, int]:
    """The value of the cell that the fewest rows hold, and how many; each row is counted by the place of its cell.

    Of a range the values are in order, so each range among the rows holds those between two places.
    """
    cell, within = way.cells[code], np.flatnonzero(weights).tolist()
    if not isinstance(cell, Range):
        found = [(words, sum(weights[holders])) for words, holders in pieces(way, code, within)]
        value, least = min(found, key=lambda each: each[1])
        return value, int(least)
    numbers = {value for each in _candidates(way, cell, within) for value in each.values if isinstance(value, Fraction)}
    values = sorted(numbers)
    if len(values) * sum(isinstance(way.cells[each], Masked) for each in within) > MOST_COMPARED:
        raise TooHardError
    changes = np.zeros(len(values) + 1)
    for each in within:
        for start, stop in _held(way.cells[each], values):
            changes[start] += weights[each]
            changes[stop] -= weights[each]
    counts = changes.cumsum()[:-1]
    at = int(np.argmin(counts))
    return _shown(values[at]), round(counts[at])


def _held(cell: Cell, values: list[Fraction]) -> Iterator[tuple[int, int]]:
    """The places, in the ordered values, of those that the cell holds, as pieces."""
    match cell:
        case Range(low, high, low_open, high_open):
            start = 0 if low is None else (bisect_right if low_open else bisect_left)(values, low)
            stop = len(values) if high is None else (bisect_left if high_open else bisect_right)(values, high)
            yield start, max(start, stop)
        case Values(held):
            for value in held:
                at = bisect_left(values, value) if isinstance(value, Fraction) else len(values)
                if at < len(values) and values[at] == value:
                    yield at, at + 1
        case Masked():
            yield from ((at, at + 1) for at, value in enumerate(values) if cell.covers(_value(value)))
        case Anything():
            yield 0, len(values)


def pieces(way: Way, code: int, within: list[int]) -> Iterator[tuple[str, list[int]]]:
    """Values of the cell, one for each set of cells that may hold it; all of `within` are covered by the cell.

    A value that only cells as wide as this one hold is the only piece: no other is held by fewer.
    """
    cells, cell = way.cells, way.cells[code]
    alike = [each for each in within if cells[each].covers(cell)]
    if not isinstance(cell, Range | Values):
        yield ANY_OTHER, alike
        return
    found: dict[tuple[int, ...], str] = {}
    candidates = _candidates(way, cell, within)
    if len(candidates) * len(within) > MOST_COMPARED:
        raise TooHardError
    for value in candidates:
        holders = tuple(each for each in within if cells[each].covers(value))
        found.setdefault(holders, min(value.texts))
    if tuple(alike) in found:
        yield found[tuple(alike)], alike
        return
    for holders, words in sorted(found.items(), key=lambda each: len(each[0])):
        yield words, list(holders)


def _candidates(way: Way, cell: Range | Values, within: list[int]) -> list[Values]:
    """A value from each part into which the narrower cells cut this one."""
    if isinstance(cell, Values):
        return [Values(frozenset([value]), frozenset([_shown(value)])) for value in sorted(cell.values, key=str)]
    ordered = sorted({end for each in within for end in _ends(way.cells[each])})
    if way.is_whole:
        near = {end + step for end in ordered for step in (-1, 0, 1)} or {Fraction(0)}
        return [each for each in map(_value, sorted(near)) if cell.covers(each)]
    between = [(one + other) / 2 for one, other in pairwise(ordered)]
    outside = [ordered[0] - 1, ordered[-1] + 1] if ordered else [Fraction(0)]
    return [each for each in map(_value, (*between, *outside, *ordered)) if cell.covers(each)]


def _value(number: Fraction) -> Values:
    return Values(frozenset([number]), frozenset([show(number)]))


def _shown(value: Fraction | str) -> str:
    return show(value) if isinstance(value, Fraction) else value


def _ends(cell: Cell) -> list[Fraction]:
    match cell:
        case Range(low, high):
            return [each for each in (low, high) if each is not None]
        case Values(values):
            return [each for each in values if isinstance(each, Fraction)]
        case _:
            numbers = getattr(cell, "numbers", None)
            return [] if numbers is None else _ends(numbers)
