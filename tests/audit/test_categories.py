"""How data is stored is no part of what its rows say: lists of categories, pieces of memory, marks, classes, types."""

import datetime as dt
import io

import numpy as np
import pandas as pd
import polars as pl
import pytest

from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.data.rows import group, stack, take
from crowdproof.audit.data.tables import read_table
from crowdproof.audit.neighbours.schema import schema_of
from crowdproof.audit.targets.exchange import encode
from crowdproof.audit.targets.forms import give
from crowdproof.audit.targets.load import load_target
from crowdproof.claims import DP, Neighbours
from crowdproof.errors import DataError, TargetError
from crowdproof.findings import NotRefuted, Refuted

AGES = pl.DataFrame({"age": [41, 43, 45]})
CELLS = ["Bonn", "Ulm", "Bonn", "Kiel"]
LIST = ["Ulm", "Bonn", "Kiel", "Jena"]
"""Neither in alphabetical order nor in that of the rows, and nobody lives in the last one."""


def write(folder, kind, ordered):
    frame = pd.DataFrame({"city": pd.Categorical(CELLS, categories=LIST, ordered=ordered)})
    path = folder / f"people.{kind}"
    if kind == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_feather(path)
    return path


def in_arrow(table):
    (part,) = table.column("city").chunks
    return part.dictionary.to_pylist()


def from_parquet(table):
    return list(pd.read_parquet(io.BytesIO(encode(table, "parquet")))["city"].cat.categories)


SEEN = {
    "pandas": lambda table: list(give(table, "pandas")["city"].cat.categories),
    "pandas-nullable": lambda table: list(give(table, "pandas-nullable")["city"].cat.categories),
    "pyarrow": lambda table: in_arrow(give(table, "pyarrow")),
    "polars": lambda table: give(table, "polars")["city"].dtype.categories.to_list(),
    "a Parquet file": from_parquet,
}


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_every_neighbour_has_the_categories_that_the_file_declares(kind, ordered, seen, tmp_path):
    table = read_table(write(tmp_path, kind, ordered))
    assert table["city"].to_list() == CELLS
    for rows in ([0, 1, 2, 3], [0, 1], [2]):
        assert seen(take(table, np.array(rows, dtype=np.int64))) == LIST


def test_categories_that_no_file_declares_are_those_of_all_its_rows(tmp_path):
    path = tmp_path / "people.parquet"
    cities = pl.Series("city", ["Ulm", None, "Bonn", "Ulm"], dtype=pl.Categorical)
    cities.to_frame().write_parquet(path, row_group_size=1)
    table = read_table(path)
    assert table["city"].to_list() == cities.to_list()
    first, last = (list(give(table[row], "pandas")["city"].cat.categories) for row in (0, 3))
    assert first == last
    assert set(first) == {"Ulm", "Bonn"}


@pytest.mark.parametrize("form", ["pandas", "pandas-nullable", "pyarrow"])
def test_a_column_without_a_list_is_refused_where_its_rows_would_make_one(form):
    table = pl.DataFrame({"city": ["Ulm"]}, schema={"city": pl.Categorical})
    with pytest.raises(TargetError, match=r"'city' is categorical .* cast it to polars.Enum, or to text"):
        give(table, form)
    assert give(table, "polars")["city"].to_list() == ["Ulm"]


@pytest.mark.parametrize("form", ["polars", "pyarrow"])
def test_a_table_that_was_put_together_is_in_one_piece(form):
    table = pl.DataFrame({"age": [30, 40]})
    pieces = pl.concat([table, table], rechunk=False)
    assert pieces.n_chunks() == 2
    for each in (stack(table, table), pieces):
        given = give(each, form)
        assert (given.n_chunks() if form == "polars" else given.column("age").num_chunks) == 1


