"""Columns of cells, each different cell read once, and which cells cover which: compared by numbers, not one by one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import define, field, frozen

from crowdproof.audit.check.whole_numbers import whole_cells
from crowdproof.cells import Anything, Cell, Masked, Range, Readings, Values, readings

_FAR = 1 << 60
"""The place of an end that a range does not have: beyond every place in a file that fits into memory."""
_FEW = 8
"""Codes that are looked for one after another; for more, sorting them first is quicker. A guess."""


@frozen(eq=False)
class Column:
    """The cells of one known column of the groups."""

    codes: np.ndarray
    """For each group the place of its cell among the different ones."""
    ways: tuple["Way", ...]
    """What the different cells say, once for each way to read them: one where all are clear, else five."""

    @classmethod
    def of(cls, column: pl.Series) -> "Column":
        """Read the cells of the column."""
        places: dict[str | None, int] = {}
        codes = [places.setdefault(text, len(places)) for text in texts(column)]
        read = [readings(text) for text in places]
        most = max(len(each) for each in read)
        return cls(np.array(codes), tuple(Way.of([_in_way(each, way) for each in read]) for way in range(most)))


def texts(column: pl.Series) -> list[str | None]:
    """The cells as texts; those that are no number, and lists, among them."""
    return [_text(value) for value in column.to_list()]


def _text(value: object) -> str | None:
    is_missing = value is None or value != value  # noqa: PLR0124  (only nan is not itself)
    return None if is_missing else str(value)


def _in_way(read: Readings, way: int) -> Cell:
    return read[way] if len(read) > 1 else read[0]


@define(eq=False)
class Way:
    """What the different cells of a column say by one way of reading."""

    cells: list[Cell]
    is_anything: np.ndarray
    is_range: np.ndarray
    low: np.ndarray
    """The place of the least number of each cell among all ends of the column, odd where it is left out."""
    high: np.ndarray
    _holders: dict[object, set[int]]
    """Value -> cells that are sets with it; (beginning, length) -> masks that are written so."""
    is_whole: bool
    """Whether all values are whole numbers."""
    _known: dict[int, np.ndarray] = field(factory=dict)
    _whole: "Way | None" = None

    @classmethod
    def of(cls, cells: list[Cell], *, is_whole: bool = False) -> "Way":
        """Rank the ends of the ranges, and note who holds which value."""
        spans = [_span(cell) for cell in cells]
        ends = sorted({end for span in spans if span for end in (span.low, span.high) if end is not None})
        place = {end: 2 * at for at, end in enumerate(ends)}
        low, high = np.full(len(cells), -_FAR - 1), np.full(len(cells), _FAR + 1)  # no range reaches so far
        for at, span in enumerate(spans):
            if span:
                low[at] = -_FAR if span.low is None else place[span.low] + span.low_open
                high[at] = _FAR if span.high is None else place[span.high] - span.high_open
        holders: dict[object, set[int]] = defaultdict(set)
        for at, cell in enumerate(cells):
            for key in _held(cell):
                holders[key].add(at)
        return cls(
            cells,
            is_anything=np.array([isinstance(cell, Anything) for cell in cells]),
            is_range=np.array([isinstance(cell, Range) for cell in cells]),
            low=low,
            high=high,
            holders=dict(holders),
            is_whole=is_whole,
        )

    @property
    def whole(self) -> "Way":
        """The same if the values are whole numbers; this way itself where they may be something else."""
        if self._whole is None:
            cells = whole_cells(self.cells)
            self._whole = self if cells is None else Way.of(cells, is_whole=True)
        return self._whole

    def covering(self, code: int, codes: np.ndarray) -> np.ndarray:
        """For each of the codes whether its cell covers that of the given one."""
        reaches = (self.low[codes] <= self.low[code]) & (self.high[codes] >= self.high[code])
        found: np.ndarray = self.is_anything[codes] | (self.is_range[codes] & reaches)
        if code not in self._known:
            self._known[code] = np.array(sorted(self._sets_and_masks(self.cells[code])), dtype=np.int64)
        found |= _among(codes, self._known[code])
        return found

    def covered(self, code: int) -> np.ndarray:
        """For each different cell whether it is covered by the given one."""
        cell = self.cells[code]
        if isinstance(cell, Anything):
            return np.ones(len(self.cells), dtype=bool)
        if isinstance(cell, Range):
            found: np.ndarray = (self.low >= self.low[code]) & (self.high <= self.high[code])
            return found
        return np.array([cell.covers(other) for other in self.cells])

    def _sets_and_masks(self, cell: Cell) -> set[int]:
        """The sets and masks that cover the cell."""
        match cell:
            case Values(values, written):
                sets = _common(self._holders.get(value, set()) for value in values)
                return sets | _common(self._masks(text, len(text)) for text in written)
            case Masked(start, length):
                return self._masks(start, length)
            case _:
                return set()

    def _masks(self, text: str, length: int | None) -> set[int]:
        beginnings = [text[:size] for size in range(len(text) + 1)]
        keys = [(start, size) for start in beginnings for size in {length, None}]
        return set[int]().union(*(self._holders.get(key, set()) for key in keys))


def _span(cell: Cell) -> Range | None:
    """From the least number of the cell to the greatest; None where it may be no number."""
    match cell:
        case Range():
            return cell
        case Masked():
            return cell.numbers
        case Values(values):
            numbers = [value for value in values if isinstance(value, Fraction)]
            return Range(min(numbers), max(numbers)) if len(numbers) == len(values) else None
        case Anything():
            return None


def _held(cell: Cell) -> Iterable[object]:
    match cell:
        case Values(values):
            return values
        case Masked(start, length):
            return [(start, length)]
        case _:
            return ()


def _common(parts: Iterable[set[int]]) -> set[int]:
    found = list(parts)
    return found[0].intersection(*found[1:]) if found else set()


def _among(codes: np.ndarray, wanted: Sequence[int] | np.ndarray) -> np.ndarray:
    if len(wanted) > _FEW:
        return np.isin(codes, wanted)
    found = np.zeros(len(codes), dtype=bool)
    for each in wanted:
        found |= codes == each
    return found
