"""What every k-anonymizer owes: k rows alike, nothing added, the same release for the same rows in any order."""

from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdproof.errors import DataError
from crowdproof.mechanisms import (
    AppendPerson,
    Apply,
    Both,
    Contains,
    Duplicate,
    EpsSafe,
    Grid,
    Hierarchy,
    Keep,
    KMember,
    Mondrian,
    Sampled,
    Scheme,
    StronglySafe,
    Suppress,
    TopDown,
    TwoSamples,
    degenerate,
    for_samples,
)

FINE = Scheme({"age": Grid(10), "pay": Grid("0.5"), "city": Keep()})
LAND = Hierarchy({"Bonn": ["Germany"], "Lyon": ["France"], "Nice": ["France"]})
COARSE = Scheme({"age": Grid(40), "pay": Suppress(), "city": LAND})
FITTED = [Mondrian(2), Mondrian(3, relaxed=True), KMember(2), KMember(4), Mondrian(3, ["age", "city"])]
FIXED = [StronglySafe(FINE, 2), StronglySafe(COARSE, 3), Apply(COARSE, 2), degenerate(["age", "city"], 4)]
OTHERS = [
    EpsSafe([FINE, COARSE], 2, 1),
    Sampled("1/2", Mondrian(2)),
    Sampled("2/3", KMember(3)),
    TwoSamples("2/3", EpsSafe([FINE, COARSE], 2, "ln 2")),
    AppendPerson(for_samples(Mondrian(3)), Contains({"city": "Bonn"})),
    Duplicate(Contains({"city": "Lyon"}), 5),
]


@st.composite
def people(draw, low=0, high=24):
    count = draw(st.integers(low, high))
    age = st.none() | st.integers(0, 99)
    pay = st.none() | st.sampled_from([0.1, 0.5, 0.7, 1.3, 2.0])
    city = st.none() | st.sampled_from(["Bonn", "Lyon", "Nice", "?"])
    rows = draw(st.lists(st.tuples(age, pay, city), min_size=count, max_size=count))
    return pl.DataFrame(rows, schema={"age": pl.Int64, "pay": pl.Float64, "city": pl.String}, orient="row")


def smallest_group(release, columns=None):
    return release.group_by(columns or release.columns).len()["len"].min() or float("inf")


def test_what_is_made_of_k_anonymizers_is_made_total_in_its_parts():
    somebody, copies = Contains({"city": "Bonn"}), Duplicate(Contains({"age": 30}), 2)
    made = for_samples(Both(AppendPerson(Mondrian(3), somebody), copies))
    assert made == Both(AppendPerson(Mondrian(3, total=True), somebody), copies)


def k_of(mechanism):
    while not hasattr(mechanism, "k"):
        mechanism = mechanism.mechanism
    return mechanism.k


@pytest.mark.parametrize(
    "mechanism", [*map(for_samples, FITTED), *FIXED, *OTHERS], ids=lambda each: type(each).__name__
)
@settings(max_examples=40)
@given(table=people(), seed=st.integers(0, 2**32))
def test_every_released_row_is_there_k_times(mechanism, table, seed):
    release = mechanism(table, np.random.default_rng(seed))
    assert smallest_group(release, getattr(mechanism, "columns", None)) >= k_of(mechanism)


@pytest.mark.parametrize(
    "mechanism", [*map(for_samples, FITTED), *FIXED, OTHERS[-1], OTHERS[-2]], ids=lambda each: type(each).__name__
)
@settings(max_examples=40)
@given(table=people(), order=st.randoms(use_true_random=False))
def test_the_release_does_not_depend_on_row_order(mechanism, table, order):
    rows = list(range(table.height))
    order.shuffle(rows)
    assert mechanism(table, None).equals(mechanism(table[rows], None))


@pytest.mark.parametrize("mechanism", FITTED, ids=lambda each: type(each).__name__)
@settings(max_examples=40)
@given(table=people(low=4))
def test_local_recoding_keeps_every_row(mechanism, table):
    release = mechanism(table)
    assert release.height == table.height
    assert release.columns == table.columns


@settings(max_examples=40)
@given(table=people())
def test_suppressed_rows_leave_no_trace(table):
    """Without the rows of rare cells, the release is the same to the last byte."""
    cells = FINE(table)
    common = table.filter(cells.select(pl.len().over(cells.columns) >= 3).to_series())
    safe = StronglySafe(FINE, 3)
    assert safe(common).equals(safe(table))
    assert "*" not in safe(table).to_series().to_list()


@pytest.mark.parametrize(
    "mechanism", [Mondrian(5), KMember(5), TopDown("city", LAND, 5)], ids=lambda each: type(each).__name__
)
def test_too_few_rows_are_an_error_alone_and_nothing_in_a_sample(mechanism):
    few = pl.DataFrame({"city": ["{Bonn}"] * 4})
    with pytest.raises(DataError, match=r"k is 5 and the table has 4 rows: give k of at most 4\."):
        mechanism(few)
    with pytest.raises(DataError, match="the table is empty: give at least one row"):
        mechanism(few.clear())
    rng = np.random.default_rng(1)
    nested = Both(AppendPerson(mechanism, Contains({"city": "{Bonn}"})), mechanism)
    assert all(part.is_empty() for part in Sampled("1/2", nested)(few, rng))
    for table in (few, few.clear()):
        release = Sampled("1/2", mechanism)(table, rng)
        assert release.is_empty()
        assert release.schema == mechanism(pl.concat([few, few])).schema


@pytest.mark.parametrize("name", ["", "self", "*", "literal"])
@pytest.mark.parametrize("k", [2, 7])
def test_a_column_of_any_name_is_recoded_like_one_of_a_plain_name(name, k):
    def release(column, order):
        people = pl.DataFrame({column: [1, 2, 3, 4, 5, 6], "b": ["x", "y", "x", "y", "x", "y"]})[order]
        safe = StronglySafe(Scheme({column: Grid(3), "b": Keep()}), k)
        makers = [partial(Mondrian, columns=("b",)), Mondrian, partial(Mondrian, relaxed=True), KMember]
        mechanisms = [*(make(k, total=True) for make in makers), safe]
        return [each(people, np.random.default_rng(0)) for each in mechanisms]

    plain, odd = release("age", [0, 1, 2, 3, 4, 5]), release(name, [5, 3, 1, 0, 2, 4])
    for expected, found in zip(plain, odd, strict=True):
        assert found.columns == [name, "b"]
        assert found.rows() == expected.rows()


@pytest.mark.parametrize("mechanism", [Mondrian(2), KMember(2), StronglySafe(Scheme({"^a.*$": Grid(3)}), 2)])
def test_a_name_that_is_a_pattern_of_columns_is_refused(mechanism):
    with pytest.raises(DataError, match="takes for a pattern"):
        mechanism(pl.DataFrame({"^a.*$": [1, 2, 3, 4]}), np.random.default_rng(0))
