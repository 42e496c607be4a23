"""Fixed recodings: exact cells, fixed trees, one meaning for missing values."""

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import rational, show
from crowdproof.mechanisms import Grid, Hierarchy, Keep, Scheme, Suppress

widths = st.sampled_from(["0.1", "1/3", "1", "2.5", "10", "1e-6"])
origins = st.sampled_from(["0", "0.05", "-7", "1/7"])


@given(
    values=st.lists(
        st.none() | st.floats(-1e6, 1e6) | st.decimals(-99, 99, places=1).map(float) | st.integers(-50, 50).map(float),
        max_size=20,
    ),
    width=widths,
    origin=origins,
)
def test_a_float_lies_in_the_cell_of_the_decimal_it_is_written_as(values, width, origin):
    cells = Grid(width, origin)(pl.Series("x", values, dtype=pl.Float64)).to_list()
    assert cells == [cell(each, rational(width), rational(origin)) for each in values]


@given(values=st.lists(st.none() | st.integers(-(2**55), 2**55), max_size=20), width=st.integers(1, 99), origin=origins)
def test_a_whole_number_lies_in_its_cell(values, width, origin):
    cells = Grid(width, origin)(pl.Series("x", values, dtype=pl.Int64)).to_list()
    assert cells == [cell(each, Fraction(width), rational(origin)) for each in values]


def cell(value, width, origin):
    if value is None:
        return "?"
    low = origin + (rational(value) - origin) // width * width
    return f"[{show(low)}, {show(low + width)})"


def test_whole_numbers_beyond_a_signed_word():
    column = pl.Series("x", [2**63 + 5, 2**64 - 1], dtype=pl.UInt64)
    assert Grid(1000)(column).to_list() == [cell(each, Fraction(1000), Fraction(0)) for each in column.to_list()]


def test_every_level_of_a_hierarchy():
    paths = {"Lyon": ["France", "Europe"], "Bonn": ["Germany", "Europe"], "Lima": ["Peru", "America"]}
    column = pl.Series("city", ["Lyon", None, "Lima", "?"])
    assert Hierarchy(paths, 0)(column).to_list() == ["Lyon", "?", "Lima", "?"]
    assert Hierarchy(paths, 1)(column).to_list() == ["France", "?", "Peru", "?"]
    assert Hierarchy(paths, "2")(column).to_list() == ["Europe", "?", "America", "?"]


def test_an_unknown_value_becomes_the_other_text_or_is_an_error():
    column = pl.Series("city", ["Lyon", "Rome"])
    assert Hierarchy({"Lyon": ["France"]}, otherwise="elsewhere")(column).to_list() == ["France", "elsewhere"]
    with pytest.raises(DataError, match="holds 'Rome', which its hierarchy does not: add it, or set `otherwise`"):
        Hierarchy({"Lyon": ["France"]})(column)


def test_a_scheme_releases_what_it_names():
    table = pl.DataFrame({"a": [1, None], "b": ["x", None], "c": [True, False]})
    release = Scheme({"c": Keep(), "a": Suppress()})(table)
    assert release.to_dict(as_series=False) == {"c": ["true", "false"], "a": ["*", "*"]}
    assert Scheme({"a": Grid(1), "b": Keep()})(table.clear()).rows() == []


def test_all_missing_is_one_cell():
    nulls = pl.Series("x", [None, None])
    assert Grid(1)(nulls).to_list() == Keep()(nulls).to_list() == ["?", "?"]
    assert Grid(1)(nulls.cast(pl.Float64)).to_list() == ["?", "?"]


def test_schemes_are_values():
    assert Scheme({"a": Grid(0.5)}) == Scheme({"a": Grid("1/2")})
    assert len({Scheme({"a": Grid(1)}), Scheme({"a": Grid(1)}), Scheme({"a": Grid(2)})}) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Grid(0), "width is 0: a grid needs cells of a width above 0"),
        (lambda: Grid("wide"), "not a number"),
        (lambda: Hierarchy({"a": ["x"], "b": ["x", "y"]}), "give every value equally many ancestors"),
        (lambda: Hierarchy({}), "names no value"),
        (lambda: Hierarchy({"a": ["x"]}, 2), "level is 2: this hierarchy has 1 levels above its values"),
        (
            lambda: Hierarchy({"a": ["x", "u"], "b": ["x", "v"]}),
            "'x' lies under both 'u' and 'v': give it one ancestor",
        ),
        (lambda: Scheme({}), "the scheme names no column: give at least one"),
    ],
)
def test_wrong_recodings_are_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize("origin", [0, 10**15, 10**18, 2**62, -(10**18), 10**30, "1e17", "1/3"])
@pytest.mark.parametrize("width", [1, 3, "1/2", 1000])
def test_cells_are_those_of_exact_arithmetic_however_far_the_origin(origin, width):
    grid = Grid(width, origin)
    for kind in (pl.Int64, pl.Float64):
        values = pl.Series("age", [0, 1, 2, 999, -5, 123_456_789, 2**53], dtype=kind)
        expected = [(Fraction(each) - grid.origin) // grid.width for each in values.to_list()]
        if max(map(abs, expected)) >= 2**62:
            with pytest.raises(DataError, match="too far away"):
                grid.cells(values)
        else:
            assert grid.cells(values).tolist() == expected
