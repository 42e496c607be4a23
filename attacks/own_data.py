"""Data of the user's own, as every attack can read it: numbers and texts in columns that have plain names."""

import polars as pl

from crowdproof.errors import DataError

_LONG = tuple(getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name))


def own(data: pl.DataFrame) -> pl.DataFrame:
    """The table, or an error that says what to change in it.

    >>> own(pl.DataFrame({"age": pl.Series([41], dtype=pl.Int128)})).dtypes
    [Int64]
    """
    if data.is_empty():
        raise DataError("the data has no rows: give the table of the people who are attacked.")
    for name, kind in data.schema.items():
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise DataError(f"a column is named {name!r}, which polars takes for a pattern of names: rename it.")
        if kind.is_nested() or kind in (pl.Object, pl.Binary):
            raise DataError(f"column {name!r} holds no numbers or texts, which attacks read: leave it out.")
    return data.with_columns(_shorter(data[name]) for name, kind in data.schema.items() if kind in _LONG)


def _shorter(column: pl.Series) -> pl.Series:
    """Numbers of 128 bits in 64, where they fit."""
    short = column.cast(pl.Int64, strict=False)
    if short.null_count() > column.null_count():
        raise DataError(f"column {column.name!r} has a number beyond 64 bits: write such numbers as text.")
    return short
