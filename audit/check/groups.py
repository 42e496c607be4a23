"""The crowds of a release: rows that look alike in the columns an adversary may know."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.check.cells import parse_cell

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
    """The same for each value of the sensitive column, in one pass over the release."""
    values = table.select(*columns, pl.col(sensitive).alias(VALUE))
    counted = group(values, [*columns, VALUE]).table
    grouped = counted.group_by(columns).agg(VALUE, COUNT).with_row_index(GROUP)
    sizes = grouped.select(*columns, pl.col(COUNT).list.sum())
    return Spread(sensitive, Groups(tuple(columns), sizes), grouped.select(GROUP, VALUE, COUNT).explode(VALUE, COUNT))


def covering_crowd(groups: Groups) -> tuple[int, int]:
    """(smallest crowd, place of its group), where a row also hides among rows whose cells cover its own.

    Whoever is described by a row is described as well by every row that is at least as vague in each column: that many
    rows no knowledge of the columns can exclude. A crowd is never smaller than its group.
    """
    parsed = [[parse_cell(value) for value in groups.table[name]] for name in groups.columns]
    covering: list[dict[object, np.ndarray]] = [{} for _ in parsed]
    best, place = groups.rows + 1, 0
    for i in np.argsort(groups.sizes, kind="stable"):
        if groups.sizes[i] >= best:
            break
        mask = np.ones(len(groups.sizes), dtype=bool)
        for cells, known in zip(parsed, covering, strict=True):
            if cells[i] not in known:
                verdicts = {cell: cell.covers(cells[i]) for cell in set(cells)}
                known[cells[i]] = np.array([verdicts[cell] for cell in cells])
            mask &= known[cells[i]]
        crowd = int(groups.sizes[mask].sum())
        if crowd < best:
            best, place = crowd, int(i)
    return best, place
