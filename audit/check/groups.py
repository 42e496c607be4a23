"""The crowds of a release: rows that look alike in the columns an adversary may know."""

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from attrs import define, field, frozen

from crowdproof.cells import Readings, is_clear, readings, surely_covers

COUNT, GROUP, VALUE = "__crowdproof_count", "__crowdproof_group", "__crowdproof_value"


@frozen(eq=False)
class Groups:
    """Each distinct row of the known columns, with its count."""

    columns: tuple[str, ...]
    table: pl.DataFrame

    @property
    def sizes(self) -> np.ndarray:
        """Rows in each group."""
        return self.table[COUNT].to_numpy()

    @property
    def rows(self) -> int:
        """Rows of the release."""
        return int(self.sizes.sum())

    @property
    def smallest(self) -> int:
        """The place of the smallest group, the first by its cells among several: groups come in no order."""
        places = pl.int_range(pl.len()).filter(pl.col(COUNT) == pl.col(COUNT).min())
        cells = [pl.col(name).filter(pl.col(COUNT) == pl.col(COUNT).min()) for name in self.columns]
        return int(self.table.select(places.sort_by(cells).first()).item())

    def words(self, place: int) -> dict[str, str]:
        """What the group at that place looks like, for a report."""
        row = self.table.row(place, named=True)
        return {name: "(missing)" if row[name] is None else str(row[name]) for name in self.columns}


@frozen(eq=False)
class Spread:
    """How often each value of a sensitive column occurs in each group: rows of (group, value, count)."""

    column: str
    groups: Groups
    table: pl.DataFrame


def group(table: pl.LazyFrame, columns: Sequence[str]) -> Groups:
    """Count the rows that are equal in these columns; a missing cell equals a missing cell."""
    counted = table.group_by(columns).agg(pl.len().cast(pl.Int64).alias(COUNT)).collect(engine="streaming")
    return Groups(tuple(columns), counted)


def spread(table: pl.LazyFrame, columns: Sequence[str], sensitive: str) -> Spread:
    """Count the values of the sensitive column in each group, in one pass over the release."""
    values = table.select(*columns, pl.col(sensitive).alias(VALUE))
    counted = group(values, [*columns, VALUE]).table
    grouped = counted.group_by(columns).agg(VALUE, COUNT).with_row_index(GROUP)
    sizes = grouped.select(*columns, pl.col(COUNT).list.sum())
    return Spread(sensitive, Groups(tuple(columns), sizes), grouped.select(GROUP, VALUE, COUNT).explode(VALUE, COUNT))


Covers = Callable[[Readings, Readings], bool]
"""Whether a cell covers another: surely, or by some reading of unclear cells."""


def covering_crowd(groups: Groups, covers: Covers = surely_covers) -> tuple[int, int]:
    """The smallest crowd and the place of its group, where rows whose cells cover those of a row hide it as well.

    Whoever fits a row fits every row that is at least as vague in each column. So whoever knows the columns of a person
    cannot exclude any of these rows. A crowd is never smaller than its group.
    """
    columns = [_Column.of(groups.table[name], covers) for name in groups.columns]
    best, place = groups.rows + 1, 0
    for i in np.argsort(groups.sizes, kind="stable"):
        if groups.sizes[i] >= best:
            break
        mask = np.ones(len(groups.sizes), dtype=bool)
        for column in columns:
            mask &= column.covering(int(i))
        crowd = int(groups.sizes[mask].sum())
        if crowd < best:
            best, place = crowd, int(i)
    return best, place


def unclear_cell(groups: Groups) -> str | None:
    """A cell that can be read in more than one way, the first by its text; None where all are clear."""
    texts = {text for name in groups.columns for text in _texts(groups.table[name])}
    return min((text for text in texts if text is not None and not is_clear(text)), default=None)


def _texts(column: pl.Series) -> list[str | None]:
    """The cells as texts; cells that are lists are written as texts too."""
    return [None if value is None else str(value) for value in column.to_list()]


@define(eq=False)
class _Column:
    """The cells of a column, each different one read once."""

    codes: np.ndarray
    """For each row the place of its cell among the different ones."""
    cells: list[Readings]
    covers: Covers
    _known: dict[int, np.ndarray] = field(factory=dict)

    @classmethod
    def of(cls, column: pl.Series, covers: Covers) -> "_Column":
        places: dict[str | None, int] = {}
        codes = [places.setdefault(text, len(places)) for text in _texts(column)]
        return cls(np.array(codes), [readings(text) for text in places], covers)

    def covering(self, row: int) -> np.ndarray:
        """For each row whether its cell covers that of the given one."""
        code = int(self.codes[row])
        if code not in self._known:
            verdicts = np.array([self.covers(cell, self.cells[code]) for cell in self.cells])
            self._known[code] = verdicts[self.codes]
        return self._known[code]
