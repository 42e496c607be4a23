"""Whether a Parquet or Arrow file can be read to its end: on some damaged ones polars ends the whole process."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from crowdproof.audit.data.file_sizes import check_cells
from crowdproof.errors import DataError

ROWS_AT_ONCE = 1 << 16
"""Rows that are read in one go: a few MiB of most tables, so that a large file takes no memory."""


def check_parquet(source: Path | Any) -> None:
    """Read the file to its end by Arrow, and raise a `ComputeError` of polars where it is damaged."""
    from pyarrow import parquet  # noqa: PLC0415  (few files need it)

    with _explained(), parquet.ParquetFile(source) as file:
        if isinstance(source, Path):
            check_cells(source, file.metadata.num_rows * file.metadata.num_columns)
        for _ in file.iter_batches(ROWS_AT_ONCE):
            continue


def check_arrow(path: Path) -> None:
    """The same for an Arrow file, of which every offset and every text is checked."""
    import pyarrow as pa  # noqa: PLC0415

    with _explained(), pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as file:
        cells = 0
        for number in range(file.num_record_batches):
            batch = file.get_batch(number)
            cells += batch.num_rows * batch.num_columns
            check_cells(path, cells)
            batch.validate(full=True)


@contextmanager
def _explained() -> Iterator[None]:
    """Around what reads by Arrow: its errors as those of polars."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        yield
    except (DataError, FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
        raise pl.exceptions.ComputeError(str(error)) from None
