"""Workbooks, databases and Arrow files of a stranger: tables, or errors of the file in one sentence and in time."""

import contextlib
import random
import sqlite3
import struct
import sys
import time
import zipfile
from contextlib import closing

import duckdb
import openpyxl
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from crowdproof.audit.check import Terms, check
from crowdproof.audit.data import duckdb_tables, file_sizes, sqlite_tables, workbooks
from crowdproof.audit.data.tables import read_table
from crowdproof.cli import main
from crowdproof.errors import DataError, ExitCode

SHEET = "xl/worksheets/sheet1.xml"
TABLE = pl.DataFrame({"age": range(60), "zip": [f"a text that is longer than twelve bytes: {i}" for i in range(60)]})


@pytest.fixture(autouse=True)
def in_time():
    start = time.monotonic()
    yield
    assert time.monotonic() - start < 60


# --- workbooks


@pytest.fixture(scope="module")
def workbook(tmp_path_factory):
    book = openpyxl.Workbook()
    for row in (["age", "zip"], [31, "a"], [47, "b"], [52, "c"]):
        book.active.append(row)
    path = tmp_path_factory.mktemp("workbook") / "whole.xlsx"
    book.save(path)
    return path


def edited(workbook, path, edit):
    """The workbook with every part changed by `edit(name, content)`; a part that becomes None is left out."""
    with zipfile.ZipFile(workbook) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = edit(name, source.read(name))
            if content is not None:
                target.writestr(name, content)
    return path


