"""What a file holds besides its table: notes of the program that wrote it, categories that no row has, types, parts."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

from crowdproof.audit.check.container_traces import Trace, of_gzip, of_sqlite, of_workbook
from crowdproof.audit.check.duckdb_traces import of_duckdb
from crowdproof.audit.check.written_traces import of_text

_OF_FORMATS = frozenset({b"ARROW:schema", b"pandas", b"org.apache.spark.version"})
"""Notes that programs write into every file, and that say nothing of its rows."""
MOST_ROWS = 5_000_000
"""Rows up to which categories are looked at, since the columns are read for it. A guess: some seconds."""


def traces(path: Path, part: str) -> list[Trace]:
    """What is in the file besides the cells of that part of it."""
    try:
        return _traces(path, part)
    except Exception as error:  # noqa: BLE001  (a stranger's file, of which only the table was read so far)
        words = f"What the file holds besides its table could not be read ({type(error).__name__})."
        return [Trace(words, is_certain=False)]


def _traces(path: Path, part: str) -> list[Trace]:
    suffix = path.suffix.lower()
    if suffix in _READERS:
        return _READERS[suffix](path, part)
    if suffix == ".parquet":
        file = pq.ParquetFile(path)
        rows, schema = file.metadata.num_rows, file.schema_arrow
        found = [*_parts(file.metadata), *_notes(schema, rows)]
        return found + (_categories(pq.read_table(path, memory_map=True)) if rows <= MOST_ROWS else [])
    if suffix in (".arrow", ".feather"):
        table = feather.read_table(path, memory_map=True)
        return [*_notes(table.schema, table.num_rows), *_categories(table), *_under_missing(table)]
    return []


_READERS: Mapping[str, Callable[[Path, str], list[Trace]]] = {
    ".sqlite": of_sqlite,
    ".db": of_sqlite,
    ".xlsx": of_workbook,
    ".duckdb": of_duckdb,
    ".gz": lambda path, part: of_gzip(path),  # noqa: ARG005
    ".csv": lambda path, part: of_text(path),  # noqa: ARG005
    ".tsv": lambda path, part: of_text(path),  # noqa: ARG005
}


def _parts(metadata: pq.FileMetaData) -> list[Trace]:
    sizes = [metadata.row_group(place).num_rows for place in range(metadata.num_row_groups)]
    if len(set(sizes[:-1])) > 1 or (len(sizes) > 1 and sizes[-1] > sizes[0]):
        shown = ", ".join(f"{size:,}" for size in sizes[:5])
        words = f"The file is cut into row groups of {shown} rows: where it is cut may tell how the source was."
        return [Trace(words, is_certain=False)]
    return []


def _notes(schema: pa.Schema, rows: int) -> list[Trace]:
    found = []
    notes = schema.metadata or {}
    others = [key for key in notes if key not in _OF_FORMATS]
    for key in others:
        words = f"The file carries a note {key.decode(errors='replace')!r} besides its table."
        found.append(Trace(words, is_certain=False))
    for field in schema:
        own = [key.decode(errors="replace") for key in field.metadata or {} if not key.startswith(b"PARQUET:")]
        if own:
            words = f"The column {field.name} carries notes besides its cells: {', '.join(own)}."
            found.append(Trace(words, is_certain=False))
    for start, stop, step in _ranges(notes.get(b"pandas", b"{}")):
        if len(range(start, stop, step)) != rows or start not in (0, 1) or step != 1:
            words = f"The file says that its rows were numbered from {start} to {stop} in the source; it has {rows:,}."
            found.append(Trace(words, is_certain=True))
    return found


def _ranges(note: bytes) -> list[tuple[int, int, int]]:
    """The row numbers that pandas notes; a note that is no such JSON says nothing."""
    try:
        columns = json.loads(note).get("index_columns", [])
    except (ValueError, AttributeError):
        return []
    ranges = [each for each in columns if isinstance(each, dict) and each.get("kind") == "range"]
    return [(int(each["start"]), int(each["stop"]), int(each["step"])) for each in ranges]


def _categories(table: pa.Table) -> list[Trace]:
    found = []
    for name in table.column_names:
        cells = table.column(table.column_names.index(name))
        if not pa.types.is_dictionary(cells.type):
            continue
        dictionaries: list[Any] = [chunk.dictionary for chunk in cells.chunks]  # type: ignore[attr-defined]
        listed = {value for each in dictionaries for value in each.to_pylist()}
        unused = listed - set(cells.cast(cells.type.value_type).unique().to_pylist())
        if unused:
            words = (
                f"The column {name} lists {len(unused):,} categories that no row has, such as {min(map(str, unused))}: "
                "they may be those of rows that were taken out, or a list that was fixed before."
            )
            found.append(Trace(words, is_certain=False))
    return found


def _under_missing(table: pa.Table) -> list[Trace]:
    """Numbers that are still there where a cell is marked as missing: Arrow keeps the mark apart from the number."""
    found = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)):
            continue
        kept = [np.unique(_marked(chunk)) for chunk in column.chunks if chunk.null_count]
        if kept and len(np.unique(np.concatenate(kept))) > 1:
            words = f"The column {name} keeps different numbers in the file under its missing cells."
            found.append(Trace(words, is_certain=False))
    return found


def _marked(chunk: "pa.Array[Any]") -> np.ndarray:
    """What is kept under the missing cells, as bytes that are whole numbers."""
    kept = chunk.buffers()[1]
    if kept is None:
        return np.empty(0)
    held = np.frombuffer(memoryview(kept), dtype=f"u{chunk.type.bit_width // 8}")
    found: np.ndarray = held[chunk.offset :][: len(chunk)][chunk.is_null().to_numpy(zero_copy_only=False)]
    return found


def whole_floats(table: pl.DataFrame, names: list[str]) -> list[str]:
    """Columns of whole numbers that are written with a decimal point, and of which none is missing.

    pandas writes whole numbers so where some are missing: then rows with a missing value were taken out.
    """
    found = []
    for key, name in zip(table.columns, names, strict=True):
        cells = table[key].cast(pl.String)
        if len(cells) and cells.null_count() == 0 and bool(cells.str.contains(r"^-?[0-9]+\.0$").all()):
            found.append(name)
    return found
