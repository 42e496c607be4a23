"""Functions as people write them: in which form they take their table, found by annotation, by imports or by trying."""

import functools
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from crowdproof.audit import Budget, audit
from crowdproof.audit.targets import load_target
from crowdproof.audit.targets.interpreter import Interpreter
from crowdproof.claims import parse_claim
from crowdproof.errors import NoReleaseError, ParameterError, TargetError
from crowdproof.findings import NotRefuted, Refuted, Skipped

PEOPLE = pl.DataFrame({"zip": ["02138", "02139"] * 6, "age": [30, 41, 55] * 4})
GAPS = PEOPLE.with_columns(pl.when(pl.col("age") > 50).then(None).otherwise(pl.col("age")).alias("age"))

PROJECT = """
import pandas as pd
import numpy as np

def grouped(table):
    return table.groupby("zip").size().reset_index(name="n")

def with_assign(t, k=2):
    return t.assign(zip=t["zip"].str[:3])

def over_rows(table):
    return [{"age": each["age"]} for each in table]

def vector(x):
    return float(np.asarray(x[:, 1], dtype=float).sum())

def from_path(path):
    return pd.read_csv(path, dtype=str)["zip"].nunique()

def to_file(input_path, output_path):
    pd.read_csv(input_path, dtype=str).to_csv(output_path, index=False)

def batches(batches):
    for each in batches:
        yield each[["zip"]]

def lazily(lf):
    return lf.select("zip").collect()

class Suppressor:
    def __init__(self, k=2):
        self.k = k
    def anonymize(self, df):
        return df[df.groupby("zip")["age"].transform("size") >= self.k]
    def counts(self, df):
        return df.groupby("zip").size().reset_index(name="n")

class Synthesizer:
    def fit(self, df):
        self.ages = df["age"].to_numpy()
    def sample(self, num_rows):
        return pd.DataFrame({"age": np.random.choice(self.ages, num_rows)})

class Nothing:
    def colour(self):
        return "red"

suppressor = Suppressor(3)
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project.py").write_text(PROJECT)
    return lambda name, **options: load_target(f"{tmp_path}/project.py:{name}", isolate="none", **options)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("grouped", "pandas"),
        ("with_assign", "pandas"),
        ("over_rows", "rows"),
        ("vector", "numpy"),
        ("from_path", "path"),
        ("to_file", "path"),
        ("lazily", "lazy"),
        ("batches", "batches"),
        ("Suppressor", "pandas"),
        ("Suppressor.counts", "pandas"),
        ("Synthesizer", "pandas"),
        ("suppressor", "pandas"),
    ],
)
def test_the_form_is_found_and_remembered(project, name, form):
    with project(name) as target:
        released = target.runs(PEOPLE, [1])[0]
        assert released is not None
        assert target.spec["form"] == form
    with load_target(**target.spec) as again:
        assert again.spec["form"] == form
        assert str(again.runs(PEOPLE, [1])[0]) == str(released)


def test_what_a_function_writes_is_the_release(project):
    assert project("to_file").runs(PEOPLE, [1])[0].rows() == [(zip_, str(age)) for zip_, age in PEOPLE.rows()]


def test_a_synthesizer_makes_as_many_rows_and_forgets_what_it_fitted(project):
    target = project("Synthesizer")
    assert target.runs(PEOPLE, [1])[0].height == PEOPLE.height
    assert target.runs(PEOPLE.head(2), [1])[0].height == 2


def test_an_object_that_shows_no_release_names_its_methods(project):
    with pytest.raises(ParameterError, match=r"name it, such as .*Nothing.colour"):
        project("Nothing")


def test_missing_cells_lead_to_the_form_that_has_a_type_for_them(project):
    target = project("with_assign")
    target.get_ready([GAPS])
    assert target.spec["form"] == "pandas-nullable"


@pytest.mark.parametrize("isolate", ["auto", "worker", "fresh", "spawn"])
@pytest.mark.processes
def test_the_form_is_found_wherever_it_runs(tmp_path, isolate):
    (tmp_path / "project.py").write_text(PROJECT)
    with load_target(f"{tmp_path}/project.py:over_rows", isolate=isolate) as target:
        target.get_ready([PEOPLE])
        assert target.spec["form"] == "rows"
        assert target.runs(PEOPLE, [1])[0].columns == ["age"]


MARKED = """
before = []

def steady(rows):
    return rows.height

def marked(rows):
    try:
        return [rows.height, len(before)]
    except AttributeError:
        before.append("a form that it does not take")
        raise
