"""What a target returned: a table of any make becomes one of polars, other plain values stay as they are."""

import datetime
from collections.abc import Iterator
from typing import Any

import polars as pl

from crowdproof.audit.releases.canonical import as_table, listed_content
from crowdproof.audit.targets.plain import ATOMS, plain
from crowdproof.errors import NoReleaseError, TargetError


def collected(output: Any, form: str) -> Any:
    """What a function made of a table in that form, worked out where it is only planned yet."""
    if isinstance(output, pl.LazyFrame):
        return output.collect()
    if form == "spark" and hasattr(output, "toPandas"):
        return output.toPandas()
    if form != "batches" or not isinstance(output, Iterator):
        return output
    parts = [pl.from_pandas(each) for each in output]
    return pl.concat(parts) if parts else pl.DataFrame()


def take(output: Any, name: str) -> Any:
    """What the target returned: a table of any make becomes polars, other plain values stay as they are."""
    if output is None:
        raise NoReleaseError(f"{name} returned nothing (None): let it return the release.")
    if type(output) in ATOMS:
        return output
    if isinstance(output, list):
        output = plain(output, name)  # before it is asked for anything: a subclass would answer itself
        is_rows = type(output) is list and output and all(type(each) is dict for each in output)
        return _rows_as_table(output) if is_rows else output
    try:
        table = as_table(output)
        if table is None and type(output).__module__.partition(".")[0] in {"pandas", "pyarrow"}:
            output = listed_content(output)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
        raise TargetError(f"{name} returned a {type(output).__name__} that is not a table: {error}") from None
    return plain(output if table is None else table, name)


_CELLS = frozenset({bool, int, float, str, bytes, datetime.date, datetime.datetime, datetime.time, datetime.timedelta})
"""Types of the cells of rows that polars stores as they are, where a column holds one of them."""


def _rows_as_table(rows: list[dict[Any, Any]]) -> Any:
    """Rows with the same columns in the same order as a table; rows that a table would change stay as they are."""
    names = list(rows[0])
    if not names or not all(type(name) is str for name in names) or any(list(row) != names for row in rows):
        return rows
    for name in names:
        kinds = {type(row[name]) for row in rows if row[name] is not None}
        if len(kinds) > 1 or not kinds <= _CELLS:
            return rows
    try:
        return pl.from_dicts(rows, infer_schema_length=None)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        return rows
