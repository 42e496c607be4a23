"""Functions that were written without a thought of audits: connections, open files, tuples, coroutines, generators.

Each is run in this process on one table; what it releases is compared with what the same question gives by hand.
"""

import collections
import os
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

from crowdproof.audit.targets import load_target
from crowdproof.errors import NoReleaseError, ParameterError, TargetError

PEOPLE = pl.DataFrame({"ward": ["A", "B", "B"], "age": [30, 41, 55], "cost": [1.5, 2.5, 7.0]})

PROJECT = """
import asyncio, collections, csv, os, sqlite3
import pandas as pd

QUERY = "select ward, count(*) as n from stays group by ward order by ward"

def by_duckdb(con):
    return con.sql("with s as (select * from patients) select ward, count(*) as n from s group by ward order by ward")

def by_duckdb_executed(connection):
    return connection.execute(QUERY).fetchall()

def by_duckdb_cursor(connection):
    return connection.execute(QUERY)

def by_sqlite(connection):
    connection.row_factory = sqlite3.Row
    return [dict(each) for each in connection.execute(QUERY)]

def by_sqlite_cursor(conn):
    cursor = conn.cursor()
    cursor.execute(QUERY)
    return cursor

def by_pandas_sql(conn):
    return pd.read_sql(QUERY, conn)

def by_file(fh):
    return dict(collections.Counter(each["ward"] for each in csv.DictReader(fh)))

def by_lines(f):
    return len(f.readlines())

def by_place(rows):
    return [row[1] for row in rows]

def by_place_of_anything(stays):
    return [stay[1] for stay in stays]

def by_attribute(rows):
    return [row.age for row in rows]

def by_name(stays):
    return [stay["age"] for stay in stays]

def by_columns(d):
    return {name: max(cells) for name, cells in d.items()}

def in_turn(df):
    for ward, part in df.groupby("ward"):
        yield {"ward": ward, "n": len(part)}

def never_ending(rows):
    while True:
        yield 1

async def asynchronous(df):
    await asyncio.sleep(0)
    return df.groupby("ward").size().to_dict()

async def asynchronously_in_turn(rows):
    for row in rows:
        yield row["age"]

def to_csv(in_csv, out_csv):
    pd.read_csv(in_csv)[["age"]].to_csv(out_csv, index=False)

def to_folder(src, out_dir):
    os.makedirs(out_dir)
    to_csv(src, os.path.join(out_dir, "ages.csv"))

def to_own_file(df):
    df[["age"]].to_csv("ages.csv", index=False)
    return "ages.csv"

def to_no_file(df):
    return "ages.txt"

def extra(rows, group, *, least=1):
    counts = collections.Counter(row[group] for row in rows)
    return {name: n for name, n in counts.items() if n >= least}

class Report:
    def __init__(self, stays):
        self.stays = stays
    def publish(self):
        return self.stays.groupby("ward")["age"].max()

class Noisy:
    def __init__(self, scale=0.0):
        self.scale = scale
    def count(self, rows, k, rng):
        return len(rows) + k + self.scale * rng.normal()

class Needy:
    def __init__(self, k):
        self.k = k
    def anonymize(self, df):
        return df
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "project.py").write_text(PROJECT)
    (tmp_path / "ages.txt").write_text("of last year")
    os.utime(tmp_path / "ages.txt", (1e9, 1e9))
    monkeypatch.chdir(tmp_path)

    def released(name, **options):
        with load_target(f"project.py:{name}", isolate="none", **options) as target:
            output = target.runs(PEOPLE, [1])[0]
            shown = output.rows() if isinstance(output, pl.DataFrame) else output
            return list(shown) if isinstance(shown, tuple) else shown, target.spec["form"]

    return released


COUNTS, AGES = [("A", 1), ("B", 2)], [30, 41, 55]


@pytest.mark.parametrize(
    ("name", "release", "form"),
    [
        ("by_duckdb", COUNTS, "duckdb"),
        ("by_duckdb_executed", COUNTS, "sqlite"),
        ("by_sqlite", COUNTS, "sqlite"),
        ("by_sqlite_cursor", COUNTS, "sqlite"),
        ("by_pandas_sql", COUNTS, "sqlite"),
        ("by_file", dict(COUNTS), "file"),
        ("by_lines", 4, "file"),
        ("by_place", AGES, "tuples"),
        ("by_place_of_anything", AGES, "tuples"),
        ("by_attribute", AGES, "tuples"),
        ("by_name", AGES, "rows"),
        ("by_columns", {"ward": "B", "age": 55, "cost": 7.0}, "columns"),
        ("in_turn", COUNTS, "pandas"),
        ("asynchronous", dict(COUNTS), "pandas"),
        ("asynchronously_in_turn", AGES, "rows"),
        ("to_csv", [("30",), ("41",), ("55",)], "path"),
        ("to_folder", [("30",), ("41",), ("55",)], "path"),
        ("to_own_file", [("30",), ("41",), ("55",)], "pandas"),
        ("Report", [("A", 30), ("B", 55)], "pandas"),
        ("Report.publish", [("A", 30), ("B", 55)], "pandas"),
    ],
)
def test_it_is_run_as_it_was_written(project, name, release, form):
    found, taken = project(name)
    assert (found, taken) == (release, form) or (dict(found), taken) == (release, form)


@pytest.mark.parametrize("name", ["by_duckdb_executed", "by_duckdb_cursor"])
def test_a_form_that_is_given_is_taken(project, name):
    assert project(name, form="duckdb") == (COUNTS, "duckdb")


def test_further_parameters_reach_functions_constructors_and_methods(project):
    assert project("extra", params={"group": "ward"})[0] == {"A": 1, "B": 2}
    assert project("extra", params={"group": "ward", "least": 2})[0] == {"B": 2}
    assert project("Noisy.count", params={"k": 5})[0] == 8
    assert project("Noisy.count", params={"k": 5, "scale": 1.0})[0] != 8
    assert len(project("Needy", params={"k": 5})[0]) == 3


@pytest.mark.parametrize(("name", "needed"), [("extra", "group"), ("Noisy.count", "k"), ("Needy", "k")])
def test_what_is_needed_is_named(project, name, needed):
    with pytest.raises(ParameterError, match=f"needs {needed}.* [Gg]ive --param {needed}=VALUE"):
        project(name)


def test_what_never_ends_is_an_error(project):
    with pytest.raises(TargetError, match=r"more than .* values one after the other"):
        project("never_ending")


def test_a_path_of_a_file_that_the_run_did_not_write_is_a_text(project):
    assert project("to_no_file")[0] == "ages.txt"


def test_a_table_of_spark_is_asked_for_by_what_is_called_on_it(project, tmp_path):
    (tmp_path / "job.py").write_text("def job(df):\n    return df.groupBy('ward').count()\n")

    if find_spec("pyspark") is None:
        with (
            load_target("job.py:job", isolate="none") as target,
            pytest.raises((ParameterError, NoReleaseError), match="install pyspark"),
        ):
            target.get_ready([PEOPLE])


def test_a_column_alone_is_given_as_its_values(tmp_path):
    (tmp_path / "mean.py").write_text("def mean(xs):\n    return sum(xs) / len(xs)\n")
    with load_target(f"{tmp_path}/mean.py:mean", isolate="none") as target:
        assert target.runs(PEOPLE.select("age"), [1]) == [42.0]
        assert target.spec["form"] == "values"


def test_the_file_of_a_run_is_gone_afterwards(project):
    project("to_csv")
    assert collections.Counter(each.suffix for each in Path().iterdir())[".csv"] == 0
