"""Reading a release as an adversary does: the numbers that its cells name."""

import polars as pl

from crowdproof.errors import DataError

_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_CELL = rf"^\s*[\[(]?\s*({_NUMBER})\s*(?:(?:,|-|–|:)\s*({_NUMBER})\s*)?[\])]?\s*$"


def named_numbers(release: pl.DataFrame, column: str) -> pl.DataFrame:
    """For each cell of the column the `low` and `high` it names; nulls where it names none. `cell` is its text.

    Understands `37`, `[20, 40)`, `(20, 40]`, `20-40`, and columns that are numbers.

    >>> table = pl.DataFrame({"age": ["[20, 40)", "37", "*"]})
    >>> named_numbers(table, "age").rows()
    [('[20, 40)', 20.0, 40.0), ('37', 37.0, 37.0), ('*', None, None)]
    """
    if column not in release.columns:
        raise DataError(f"the release has no column {column!r}: it has {', '.join(release.columns)}.")
    cells = release.select(pl.col(column).cast(pl.String).alias("cell"))
    low = pl.col("cell").str.extract(_CELL, 1).cast(pl.Float64, strict=False)
    high = pl.col("cell").str.extract(_CELL, 2).cast(pl.Float64, strict=False)
    return cells.with_columns(low.alias("low"), pl.coalesce(high, low).alias("high"))
