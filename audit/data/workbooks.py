"""Tables from Excel workbooks, with every cell as the workbook holds it."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from crowdproof.audit.data.mixed_cells import mixed_cells
from crowdproof.errors import DataError


def workbook_table(path: Path, part: str) -> pl.DataFrame:
    """The table of the sheet, which starts in its first row with the names of the columns."""
    with opened_workbook(path) as book:
        sheets = [sheet.title for sheet in book.worksheets]
        wanted = part or (sheets[0] if len(sheets) == 1 else "")
        if wanted not in sheets:
            raise DataError(f"{path} holds the sheets {', '.join(sheets)}: write {path}::SHEET for one.")
        rows = [tuple(row) for row in book[wanted].iter_rows(values_only=True)]
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise DataError(f"{path} is empty: give a sheet with column names and rows.")
    names = ["" if name is None else str(name) for name in rows[0]]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise DataError(f"{path} has two columns {repeated!r}: give each column a name of its own.")
    return pl.DataFrame([mixed_cells(name, [row[at] for row in rows[1:]]) for at, name in enumerate(names)])


@contextmanager
def opened_workbook(path: Path, *, values: bool = True) -> Iterator[Any]:
    """The workbook; `values` gives what its formulas came to, and takes the rows one by one."""
    try:
        import openpyxl  # noqa: PLC0415  (optional)
    except ImportError:
        raise DataError(f"{path} is an Excel workbook: install crowdproof[formats], or save it as CSV.") from None
    try:
        book = openpyxl.load_workbook(path, read_only=values, data_only=values)
    except (zipfile.BadZipFile, KeyError, ValueError, openpyxl.utils.exceptions.InvalidFileException) as error:
        reason = str(error).strip().partition("\n")[0].strip("'\".")
        raise DataError(f"{path} cannot be read as xlsx: {reason}. Save it anew.") from None
    try:
        yield book
    finally:
        book.close()
