"""Release files as people have them, against groups that are counted by dictionaries of Python."""

import csv
import gzip
import sqlite3
from collections import Counter

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest

from crowdproof.audit.check import Terms, check
from crowdproof.errors import DataError

CELLS = [
    "30",
    "007",
    "7",
    "1E2",
    "100",
    "[20, 40)",
    "{a, b}",
    "*",
    "",
    "é",
    'a "b"',
    "a;b",
    "x|y",
    "2020-01-02",
    "true",
    None,
]


def smallest(path, columns):
    found = check(path, Terms(k=1, columns=columns))
    assert found[0].verdict.name == "PROVED"
    return found[0].measures["k"], found[0].measures["groups"]


def expected(rows):
    counts = Counter(rows)
    return min(counts.values()), len(counts)


def open_text(path):
    if path.suffix == ".gz":
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return path.open("w", newline="", encoding="utf-8")


def written(folder, kind, rows, names):
    path = folder / f"release.{kind}"
    separators = {"csv": ",", "tsv": "\t", "csv.gz": ",", "semicolon.csv": ";", "pipe.csv": "|", "quoted.csv": ","}
    if kind in separators:
        quoting = csv.QUOTE_ALL if kind == "quoted.csv" else csv.QUOTE_MINIMAL
        with open_text(path) as file:
            writer = csv.writer(file, delimiter=separators[kind], quoting=quoting)
            writer.writerow(names)
            writer.writerows(rows)
        return path, [tuple(cell or None for cell in row) for row in rows]
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    table = pl.DataFrame([pl.Series(name, cells, dtype=pl.String) for name, cells in columns.items()])
    if kind == "parquet":
        table.write_parquet(path)
    elif kind == "arrow":
        table.write_ipc(path)
    elif kind == "xlsx":
        book = openpyxl.Workbook()
        for row in (names, *rows):
            book.active.append(row)
        book.save(path)
        rows = [tuple(cell or None for cell in row) for row in rows]
        while rows[-1] == (None,) * len(names):  # a sheet ends with its last row that is not empty
            rows.pop()
    elif kind == "duckdb":
        with duckdb.connect(path) as connection:
            connection.register("held", table.to_arrow())
            connection.execute("CREATE TABLE t AS SELECT * FROM held")
    else:
        with sqlite3.connect(path) as connection:
            connection.execute(f"CREATE TABLE t ({', '.join(chr(34) + name + chr(34) + ' TEXT' for name in names)})")
            connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", rows)
        connection.close()
    return path, rows


KINDS = [
    "csv",
    "tsv",
    "csv.gz",
    "semicolon.csv",
    "pipe.csv",
    "quoted.csv",
    "parquet",
    "arrow",
    "sqlite",
    "xlsx",
    "duckdb",
]


def wrong_verdicts(tables, seed, folder):
    """Random tables in all formats whose smallest group or number of groups is not that of a dictionary."""
    rng = np.random.default_rng(seed)
    wrong = []
    for number in range(tables):
        names = [["age", "b"], ["*", "^b.*$"], ["a b", "é"], ["x", "literal"]][rng.integers(4)]
        chosen = rng.choice(len(CELLS), 4, replace=False)
        rows = [
            tuple(CELLS[chosen[each]] for each in pair) for pair in rng.integers(0, 4, (int(rng.integers(3, 30)), 2))
        ]
        kind = KINDS[number % len(KINDS)]
        path, held = written(folder, kind, rows, names)
        if smallest(path, names) != expected(held):
            wrong.append((kind, names, rows))
        path.unlink()
    return wrong


def test_random_tables_in_all_formats(tmp_path):
    assert wrong_verdicts(110, 3, tmp_path) == []


def test_what_pandas_writes_is_read_and_its_row_numbers_are_found(tmp_path):
    path = tmp_path / "release.csv"
    pd.DataFrame({"age": ["[20, 40)"] * 6}).to_csv(path)
    found = {getattr(each.claim, "id", "k"): each.verdict for each in check(path, Terms(k=2, columns="age"))}
    assert found["k"].name == "PROVED"
    assert found["row-numbers"].name == "REFUTED"
    assert found["row-numbers"].witness.values == {"column": "(unnamed)"}
    assert check(path, Terms(k=2))[0].verdict.name == "REFUTED"


def test_long_numbers_of_a_database_are_not_merged(tmp_path):
    path = tmp_path / "release.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.executemany("INSERT INTO t VALUES (?)", [(2**62,), (2**62 + 1,), (0.5,), (0.5,)])
    connection.close()
    assert check(path, Terms(k=2))[0].measures["groups"] == 3


def test_numbers_that_are_none_in_parquet(tmp_path):
    path = tmp_path / "release.parquet"
    pl.DataFrame({"q": ["a"] * 4, "s": [1.5, float("nan"), None, 2.5]}).write_parquet(path)
    found = {getattr(each.claim, "id", "k"): each for each in check(path, Terms(k=2, sensitive="s", l=3, t=0))}
    assert found["l-diversity"].measures["value"] == 2
    assert found["t-closeness"].verdict.name == "PROVED"


# The time in the head of a gzip file is fixed, and the ids are given: every test worker must name the tests alike.
@pytest.mark.parametrize(
    "content",
    [pytest.param(b"no gzip", id="no-gzip"), pytest.param(gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], id="cut")],
)
def test_a_damaged_archive_is_an_error_of_the_file(tmp_path, content):
    path = tmp_path / "release.csv.gz"
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a whole gzip file"):
        check(path, Terms())
    with pytest.raises(DataError, match="no known kind"):
        check(path.rename(tmp_path / "release.txt.gz"), Terms())


def test_a_single_column_with_a_bar_in_its_name_stays_one(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("x|y\n1\n1\n")
    assert check(path, Terms(k=2))[0].claim.columns == ("x|y",)


def test_an_alert_points_to_the_release(tmp_path):
    path = tmp_path / "release.csv"
    path.write_text("a\n1\n2\n")
    assert {each.reproduce.parameters["file"] for each in check(path, Terms())} == {str(path)}


def test_cells_of_several_kinds_stay_apart(tmp_path):
    """The number 7 and the text `7` are two; so are a huge number and the next."""
    book = openpyxl.Workbook()
    for cell in ("a", 7, "7", 7.5, True, None):
        book.active.append([cell])
    book.save(tmp_path / "release.xlsx")
    assert check(tmp_path / "release.xlsx", Terms(k=1))[0].measures["groups"] == 4
    book.active.append(["b"])
    book.create_sheet("more")
    book.save(tmp_path / "two.xlsx")
    with pytest.raises(DataError, match=r"holds the sheets Sheet, more: write .*::SHEET for one"):
        check(tmp_path / "two.xlsx", Terms())
    assert check(f"{tmp_path / 'two.xlsx'}::Sheet", Terms(k=1))[0].measures["groups"] == 6
    with duckdb.connect(tmp_path / "release.duckdb") as connection:
        connection.execute("CREATE TABLE t AS SELECT 2::HUGEINT ** 100 + i % 2 AS h FROM range(4) r(i)")
        connection.execute("CREATE OR REPLACE TABLE t AS SELECT ((1::HUGEINT << 100) + i % 2) AS h FROM range(4) r(i)")
    assert check(tmp_path / "release.duckdb", Terms(k=2))[0].measures["groups"] == 2


@pytest.mark.parametrize("kind", ["xlsx", "duckdb"])
def test_a_damaged_workbook_or_database_is_an_error_of_the_file(tmp_path, kind):
    path = tmp_path / f"release.{kind}"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match=f"cannot be read as {kind}"):
        check(path, Terms())