"""


@pytest.mark.parametrize(("name", "released"), [("steady", 12), ("marked", [12, 0])])
@pytest.mark.processes
def test_what_was_tried_to_find_the_form_leaves_no_trace_in_a_release(tmp_path, name, released):
    (tmp_path / "marked.py").write_text(MARKED)
    with load_target(f"{tmp_path}/marked.py:{name}") as target:
        assert target.runs(PEOPLE, [1, 2]) == [released, released]
        assert target.spec["form"] == "polars"
        assert target.isolate == "worker"
        assert target.runs(PEOPLE, [3]) == [released]


@pytest.mark.parametrize(("name", "starts"), [("steady", 2), ("marked", 5)])
@pytest.mark.processes
def test_an_interpreter_is_started_again_only_where_what_was_tried_shows(tmp_path, monkeypatch, name, starts):
    started, start = [], Interpreter._start
    monkeypatch.setattr(Interpreter, "_start", lambda self: (started.append(self.setup), start(self)))
    (tmp_path / "marked.py").write_text(MARKED)
    with load_target(f"{tmp_path}/marked.py:{name}") as target:
        target.runs(PEOPLE, [1])
    assert len(started) == starts


def test_one_form_holds_for_all_datasets():
    """A form that was found for each dataset anew would tell neighbours apart by itself."""
    given = []

    def picky(table):
        given.append(type(table).__module__.partition(".")[0])
        if len(table) == PEOPLE.height and given[-1] != "pandas":
            raise ValueError("not with so many rows")
        return len(table) > 0

    claim, few = parse_claim("dp(epsilon=1)"), Budget(runs=1_000)
    finding = audit(load_target(picky), claim, data=PEOPLE, search=0, budget=few)
    assert isinstance(finding.verdict, NotRefuted)
    found = given.index("pandas")
    assert set(given[found:]) == {"pandas"}
    assert finding.reproduce.parameters["target"]["form"] == "pandas"


def test_an_annotation_is_not_tried():
    given = []

    def annotated(table: pd.DataFrame):
        given.append(type(table))
        raise ValueError("no")

    with pytest.raises(NoReleaseError, match="ValueError: no"):
        load_target(annotated).runs(PEOPLE, [1])
    assert given == [pd.DataFrame]


def test_a_function_that_takes_no_form_says_which_were_tried():
    def broken(table):
        return table.nonsense()

    with pytest.raises(NoReleaseError, match=r"nonsense.*That was with the table as pandas; as .*polars.*--form"):
        load_target(broken).runs(PEOPLE, [1])
    finding = audit(load_target(broken), parse_claim("dp(epsilon=1)"), data=PEOPLE)
    assert isinstance(finding.verdict, Skipped)


def test_what_breaks_is_not_tried_again_in_other_forms():
    calls = []

    def hungry(table):
        calls.append(1)
        raise MemoryError

    with pytest.raises(TargetError, match="out of memory"):
        load_target(hungry).runs(PEOPLE, [1])
    assert len(calls) == 1


def test_a_method_keeps_its_object():
    class Counter:
        def __init__(self, start):
            self.start = start

        def release(self, df):
            return self.start + len(df)

    assert load_target(Counter(5).release).runs(PEOPLE, [1]) == [5 + PEOPLE.height]
    assert load_target(functools.partial(Counter.release, Counter(7))).runs(PEOPLE, [1]) == [7 + PEOPLE.height]


@pytest.mark.parametrize(("leaky", "verdict"), [(True, Refuted), (False, NotRefuted)])
def test_own_pandas_code_without_annotation_gets_the_verdict_it_deserves(leaky, verdict):
    def release(df):
        counts = df.groupby("zip").size()
        return counts.reset_index(name="n") if leaky else pd.DataFrame({"n": [0]})

    finding = audit(load_target(release), parse_claim("dp(epsilon=1)"), data=PEOPLE, deterministic=True)
    assert isinstance(finding.verdict, verdict)


def test_the_library_that_a_function_uses_goes_before_the_others():
    def by_numpy(values):
        return float(np.mean(np.asarray(values["age"], dtype=float)))

    target = load_target(by_numpy)
    target.get_ready([PEOPLE])
    assert target.spec["form"] == "pandas"  # numpy has no columns, and this module imports pandas


def test_modules_of_a_project_are_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("own_release_module.py").write_text(PROJECT)
    target = load_target("own_release_module:grouped", isolate="none")
    assert target.runs(PEOPLE, [1])[0].columns == ["zip", "n"]
