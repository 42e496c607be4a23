"""Tables from Excel workbooks, with every cell as the workbook holds it."""

import contextlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from crowdproof.audit.data.file_sizes import OF_ANY_FILE
from crowdproof.audit.data.mixed_cells import mixed_cells
from crowdproof.errors import DataError

MOST_ROWS, MOST_COLUMNS = 1 << 20, 1 << 14
"""Rows and columns that a sheet can have. The file may name any row, and all before it would be made."""
MOST_UNPACKED = 1 << 28
"""Bytes that the parts of a workbook may take together: a full sheet of ten columns. It takes minutes to read them."""


def workbook_table(path: Path, part: str) -> pl.DataFrame:
    """The table of the sheet, which starts in its first row with the names of the columns."""
    with opened_workbook(path) as book, _explained(path):
        sheets = [sheet.title for sheet in book.worksheets]
        wanted = part or (sheets[0] if len(sheets) == 1 else "")
        if wanted not in sheets:
            raise DataError(f"{path} holds the sheets {', '.join(sheets)}: write {path}::SHEET for one.")
        rows = list(_rows(book[wanted], path))
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise DataError(f"{path} is empty: give a sheet with column names and rows.")
    names = ["" if name is None else str(name) for name in rows[0]]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated == "":
        raise DataError(f"{path} has cells in columns without a name: clear them, or name them in the first row.")
    if repeated is not None:
        raise DataError(f"{path} has two columns {repeated!r}: give each column a name of its own.")
    return pl.DataFrame([mixed_cells(name, [row[at] for row in rows[1:]]) for at, name in enumerate(names)])


def _rows(sheet: Any, path: Path) -> Iterator[tuple[Any, ...]]:
    """The rows of the sheet, as many and as wide as a sheet can be."""
    cells = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        cells += len(row)
        if number >= MOST_ROWS or len(row) > MOST_COLUMNS or cells > OF_ANY_FILE:
            raise DataError(f"{path} has a cell far from all others, or too many cells: write the table as CSV.")
        yield tuple(row)


@contextmanager
def opened_workbook(path: Path, *, values: bool = True) -> Iterator[Any]:
    """The workbook; `values` gives what its formulas came to, and takes the rows one by one."""
    try:
        import openpyxl  # noqa: PLC0415  (optional)
    except ImportError:
        raise DataError(f"{path} is an Excel workbook: install crowdproof[formats], or save it as CSV.") from None
    with contextlib.ExitStack() as held:
        with _explained(path):
            _check_size(path)
            file = held.enter_context(path.open("rb"))  # where it cannot be read, openpyxl would leave it open
            book = openpyxl.load_workbook(file, read_only=values, data_only=values)
        held.callback(book.close)
        yield book


def _check_size(path: Path) -> None:
    """Refuse a workbook whose parts unpack to far more than a sheet has; no part has more bytes than it says."""
    with zipfile.ZipFile(path) as packed:
        size = sum(each.file_size for each in packed.infolist())
    if size > MOST_UNPACKED:
        raise DataError(
            f"{path} unpacks to {size >> 20:,} MiB, and {MOST_UNPACKED >> 20:,} are read: save the sheet as CSV."
        )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Around what reads a workbook: whatever its reader raises is an error of the file."""
    try:
        yield
    except (DataError, FileNotFoundError, PermissionError):
        raise
    except Exception as error:  # noqa: BLE001  (openpyxl raises what its innards do)
        reason = str(error).strip().partition("\n")[0].strip("'\".") or type(error).__name__
        raise DataError(f"{path} cannot be read as xlsx: {reason}. Save it anew.") from None
