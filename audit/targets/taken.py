"""What a target returned: a table of any make becomes one of polars, other plain values stay as they are."""

import asyncio
import datetime
import inspect
import itertools
from collections import deque
from collections.abc import AsyncIterator, ItemsView, Iterable, Iterator, KeysView, ValuesView
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import polars as pl

from crowdproof.audit.releases.canonical import as_table, listed_content
from crowdproof.audit.releases.sizes import MOST_VALUES
from crowdproof.audit.targets.databases import fetched
from crowdproof.audit.targets.plain import ATOMS, plain
from crowdproof.errors import NoReleaseError, TargetError


def collected(output: Any, form: str) -> Any:
    """What a function made of a table in that form, worked out where it is only planned yet."""
    if inspect.isawaitable(output):
        output = _awaited(output)
    if isinstance(output, pl.LazyFrame):
        return output.collect()
    if form == "spark" and hasattr(output, "toPandas"):
        return output.toPandas()
    if form == "batches" and isinstance(output, Iterator):
        parts = [pl.from_pandas(each) for each in output]
        return pl.concat(parts) if parts else pl.DataFrame()
    if isinstance(output, AsyncIterator):
        output = _awaited(_each_of(output))
    output = fetched(output)
    elsewhere = type(output).__module__.partition(".")[0] in _READ_ELSEWHERE and not isinstance(output, Iterator)
    if hasattr(type(output), "__arrow_c_stream__") and not elsewhere:
        return pl.DataFrame(output)  # such as a relation of DuckDB, or a reader of pyarrow
    if isinstance(output, _IN_TURN) and not hasattr(output, "read"):  # an open file is no release
        return listed(output)
    return output


_IN_TURN = (Iterator, KeysView, ValuesView, ItemsView, range, deque)
"""What gives its entries one after the other, and is told as the list of them."""
_READ_ELSEWHERE = frozenset({"pandas", "polars", "pyarrow"})
"""Libraries whose tables are read by `as_table`, which keeps what Arrow leaves out."""


def listed(output: Iterable[Any]) -> list[Any]:
    """The entries; more than any release has are an error, since they may never end."""
    entries = list(itertools.islice(output, MOST_VALUES + 1))
    if len(entries) > MOST_VALUES:
        raise TargetError(f"it gives more than {MOST_VALUES:,} values one after the other: let it release fewer.")
    return entries


async def _each_of(output: AsyncIterator[Any]) -> list[Any]:
    return [each async for each in output]


def _awaited(output: Any) -> Any:
    """What an asynchronous function comes to; in a thread of its own, since a notebook has a loop that runs already."""

    async def wait() -> Any:
        return await output

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, wait()).result()


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