def test_cells_that_are_lists_or_records_are_values_like_others():
    table = pl.DataFrame({"visits": [[1, 2], [1, 2], [3]], "home": [{"zip": "1"}, {"zip": "2"}, {"zip": "2"}]})
    visits, home = schema_of(table).columns
    assert visits.values == ([1, 2], [3])
    assert home.values == ({"zip": "2"}, {"zip": "1"})


def examined(target, claim, data=None, pairs=None):
    loaded = load_target(target, isolate="none", form="polars" if isinstance(data, pl.DataFrame) or pairs else None)
    return audit(loaded, claim, data=data, pairs=pairs, budget=Budget(runs=3_000), seed=1).verdict


def in_any_order(table):
    return table.group_by("city").len()["city"].to_list()


def in_any_order_and_how_many(table):
    return [*in_any_order(table), table.height]


SORTED = pl.DataFrame({"city": CELLS * 10}).sort("city")


@pytest.mark.slow
@pytest.mark.parametrize("twin", [(in_any_order, NotRefuted), (in_any_order_and_how_many, Refuted)])
def test_that_data_was_sorted_is_forgotten_before_it_is_given(twin):
    target, verdict = twin
    assert SORTED["city"].flags["SORTED_ASC"]
    for left, right in ((SORTED, take(SORTED, np.arange(1, 40))), (stack(SORTED, SORTED[:1]), SORTED)):
        pair = Pair(left, right, Neighbours.ADD_REMOVE, "one row more")
        assert isinstance(examined(target, DP("1/2"), pairs=[pair]), verdict)


def within_one(incomes, rng, copies=1):
    """A sum to which each row adds 1 at most, `copies` times, with noise that makes it 1-DP for one."""
    noise = rng.geometric(1 - np.exp(-1), 2)
    return int(copies * np.clip(incomes.w, 0, 1).sum() + noise[0] - noise[1])


def within_three(incomes, rng):
    return within_one(incomes, rng, copies=3)


@pytest.mark.parametrize("twin", [(within_one, NotRefuted), (within_three, Refuted)])
def test_an_array_with_named_fields_has_them_with_a_row_more_and_less(twin):
    target, verdict = twin
    records = np.rec.array([(30, 1.0), (40, 2.0), (50, 3.0)] * 3, names="age, w")
    assert isinstance(examined(target, DP(1), data=records), verdict)


@pytest.mark.parametrize(
    "rows",
    [
        np.rec.array([(30, 1.0), (40, 2.0)], names="age, w"),
        np.array([[30, 1], [40, 2]]).view(np.matrix),
        np.array([[1, 2], [3], None, "a"], dtype=object),
        np.array(["a", "bcd"]),
    ],
)
def test_rows_of_an_array_stay_rows_of_such_an_array(rows):
    for each in (stack(rows, rows[:1]), take(rows, np.array([0])), group(rows, rows[:1]).distinct):
        assert (type(each), each.dtype, each.ndim) == (type(rows), rows.dtype, rows.ndim)


def first_byte(ages):
    return ages.tobytes()[0]


def length(ages):
    return len(ages.tobytes())


@pytest.mark.parametrize("twin", [(first_byte, NotRefuted), (length, Refuted)])
def test_numbers_from_another_machine_have_one_order_of_bytes(twin):
    target, verdict = twin
    assert isinstance(examined(target, DP(1), data=np.full(8, 41, ">i8")), verdict)


@pytest.mark.parametrize(
    "right", [AGES.to_pandas()[:-1], AGES[:-1].to_arrow(), AGES["age"].to_numpy()[:-1], AGES["age"].to_list()[:-1]]
)
def test_the_datasets_of_a_pair_are_of_one_kind_that_is_its_rows(right):
    left = {list: AGES["age"].to_numpy(), np.ndarray: AGES["age"].to_list()}.get(type(right), AGES)
    for first in (left, AGES):
        with pytest.raises(DataError, match="more than their rows"):
            examined(lambda data: str(type(data)), DP(1), pairs=[Pair(first, right, Neighbours.ADD_REMOVE, "mixed")])
    pair = Pair(AGES, AGES[:-1], Neighbours.ADD_REMOVE, "alike")
    assert isinstance(examined(lambda data: str(type(data)), DP(1), pairs=[pair]), NotRefuted)


