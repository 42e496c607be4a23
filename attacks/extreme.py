"""An extreme value that is planted in the data, and an adversary who reads it off range ends."""

from fractions import Fraction

import polars as pl
from attrs import frozen

from crowdproof.attacks.candidates import require
from crowdproof.cells import named_numbers
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Number


@frozen
class Adversary:
    """Knows that at most one person is beyond `above` in `column`."""

    column: str
    above: float

    def infer(self, release: pl.DataFrame) -> float | None:
        """The person's value, or None where nothing shows them."""
        if release.is_empty():
            return None
        largest = numbers(release, self.column)["high"].max()
        return float(largest) if isinstance(largest, float) and largest > self.above else None


def numeric_column(table: pl.DataFrame, column: str | None) -> str:
    """The column that was named, or the first numeric one."""
    numeric = [name for name, kind in table.schema.items() if kind.is_numeric()]
    if column is None and not numeric:
        raise DataError("the data has no numeric column: this attack reads numbers off range ends.")
    name = column or numeric[0]
    if name not in numeric:
        raise ParameterError(f"column is {name!r}: choose a numeric one of {', '.join(numeric)}.")
    return name


def plant(table: pl.DataFrame, name: str, value: Number | None, above: Number | None) -> tuple[pl.DataFrame, Adversary]:
    """The row of the person, and the adversary who looks for it."""
    largest = float(table[name].max())  # type: ignore[arg-type]
    chosen = float(value) if value is not None else (35e6 if name == "net_worth" else 25 * (abs(largest) + 1))
    limit = float(above) if above is not None else (largest + chosen) / 4
    if not largest <= limit < chosen:
        raise ParameterError(
            f"above is {limit:g}: it must lie between the largest value of the others, {largest:g}, and {chosen:g}."
        )
    kind = table.schema[name]
    if not kind.is_float() and abs(chosen) >= 2.0**63:
        raise ParameterError(
            f"value is {chosen:g}, beyond whole numbers of 64 bits: give a smaller --set value=NUMBER."
        )
    row = table.sort(name).tail(1).with_columns(pl.lit(chosen).cast(kind).alias(name))
    return row, Adversary(name, limit)


def roomy(table: pl.DataFrame, name: str) -> pl.DataFrame:
    """The table with room for an extreme value in that column, which a type as short as its values has not."""
    kind = table.schema[name]
    if not table[name].count():
        raise DataError(f"column {name!r} has no value: choose a column with numbers.")
    if kind.is_decimal():
        return table
    return table.with_columns(pl.col(name).cast(pl.Int64 if kind.is_integer() else pl.Float64))


def width(table: pl.DataFrame, name: str, crowds: int) -> Fraction:
    """Of a cell, from the range and the number of people: most cells then hold a crowd, and most rows are published."""
    spread = float(table[name].max()) - float(table[name].min())  # type: ignore[arg-type]
    cells = max(1, crowds * 3 // 4)  # a quarter more people in a cell than are needed, in the mean
    return Fraction(max(1, round(spread / cells)))


def numbers(release: pl.DataFrame, column: str) -> pl.DataFrame:
    """The numbers that the cells of the column name."""
    require(release, [column], "the release")
    return named_numbers(release[column])
