"""Whether a Parquet file can be read to its end: on some damaged ones polars ends the whole process."""

from pathlib import Path
from typing import Any

import polars as pl

ROWS_AT_ONCE = 1 << 16
"""Rows that are read in one go: a few MiB of most tables, so that a large file takes no memory."""


def check_parquet(source: Path | Any) -> None:
    """Read the file to its end by Arrow, and raise a `ComputeError` of polars where it is damaged."""
    import pyarrow as pa  # noqa: PLC0415  (few files need it)
    from pyarrow import parquet  # noqa: PLC0415

    try:
        with parquet.ParquetFile(source) as file:
            for _ in file.iter_batches(ROWS_AT_ONCE):
                continue
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except (pa.ArrowException, OSError) as error:
        raise pl.exceptions.ComputeError(str(error)) from None
