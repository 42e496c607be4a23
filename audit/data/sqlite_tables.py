"""Tables from SQLite files. A view is a program: it is given so many steps, and not more memory than a file takes."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from crowdproof.audit.data.file_sizes import check_cells
from crowdproof.audit.data.mixed_cells import mixed_cells
from crowdproof.errors import DataError

STEPS_AT_ONCE = 1_000_000
"""Steps of SQLite's machine between two looks at how many there were: some hundredths of a second."""
MOST_STEPS = 1_000_000_000
"""Steps for a small file: some ten seconds. A row of a table takes a few, and one for each cell."""
STEPS_OF_A_BYTE = 100
"""Further steps for each byte of the file, so that any table can be read that is in it: a row takes two bytes."""
LONGEST_CELL = 1 << 20
"""Bytes of a cell in a small file; in a larger one a cell may be as long as the file."""
MOST_BYTES = 1 << 30
"""Bytes of text that are read of a small file, as of a compressed one; of a larger one as many as it has."""
ROWS_AT_ONCE = 1_000
"""Rows that are fetched at once: a guess, a thousand of the longest cells fill a GiB."""


def sqlite_table(path: Path, part: str) -> pl.DataFrame:
    """The table or view of that name, or the only one."""
    with opened_sqlite(path) as connection:
        asked = (
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        found = [name for (name,) in connection.execute(asked)]
        wanted = part or (found[0] if len(found) == 1 else "")
        if wanted not in found:
            raise DataError(f"{path} holds the tables {', '.join(found) or '(none)'}: write {path}::TABLE for one.")
        quoted = wanted.replace('"', '""')
        cursor = connection.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608  (a name that the file itself holds)
        names = [column[0] for column in cursor.description]
        rows = list(_fetched(cursor, path, len(names)))
    return pl.DataFrame([mixed_cells(name, [row[at] for row in rows]) for at, name in enumerate(names)])


def _fetched(cursor: sqlite3.Cursor, path: Path, width: int) -> Iterator[tuple[object, ...]]:
    """The rows, as long as they are no more than the file may stand for."""
    cells = size = 0
    most = max(MOST_BYTES, path.stat().st_size)
    while part := cursor.fetchmany(ROWS_AT_ONCE):
        cells += len(part) * width
        size += sum(len(cell) for row in part for cell in row if isinstance(cell, str | bytes))
        check_cells(path, cells)
        if size > most:
            raise DataError(f"{path} stands for more than {most:,} bytes of text: write the table as CSV.")
        yield from part


@contextmanager
def opened_sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, to be read only; a query of it that takes far longer than to read it all is an `sqlite3.Error`."""
    size = path.stat().st_size
    left = (MOST_STEPS + STEPS_OF_A_BYTE * size) // STEPS_AT_ONCE

    def goes_on_too_long() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        connection.set_progress_handler(goes_on_too_long, STEPS_AT_ONCE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(max(size, LONGEST_CELL), 10**9))
        yield connection
    finally:
        connection.close()
