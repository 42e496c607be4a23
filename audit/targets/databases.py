"""A table in a database that lives as long as a run, for functions that take a connection and ask it by SQL."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import polars as pl

from crowdproof.errors import ParameterError

KINDS = ("duckdb", "sqlite")
"""Forms of a table that are connections."""
USUAL = ("data",)
"""The name of the table where the code of the function names none."""
_NAMED = re.compile(r"""\b(?:from|join)\s+["'`\[]?([A-Za-z_]\w*)["'`\]]?(?!\s*[(.])""", re.IGNORECASE)


def tables_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The tables that texts of SQL read from.

    >>> tables_in(["with s as (select * from patients) select ward from s join wards using (id)", "red"])
    ('patients', 's', 'wards')
    """
    found = [name for text in texts if "select" in text.lower() for name in _NAMED.findall(text)]
    return tuple(dict.fromkeys(found))


@contextmanager
def connected(table: pl.DataFrame, kind: str, names: Sequence[str]) -> Iterator[Any]:
    """A connection to a database in memory that has the table under each of these names."""
    connection = (_in_duckdb if kind == "duckdb" else _in_sqlite)(table, names or USUAL)
    try:
        yield connection
    finally:
        connection.close()


def _in_duckdb(table: pl.DataFrame, names: Sequence[str]) -> Any:
    try:
        import duckdb  # noqa: PLC0415  (few targets need it)
    except ImportError:
        raise ParameterError(
            "this target wants a connection of DuckDB: install crowdproof[formats] or duckdb."
        ) from None
    connection = duckdb.connect()
    content = table.to_arrow()
    for name in names:
        connection.register(name, content)
    return connection


def _in_sqlite(table: pl.DataFrame, names: Sequence[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    columns = ", ".join(_quoted(each) for each in table.columns)
    places = ", ".join("?" * table.width)
    rows = [tuple(map(_storable, row)) for row in table.rows()]
    for name in names:
        connection.execute(f"create table {_quoted(name)} ({columns})")
        connection.executemany(f"insert into {_quoted(name)} values ({places})", rows)  # noqa: S608  (quoted)
    connection.commit()
    return connection


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _storable(cell: Any) -> Any:
    """The cell as SQLite stores it: dates, amounts and lists as their texts."""
    return cell if cell is None or type(cell) in {int, float, str, bytes, bool} else str(cell)


def fetched(output: Any) -> Any:
    """The rows of a cursor of a database as a table; everything else as it is."""
    description, fetch = getattr(output, "description", None), getattr(output, "fetchall", None)
    if not callable(fetch) or type(output).__module__.partition(".")[0] not in {"duckdb", "_duckdb", "sqlite3"}:
        return output
    if callable(description) or not description:
        return output
    return as_table([str(each[0]) for each in description], fetch)


def as_table(columns: list[str], fetch: Callable[[], list[Any]]) -> Any:
    """The rows as a table; as a list where a table would change them."""
    rows = [tuple(row) for row in fetch()]
    try:
        return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        return rows
