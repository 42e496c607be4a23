"""How a text file is written; each trace beside a twin without it."""

import sqlite3

import openpyxl
import polars as pl
import pytest
from openpyxl.styles import PatternFill
from openpyxl.workbook.defined_name import DefinedName

from crowdproof.audit.check import Terms, check

LINES = ["age,sex,note", *["20,f,flu", "30,m,gout"] * 30]


def trace(source):
    (found,) = [each for each in check(source, Terms(k=1)) if getattr(each.claim, "id", "") == "file-traces"]
    return found.verdict.name


@pytest.mark.parametrize(
    ("lines", "ends", "expected"),
    [
        (LINES, "\n", "NOT_REFUTED"),
        (LINES, "\r\n", "NOT_REFUTED"),
        ([*LINES, "# 12 rows were removed"], "\n", "UNDECIDED"),
        ([*LINES, "20,f"], "\n", "UNDECIDED"),
        ([*LINES, "20,f,"], "\n", "NOT_REFUTED"),
        ([*LINES, '20,f,"flu, severe"'], "\n", "NOT_REFUTED"),
        ([*LINES, '20,f,"flu\nand gout"'], "\r\n", "NOT_REFUTED"),
        ([*LINES, '"20","f","flu"'], "\n", "UNDECIDED"),
        ([line.replace("flu", '"flu"').replace("gout", '"gout"') for line in LINES], "\n", "NOT_REFUTED"),
        ([*LINES, "20,f ,flu"], "\n", "UNDECIDED"),
        ([line.replace("f,", "f ,") for line in LINES], "\n", "NOT_REFUTED"),
    ],
)
def test_lines_and_quotes(tmp_path, lines, ends, expected):
    path = tmp_path / "release.csv"
    path.write_text(ends.join(lines) + ends, newline="")
    assert trace(path) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("flu", "Flu"),
        ("flu", "flu\u200b"),
        ("gout", "g\u043eut"),  # a Cyrillic letter
        ("7", "7.0"),
        ("7", "007"),
        ("2020-01-02", "02.01.2020"),
    ],
)
def test_the_same_written_in_two_ways_is_suspicious(one, other):
    """In the twin both are written alike."""
    release = pl.DataFrame({"a": [one, other] * 10 + [one] * 10, "b": ["x"] * 30}).sample(
        fraction=1, shuffle=True, seed=1
    )
    assert trace(release) == "UNDECIDED"
    assert trace(release.with_columns(a=pl.lit(one))) == "NOT_REFUTED"


@pytest.mark.parametrize(
    "cells", [("-0.0", "0.0", "0.5"), ("flu", "flu, severe"), ("2020-01-02", "2020-01-12"), ("é", "e")]
)
def test_different_things_are_no_spellings(cells):
    assert trace(pl.DataFrame({"a": list(cells) * 10}).sort("a")) == "NOT_REFUTED"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("lines", "rows"),
    [
        (["a,b", "1,x", "1,x", "", ""], 2),
        (["a,b", "1,x", "", "1,x"], 2),
        (["a,b", '"1', "", '2",x', '"1', "", '2",x'], 2),
        (["a,b", "1,x", "1,x", ",", ","], 4),
        (["a", "1", "1", "", ""], 4),  # of a single column each is a missing cell
    ],
)
def test_blank_lines_are_no_rows(tmp_path, lines, rows, end):
    path = tmp_path / "release.csv"
    path.write_text(end.join(lines) + end, newline="")
    found = check(path, Terms(k=2))[0]
    assert (found.verdict.name, found.measures["rows"]) == ("PROVED", rows)


def test_line_ends_that_change(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("\n".join(LINES[:30]) + "\n" + "\r\n".join(LINES[30:]) + "\r\n", newline="")
    assert trace(path) == "UNDECIDED"


def test_notes_on_columns(tmp_path):
    table = pl.DataFrame({"a": ["x"] * 5}).to_arrow()
    noted = table.cast(table.schema.set(0, table.schema.field(0).with_metadata({"origin": "date of birth"})))
    pl.DataFrame({"a": ["x"] * 5}).write_parquet(tmp_path / "plain.parquet")
    assert trace(tmp_path / "plain.parquet") == "NOT_REFUTED"
    import pyarrow.parquet as pq

    pq.write_table(noted, tmp_path / "noted.parquet")
    assert trace(tmp_path / "noted.parquet") == "UNDECIDED"


def title(book):
    book.properties.title = "Patients of ward 7"


def last_author(book):
    book.properties.lastModifiedBy = "Dr Jones"


def name_for_cells(book):
    book.defined_names["raw"] = DefinedName("raw", attr_text="'[raw.xlsx]Sheet1'!$A$1")


def a_filter(book):
    book.active.auto_filter.ref = "A1:B5"
    book.active.auto_filter.add_filter_column(0, ["x"])


def colour(book):
    book.active["A3"].fill = PatternFill("solid", fgColor="FFFF00")


def unseen(book):
    book.active["A3"].number_format = ";;;"


@pytest.mark.parametrize("plant", [title, last_author, name_for_cells, a_filter, colour, unseen])
def test_what_a_workbook_tells_of_itself(tmp_path, plant):
    book = openpyxl.Workbook()
    for row in (["a", "b"], ["x", 1], ["x", 1], ["x", 1]):
        book.active.append(row)
    plant(book)
    book.save(tmp_path / "release.xlsx")
    assert trace(tmp_path / "release.xlsx") == "UNDECIDED"


NAMES = [f"patient{number * 7919 % 1000:03d}" for number in range(200)]


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ([], "NOT_REFUTED"),
        (["CREATE INDEX i ON t (a)"], "NOT_REFUTED"),
        (["UPDATE t SET b = a || b"], "NOT_REFUTED"),
        (["DELETE FROM t WHERE rowid > 195"], "REFUTED"),
        (["UPDATE t SET a = 'x' WHERE rowid < 20"], "REFUTED"),
        (["UPDATE t SET a = 'x' WHERE rowid < 20", "VACUUM"], "NOT_REFUTED"),
        (["CREATE VIEW v AS SELECT * FROM source"], "UNDECIDED"),
    ],
)
def test_pages_of_a_database_that_keep_removed_rows(tmp_path, orders, expected):
    """Some builds of SQLite erase what is removed unless told otherwise."""
    path = tmp_path / "release.sqlite"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA secure_delete = OFF")
    connection.execute("CREATE TABLE t (a, b)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(name, "ward") for name in NAMES])
    for order in orders:
        connection.execute(order)
    connection.close()
    assert trace(f"{path}::t") == expected
