"""Mondrian against a plain recursion of its docstring, and what its cells say."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdproof.data import town
from crowdproof.mechanisms import Mondrian
from crowdproof.mechanisms.mondrian import clusters
from crowdproof.mechanisms.tables import code


def reference(columns, rows, k, *, relaxed):
    """The parts, as sorted lists of row numbers."""

    def width(column, part):
        places = [column.positions[column.codes[row]] for row in part]
        return (max(places) - min(places)) / (column.span or 1.0)

    for column in sorted(columns, key=lambda each: -width(each, rows)):
        if len(rows) < 2 * k or width(column, rows) == 0:
            break
        ordered = sorted(rows, key=lambda row: column.codes[row])
        median = column.codes[ordered[(len(rows) - 1) // 2]]
        if relaxed:
            cuts = [ordered[: len(rows) // 2]]
        else:
            cuts = [
                [row for row in rows if column.codes[row] <= median],
                [row for row in rows if column.codes[row] < median],
            ]
        left = max(cuts, key=lambda side: min(len(side), len(rows) - len(side)))
        if min(len(left), len(rows) - len(left)) >= k:
            right = [row for row in rows if row not in left]
            return [part for side in (sorted(left), right) for part in reference(columns, side, k, relaxed=relaxed)]
    return [rows]


tables = st.lists(
    st.tuples(st.none() | st.integers(0, 9), st.sampled_from("abc"), st.integers(-3, 3)), min_size=1, max_size=40
).map(lambda rows: pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.String, "z": pl.Int64}, orient="row"))


@pytest.mark.parametrize("relaxed", [False, True])
@given(table=tables, k=st.integers(1, 5))
def test_the_parts_are_those_of_the_plain_recursion(relaxed, table, k):
    table = table.sort(table.columns)
    columns = [code(each) for each in table.iter_columns()]
    found = clusters(columns, k, relaxed=relaxed)
    parts = [np.flatnonzero(found == part).tolist() for part in range(found.max() + 1)]
    assert sorted(parts) == sorted(reference(columns, list(range(table.height)), k, relaxed=relaxed))


@given(table=tables, k=st.integers(1, 5))
def test_every_cell_is_exactly_the_extent_of_its_group(table, k):
    """The released cells, computed again from the parts by plain Python."""
    if table.height < k:
        return
    columns = [code(each) for each in table.iter_columns()]
    parts = clusters(columns, k)
    expected = []
    for part in range(parts.max() + 1):
        members = table.filter(pl.Series(parts == part))
        cells = [extent(members[name].to_list()) for name in table.columns]
        expected += [tuple(cells)] * members.height
    assert Mondrian(k)(table).rows() == expected


def extent(values):
    if all(isinstance(each, str) for each in values):
        names = sorted(set(values))
        return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
    numbers = sorted(each for each in values if each is not None)
    low = "?" if None in values else str(numbers[0])
    high = str(numbers[-1]) if numbers else "?"
    return low if low == high else f"[{low}, {high}]"


def test_the_rich_inhabitant_shows_at_k_20():
    cells = Mondrian(20)(town())["net_worth"]
    assert (cells == "[900000, 35000000]").sum() == 20
    assert not Mondrian(20)(town(rich=False))["net_worth"].str.contains("35000000").any()


def test_other_columns_are_released_as_they_are_in_order_of_content():
    table = pl.DataFrame({"age": [20, 21, 50, 51], "income": ["low", "high", "low", "high"]})
    assert Mondrian(2, ["age"])(table).rows() == [
        ("[20, 21]", "high"),
        ("[20, 21]", "low"),
        ("[50, 51]", "high"),
        ("[50, 51]", "low"),
    ]


def test_a_null_is_the_least_value():
    table = pl.DataFrame({"age": [None, 4, 30, None, 40]}, schema={"age": pl.Int64})
    assert Mondrian(5)(table)["age"].to_list() == ["[?, 40]"] * 5
    assert Mondrian(2)(table)["age"].to_list() == ["[?, 4]"] * 3 + ["[30, 40]"] * 2


def test_numbers_of_any_size_and_type():
    """The widest floats do not overflow, and decimals and large whole numbers keep their digits."""
    table = pl.DataFrame(
        {
            "wide": [-1.7e308, -1.0, 1.0, 1.7e308],
            "large": pl.Series([0, 1, 2**64 - 2, 2**64 - 1], dtype=pl.UInt64),
            "exact": pl.Series(["0.10", "0.25", "7.50", "8.00"]).cast(pl.Decimal(10, 2)),
        }
    )
    low, high = "1" + "7" + "0" * 307, f"[{2**64 - 2}, {2**64 - 1}]"
    assert Mondrian(2)(table).rows()[::2] == [
        (f"[-{low}, -1]", "[0, 1]", "[0.1, 0.25]"),
        (f"[1, {low}]", high, "[7.5, 8]"),
    ]


def test_floats_are_written_plainly():
    assert Mondrian(2)(pl.DataFrame({"x": [0.1, 35e6]}))["x"].to_list() == ["[0.1, 35000000]"] * 2
