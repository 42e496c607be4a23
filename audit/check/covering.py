"""(1, k)-anonymity: how many rows have cells that cover those of a row.

Whoever knows the values of one person cannot exclude a row that covers the person's own. That is less than k-anonymity
promises: whoever knows everybody's values can exclude such a row, if it must be somebody else's (see `matching`).
"""

import numpy as np
from attrs import define, frozen

from crowdproof.audit.check.cell_columns import Column, texts
from crowdproof.audit.check.groups import Groups
from crowdproof.cells import is_clear

_CHUNK = 2048
"""Groups that are compared first; the number doubles after that. A guess: the vaguest come first, so that a crowd is
mostly found among few, and smaller chunks would make numpy start more often."""
_MORE = 1000
"""Groups that are looked at for a smaller crowd, once one below k is found. A guess: each may take a look at all rows,
and the verdict does not change."""


@frozen
class Crowd:
    """How many rows hide a row, and the place of its group."""

    size: int
    place: int


def covering_crowd(groups: Groups, k: int | None = None, *, every_reading: bool = True) -> Crowd:
    """A small crowd, where a row hides among all rows whose cells cover its own.

    Without k it is the smallest of all. With k it is one below k, if there is any; among many of them not always the
    smallest. An unclear cell covers what it covers by every reading, or by at least one; whether the values are whole
    numbers, which makes cells cover more, is such a reading.
    """
    search = _Search.of(groups, every_reading)
    best = Crowd(groups.rows + 1, 0)
    more = _MORE
    for place in np.argsort(groups.sizes, kind="stable"):
        size = int(groups.sizes[place])
        if size >= best.size or more == 0:
            break
        if k is not None and size >= k:
            return best if best.size < k else Crowd(size, int(place))
        limit = best.size if k is None else min(k, best.size)
        crowd = search.crowd(int(place), limit)
        if crowd < best.size:
            best = Crowd(crowd, int(place))
        if k is not None and best.size < k:
            more -= 1
    return best


def unclear_cell(groups: Groups) -> str | None:
    """A cell that can be read in more than one way, the first by its text; None where all are clear."""
    found = {text for key in groups.keys for text in texts(groups.table[key])}
    return min((text for text in found if text is not None and not is_clear(text)), default=None)


@define(eq=False)
class _Search:
    """The columns of the groups, and the groups with the vaguest first."""

    columns: list[Column]
    sizes: np.ndarray
    order: np.ndarray
    every_reading: bool

    @classmethod
    def of(cls, groups: Groups, every_reading: bool) -> "_Search":
        columns = [Column.of(groups.table[key]) for key in groups.keys]
        vagueness = np.zeros(len(groups.sizes))
        for column in columns:
            way = column.ways[0]
            vagueness += (way.is_anything * 2 + way.is_range)[column.codes]
        return cls(columns, groups.sizes, np.argsort(-vagueness, kind="stable"), every_reading)

    def crowd(self, place: int, limit: int) -> int:
        """The rows that cover those of the group, counted until there are as many as the limit."""
        found, start, length = 0, 0, _CHUNK
        while start < len(self.order) and found < limit:
            rows = self.order[start : start + length]
            found += int(self.sizes[rows[self._cover(place, rows)]].sum())
            start, length = start + length, 2 * length
        return found

    def _cover(self, place: int, rows: np.ndarray) -> np.ndarray:
        mask = np.ones(len(rows), dtype=bool)
        for column in self.columns:
            codes, code = column.codes[rows], int(column.codes[place])
            ways = column.ways if self.every_reading else [*column.ways, *(way.whole for way in column.ways)]
            verdicts = [way.covering(code, codes) for way in ways]
            mask &= np.logical_and.reduce(verdicts) if self.every_reading else np.logical_or.reduce(verdicts)
        return mask
