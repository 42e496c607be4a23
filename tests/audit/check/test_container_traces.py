"""What databases, workbooks and compressed files hold besides the table; each leak beside a twin without it."""

import gzip
import sqlite3

import duckdb
import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from openpyxl.comments import Comment
from openpyxl.packaging.custom import StringProperty
from openpyxl.styles import Font
from openpyxl.worksheet.datavalidation import DataValidation
from pyarrow import feather

from crowdproof.audit.check import Terms, check


def trace(source):
    (found,) = [each for each in check(source, Terms(k=1)) if getattr(each.claim, "id", "") == "file-traces"]
    return found.verdict.name


def database(path, *orders, key="a TEXT"):
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE t ({key})")
        connection.executemany("INSERT INTO t (a) VALUES (?)", [("x" * 50,)] * 3000)
        for order in orders:
            connection.execute(order)
    connection.close()
    return path


def test_a_database_whose_rows_were_removed(tmp_path):
    assert trace(database(tmp_path / "clean.sqlite")) == "NOT_REFUTED"
    assert trace(database(tmp_path / "last.sqlite", "DELETE FROM t WHERE rowid > 1000")) == "REFUTED"
    removed = database(tmp_path / "some.sqlite", "DELETE FROM t WHERE rowid % 7 = 0")
    with sqlite3.connect(removed) as connection:
        connection.execute("CREATE TABLE u AS SELECT * FROM t")
    connection.close()
    assert trace(f"{removed}::t") == "REFUTED"
    counted = database(
        tmp_path / "counted.db", "DELETE FROM t WHERE i > 2990", key="i INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT"
    )
    assert trace(counted) == "REFUTED"
    years = tmp_path / "years.db"
    with sqlite3.connect(years) as connection:
        connection.execute("CREATE TABLE t (year INTEGER PRIMARY KEY, cases INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(year, year % 7) for year in range(2000, 2019)])
    connection.close()
    assert trace(years) == "NOT_REFUTED"  # the numbers of the rows are a column of the table
    assert trace(database(tmp_path / "without.db", key="a TEXT, rowid INTEGER")) == "NOT_REFUTED"


def test_other_tables_of_a_database_are_suspicious(tmp_path):
    path = database(tmp_path / "two.sqlite", "CREATE TABLE source AS SELECT * FROM t")
    assert trace(f"{path}::t") == "UNDECIDED"


def test_the_name_of_a_compressed_file(tmp_path):
    content = b"a,b\n1,x\n1,x\n"
    for name, expected in (("release.csv", "NOT_REFUTED"), ("", "NOT_REFUTED"), ("patients_ward7.csv", "UNDECIDED")):
        with (tmp_path / "release.csv.gz").open("wb") as raw, gzip.GzipFile(name, "wb", fileobj=raw) as file:
            file.write(content)
        assert trace(tmp_path / "release.csv.gz") == expected, name


def hidden_sheet(book):
    book.create_sheet("source").sheet_state = "hidden"


def hidden_column(book):
    book.active.column_dimensions["B"].hidden = True


def hidden_row(book):
    book.active.row_dimensions[3].hidden = True


def remark(book):
    book.active["A2"].comment = Comment("this is Mr Smith", "me")


def author(book):
    book.properties.creator = "Dr Jones"


def formula(book):
    book.active["B3"] = "=1+1"


def link(book):
    book.active["A3"].hyperlink = "https://intranet.example.org/patient/17"


def allowed(book):
    values = DataValidation(type="list", formula1='"x,y,z"')
    values.add("A2:A4")
    book.active.add_data_validation(values)


def footer(book):
    book.active.oddFooter.center.text = "ward 7"


def own_property(book):
    book.custom_doc_props.append(StringProperty(name="source", value="db7"))


def white(book):
    book.active["A3"].font = Font(color="FFFFFF")


def flat(book):
    book.active.row_dimensions[3].height = 0.1


@pytest.mark.parametrize(
    ("plant", "expected"),
    [
        (lambda book: None, "NOT_REFUTED"),
        (link, "UNDECIDED"),
        (allowed, "UNDECIDED"),
        (footer, "UNDECIDED"),
        (own_property, "UNDECIDED"),
        (white, "UNDECIDED"),
        (flat, "REFUTED"),
        (hidden_sheet, "REFUTED"),
        (hidden_column, "REFUTED"),
        (hidden_row, "REFUTED"),
        (remark, "UNDECIDED"),
        (author, "UNDECIDED"),
        (formula, "UNDECIDED"),
    ],
)
def test_workbooks(tmp_path, plant, expected):
    book = openpyxl.Workbook()
    for row in (["a", "b"], ["x", 1], ["x", 1], ["x", 1]):
        book.active.append(row)
    plant(book)
    book.save(tmp_path / "release.xlsx")
    assert trace(f"{tmp_path / 'release.xlsx'}::Sheet") == expected


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ([], "NOT_REFUTED"),
        (["DELETE FROM t WHERE a = 3"], "REFUTED"),
        (["CREATE TABLE source AS SELECT * FROM t"], "UNDECIDED"),
        (["CREATE SCHEMA s", "CREATE TABLE s.source AS SELECT * FROM t"], "UNDECIDED"),
        (["CREATE VIEW v AS SELECT * FROM t WHERE a = 3"], "UNDECIDED"),
        (["COMMENT ON COLUMN t.a IS 'ward'"], "UNDECIDED"),
        (["CREATE TYPE k AS ENUM ('x', 'y')", "ALTER TABLE t ALTER b TYPE k USING b::k"], "UNDECIDED"),
        (["CREATE TYPE k AS ENUM ('x')", "ALTER TABLE t ALTER b TYPE k USING b::k"], "NOT_REFUTED"),
    ],
)
def test_duckdb_files(tmp_path, orders, expected):
    path = tmp_path / "release.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT range % 5 AS a, 'x' AS b FROM range(15) ORDER BY a")
        for order in orders:
            connection.execute(order)
    assert trace(f"{path}::t") == expected


def test_numbers_under_missing_cells_of_an_arrow_file(tmp_path):
    """Arrow marks a cell as missing and keeps its number; a writer that clears the numbers leaves none."""
    numbers, mark = np.repeat([7, 8, 9], 20), np.tile([True, True, False], 20)
    bits = pa.array(mark.tolist()).buffers()[1]
    for held, expected in ((numbers, "UNDECIDED"), (np.where(mark, numbers, 0), "NOT_REFUTED")):
        cells = pa.Array.from_buffers(pa.int64(), 60, [bits, pa.py_buffer(held.astype(np.int64))])
        feather.write_feather(pa.table({"a": cells}), tmp_path / "release.feather", compression="uncompressed")
        assert trace(tmp_path / "release.feather") == expected


def test_a_remark_in_a_compressed_file(tmp_path):
    packed = gzip.compress(b"a,b\n1,x\n1,x\n")
    (tmp_path / "release.csv.gz").write_bytes(packed[:3] + bytes([16]) + packed[4:10] + b"by Dr Jones\0" + packed[10:])
    assert trace(tmp_path / "release.csv.gz") == "UNDECIDED"
