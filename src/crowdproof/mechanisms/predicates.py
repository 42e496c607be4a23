"""The sensitive predicate of the papers' examples: whether a table contains a certain row."""

from collections.abc import Mapping

import polars as pl
from attrs import field, frozen

from crowdproof.errors import DataError, ParameterError
from crowdproof.mechanisms.tables import require_columns

Value = str | int | float | bool | None


def _row(written: Mapping[str, Value] | tuple[tuple[str, Value], ...]) -> tuple[tuple[str, Value], ...]:
    pairs = tuple(written.items() if isinstance(written, Mapping) else written)
    if not pairs:
        raise ParameterError("the row names no column: give at least one column and its value.")
    return pairs


@frozen
class Contains:
    """s(T): T contains a row with these values; a null matches a null.

    >>> Contains({"name": "Ann"})(pl.DataFrame({"name": ["Bob", "Ann"]}))
    True
    """

    row: tuple[tuple[str, Value], ...] = field(converter=_row)

    def matches(self, table: pl.DataFrame) -> pl.Series:
        """For each row of the table, whether it matches."""
        require_columns(table, [name for name, _ in self.row])
        equal = [pl.col(name).eq_missing(pl.lit(value)) for name, value in self.row]
        try:
            return table.select(pl.all_horizontal(equal)).to_series()
        except pl.exceptions.PolarsError:
            types = ", ".join(f"{name} ({table[name].dtype})" for name, _ in self.row)
            raise DataError(
                f"a value of {dict(self.row)} is not of its column's type: {types}; give one that is."
            ) from None

    def __call__(self, table: pl.DataFrame) -> bool:
        """Whether some row of the table matches."""
        return bool(self.matches(table).any())