ENTITIES = b"".join(b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 10 if i else b"x" * 1000) for i in range(9))
LAUGHS = b"<!DOCTYPE w [" + ENTITIES + b"]>"
SHEETS = {
    "cut": lambda sheet: sheet[: len(sheet) // 2],
    "empty": lambda sheet: b"",
    "no cell": lambda sheet: sheet.replace(b'r="A2"', b'r="2A"'),
    "far to the right": lambda sheet: sheet.replace(b'r="A2"', b'r="ZZZZZZ2"'),
    "an entity of entities": lambda sheet: LAUGHS + sheet.replace(b"<v>31</v>", b"<v>&a8;</v>"),
    "a number that is none": lambda sheet: sheet.replace(b"<v>31</v>", b"<v>thirty</v>"),
    "a text that is not there": lambda sheet: sheet.replace(b"<v>1</v>", b"<v>-99</v>"),
}


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_that_is_spoilt_is_a_table_or_an_error_of_the_file(tmp_path, workbook, name):
    assert_read_or_refused(edited(workbook, tmp_path / "it.xlsx", in_part(SHEET, SHEETS[name])))


@pytest.mark.parametrize("spoilt", [None, b"", b"<a/>", b"<a"])
def test_a_workbook_that_lacks_or_spoils_a_part_is_a_table_or_an_error_of_the_file(tmp_path, workbook, spoilt):
    with zipfile.ZipFile(workbook) as whole:
        parts = whole.namelist()
    for part in parts:
        assert_read_or_refused(edited(workbook, tmp_path / "it.xlsx", in_part(part, lambda _: spoilt)))


def in_part(part, change):
    return lambda name, content: change(content) if name == part else content


def assert_read_or_refused(path):
    with contextlib.suppress(DataError):
        assert read_table(path).width == 2


def test_a_workbook_that_stands_for_too_much_is_not_read(tmp_path, workbook, monkeypatch):
    far = edited(
        workbook, tmp_path / "far.xlsx", lambda _, each: each.replace(b'"4"', b'"400"').replace(b'4"', b'400"')
    )
    monkeypatch.setattr(workbooks, "MOST_ROWS", 100)
    with pytest.raises(DataError, match="a cell far from all others"):
        read_table(far)
    assert read_table(workbook).height == 3
    monkeypatch.setattr(workbooks, "MOST_UNPACKED", 1000)
    with pytest.raises(DataError, match="unpacks to"):
        read_table(workbook)


# --- databases

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
VIEWS = {
    "without end and without a row": f"{ENDLESS} SELECT x AS age FROM c WHERE x < 0",
    "without end": f"{ENDLESS} SELECT x AS age FROM c",
    "of large cells": f"{ENDLESS} SELECT zeroblob(900000000) AS age FROM c",
    "of many large cells": f"{ENDLESS} SELECT zeroblob(900000) AS age FROM c",
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_of_a_database_is_read_within_limits(tmp_path, monkeypatch, name):
    monkeypatch.setattr(sqlite_tables, "MOST_STEPS", 20_000_000)
    monkeypatch.setattr(sqlite_tables, "MOST_BYTES", 1 << 26)
    monkeypatch.setattr(sqlite_tables, "ROWS_AT_ONCE", 10)
    monkeypatch.setattr(file_sizes, "OF_ANY_FILE", 10_000)
    monkeypatch.setattr(file_sizes, "CELLS_OF_A_BYTE", 1)
    path = tmp_path / "it.sqlite"
    with closing(sqlite3.connect(path)) as base:
        base.executescript(f"CREATE VIEW people AS {VIEWS[name]}")
    with pytest.raises(DataError, match=r"it\.sqlite (cannot be read as sqlite|stands for)"):
        read_table(path)


def test_a_view_that_ends_is_read(tmp_path):
    path = tmp_path / "it.sqlite"
    with closing(sqlite3.connect(path)) as base:
        base.executescript(
            "CREATE TABLE t (age INTEGER); INSERT INTO t VALUES (31), (47); "
            "CREATE VIEW people AS SELECT age + 1 AS age FROM t"
        )
    assert read_table(f"{path}::people")["age"].to_list() == [32, 48]


def test_a_view_of_duckdb_is_read_within_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(duckdb_tables, "MOST_SECONDS", 1.0)
    path = tmp_path / "it.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE VIEW large AS SELECT range AS age FROM range(100000000000)")
        connection.execute("CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 FROM c) FROM c")
        connection.execute("CREATE VIEW small AS SELECT range AS age FROM range(3)")
    monkeypatch.setattr(file_sizes, "CELLS_OF_A_BYTE", 0)
    monkeypatch.setattr(file_sizes, "OF_ANY_FILE", 10_000)
    with pytest.raises(DataError, match="stands for 10,001 cells"):
        read_table(f"{path}::large")
    monkeypatch.setattr(file_sizes, "OF_ANY_FILE", 1 << 40)
    with pytest.raises(DataError, match="cannot be read as duckdb: "):
        read_table(f"{path}::endless")
    assert read_table(f"{path}::small").height == 3


# --- Arrow and Parquet

_ODD = (2**31 - 1, 2**30, -1, -8, 2**62, 2**40, 10**6, 1, 0, 300)


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_an_arrow_file_whose_numbers_are_spoilt_ends_no_process(tmp_path, compression):
    """On some of these polars asks for more memory than there is, which ends the process."""
    path, rng = tmp_path / "it.arrow", random.Random(compression)
    TABLE.write_ipc(path, compression=compression)
    content = path.read_bytes()
    assert read_table(path).equals(TABLE)
    refused = 0
    for _ in range(150):
        spoilt = bytearray(content)
        place, size = rng.randrange(0, len(content) - 8) // 4 * 4, rng.choice((4, 8))
        spoilt[place : place + size] = struct.pack("<q", rng.choice(_ODD))[:size]
        path.write_bytes(spoilt)
        try:
            read_table(path)
        except DataError:
            refused += 1
    assert refused > 20


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_few_bytes_that_stand_for_very_many_cells_are_not_unpacked(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"it.{suffix}"
    table = pa.table({"age": pa.nulls(100_000, pa.int64())})
    if suffix == "parquet":
        pa.parquet.write_table(table, path)
    else:
        pa.feather.write_feather(table, path, compression="zstd")
    assert read_table(path).height == 100_000
    monkeypatch.setattr(file_sizes, "OF_ANY_FILE", 1000)
    monkeypatch.setattr(file_sizes, "CELLS_OF_A_BYTE", 0)
    with pytest.raises(DataError, match=r"stands for (100,000|65,536) cells, and 1,000 are read"):
        read_table(path)


# --- what a file holds besides its table

NOTES = [b"[" * 100_000, b'{"index_columns": [{"kind": "range"}]}', b'{"index_columns": 5}', b"[1]",
         b'{"index_columns": [{"kind": "range", "start": 0, "stop": 9, "step": 0}]}', b"\xff"]  # fmt: skip


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note[:60])
def test_an_odd_note_of_a_file_is_no_internal_error(tmp_path, note):
    path = tmp_path / "it.parquet"
    pa.parquet.write_table(TABLE.to_arrow().replace_schema_metadata({b"pandas": note}), path)
    with contextlib.suppress(DataError):  # a note that is no text is damage to polars
        found = check(path, Terms(k=1))
        kinds = [each.verdict.name for each in found if getattr(each.claim, "id", "") == "file-traces"]
        assert kinds in (["UNDECIDED"], ["NOT_REFUTED"])


def test_the_command_line_tells_of_it_in_one_sentence(tmp_path, workbook, monkeypatch, capsys):
    path = edited(workbook, tmp_path / "it.xlsx", in_part(SHEET, lambda sheet: sheet[:-40]))
    monkeypatch.setattr(sys, "argv", ["crowdproof", "check", str(path), "--k", "2"])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (ExitCode.USAGE, "")
    assert err.startswith(f"crowdproof: {path} cannot be read as xlsx: ")
    assert len(err.splitlines()) == 1
