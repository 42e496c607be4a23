"""Tables as bytes, for programs and services: CSV, read back as text so that types never vary by run, or Parquet."""

import codecs
import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from crowdproof.audit.data.encoding import fault_in_text
from crowdproof.audit.data.whole_files import check_parquet
from crowdproof.audit.releases.sizes import MOST_VALUES, check_size, values_in
from crowdproof.audit.targets.taken import take
from crowdproof.errors import NoReleaseError, ParameterError, TargetError, pass_interrupts
from crowdproof.visible import encodable

FORMATS = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
"""Format -> media type."""
MOST_BYTES = 1 << 30
"""The largest release that is read from a program or a service: a GiB of CSV is far beyond what is run many times."""


def check_format(form: str | None) -> str:
    """The format; CSV where none is given."""
    if form is not None and form not in FORMATS:
        raise ParameterError(f"form is {form!r}: programs and services are given {' or '.join(FORMATS)}.")
    return form or "csv"


def encode(table: pl.DataFrame, form: str) -> bytes:
    """The table as the bytes of a file."""
    sink = io.BytesIO()
    if form == "csv":
        table.write_csv(sink)
    else:
        table.write_parquet(sink)
    return sink.getvalue()


def decode(content: bytes, form: str, what: str) -> pl.DataFrame:
    """The table in the bytes of a file; `what` names where they came from."""
    if form == "csv":
        as_text(content, what)
        content = content.removeprefix(codecs.BOM_UTF8)
    if not content.strip():
        raise TargetError(f"{what} is empty: even a release without rows has a line of column names.")
    if content.lstrip()[:1] == b"<":
        raise TargetError(f"{what} is a page and no table: {content.strip()[:80].decode(errors='replace')!r}")
    try:
        return _csv(content) if form == "csv" else _parquet(io.BytesIO(content))
    except TargetError as error:
        raise TargetError(f"{what}: {error}") from None
    except BaseException as error:  # noqa: BLE001  (polars panics on some damaged files, which is no Exception)
        pass_interrupts(error)
        reason = str(error).strip().partition("\n")[0]
        raise TargetError(f"{what} is not a readable {form} table: {reason}") from None


def _csv(content: bytes) -> pl.DataFrame:
    """The table in a CSV file, every cell as its text: its cells are counted first, since each takes 16 bytes."""
    check_size(content.count(b"\n"), _head(content).count(b",") + 1, "it")
    check_size(content.count(b"\n") + content.count(b","), 1, "it")
    return pl.read_csv(io.BytesIO(content), infer_schema=False)


def _head(content: bytes) -> bytes:
    """The names of the columns: all up to the end of the first line that is not within quotes."""
    end, quotes = -1, 0
    while True:
        start, end = end + 1, content.find(b"\n", end + 1)
        if end < 0:
            return content
        quotes += content.count(b'"', start, end)
        if quotes % 2 == 0:
            return content[:end]


def _parquet(source: io.BytesIO) -> pl.DataFrame:
    """The table in a Parquet file, if it has no more cells than are read: a run of equal cells takes a few bytes."""
    from pyarrow import parquet  # noqa: PLC0415  (few targets need it)

    about = parquet.read_metadata(source)
    check_size(about.num_rows, about.num_columns, "it")
    source.seek(0)
    check_parquet(source)
    source.seek(0)
    return pl.read_parquet(source)


@contextmanager
def written_file() -> Iterator[Path]:
    """A path that nothing is at, for a function that writes its release to a file; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="crowdproof-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "release.csv"


def read_written(path: Path) -> Any:
    """The table in a file that a function wrote, by what its content is; None where there is none.

    Where it made a folder of this name, the files in it, by their names.
    """
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.is_file())
        tables = {str(each.relative_to(path)): read_written(each) for each in files}
        return (tables or None) if len(tables) != 1 else next(iter(tables.values()))
    if not path.is_file():
        return None
    content = path.read_bytes()
    return decode(content, "parquet" if content.startswith(b"PAR1") else "csv", "the file that it wrote")


NAMES = (str, type(Path()))
"""What may name a file. A class of the target's own is not asked for its text, which may do anything."""


def read_named(output: Any, start: int, given: Any) -> Any:
    """What a function returned; where that is the path of a file which it wrote since the start, the content of it.

    The path itself is the same for all data, so that no leak of the file would show in it.
    """
    if type(output) not in NAMES or str(output) == str(given) or len(str(output)) > MOST_NAME:
        return output
    path = Path(output)
    try:
        is_written = path.suffix.lower() in WRITTEN and path.is_file() and path.stat().st_mtime_ns >= start - CLOCK
    except (OSError, ValueError):
        return output
    return read_written(path) if is_written else output


MOST_NAME = 1000
"""Characters of a text that may be a path; systems allow some 4,000, and people write far fewer."""
WRITTEN = frozenset({".csv", ".tsv", ".txt", ".parquet", ".json"})
"""Endings of files of releases that can be read."""
CLOCK = 20_000_000
"""Nanoseconds by which the clock of a file system may be behind: Linux advances it every 4 to 10 ms."""


def as_text(content: bytes, what: str) -> str:
    """The text in the bytes, which has to be UTF-8; a byte order mark is no part of it."""
    fault = fault_in_text(content)
    if fault:
        raise TargetError(f"{what} {fault}: let it be written in UTF-8.")
    return content.decode("utf-8-sig")


def to_json(table: pl.DataFrame) -> dict[str, Any]:
    """The table as `{"columns": [...], "rows": [[...], ...]}`."""
    return {"columns": table.columns, "rows": [list(row) for row in table.rows()]}


def from_json(text: str | bytes, what: str) -> Any:
    """An answer: `{"columns": ..., "rows": ...}` is a table, `{"value": ...}` a value, `{"error": ...}` an error."""
    if values_in(text) > MOST_VALUES:
        raise TargetError(f"{what} holds more than {MOST_VALUES:,} values: let it release less.")
    try:
        answer = _encodable(json.loads(text))
    except (ValueError, RecursionError):
        shown = text if isinstance(text, str) else text.decode(errors="replace")
        raise TargetError(f"{what} is not JSON: {shown.strip()[:200]!r}") from None
    match answer:
        case {"error": problem}:
            raise NoReleaseError(f"{what} reports an error: {problem}")
        case {"columns": list(columns), "rows": list(rows)}:
            return _table(columns, rows, what)
        case {"value": value}:
            return take(value, what)
        case _:
            raise TargetError(f'{what} has none of "columns" and "rows", "value" or "error": answer with one of these.')


def _encodable(value: Any) -> Any:
    """The value of a JSON text, which may have halves of characters, with escapes for them."""
    match value:
        case str():
            return encodable(value)
        case list():
            return [each if type(each) in _BARE else _encodable(each) for each in value]
        case dict():
            return {encodable(name): _encodable(each) for name, each in value.items()}
    return value


_BARE = frozenset({type(None), bool, int, float})
"""Types of JSON without any text."""


def _table(columns: list[Any], rows: list[Any], what: str) -> pl.DataFrame:
    """The table with these columns and rows, which polars would guess at where they do not fit each other."""
    if not all(isinstance(name, str) for name in columns):
        raise TargetError(f"{what} is not a table: let each of its columns be a name, which is text.")
    if not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
        raise TargetError(f"{what} is not a table: let each of its rows be a list of {len(columns):,} cells.")
    check_size(len(rows), len(columns), what)
    try:
        return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    except BaseException as error:  # noqa: BLE001  (foreign data: polars may even panic)
        pass_interrupts(error)
        raise TargetError(f"{what} is not a table: {error}") from None
