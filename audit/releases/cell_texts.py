"""The cells of columns as texts, by which traits name them, and how often each is there."""

from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.releases.canonical import canonical
from crowdproof.audit.releases.numbers import number
from crowdproof.audit.releases.texts import text_of

_WHOLE = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
"""Whole numbers that polars writes by the same digits as Python."""
_REAL = (pl.Float32, pl.Float64)
FEW = 1_000
"""Cells up to which each is written by itself: to look for equal ones takes longer, as measured."""


def column_texts(column: pl.Series) -> list[str]:
    """The cells of a column as texts, each the same as `cell_text` gives; numbers and texts take a shorter way."""
    kind = column.dtype
    if kind == pl.String:
        return list(column.fill_null(str(None)).to_list())
    if kind in _WHOLE:
        return list(column.cast(pl.String).fill_null(str(None)).to_list())
    if kind in _REAL:
        return [str(None) if cell is None else text_of(number(cell)) for cell in column.to_list()]
    if len(column) <= FEW or kind.is_nested() or kind == pl.Null:
        return [cell_text(cell) for cell in column.to_list()]
    known = {cell: cell_text(cell) for cell in column.unique().to_list()}
    return [known[cell] for cell in column.to_list()]


def cell_text(cell: Any) -> str:
    """A cell of a table as a text: the same for 30 and 30.0."""
    if isinstance(cell, str):
        return cell
    return str(cell) if cell is None else text_of(canonical(cell))


def keys_of(column: pl.Series) -> pl.Series:
    """A column of plain cells, two of which are equal just where the texts of the cells in their places are.

    A floating-point number stands there by its bits: polars takes 0.0 and -0.0 for equal.
    """
    kind = column.dtype
    if kind == pl.String:
        return column.fill_null(str(None)) if column.null_count() else column
    if kind in _WHOLE or kind == pl.Boolean:
        return column
    if kind not in _REAL:
        return pl.Series(column.name, column_texts(column), dtype=pl.String)
    numbers = column.fill_null(0.0).to_numpy()
    numbers = np.where(np.isnan(numbers), numbers.dtype.type(np.nan), numbers)
    bits = pl.Series(column.name, numbers.view(f"i{numbers.itemsize}"))
    return bits if not column.null_count() else bits.set(column.is_null(), None)


def texts_of_keys(keys: pl.Series, kind: Any) -> list[str]:
    """The texts that keys of a column of this type stand for."""
    if kind not in _REAL:
        return column_texts(keys)
    bits = keys.fill_null(0).to_numpy()
    numbers = pl.Series(bits.view(f"f{bits.itemsize}"))
    return column_texts(numbers.set(keys.is_null(), None) if keys.null_count() else numbers)
