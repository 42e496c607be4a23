"""The crowds of a release: rows that look alike in the columns an adversary may know."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.cells import suppressed

COUNT, GROUP, VALUE = "__crowdproof_count", "__crowdproof_group", "__crowdproof_value"


@frozen(eq=False)
class Groups:
    """Each distinct row of the known columns, with its count."""

    columns: tuple[str, ...]
    table: pl.DataFrame
    """One column for each of `keys`, and the count. It does not have the names of the release, which may be any."""

    @property
    def keys(self) -> list[str]:
        """The names that the known columns have in the table."""
        return keys(self.columns)

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
        cells = [pl.col(name).filter(pl.col(COUNT) == pl.col(COUNT).min()) for name in self.keys]
        return int(self.table.select(places.sort_by(cells).first()).item())

    def words(self, place: int) -> dict[str, str]:
        """What the group at that place looks like, for a report."""
        row = self.table.select(self.keys).row(place)
        return {name: _shown(cell) for name, cell in zip(self.columns, row, strict=True)}


def _shown(cell: object) -> str:
    return "(missing)" if cell is None else str(cell)


@frozen(eq=False)
class Spread:
    """How often each value of a sensitive column occurs in each group: rows of (group, value, count)."""

    column: str
    groups: Groups
    table: pl.DataFrame


def keys(columns: Sequence[str]) -> list[str]:
    """A name of our own for each column: polars takes some names, such as `*` and `^b.*$`, for patterns."""
    return [f"__crowdproof_{place}" for place in range(len(columns))]


def column(table: pl.LazyFrame, name: str) -> pl.Expr:
    """The column of that name, found by its place."""
    return pl.nth(table.collect_schema().names().index(name))


def known_columns(table: pl.LazyFrame, columns: Sequence[str]) -> list[pl.Expr]:
    """The columns under names of our own."""
    return [column(table, name).alias(key) for name, key in zip(columns, keys(columns), strict=True)]


def group(table: pl.LazyFrame, columns: Sequence[str]) -> Groups:
    """Count the rows that are equal in these columns; a missing cell equals a missing cell."""
    counted = (
        table.select(known_columns(table, columns)).group_by(keys(columns)).agg(pl.len().cast(pl.Int64).alias(COUNT))
    )
    return Groups(tuple(columns), counted.collect(engine="streaming"))


def spread(table: pl.LazyFrame, columns: Sequence[str], sensitive: str) -> Spread:
    """Count the values of the sensitive column in each group, in one pass over the release.

    Missing, no number, empty, blank and stars are no values: all of them are counted as missing.
    """
    names = keys(columns)
    values = table.select(*known_columns(table, columns), _values(table, sensitive).alias(VALUE))
    counted = values.group_by(*names, VALUE).agg(pl.len().cast(pl.Int64).alias(COUNT)).collect(engine="streaming")
    grouped = counted.group_by(names).agg(VALUE, COUNT).with_row_index(GROUP)
    sizes = grouped.select(*names, pl.col(COUNT).list.sum())
    return Spread(sensitive, Groups(tuple(columns), sizes), grouped.select(GROUP, VALUE, COUNT).explode(VALUE, COUNT))


def _values(table: pl.LazyFrame, name: str) -> pl.Expr:
    """The values of the column, missing where there is none."""
    kind, cells = table.collect_schema()[name], column(table, name)
    if kind.is_float():
        return cells.fill_nan(None)
    if kind == pl.String:
        return pl.when(~suppressed(cells)).then(cells)
    return cells
