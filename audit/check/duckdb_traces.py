"""What a DuckDB file holds besides the table: removed rows, other tables, views, remarks, types with unused values."""

from pathlib import Path
from typing import Any

from crowdproof.audit.check.container_traces import Trace
from crowdproof.audit.data.duckdb_tables import opened_duckdb, quoted

_OTHERS = {
    "tables": "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND table_name <> ? ORDER BY 1",
    "views": "SELECT view_name FROM duckdb_views() WHERE NOT internal AND view_name <> ? ORDER BY 1",
    "macros": "SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal AND function_name <> ?",
    "sequences": "SELECT sequence_name FROM duckdb_sequences() WHERE sequence_name <> ? ORDER BY 1",
}
_REMARKS = """SELECT comment FROM duckdb_tables() WHERE comment IS NOT NULL
UNION ALL SELECT comment FROM duckdb_columns() WHERE comment IS NOT NULL AND NOT internal"""


def of_duckdb(path: Path, part: str) -> list[Trace]:
    """All of that; where no table is named, the file has only one."""
    found = []
    with opened_duckdb(path) as connection:
        tables = [name for (name,) in connection.execute(_OTHERS["tables"], [""]).fetchall()]
        name = part or (tables[0] if tables else "")
        for kind, asked in _OTHERS.items():
            others = [other for (other,) in connection.execute(asked, [name]).fetchall()]
            if others:
                found.append(Trace(f"The database holds other {kind}, too: {', '.join(others)}.", is_certain=False))
        remarks = connection.execute(_REMARKS).fetchall()
        if remarks:
            found.append(Trace(f"The database has remarks on its tables, such as {remarks[0][0]!r}.", is_certain=False))
        if name in tables:
            found += _of_removed(connection, name)
            found += _of_types(connection, name)
    return found


def _of_removed(connection: Any, name: str) -> list[Trace]:
    """Rows that were deleted keep their number, and their cells stay in the file until it is written anew."""
    asked = f"SELECT max(rowid), count(*) FROM {quoted(name)}"  # noqa: S608  (a name that the file holds)
    ((last, rows),) = connection.execute(asked).fetchall()
    if last is None or last + 1 <= rows:
        return []
    words = f"The hidden row numbers of {name} reach {last:,} for {rows:,} rows: the file keeps rows that were removed."
    return [Trace(words, is_certain=True)]


def _of_types(connection: Any, name: str) -> list[Trace]:
    found = []
    table = connection.table(quoted(name))
    for column, kind in zip(table.columns, table.types, strict=True):
        if str(kind).startswith("ENUM("):
            cells = quoted(column)
            counted = table.aggregate(f"len(enum_range(any_value({cells}))), count(DISTINCT {cells})")
            ((listed, used),) = counted.fetchall()
            if listed and listed > used:
                words = f"The column {column} lists {listed - used:,} categories that no row has."
                found.append(Trace(words, is_certain=False))
    return found