GAPS = {"names": ["age", "ill"], "formats": ["i1", "i8"], "offsets": [0, 8], "itemsize": 32}


@pytest.mark.parametrize(
    "kind", [np.dtype(GAPS), np.dtype((np.record, GAPS)), np.dtype("f8", metadata={"unit": "years"})]
)
@pytest.mark.parametrize(
    "twin", [(lambda data: f"{data.dtype} {data.dtype.itemsize} {data.dtype.metadata}", NotRefuted), (len, Refuted)]
)
def test_what_the_type_of_an_array_holds_besides_its_cells_is_on_both_sides(kind, twin):
    target, verdict = twin
    assert isinstance(examined(target, DP(1), data=np.zeros(8, kind)), verdict)


def layout(data):
    return data.flags.c_contiguous


@pytest.mark.parametrize("twin", [(layout, NotRefuted), (len, Refuted)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_has_one_layout_whatever_its_columns_were_made_from(order, twin):
    function, verdict = twin
    target = load_target(function, form="numpy", isolate="none")
    data = pl.from_numpy(np.asarray([[30.0, 1.0], [40.0, 2.0], [50.0, 3.0]], order=order))
    assert isinstance(examined(target, DP(1), data=data), verdict)


def test_hidden_cells_of_a_masked_array_are_not_brought_to_light():
    hidden = np.ma.array([1.0, 2.0, 1e6], mask=[0, 0, 1])
    with pytest.raises(DataError, match="masked array"):
        examined(lambda data: float(np.ma.sum(data)), DP(1), data=hidden)


WITHOUT = [[1, 2], [3, 4]]


@pytest.mark.parametrize("form", ["pandas", "pandas-nullable", "numpy"])
@pytest.mark.parametrize(
    ("kind", "rows", "missing"),
    [
        (pl.List(pl.Int64), WITHOUT, [5, None]),
        (pl.Array(pl.Int64, 2), WITHOUT, None),
        (pl.Struct({"a": pl.Int8}), [{"a": 1}, {"a": 2}], {"a": None}),
        (pl.List(pl.List(pl.Boolean)), [[[True]], [[]]], [[None]]),
    ],
)
def test_a_number_that_one_row_lacks_in_a_list_does_not_change_the_others(kind, rows, missing, form):
    table = pl.DataFrame({"visits": pl.Series([*rows, missing], dtype=kind)})
    with pytest.raises(TargetError, match="'visits' has lists or records in which"):
        give(table, form)
    assert len(give(table[:2], form)) == 2
    for same in ("polars", "rows"):
        assert repr(give(table, same)[:2]) == repr(give(table[:2], same))


@pytest.mark.parametrize(("kind", "missing"), [(pl.List(pl.Float64), [5.0, None]), (pl.List(pl.Int64), None)])
def test_what_changes_no_other_row_is_given(kind, missing):
    table = pl.DataFrame({"visits": pl.Series([*WITHOUT, missing], dtype=kind)})
    assert list(map(repr, give(table, "pandas")["visits"][:2])) == list(map(repr, give(table[:2], "pandas")["visits"]))


@pytest.mark.parametrize(
    "cells", [[[1], [2], None] * 3, [{"a": 1, "b": [2]}] * 4, [b"\xff"] * 4, [dt.timedelta(1)] * 4]
)
@pytest.mark.parametrize("twin", [(len, Refuted), (type, NotRefuted)])
def test_a_finding_about_cells_that_no_witness_file_has_types_for_is_told(cells, twin):
    target, verdict = twin
    assert isinstance(examined(lambda data: str(target(data)), DP(1), data=pl.DataFrame({"a": cells})), verdict)
