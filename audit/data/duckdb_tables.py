"""Tables from DuckDB files."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from crowdproof.audit.data.file_sizes import check_cells, most_cells
from crowdproof.errors import DataError

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_AS_THEY_ARE = frozenset([*_WHOLE, "BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR", "DATE", "TIME", "TIMESTAMP"])
"""Types that Arrow holds to the last digit; all others are read as text, since a HUGEINT would be rounded."""

MOST_SECONDS = 60.0
"""Seconds that reading may take, and one more for each MiB of the file: a view is a program, which may never end."""
MEMORY = "4GiB"
"""Memory that DuckDB may take, besides the table that it hands over; it would take most of what there is."""


def duckdb_table(path: Path, part: str) -> pl.DataFrame:
    """The table, read without leave to look at other files, which a view might name."""
    with opened_duckdb(path) as connection:
        asked = connection.execute("SELECT table_name FROM information_schema.tables ORDER BY table_name")
        found = [name for (name,) in asked.fetchall()]
        wanted = part or (found[0] if len(found) == 1 else "")
        if wanted not in found:
            raise DataError(f"{path} holds the tables {', '.join(found) or '(none)'}: write {path}::TABLE for one.")
        table = connection.table(quoted(wanted))
        cells = [
            quoted(name) if str(kind) in _AS_THEY_ARE else f"CAST({quoted(name)} AS VARCHAR) AS {quoted(name)}"
            for name, kind in zip(table.columns, table.types, strict=True)
        ]
        most = most_cells(path) // max(len(cells), 1)
        read = table.select(", ".join(cells)).limit(most + 1).to_arrow_table()
        check_cells(path, read.num_rows * read.num_columns)
        return pl.DataFrame(pl.from_arrow(read))


@contextmanager
def opened_duckdb(path: Path) -> Iterator[Any]:
    """A connection that reads this file and no other; what goes wrong is an error of the file."""
    try:
        import duckdb  # noqa: PLC0415  (optional)
    except ImportError:
        raise DataError(f"{path} is a DuckDB file: install crowdproof[formats], or write it as Parquet.") from None
    try:
        config: dict[str, Any] = {"enable_external_access": "false", "memory_limit": MEMORY}
        with duckdb.connect(str(path), read_only=True, config=config) as connection, _ended_in_time(connection, path):
            yield connection
    except duckdb.Error as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise DataError(f"{path} cannot be read as duckdb: {reason}. Write it anew, or as Parquet.") from None


@contextmanager
def _ended_in_time(connection: Any, path: Path) -> Iterator[None]:
    """Around queries: one that takes too long is an error of DuckDB."""
    timer = threading.Timer(MOST_SECONDS + path.stat().st_size / 2**20, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def quoted(name: str) -> str:
    """The name as SQL has it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
