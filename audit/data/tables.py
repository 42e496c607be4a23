"""Tables from files: CSV, Excel, Parquet, Arrow, SQLite and DuckDB, with the types as read or as declared."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from crowdproof.audit.data.blank_lines import may_have_blank_lines, without_blank_lines
from crowdproof.audit.data.broken_csv import encoding_fault, fault
from crowdproof.audit.data.categories import with_fixed_categories
from crowdproof.audit.data.duckdb_tables import duckdb_table
from crowdproof.audit.data.separated import separator, unpacked
from crowdproof.audit.data.sqlite_tables import sqlite_table
from crowdproof.audit.data.whole_files import check_arrow, check_parquet
from crowdproof.audit.data.workbooks import workbook_table
from crowdproof.errors import DataError

TYPES: Mapping[str, type[pl.DataType]] = {
    "integer": pl.Int64,
    "number": pl.Float64,
    "text": pl.String,
    "boolean": pl.Boolean,
    "date": pl.Date,
}
"""The types that a schema may declare."""

_READ_ERRORS = (
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,  # no Exception, and what polars raises on some damaged Parquet files
    OSError,
    sqlite3.Error,
    UnicodeDecodeError,
)

Schema = Mapping[str, str]
"""Column -> one of TYPES; columns that are not named keep the type that was read."""
Kept = Sequence[str] | None
"""Columns of a CSV whose cells stay as they were written, with leading zeros; None is all of them."""


def read_table(path: str | Path, *, schema: Schema | None = None, text: bool = False) -> pl.DataFrame:
    """The table in the file; `text` reads every column of a CSV as text, as a release of generalized cells is.

    Digits of a CSV that look like a code, such as 02138, stay text, unless the schema declares a number.

    A table of a database with several, or a sheet, is named after two colons: `people.sqlite::patients`.
    """
    lazy = scan_table(path, schema=schema, text=text)
    with readable(path):
        return with_fixed_categories(lazy.collect(), Path(str(path).partition("::")[0]))


def scan_table(path: str | Path, *, schema: Schema | None = None, text: bool = False) -> pl.LazyFrame:
    """The table in the file, read lazily since it may be larger than memory.

    It has at least one row. Whoever collects it does so within `readable`.
    """
    name, _, part = str(path).partition("::")
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise DataError(f"{name} is of no known kind: give a file that ends in {', '.join(SUFFIXES)}.")
    if Path(name).is_dir():
        raise DataError(f"{name} is a folder: give a file in it.")
    if not Path(name).is_file():
        raise DataError(f"there is no file {name}: check its path.")
    with readable(path):
        declared = schema or {}
        kept = None if text else [column for column, kind in declared.items() if kind == "text"]
        lazy = SUFFIXES[suffix](Path(name), part, kept)
        columns = lazy.collect_schema().names()
        empty = not columns or lazy.select(pl.first().is_null()).head(1).collect().is_empty()
        if empty:
            lazy.collect()  # the scan of the first row takes what follows an open quote for no row at all
    if empty:
        wrong = _fault(name)
        raise DataError(
            f"{name} cannot be read as {_kind(name)}: {wrong}"
            if wrong
            else f"{name} has no rows: give a table with at least one."
        )
    return _declared(lazy, schema or {}, name)


@contextmanager
def readable(path: str | Path) -> Iterator[None]:
    """Around whatever reads a lazy table: a broken line is met only when it is read, and is an error of the file."""
    name = str(path).partition("::")[0]
    try:
        yield
    except pl.exceptions.NoDataError:
        raise DataError(f"{name} is empty: give a file with column names and rows.") from None
    except _READ_ERRORS as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: BaseException) -> DataError:
    return DataError(f"{name} cannot be read as {_kind(name)}: {_fault(name) or _first_line(error)}")


def _kind(name: str) -> str:
    return Path(name).suffix.lower().lstrip(".")


def _fault(name: str) -> str | None:
    if _kind(name) not in ("csv", "tsv"):
        return None
    try:
        return fault(Path(name))
    except OSError:  # it cannot be opened, which whoever asks knows already
        return None


def _first_line(error: BaseException) -> str:
    reason = str(error).strip().partition("\n")[0].rstrip(".")
    return f"{reason}. Write the file anew, or give it the ending of its kind."


def _csv(path: Path, part: str, kept: Kept) -> pl.LazyFrame:
    wrong = encoding_fault(_one(path, part))
    if wrong:
        raise DataError(f"{path} cannot be read as csv: {wrong}")
    read = _scanned(path, kept)
    if len(read.collect_schema()) > 1 and may_have_blank_lines(path):
        return _without_blanks(path, kept)
    return _typed(path, read, kept)


def _without_blanks(path: Path, kept: Kept) -> pl.LazyFrame:
    """The table of a file with blank lines, which are no rows; in a single column each is a missing cell."""
    content = path.read_bytes()
    rest = without_blank_lines(content)
    if len(rest) == len(content):
        return _typed(path, _scanned(path, kept), kept)
    with TemporaryDirectory() as folder:
        plain = Path(folder, path.name)
        plain.write_bytes(rest)
        return _typed(plain, _scanned(plain, kept), kept).collect().lazy()


def _typed(path: Path, read: pl.LazyFrame, kept: Kept) -> pl.LazyFrame:
    """The table with codes as text, unless all cells are texts."""
    if kept is None:
        return read
    numbers = [name for name, kind in read.collect_schema().items() if kind.is_numeric()]
    codes = _codes(_scanned(path, None).select(numbers)) if numbers else []
    return _scanned(path, [*kept, *codes]) if codes else read


def _scanned(path: Path, kept: Kept) -> pl.LazyFrame:
    return pl.scan_csv(
        path,
        separator=separator(path),
        schema_overrides=dict.fromkeys(kept or (), pl.String),
        infer_schema=kept is not None,
        infer_schema_length=10_000,
        try_parse_dates=kept is not None,
    )


def _gzip(path: Path, part: str, kept: Kept) -> pl.LazyFrame:
    inner = Path(_one(path, part).stem)
    if inner.suffix.lower() not in (".csv", ".tsv"):
        raise DataError(f"{path} is of no known kind: of compressed files, give one that ends in .csv.gz or .tsv.gz.")
    with TemporaryDirectory() as folder:
        plain = Path(folder, inner.name)
        plain.write_bytes(unpacked(path))
        return _csv(plain, "", kept).collect().lazy()


CODE = r"^\s*([+-]?0\d|\+\d{7}|\d{16,}\s*$|\d+[eE]\d+\s*$)"
"""What no number is written like: a leading zero (02138), a telephone's plus, more digits than a computer's number
keeps, or digits around an E as in the code 12E4."""


def _codes(cells: pl.LazyFrame) -> list[str]:
    """The columns of text in which a cell is a code: as a number it would lose what tells it from others."""
    found = cells.select(pl.all().str.contains(CODE).any()).collect()
    return [name for name in found.columns if found[name].item()]


def _parquet(path: Path, part: str, kept: Kept) -> pl.LazyFrame:  # noqa: ARG001
    check_parquet(_one(path, part))
    return pl.scan_parquet(path)


def _arrow(path: Path, part: str, kept: Kept) -> pl.LazyFrame:  # noqa: ARG001
    check_arrow(_one(path, part))
    return pl.scan_ipc(path)


def _sqlite(path: Path, part: str, kept: Kept) -> pl.LazyFrame:  # noqa: ARG001
    return sqlite_table(path, part).lazy()


def _xlsx(path: Path, part: str, kept: Kept) -> pl.LazyFrame:  # noqa: ARG001
    return workbook_table(path, part).lazy()


def _duckdb(path: Path, part: str, kept: Kept) -> pl.LazyFrame:  # noqa: ARG001
    return duckdb_table(path, part).lazy()


def _one(path: Path, part: str) -> Path:
    if part:
        raise DataError(f"{path} holds one table only: leave out ::{part}.")
    return path


SUFFIXES: Mapping[str, Callable[[Path, str, Kept], pl.LazyFrame]] = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".sqlite": _sqlite,
    ".db": _sqlite,
    ".tsv": _csv,
    ".gz": _gzip,
    ".xlsx": _xlsx,
    ".duckdb": _duckdb,
}
"""Ending of a file -> its reader."""


def _declared(table: pl.LazyFrame, schema: Schema, name: str) -> pl.LazyFrame:
    """The table with the declared types; a value that does not fit is an error."""
    if not schema:
        return table
    present = table.collect_schema()
    for column, kind in schema.items():
        if column not in present:
            raise DataError(f"{name} has no column {column!r}: it has {', '.join(present)}.")
        if kind not in TYPES:
            raise DataError(f"the type of {column} is {kind!r}: declare one of {', '.join(TYPES)}.")
    cast = table.with_columns(pl.col(column).cast(TYPES[kind]) for column, kind in schema.items())
    try:
        return cast.collect().lazy()
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{name} does not have the declared types: {str(error).partition(chr(10))[0]}") from None
