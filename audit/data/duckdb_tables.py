"""Tables from DuckDB files."""

from pathlib import Path

import polars as pl

from crowdproof.errors import DataError

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_AS_THEY_ARE = frozenset([*_WHOLE, "BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR", "DATE", "TIME", "TIMESTAMP"])
"""Types that Arrow holds to the last digit; all others are read as text, since a HUGEINT would be rounded."""


def duckdb_table(path: Path, part: str) -> pl.DataFrame:
    """The table, read without leave to look at other files, which a view might name."""
    try:
        import duckdb  # noqa: PLC0415  (optional)
    except ImportError:
        raise DataError(f"{path} is a DuckDB file: install crowdproof[formats], or write it as Parquet.") from None
    try:
        with duckdb.connect(str(path), read_only=True, config={"enable_external_access": "false"}) as connection:
            asked = connection.execute("SELECT table_name FROM information_schema.tables ORDER BY table_name")
            found = [name for (name,) in asked.fetchall()]
            wanted = part or (found[0] if len(found) == 1 else "")
            if wanted not in found:
                raise DataError(f"{path} holds the tables {', '.join(found) or '(none)'}: write {path}::TABLE for one.")
            table = connection.table(_quoted(wanted))
            cells = [
                _quoted(name) if str(kind) in _AS_THEY_ARE else f"CAST({_quoted(name)} AS VARCHAR) AS {_quoted(name)}"
                for name, kind in zip(table.columns, table.types, strict=True)
            ]
            return pl.DataFrame(pl.from_arrow(table.select(", ".join(cells)).to_arrow_table()))
    except duckdb.Error as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise DataError(f"{path} cannot be read as duckdb: {reason}. Write it anew, or as Parquet.") from None


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
