"""Datasets as JSON and back, so that a finding carries the pair that refutes a claim.

A table is written with its column types and its rows, equal neighbouring rows once with their number:
`{"kind": "table", "columns": {"age": "Int64"}, "rows": [[3, [41]]]}` is three people of age 41.
"""

import datetime
import itertools
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

    >>> data_to_json(pl.DataFrame({"age": [41, 41, 41]}))
    {'kind': 'table', 'columns': {'age': 'Int64'}, 'rows': [[3, [41]]]}
    """
    match data:
        case pl.DataFrame():
            plain = _plain(data)
            columns = {name: str(kind) for name, kind in plain.schema.items()}
            rows = [[len(list(same)), [_cell(each) for each in row]] for row, same in itertools.groupby(plain.rows())]
            return {"kind": "table", "columns": columns, "rows": rows}
        case np.ndarray():
            return {"kind": "array", "type": data.dtype.str, "values": data.tolist()}
        case list() | tuple() | dict() | str() | int() | float() | bool() | None:
            return {"kind": "value", "value": data}
        case _:
            raise DataError(
                f"a dataset of type {type(data).__name__} cannot be written to a witness file: give a table."
            )


def data_from_json(record: Mapping[str, Json]) -> Any:
    """The dataset that `data_to_json` wrote."""
    try:
        match record["kind"]:
            case "table":
                return _table(record)
            case "array":
                return np.asarray(record["values"], dtype=np.dtype(record["type"]))
            case "value":
                return record["value"]
    except (KeyError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise DataError(f"this dataset cannot be read ({error}): give a witness file that crowdproof wrote.") from None
    raise DataError(
        f"this dataset is of the unknown kind {record['kind']!r}: give a witness file that crowdproof wrote."
    )


def _table(record: Mapping[str, Json]) -> pl.DataFrame:
    schema = {name: _TYPES[kind] for name, kind in record["columns"].items()}
    rows = [row for count, row in record["rows"] for _ in range(count)]
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


def _plain(table: pl.DataFrame) -> pl.DataFrame:
    """Types that a witness file does not know are written as text."""
    return table.select(
        pl.col(name) if str(kind) in _TYPES else pl.col(name).cast(pl.String) for name, kind in table.schema.items()
    )


def _cell(value: Any) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number
    return value.isoformat() if isinstance(value, datetime.date) else value
