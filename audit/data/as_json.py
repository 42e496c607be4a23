"""Datasets as JSON and back, so that a finding carries the pair that refutes a claim.

A table is written with its column types and its rows: `{"kind": "table", "columns": {"age": "Int64"}, "rows": [[41]]}`.
"""

import datetime
import math
from collections.abc import Mapping
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
        case np.ndarray():
            return _array(data)
        case list() | tuple() | dict() | str() | int() | float() | bool() | None:
            return data
        case _:
            return {"kind": "other", "type": type(data).__name__, "text": str(data)}


def data_from_json(record: Json) -> Any:
    """The dataset that `data_to_json` wrote."""
    kind = record.get("kind") if isinstance(record, Mapping) else None
    try:
        match kind:
            case "table":
                return _table(record)
            case "array":
                cells = [[_number(each) for each in row] for row in record["rows"]]
                return np.asarray(cells, dtype=np.dtype(record["type"])).reshape(record["shape"])
            case "other":
                raise DataError(f"this witness is about a {record['type']}, which is not kept in files: audit it anew.")
            case _:
                return record
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, pl.exceptions.PolarsError) as error:
        if isinstance(error, DataError):
            raise
        reason = str(error).partition("\n")[0]
        raise DataError(f"this dataset cannot be read ({reason}): give a witness file that crowdproof wrote.") from None


def _array(data: np.ndarray) -> Json:
    width = math.prod(data.shape[1:])
    rows = data.reshape(-1, width).tolist() if width else []
    columns = ["value"] if width == 1 else [str(place + 1) for place in range(width)]
    cells = [[_cell(each) for each in row] for row in rows]
    return {"kind": "array", "type": data.dtype.str, "shape": list(data.shape), "columns": columns, "rows": cells}


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


def _number(cell: Any) -> Any:
    """A cell of an array; numbers that JSON does not have were written as texts."""
    return float(cell) if isinstance(cell, str) else cell


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
