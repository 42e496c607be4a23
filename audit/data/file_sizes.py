"""How much of a file of a stranger is read: a few bytes can stand for more than any memory holds."""

from pathlib import Path

from crowdproof.errors import DataError

OF_ANY_FILE = 1 << 25
"""Cells that are read of the smallest file: as many as of a release."""
CELLS_OF_A_BYTE = 1 << 10
"""Cells that a byte of a file may stand for, where there are many: a column that is the same everywhere takes next to
nothing, and in a table of people some column is not. A guess."""


def most_cells(path: Path) -> int:
    """The cells of a table that are read from this file: so many in any file, and more where there are more bytes."""
    return max(OF_ANY_FILE, CELLS_OF_A_BYTE * path.stat().st_size)


def check_cells(path: Path, cells: int) -> None:
    """Refuse a table that stands for far more than its file holds."""
    most = most_cells(path)
    if cells > most:
        raise DataError(
            f"{path} stands for {cells:,} cells, and {most:,} are read of a file of its size: write the table as CSV."
        )
