"""Counting the cells and rows of a table: a small one by Python, which begins sooner, a large one by polars.

What is counted is the same: cells are told apart by their texts, and rows by the texts of their cells.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import polars as pl
from attrs import Factory, frozen
from numpy.typing import NDArray

from crowdproof.audit.releases.cell_texts import column_texts, keys_of, texts_of_keys

LARGE = 4_096
"""Rows of a table that Python counts. A guess, eight times the traits that are ever learned from at once. In a larger
table, different cells of a column or different rows beyond this number are not counted one by one: a digest of all of
them is one trait."""
BEGINNING = 100
"""Rows by which most large tables show that they are not sorted, and most columns that their cells are many."""

Row: TypeAlias = tuple[str, ...]
Numbered: TypeAlias = tuple[list[str], NDArray[np.int64]]
"""Different texts, and which of them each cell of a column is, by its place."""


@frozen
class Counts:
    """How many different cells or rows there are, and how often the least frequent one is there."""

    different: int
    least: int


class Counted(Protocol):
    """A table whose cells and rows can be counted."""

    @property
    def table(self) -> pl.DataFrame:
        """The table itself."""

    def cells(self, column: pl.Series) -> tuple[Counts, dict[str, int] | None]:
        """How often each text is in a column, in the same order for equal columns; None for too many texts."""

    def numbered(self, column: pl.Series, most: int) -> Numbered | None:
        """The cells of a column by numbers; None where more than `most` of them are different."""

    def rows(self) -> tuple[Counts, dict[Row, int] | None]:
        """How often each row is there, in the same order for equal tables; None for too many rows."""

    def is_sorted(self) -> bool:
        """Whether the rows are in the order of their texts."""


def counted(table: pl.DataFrame) -> Counted:
    """The table as one that is counted in the quickest way."""
    return LargeTable(table) if table.height > LARGE and table.width else SmallTable(table)


@frozen(eq=False)
class SmallTable:
    """A table whose cells are texts of Python."""

    table: pl.DataFrame
    _texts: dict[str, list[str]] = Factory(dict)

    def texts(self, column: pl.Series) -> list[str]:
        """The texts of a column, which are made once."""
        if column.name not in self._texts:
            self._texts[column.name] = column_texts(column)
        return self._texts[column.name]

    def cells(self, column: pl.Series) -> tuple[Counts, dict[str, int] | None]:
        """How often each text is in a column, in the order of their first places."""
        counts = Counter(self.texts(column))
        return _counts_of(np.fromiter(counts.values(), np.int64)), counts

    def numbered(self, column: pl.Series, most: int) -> Numbered | None:
        """The cells of a column by numbers; None where more than `most` of them are different."""
        cells = self.texts(column)
        places = {text: place for place, text in enumerate(dict.fromkeys(cells))}
        if len(places) > most:
            return None
        return list(places), np.fromiter(map(places.__getitem__, cells), np.int64, len(cells))

    def rows(self) -> tuple[Counts, dict[Row, int] | None]:
        """How often each row is there, in the order of their first places."""
        counts = Counter(self._rows())
        return _counts_of(np.fromiter(counts.values(), np.int64)), counts

    def is_sorted(self) -> bool:
        """Whether the rows are in the order of their texts."""
        rows = self._rows()
        return rows == sorted(rows)

    def _rows(self) -> list[Row]:
        return rows_of([self.texts(column) for column in self.table.iter_columns()], self.table.height)


@frozen(eq=False)
class LargeTable:
    """A table of which no cell becomes an object of Python unless few are different."""

    table: pl.DataFrame

    def cells(self, column: pl.Series) -> tuple[Counts, dict[str, int] | None]:
        """How often each text is in a column, in the order of the texts."""
        found = keys_of(column).alias("key").value_counts(name="size")
        counts = _counts_of(found["size"].to_numpy())
        if counts.different > LARGE:
            return counts, None
        texts = texts_of_keys(found["key"], column.dtype)
        return counts, dict(sorted(zip(texts, found["size"].to_list(), strict=True)))

    def numbered(self, column: pl.Series, most: int) -> Numbered | None:
        """The cells of a column by numbers; None where more than `most` of them are different."""
        keys = keys_of(column)
        if keys[:BEGINNING].n_unique() > most:
            return None
        different = keys.unique(maintain_order=True)
        if len(different) > most:
            return None
        places = np.zeros(len(keys), np.int64)
        for place in range(1, len(different)):
            places += place * keys.eq_missing(different[place : place + 1]).to_numpy()
        return texts_of_keys(different, column.dtype), places

    def rows(self) -> tuple[Counts, dict[Row, int] | None]:
        """How often each row is there, in the order of their first places."""
        columns = [keys_of(column).alias(str(place)) for place, column in enumerate(self.table.iter_columns())]
        keys = pl.DataFrame(columns)
        groups = keys.with_row_index("first").group_by(keys.columns).agg(pl.len().alias("size"), pl.min("first"))
        counts = _counts_of(groups["size"].to_numpy())
        if counts.different > LARGE:
            return counts, None
        firsts = groups.select("first", "size").sort("first")
        some = self.table[firsts["first"]]
        rows = rows_of([column_texts(column) for column in some.iter_columns()], some.height)
        return counts, dict(zip(rows, firsts["size"].to_list(), strict=True))

    def is_sorted(self) -> bool:
        """Whether the rows are in the order of their texts: a column decides where those before it are equal."""
        if not SmallTable(self.table[:BEGINNING]).is_sorted():
            return False
        places = np.arange(self.table.height - 1)
        for column in self.table.iter_columns():
            one, other = _texts_at(column, places), _texts_at(column, places + 1)
            if (one > other).any():
                return False
            places = places[(one == other).to_numpy()]
            if not len(places):
                return True
        return True


def rows_of(texts: Sequence[Sequence[str]], height: int) -> list[Row]:
    """Rows from the texts of their columns; rows of a table without columns are empty.

    >>> rows_of([["a", "b"], ["1", "2"]], 2), rows_of([], 2)
    ([('a', '1'), ('b', '2')], [(), ()])
    """
    return list(zip(*texts, strict=True)) if texts else [()] * height


def _texts_at(column: pl.Series, places: NDArray[np.int64]) -> pl.Series:
    return pl.Series(column_texts(column.gather(places)), dtype=pl.String)


def _counts_of(sizes: NDArray[np.integer[Any]]) -> Counts:
    return Counts(len(sizes), int(sizes.min()) if len(sizes) else 0)
