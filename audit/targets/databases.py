"""A table in a database that lives as long as a run, for functions that take a connection and ask it by SQL."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import polars as pl

from crowdproof.audit.data.categories import categorical
from crowdproof.errors import ParameterError, TargetError

KINDS = ("duckdb", "sqlite")
"""Forms of a table that are connections."""
USUAL = "data"
"""The name of the table where the code of the function names none."""
_MADE = re.compile(r"""\b([A-Za-z_]\w*)\s+as\s*\(""", re.IGNORECASE)
_NAMED = re.compile(r"""\b(?:from|join)\s+["'`\[]?([A-Za-z_]\w*)["'`\]]?(?!\s*[(.])""", re.IGNORECASE)


def tables_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The tables that texts of SQL read from.

    >>> tables_in(["with s as (select * from patients) select ward from s join wards using (id)", "red"])
    ('patients', 'wards')
    """
    asked = [text for text in texts if "select" in text.lower()]
    made = {name.casefold() for text in asked for name in _MADE.findall(text)}
    found = {name.casefold(): name for text in asked for name in _NAMED.findall(text)}
    return tuple(name for key, name in found.items() if key not in made)


def _only(names: Sequence[str]) -> str:
    """The table that is asked for. Which of several is the audited one is not known."""
    if len(names) > 1:
        raise ParameterError(
            f"its SQL reads the tables {', '.join(names)}, and the data is one table: wrap it in a function that takes "
            "that table and puts the others beside it."
        )
    return names[0] if names else USUAL


@contextmanager
def connected(table: pl.DataFrame, kind: str, names: Sequence[str]) -> Iterator[Any]:
    """A connection to a database in memory that has the table under the name that is asked for."""
    connection = (_in_duckdb if kind == "duckdb" else _in_sqlite)(table, _only(names))
    try:
        yield connection
    finally:
        connection.close()


def _in_duckdb(table: pl.DataFrame, name: str) -> Any:
    try:
        import duckdb  # noqa: PLC0415  (few targets need it)
    except ImportError:
        raise ParameterError(
            "this target wants a connection of DuckDB: install crowdproof[formats] or duckdb."
        ) from None
    if categorical(table):
        raise ParameterError(
            "this target wants a connection of DuckDB, whose categories have an order: give their columns as text."
        )
    connection = duckdb.connect()
    connection.register(name, table.to_arrow())
    return connection


def _in_sqlite(table: pl.DataFrame, name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    columns = ", ".join(_quoted(each) for each in table.columns)
    places = ", ".join("?" * table.width)
    rows = [tuple(map(_storable, row)) for row in table.rows()]
    try:
        connection.execute(f"create table {_quoted(name)} ({columns})")
        connection.executemany(f"insert into {_quoted(name)} values ({places})", rows)  # noqa: S608  (quoted)
        connection.commit()
    except (OverflowError, sqlite3.Error) as error:  # no refusal: it is not the target that cannot take the data
        connection.close()
        raise TargetError(f"the data cannot be put into SQLite ({error}): declare its columns as text.") from None
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
