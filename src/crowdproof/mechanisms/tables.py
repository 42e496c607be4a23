"""What every mechanism asks of a table, and how a value becomes released text."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.cells import MISSING
from crowdproof.errors import DataError
from crowdproof.exact import rational, show

Codes = NDArray[np.integer]
_LONG = tuple(getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name))
"""Numbers for which numpy has no type."""


def require_columns(table: Any, columns: Iterable[str]) -> None:
    """The table is one of polars with each of `columns`, or it is an error that says which ones there are."""
    if not isinstance(table, pl.DataFrame):
        kind = f"{type(table).__module__}.{type(table).__qualname__}"
        raise DataError(f"the data is of type {kind}: give a polars.DataFrame (polars.from_pandas makes one).")
    for name in table.columns:
        if name.startswith("^") and name.endswith("$"):
            raise DataError(f"a column is named {name!r}, which polars takes for a pattern of names: rename it.")
    for name in columns:
        if name not in table.columns:
            known = ", ".join(table.columns) or "none at all"
            raise DataError(f"the table has no column {name!r}: name one of its columns ({known}).")


def require_rows(table: pl.DataFrame, k: int) -> None:
    """The table has at least k rows, or no k-anonymous release of it has any."""
    if table.is_empty():
        raise DataError("the table is empty: give at least one row.")
    if table.height < k:
        raise DataError(f"k is {k} and the table has {table.height} rows: give k of at most {table.height}.")


def is_number(column: pl.Series) -> bool:
    """Whether the values are numbers (else they are text); anything else, NaN and infinity are errors."""
    if column.dtype.is_numeric():
        if column.dtype.is_float() and not column.is_finite().all():
            raise DataError(
                f"column {column.name!r} holds NaN or infinity: "
                f"write a missing value as null (fill_nan(None)) and clip an infinite one."
            )
        return True
    if column.dtype in (pl.String, pl.Boolean, pl.Categorical, pl.Enum, pl.Null):
        return False
    raise _mixed(column)


def _mixed(column: pl.Series) -> DataError:
    return DataError(
        f"column {column.name!r} is of type {column.dtype}, with values that are neither all numbers nor all text: "
        "cast it to a number or to text first."
    )


def number_text(value: float) -> str:
    """The plain text of a number: no `.0`, and an exponent only where it is far shorter.

    >>> number_text(35e6), number_text(0.25)
    ('35000000', '0.25')
    """
    return str(value) if isinstance(value, int) else show(rational(value))


def as_text(column: pl.Series) -> pl.Series:
    """Each value as its plain text, null as `?`."""
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        return column.cast(pl.String).fill_null(MISSING)
    coded = code(column)
    return pl.Series(column.name, coded.text(np.arange(coded.count)), dtype=pl.String).gather(coded.codes)


@frozen(eq=False)
class Coded:
    """A column as whole numbers in the order of its values; a null comes before every other value."""

    name: str
    codes: Codes
    """For each row, the rank of its value among the distinct ones."""
    distinct: pl.Series
    """For each code, its value."""
    positions: NDArray[np.float64]
    """For each code, its place on a line: of a number a quarter of it (so that no distance overflows), of a null one
    mean gap below the least, of text its rank."""
    number: bool

    @property
    def count(self) -> int:
        """How many distinct values there are."""
        return len(self.distinct)

    @property
    def span(self) -> float:
        """The distance from the first value to the last."""
        return float(self.positions[-1] - self.positions[0]) if self.count else 0.0

    def text(self, codes: Codes) -> list[str]:
        """The texts of these codes."""
        values = self.distinct.gather(codes).to_list()
        return [MISSING if each is None else number_text(each) for each in values] if self.number else values


def code(column: pl.Series) -> Coded:
    """Rank the values of a column; a text `?` and a null are the same value."""
    return _code_numbers(column) if is_number(column) else _code_texts(column)


def _code_numbers(column: pl.Series) -> Coded:
    filled = as_numbers(column.drop_nulls())
    distinct = np.unique(filled)
    codes = np.searchsorted(distinct, filled)
    values = pl.Series(distinct.tolist() if distinct.dtype == np.object_ else distinct, dtype=column.dtype)  # decimals
    positions = distinct.astype(np.float64) / 4
    if column.has_nulls():
        present = column.is_not_null().to_numpy()
        every = np.zeros(len(column), dtype=codes.dtype)
        every[present] = codes + 1
        codes, values = every, pl.concat([pl.Series([None], dtype=column.dtype), values])
        gap = (positions[-1] - positions[0]) / (len(positions) - 1) if len(positions) > 1 else 1.0
        positions = np.concatenate([positions[:1] - gap if len(positions) else [0.0], positions])
    return Coded(column.name, _narrow(codes, len(values)), values, positions, number=True)


def as_numbers(column: pl.Series) -> NDArray[Any]:
    """The numbers as an array; those of 128 bits, for which numpy has no type, as objects."""
    if column.dtype in _LONG:
        return np.array(column.to_list(), dtype=np.object_)
    return column.to_numpy()


def _code_texts(column: pl.Series) -> Coded:
    texts = column.cast(pl.String).fill_null(MISSING)
    distinct = pl.Series(sorted(texts.unique().to_list(), key=lambda text: (text != MISSING, text)), dtype=pl.String)
    codes = texts.cast(pl.Enum(distinct)).to_physical().to_numpy()
    positions = np.arange(len(distinct), dtype=np.float64)
    return Coded(column.name, _narrow(codes, len(distinct)), distinct, positions, number=False)


def _narrow(codes: Codes, count: int) -> Codes:
    return codes.astype(np.int16 if count < 2**15 else np.int32)


def canonical(table: pl.DataFrame) -> pl.DataFrame:
    """The same rows in an order that depends only on what they are, so that row order carries nothing."""
    if not table.columns:
        return table
    plain = numbered(table)
    found = plain.sort(plain.columns)
    found.columns = table.columns
    return found


def numbered(table: pl.DataFrame) -> pl.DataFrame:
    """The table with numbers for names: `*` and `^a.*$` would stand for several columns in an expression of polars."""
    plain = table.clone()
    plain.columns = [str(place) for place in range(table.width)]
    return plain


def chosen(table: pl.DataFrame, columns: Sequence[str] | None) -> tuple[str, ...]:
    """The named columns, which must be there (None means all), of a table that can be put in order."""
    require_columns(table, columns or ())
    names = tuple(table.columns if columns is None else columns)
    if not names:
        raise DataError("the table has no columns: give at least one to generalize.")
    for column in table.iter_columns():
        if column.dtype == pl.Object:
            raise _mixed(column)
    return names
