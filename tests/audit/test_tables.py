"""Tables from files: every kind reads the same, and every way to be unreadable has its message."""

import sqlite3
from contextlib import closing
from datetime import date

import polars as pl
import pytest

from crowdproof.audit.data.tables import read_table, scan_table
from crowdproof.errors import DataError

PEOPLE = pl.DataFrame({"age": [31, 47, None], "name": ["ann", None, "cyd"]})


def write_sqlite(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (age INTEGER, name TEXT)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", PEOPLE.rows())
        connection.commit()


WRITERS = {
    "csv": PEOPLE.write_csv,
    "parquet": PEOPLE.write_parquet,
    "arrow": PEOPLE.write_ipc,
    "feather": PEOPLE.write_ipc,
    "sqlite": write_sqlite,
    "db": write_sqlite,
}


@pytest.mark.parametrize("kind", WRITERS)
def test_every_kind_reads_the_same(kind, tmp_path):
    path = tmp_path / f"people.{kind}"
    WRITERS[kind](path)
    assert read_table(path).equals(PEOPLE)
    assert scan_table(path).collect().equals(PEOPLE)


def test_text_keeps_what_was_written(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("zip,age\n01234,[20; 40)\n")
    assert read_table(path, text=True).rows() == [("01234", "[20; 40)")]


def test_types_can_be_declared(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("zip,born\n01234,2001-02-03\n")
    assert read_table(path).rows() == [("01234", date(2001, 2, 3))]
    assert read_table(path, schema={"zip": "integer"}).rows() == [(1234, date(2001, 2, 3))]
    assert read_table(path, schema={"zip": "text"}).rows() == [("01234", date(2001, 2, 3))]
    assert read_table(path, schema={"zip": "number", "born": "text"}).rows() == [(1234.0, "2001-02-03")]
    with pytest.raises(DataError, match="the type of zip is 'postcode': declare one of integer, number, text"):
        read_table(path, schema={"zip": "postcode"})
    with pytest.raises(DataError, match="no column 'plz': it has zip, born"):
        read_table(path, schema={"plz": "text"})
    path.write_text("age\nold\n")
    with pytest.raises(DataError, match="does not have the declared types"):
        read_table(path, schema={"age": "integer"})


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("people.xls", b"", "is of no known kind: give a file that ends in .csv, .parquet"),
        ("people.csv", b"", "is empty"),
        ("people.csv", b"age,name\n", "has no rows"),
        ("people.parquet", b"PAR1 no", "cannot be read as parquet"),
        ("people.arrow", b"no", "cannot be read as arrow"),
        ("people.sqlite", b"no database at all, really not", "cannot be read as sqlite"),
        ("people.csv", b"a,b\n1,2\n3,4,5\n", "line 3 has 3 cells, the header 2; give every row as many as the header"),
        ("people.csv", b'a,b\n"1\n1",2\n3,4,5\n', "line 4 has 3 cells"),
        (
            "people.csv",
            b'income\n"unclosed\n1\n2\n',
            "a quote that opens in line 2 is not closed where its cell ends; close it",
        ),
        ("people.csv", b'"income\n1\n2\n', "a quote that opens in line 1 is not closed"),
        ("people.csv", b'income\n1\n"unclosed\n2\n', "a quote that opens in line 3 is not closed"),
        (
            "people.csv",
            b"name\nJos\xe9\n",
            "cannot be read as csv: it is not UTF-8 in line 2, and may be Latin-1 or .*; save it as CSV in UTF-8",
        ),
        ("people.csv", bytes(range(256)) * 3, "it holds zero bytes in line 1, as UTF-16 .*; save it as CSV in UTF-8"),
        ("people.csv", b'a\nx"y\n2\n', "CSV malformed.* Write the file anew"),
    ],
)
def test_what_cannot_be_read_says_why(name, content, match, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=match):
        read_table(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        read_table(tmp_path / "absent.csv")


def test_a_folder_is_told_from_a_file_that_is_not_there(tmp_path):
    folder = tmp_path / "parts.csv"
    folder.mkdir()
    PEOPLE.write_csv(folder / "one.csv")
    with pytest.raises(DataError, match=r"parts\.csv is a folder: give a file in it"):
        read_table(folder)
    assert read_table(folder / "one.csv").equals(PEOPLE)


def test_a_database_with_several_tables_is_asked_for_one(tmp_path):
    path = tmp_path / "people.db"
    write_sqlite(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE "odd ""name" (a INTEGER)')
        connection.execute('INSERT INTO "odd ""name" VALUES (1)')
        connection.commit()
    with pytest.raises(DataError, match='holds the tables people, odd "name: write'):
        read_table(path)
    assert read_table(f"{path}::people").equals(PEOPLE)
    assert read_table(f'{path}::odd "name').rows() == [(1,)]
    PEOPLE.write_csv(tmp_path / "people.csv")
    with pytest.raises(DataError, match="one table only"):
        read_table(f"{tmp_path / 'people.csv'}::people")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["02138", "53711"], pl.String),
        (["53711", "02138"], pl.String),
        (["+491701234567", "+491701234568"], pl.String),
        (["4111111111111111", "4111111111111112"], pl.String),
        (["12E4", "13E5"], pl.String),
        (["0", "10"], pl.Int64),
        (["0.5", "10.25"], pl.Float64),
        (["-5", "7"], pl.Int64),
        (["1.5e3", "2"], pl.Float64),
    ],
)
def test_what_looks_like_a_code_stays_text(tmp_path, cells, kind):
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["cell", *cells]))
    table = read_table(path)
    assert table["cell"].dtype == kind
    if kind == pl.String:
        assert table["cell"].to_list() == cells
    assert read_table(path, schema={"cell": "number"})["cell"].dtype == pl.Float64
