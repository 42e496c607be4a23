"""Objects that do as they like where they are looked at: an error of ours comes of them, never the end of a program."""

import polars as pl
import pyarrow as pa
import pytest

import crowdproof as cp
from crowdproof.errors import DataError, TargetError

ROWS = [{"age": age} for age in (20, 30, 40, 50)]


def raising(error, **methods):
    """An object that raises whenever an attribute is asked for that it does not have."""

    def refuse(self, name):
        raise error

    return type("Odd", (), {"__getattr__": refuse, **methods})()


ENDS = [SystemExit(0), KeyError("batch"), pl.exceptions.PanicException("panic"), GeneratorExit()]


@pytest.mark.parametrize("error", ENDS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("methods", [{}, {"__call__": lambda self, table: 1}], ids=["object", "callable"])
@pytest.mark.parametrize("verb", [cp.examine, cp.assert_private])
def test_targets_that_raise_where_they_are_looked_at(error, methods, verb):
    with pytest.raises(TargetError):
        verb(raising(error, **methods), "dp(epsilon=1)", data=ROWS, runs=200)


class Table(dict):
    def keys(self):
        raise SystemExit(0)

    __iter__ = items = values = keys


DATA = {
    "an exit": lambda: Table(age=[1, 2]),
    "a panic": lambda: pa.table({"age": pa.array([1, 2], pa.decimal256(76))}),
    "a plan that fails": lambda: pl.LazyFrame({"age": [1]}).map_batches(lambda table: 1 / 0),
    "objects": lambda: [{"age": object()}] * 3,
    "one value": lambda: pl.Series([3]).to_numpy().reshape(()),
    "a module that is no text": type("Odd", (), {"__module__": 3}),
}


@pytest.mark.parametrize("make", DATA.values(), ids=DATA)
def test_data_that_raises_where_it_is_looked_at(make):
    with pytest.raises(DataError):
        cp.examine(len, "dp(epsilon=1)", data=make(), runs=200)


def test_objects_that_behave_are_examined_as_ever():
    class Release:
        def __call__(self, table):
            return 1

    assert cp.examine(Release(), "dp(epsilon=1)", data=ROWS, runs=200, form="rows").verdict.name == "NOT_REFUTED"
