"""Large tables are counted by columns: with the same traits as cell by cell, and with digests where cells are many."""

import datetime
import math
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdproof.audit.releases import Records, Releases, code, columns, counting, traits
from crowdproof.audit.releases.counting import LargeTable, SmallTable
from crowdproof.audit.releases.table_traits import Asked

NUMBERS = st.none() | st.sampled_from([0.0, -0.0, math.nan, math.inf, 1.0, 30.0, 1e300, 0.1]) | st.floats()
ROW = st.tuples(
    NUMBERS,
    st.none() | st.sampled_from(["None", "*", " ** ", "", "[20, 40)", "{a, b}", "é", "\U0001f600", "z"]),
    st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2),
    st.none() | st.booleans(),
    st.none() | st.sampled_from([datetime.date(2020, 1, 1), datetime.date(1, 1, 1)]),
    st.none() | st.sampled_from([Decimal("1.50"), Decimal("-0.25")]),
    st.none() | st.lists(st.integers(0, 1), max_size=2),
    st.none() | st.floats(width=32),
)
SCHEMA = {
    "real": pl.Float64, "text": pl.String, "whole": pl.Int64, "truth": pl.Boolean, "day": pl.Date,
    "exact": pl.Decimal(10, 2), "list": pl.List(pl.Int64), "short": pl.Float32,
}  # fmt: skip
TABLES = st.lists(ROW, max_size=8).map(lambda rows: pl.DataFrame(rows, schema=SCHEMA, orient="row"))


@settings(max_examples=200, deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_polars_counts_what_python_counts(table, random):
    names = random.sample(table.columns, random.randint(1, table.width))
    table = table.select(names)
    table = random.choice([table, table.sort(names[0]) if "list" not in names else table])
    small, large = SmallTable(table), LargeTable(table)
    for column in table.iter_columns():
        assert large.cells(column) == small.cells(column)
        one, other = small.numbered(column, 4), large.numbered(column, 4)
        assert (one is None) == (other is None)
        if one is not None:
            assert [one[0][each] for each in one[1]] == [other[0][each] for each in other[1]]
    if table.height:
        assert large.rows() == small.rows()
        assert list(large.rows()[1]) == list(small.rows()[1])
        assert large.is_sorted() == small.is_sorted()


@pytest.fixture
def all_large(monkeypatch):
    """Every table is counted by polars, and no number of different cells is too many."""
    monkeypatch.setattr(counting, "counted", LargeTable)
    monkeypatch.setattr("crowdproof.audit.releases.table_traits.counted", LargeTable)


def test_the_traits_of_a_large_table_are_those_that_python_finds(all_large):
    rng = np.random.default_rng(1)
    table = pl.DataFrame(
        {
            "age": rng.choice(["[20, 40)", "*", None], 60),
            "pay": rng.choice([0.0, -0.0, math.nan, 2.5], 60),
            "sex": rng.choice(["m", "f"], 60),
        }
    )
    found = dict(traits(table))
    assert found["stars", "age"] == sum(cell in ("*", None) for cell in table["age"])
    assert found["range ends", "age", "40"] == sum(cell == "[20, 40)" for cell in table["age"])
    minus = sum(cell == 0 and math.copysign(1, cell) < 0 for cell in table["pay"])
    assert found["cell", "pay", "-0.0"] == minus
    assert sum(count for trait, count in found.items() if trait[0] == "row") == 60
    both = sum(row[0] == "*" and row[2] == "m" for row in table.rows())
    assert found.get(("together", "age", "sex", "*", "m"), 0.0) == both


@settings(max_examples=100, deadline=None)
@given(TABLES, st.data())
def test_traits_that_are_asked_for_are_the_same_as_among_all(table, data):
    everything = dict(traits(table))
    chosen = data.draw(st.lists(st.sampled_from(sorted(everything, key=repr)), min_size=1, max_size=4, unique=True))
    found = dict(traits(table, Asked.of(chosen)))
    assert {each: found[each] for each in chosen} == {each: everything[each] for each in chosen}
    assert found.items() <= everything.items()
    read = Records().columns(Releases.of([table]), chosen)
    assert [float(column[0]) for column in read] == [everything[each] for each in chosen]


def large(cells, **others):
    return pl.DataFrame({"id": cells, **others})


SIZE = counting.LARGE + 10


@pytest.mark.parametrize("dress", [lambda number: number, str, lambda number: number + 0.5])
def test_one_cell_among_too_many_is_seen_in_the_digest_of_its_column(dress):
    cells = [dress(number) for number in range(SIZE)]
    other = [*cells[:-1], dress(SIZE + 7)]
    one, two = dict(traits(large(cells))), dict(traits(large(other)))
    assert len(one) < 100
    assert one["distinct", "id"] == SIZE
    (digest,) = (trait for trait in one if trait[0] == "cells are")
    assert digest not in two
    assert code(large(cells)) != code(large(other))


def test_cells_that_changed_places_among_too_many_rows_are_seen():
    sexes = ["m", "f"] * (SIZE // 2)
    one = dict(traits(large(list(range(SIZE)), sex=sexes)))
    two = dict(traits(large(list(range(SIZE)), sex=["f", "m", *sexes[2:]])))
    assert {trait for trait in one if trait[0] == "cells are"} == {trait for trait in two if trait[0] == "cells are"}
    assert {trait for trait in one if trait[0] == "rows are"} != {trait for trait in two if trait[0] == "rows are"}


def test_stars_among_too_many_cells_are_counted():
    cells = [str(number) for number in range(SIZE)]
    assert ("stars", "id") not in dict(traits(large(cells)))
    assert dict(traits(large(["*", None, " ", *cells])))["stars", "id"] == 3


MANY = columns.FEW_NUMBERS + 1


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (pl.Series("a", [255] * MANY, dtype=pl.Int64), pl.Series("a", [-1] * MANY, dtype=pl.Int64)),
        (pl.Series("a", [2**16 - 1] * MANY, dtype=pl.Int32), pl.Series("a", [-1] * MANY, dtype=pl.Int32)),
        (pl.Series("a", [1, 0] * MANY, dtype=pl.Int8), pl.Series("a", [1] * MANY + [0] * MANY, dtype=pl.Int8)),
        (pl.Series("a", [1] * MANY, dtype=pl.UInt8), pl.Series("a", [1] * MANY, dtype=pl.UInt16)),
        (pl.Series("a", [2**63 - 1] * MANY), pl.Series("a", [-(2**63)] * MANY)),
        (pl.Series("a", ["ab", "c"] * MANY), pl.Series("a", ["a", "bc"] * MANY)),
        (pl.Series("a", ["a", None] * MANY), pl.Series("a", ["a", ""] * MANY)),
        (pl.Series("a", ["x" * 300, ""] * MANY), pl.Series("a", ["", "x" * 300] * MANY)),
    ],
)
def test_short_forms_of_numbers_and_lengths_keep_columns_apart(one, two):
    assert code(one.to_frame()) != code(two.to_frame())
    pieces = one.append(one.clear()).slice(0, len(one))
    assert code(one.to_frame()) == code(pieces.to_frame())


def test_a_column_in_pieces_or_cut_out_of_another_has_the_code_of_one_in_one_piece():
    whole = pl.Series("a", [f"text {number % 7}" for number in range(3000)])
    pieces = whole[:1000].append(whole[1000:])
    cut = pl.Series("a", ["before", *whole, "after"])[1:-1]
    assert code(whole.to_frame()) == code(pieces.to_frame()) == code(cut.to_frame())
