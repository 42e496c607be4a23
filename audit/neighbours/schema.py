"""The values that each column of a table may take, as far as the user's own data show them."""

from typing import Any

import polars as pl
from attrs import frozen

from crowdproof.errors import DataError

MOST_VALUES = 12
"""How many values of a column are tried. A guess: the search takes longer to try more, and with fewer it may miss the
value that the target treats in a special way."""

Row = tuple[Any, ...]


@frozen
class Column:
    """The values to try in a column, the most usual first, and those that stick out."""

    name: str
    values: tuple[Any, ...]
    extremes: tuple[Any, ...]
    """The least and the greatest number, the rarest category: what a recoding may give away."""


@frozen(eq=False)
class Schema:
    """The columns of a table and the values to try in each."""

    columns: tuple[Column, ...]
    empty: pl.DataFrame

    @property
    def usual(self) -> Row:
        """A row of the most usual values."""
        return tuple(column.values[0] for column in self.columns)

    def with_value(self, row: Row, place: int, value: Any) -> Row:
        """The row with another value in one column."""
        return (*row[:place], value, *row[place + 1 :])

    def table(self, rows: "list[tuple[Row, int]]") -> pl.DataFrame:
        """The table with that many copies of each row."""
        listed = [row for row, count in rows for _ in range(count)]
        return pl.DataFrame(listed, schema=self.empty.schema, orient="row") if listed else self.empty


def schema_of(table: pl.DataFrame) -> Schema:
    """What the table's values look like.

    >>> schema_of(pl.DataFrame({"age": [30, 30, 90], "sex": ["f", "m", "f"]})).columns[0]
    Column(name='age', values=(30, 90), extremes=(90, 30))
    """
    if table.is_empty() or not table.columns:
        raise DataError("the table is empty: give data with at least one row and one column, or pairs of your own.")
    return Schema(tuple(_column(table[name]) for name in table.columns), table.clear())


def _column(column: pl.Series) -> Column:
    counts = column.value_counts(sort=True, name="__count").sort(
        ["__count", column.name], descending=[True, False], nulls_last=True
    )
    values = counts[column.name].to_list()
    if column.dtype.is_numeric() or column.dtype.is_temporal():
        present = column.drop_nulls()
        present = present.drop_nans() if column.dtype.is_float() else present
        usual = _middle(present) if len(values) > MOST_VALUES or counts["__count"][0] == 1 else []
        extremes = [present.max(), present.min()] if len(present) else [None]
    else:
        usual, extremes = [], [values[-1]]
    chosen = _distinct([*usual, *values[: MOST_VALUES - 3], *extremes])
    return Column(column.name, chosen, _distinct(extremes))


def _distinct(values: list[Any]) -> tuple[Any, ...]:
    """The values without repetitions, in their order; a cell that is a list or a record has no hash."""
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return tuple(found)


def _middle(present: pl.Series) -> list[Any]:
    return [present.sort()[len(present) // 2]] if len(present) else []
