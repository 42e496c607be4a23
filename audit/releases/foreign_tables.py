"""Tables of pandas and pyarrow as polars tables, with nothing of them left out."""

from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.releases.numbers import number
from crowdproof.audit.releases.objects import described, whole_text

CellText = Callable[[Any], str]
_STORABLE = frozenset({bool, int, float, str, bytes, date, datetime, time, timedelta})
"""Types of which polars stores every value without loss, but for what `_is_lossless` looks at."""
_EXACT = 2**53
"""Whole numbers up to this are floats without loss."""


def as_table(output: Any, cell_text: CellText) -> pl.DataFrame | None:
    """The output as a polars table, if it is a table of any common kind; `cell_text` writes cells that are objects."""
    if isinstance(output, pl.DataFrame):
        return output
    if isinstance(output, pl.LazyFrame):
        return output.collect()
    if isinstance(output, pl.Series):
        return output.to_frame()
    module = type(output).__module__.partition(".")[0]
    if module == "pyarrow" and hasattr(output, "to_pydict"):
        return _from_arrow(output)
    return _pandas_table(output, cell_text) if module == "pandas" else None


def _pandas_table(output: Any, cell_text: CellText) -> pl.DataFrame | None:
    if _is_categorical(output):
        return from_pandas(_series(output), cell_text)
    return from_pandas(output, cell_text) if _is_table(output) else None


def _is_table(output: Any) -> bool:
    """A table or a series of pandas, or an index whose names are part of it."""
    if not hasattr(output, "iloc"):
        return any(name is not None for name in getattr(output, "names", ()))
    return hasattr(output, "columns") or hasattr(output, "to_frame")


def _is_categorical(output: Any) -> bool:
    return hasattr(output, "categories") and hasattr(output, "codes") and not hasattr(output, "iloc")


def _series(values: Any) -> Any:
    import pandas as pd  # noqa: PLC0415  (only where a target that uses pandas was run)

    return pd.Series(values)


def _from_arrow(table: Any) -> pl.DataFrame:
    """A pyarrow table; text is copied, since pyarrow can be given memory that changes later."""
    names = unused_names(table.schema.names)
    columns = [pl.Series(name, pl.from_arrow(column)) for name, column in zip(names, table.columns, strict=True)]
    texts = [column for column in columns if column.dtype in (pl.String, pl.Binary)]
    copied = [pl.Series(column.name, column.to_list(), dtype=column.dtype) for column in texts]
    return pl.DataFrame(columns).with_columns(copied)


def unused_names(names: Iterable[Any]) -> list[str]:
    """The names as texts; of several that are the same, the later ones are numbered.

    >>> unused_names(["a", "a (3)", "a"])
    ['a', 'a (3)', 'a (4)']
    """
    taken: dict[str, None] = {}
    for place, name in enumerate(names, start=1):
        number, unused = place, str(name)
        while unused in taken:
            unused = f"{name} ({number})"
            number += 1
        taken[unused] = None
    return list(taken)


def from_pandas(frame: Any, cell_text: CellText) -> pl.DataFrame:
    """A pandas table or series as a polars table; the frame itself stays as it is.

    Its index is part of the release, unless it is pandas' own numbering: 0, 1, 2, ... without a name. Of columns with
    one name the later ones are numbered.
    """
    if not hasattr(frame, "iloc"):
        frame = frame.to_frame(index=False)
    if not hasattr(frame, "columns"):
        frame = frame.to_frame()
    index = frame.index
    labels = []
    if not _is_numbering(index):
        levels = [index.get_level_values(level).to_series() for level in range(index.nlevels)]
        labels = [("index" if name is None else name, level) for name, level in zip(index.names, levels, strict=True)]
    cells = [(name, frame.iloc[:, place]) for place, name in enumerate(frame.columns)]
    names = unused_names(name for name, _ in [*labels, *cells])
    columns = [_plain_column(values, cell_text) for _, values in [*labels, *cells]]
    return pl.DataFrame(dict(zip(names, columns, strict=True)))


def _is_numbering(index: Any) -> bool:
    """Whether an index is what pandas gives to rows that have none."""
    if index.nlevels > 1 or index.name is not None or index.dtype.kind not in "iu":
        return False
    return bool((index.to_numpy() == np.arange(len(index))).all())


def _plain_column(column: Any, cell_text: CellText) -> pl.Series:
    """Text for what is not a number, a date or text already, such as an interval or a mix of types."""
    kind = column.dtype
    if hasattr(kind, "categories"):
        return _categories(column, cell_text)
    if kind.kind in "biufMm" and kind.itemsize <= 8 and kind.name != "float16":
        return pl.Series(pl.from_pandas(column))
    values = column.astype(object).where(column.notna(), None).tolist()
    present = [value for value in values if value is not None]
    if not _is_lossless(present):
        values = [None if value is None else cell_text(value) for value in values]
    return pl.Series(values)


def _categories(column: Any, cell_text: CellText) -> pl.Series:
    """A categorical column as text; where its categories tell more than its cells do, with its categories."""
    texts = [cell_text(each) for each in column.cat.categories]
    cells = pl.Series([texts[each] if each >= 0 else None for each in column.cat.codes], dtype=pl.String)
    tells_more = column.cat.ordered or texts != sorted(set(cells.drop_nulls()))
    return cells.cast(pl.Enum(texts)) if tells_more and len(set(texts)) == len(texts) else cells


def _is_lossless(values: list[Any]) -> bool:
    """Whether polars stores these objects as they are."""
    kinds = set(map(type, values))
    if not kinds <= _STORABLE:
        return False
    if kinds == {int, float}:
        return all(abs(value) <= _EXACT for value in values if type(value) is int)
    if kinds == {int}:
        return all(-(2**63) <= value < 2**63 for value in values)
    return len(kinds) <= 1 and all(getattr(value, "tzinfo", None) is None for value in values)


def text_of_cell(cell: Any) -> str | None:
    """The text of a cell that is a text, a number or of a type whose text tells all of it; None for any other.

    >>> text_of_cell(30), text_of_cell(30.0), text_of_cell(np.int64(30)), text_of_cell(np.float32(0.5))
    ('30', '30', '30', '0.5')
    """
    if isinstance(cell, str):
        return str.__str__(cell)
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell))
    known = described(cell)  # before numbers: numpy takes a length of time for one
    if known is not None:
        return known.text
    if type(cell) in {int, float} or isinstance(cell, np.integer | np.floating):
        plain = number(cell)
        return whole_text(plain) if isinstance(plain, int) else str(plain)
    return None
