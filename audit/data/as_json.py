"""Datasets as JSON and back, so that a finding carries the pair that refutes a claim.

A table is written with its column types and its rows: `{"kind": "table", "columns": {"age": "Int64"}, "rows": [[41]]}`.
"""

import datetime
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import polars as pl

from crowdproof.errors import DataError
from crowdproof.findings import Json

_TYPES: dict[str, Any] = {
    str(kind): kind
    for kind in (
        *(pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64),
        *(pl.Float32, pl.Float64, pl.Boolean, pl.String, pl.Date, pl.Null, pl.Datetime("us")),
    )
}


def data_to_json(data: Any) -> Json:
    """The dataset as plain JSON values; `data_from_json` reads it back.

    >>> data_to_json(pl.DataFrame({"age": [41, 43]}))
    {'kind': 'table', 'columns': {'age': 'Int64'}, 'rows': [[41], [43]]}
    """
    match data:
        case pl.DataFrame():
            plain = _plain(data)
            columns = {name: str(kind) for name, kind in plain.schema.items()}
            return {
                "kind": "table",
                "columns": columns,
                "rows": [[_cell(each) for each in row] for row in plain.rows()],
            }
        case _:
            with suppress(TypeError):
                return _array(data) if isinstance(data, np.ndarray) else _value(data)
            return {"kind": "other", "type": type(data).__name__, "text": str(data)}


def data_from_json(record: Json) -> Any:
    """The dataset that `data_to_json` wrote."""
    kind = record.get("kind") if isinstance(record, Mapping) else None
    try:
        match kind:
            case "table":
                return _table(record)
            case "array":
                return _array_of(record)
            case "other":
                raise DataError(f"this witness is about a {record['type']}, which is not kept in files: audit it anew.")
            case _:
                return record
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, pl.exceptions.PolarsError) as error:
        if isinstance(error, DataError):
            raise
        reason = str(error).partition("\n")[0]
        raise DataError(f"this dataset cannot be read ({reason}): give a witness file that crowdproof wrote.") from None


def _value(value: Any) -> Json:
    """A value with lists and records of its own; what JSON does not have is a TypeError."""
    match value:
        case None | bool() | int() | float() | str():
            return value.item() if isinstance(value, np.generic) else value
        case np.bool_() | np.integer() | np.floating():
            return value.item()
        case list() | tuple():
            return [_value(each) for each in value]
        case dict() if all(type(name) is str for name in value):
            return {name: _value(each) for name, each in value.items()}
    raise TypeError(f"a {type(value).__name__} has no form in JSON")


def _array(data: np.ndarray) -> Json:
    """An array row by row; the type of one with fields is a list of their names and types."""
    fields = data.dtype.names or ()
    kinds: list[np.dtype] = [data.dtype[name] for name in fields] if fields else [data.dtype]
    if type(data) is not np.ndarray or (fields and data.ndim != 1):  # a class of its own may have more than its cells
        raise TypeError(f"a {type(data).__name__} has no form in JSON")
    if any(kind.kind not in _ARRAY_KINDS or (fields and kind.hasobject) for kind in kinds):
        raise TypeError(f"an array of {data.dtype} has no form in JSON")
    width = len(fields) or math.prod(data.shape[1:])
    columns = list(fields) or (["value"] if width == 1 else [str(place + 1) for place in range(width)])
    rows = (data if fields else data.reshape(-1, width)).tolist() if width else []
    written = _value if data.dtype.hasobject else _cell
    return {
        "kind": "array",
        "type": [[name, kind.str] for name, kind in zip(fields, kinds, strict=True)] if fields else data.dtype.str,
        "shape": list(data.shape),
        "columns": columns,
        "rows": [[written(each) for each in row] for row in rows],
    }


_ARRAY_KINDS = "biufUMO"
"""Truth values, numbers, texts, dates and objects, as numpy calls them."""


def _array_of(record: Mapping[str, Json]) -> np.ndarray:
    """The array that was written so."""
    kind, rows = record["type"], record["rows"]
    if isinstance(kind, list):
        kinds = [np.dtype(each).kind for _, each in kind]
        records = [tuple(map(_read_cell, row, kinds)) for row in rows]
        return np.array(records, dtype=np.dtype([(name, each) for name, each in kind]))
    dtype = np.dtype(kind)
    cells = [_read_cell(each, dtype.kind) for row in rows for each in row]
    if dtype.kind != "O":
        return np.asarray(cells, dtype=dtype).reshape(record["shape"])
    objects = np.empty(len(cells), dtype=object)  # numpy would take lists for rows
    for place, each in enumerate(cells):
        objects[place] = each
    return objects.reshape(record["shape"])


def _table(record: Mapping[str, Json]) -> pl.DataFrame:
    schema = {name: _TYPES[kind] for name, kind in record["columns"].items()}
    rows = record["rows"]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    return pl.DataFrame(
        [_column(name, kind, list(cells)) for (name, kind), cells in zip(schema.items(), columns, strict=True)]
    )


def _column(name: str, kind: Any, cells: list[Any]) -> pl.Series:
    read = {str(pl.Date): datetime.date.fromisoformat, str(pl.Datetime("us")): datetime.datetime.fromisoformat}
    if kind in (pl.Float32, pl.Float64):
        cells = [None if cell is None else float(cell) for cell in cells]
    if str(kind) in read:
        cells = [None if cell is None else read[str(kind)](cell) for cell in cells]
    return pl.Series(name, cells, dtype=kind)


def _read_cell(cell: Any, kind: str) -> Any:
    """A cell of an array of this kind; numbers that JSON does not have were written as texts."""
    return float(cell) if kind == "f" and isinstance(cell, str) else cell


def _plain(table: pl.DataFrame) -> pl.DataFrame:
    """Types that a witness file does not know are written as text."""
    unknown = [name for name, kind in table.schema.items() if str(kind) not in _TYPES]
    return table.with_columns(_as_text(table[name]) for name in unknown)


def _as_text(column: pl.Series) -> pl.Series:
    """The cells as text; what polars does not write, such as lists and lengths of time, as Python writes it."""
    if not (column.dtype.is_nested() or column.dtype in (pl.Duration, pl.Binary)):
        return column.cast(pl.String)
    return pl.Series(column.name, [None if each is None else str(each) for each in column.to_list()], dtype=pl.String)


def _cell(value: Any) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number
    return value.isoformat() if isinstance(value, datetime.date) else value
