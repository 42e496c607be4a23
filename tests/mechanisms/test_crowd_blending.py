"""Crowd-blending: the suppressed histogram and the synthetic points."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from crowdproof.errors import ParameterError
from crowdproof.mechanisms import Grid, Keep, Scheme, StronglySafe, SuppressedHistogram, SyntheticPoints

SCHEME = Scheme({"x": Grid(10), "y": Keep()})
tables = st.lists(st.tuples(st.none() | st.integers(0, 29), st.sampled_from("ab")), max_size=25).map(
    lambda rows: pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.String}, orient="row")
)


@settings(max_examples=40)
@given(table=tables, k=st.integers(1, 6))
def test_the_histogram_says_what_strongly_safe_k_anonymization_says(table, k):
    histogram = SuppressedHistogram(SCHEME, k)(table)
    assert histogram["count"].min() is None or histogram["count"].min() >= k
    rows = [(x, y) for x, y, count in histogram.rows() for _ in range(count)]
    assert rows == StronglySafe(SCHEME, k)(table).rows()


@settings(max_examples=40)
@given(table=tables, k=st.integers(1, 6))
def test_each_row_blends_or_is_ignored(table, k):
    """(k, 0)-crowd-blending by its definition: exchange a row for each of its cell, or remove it."""
    histogram = SuppressedHistogram(SCHEME, k)
    release, cells = histogram(table), SCHEME(table).rows()
    for row in range(table.height):
        others = [each for each in range(table.height) if cells[each] == cells[row]]
        rest = pl.concat([table[:row], table[row + 1 :]])
        if len(others) >= k:
            assert all(histogram(pl.concat([rest, table[each]])).equals(release) for each in others)
        else:
            assert histogram(rest).equals(release)


def test_with_epsilon_0_points_go_to_the_middles_of_full_boxes():
    table = pl.DataFrame({"x": [1, 2, 3, 11], "z": [0.5, 0.1, 0.9, 0.5]})
    release = SyntheticPoints({"x": Grid(10), "z": Grid(1)}, 3)(table, np.random.default_rng(0))
    assert release.rows() == [(5.0, 0.5)] * 3


def test_a_lonely_point_and_one_with_a_gap_are_ignored():
    table = pl.DataFrame({"x": [1, 2, None, 95], "z": [0.0, 0.0, 0.0, 0.0]})
    mechanism = SyntheticPoints({"x": Grid(10), "z": Grid(1)}, 2, 1)
    release, without = (mechanism(each, np.random.default_rng(3)) for each in (table, table[:2]))
    assert release.height == 2
    assert release.equals(without)
    assert mechanism(table.clear(), np.random.default_rng(0)).is_empty()


def test_points_of_one_box_get_laplace_noise_for_the_whole_box():
    """20,000 points by Kolmogorov-Smirnov, false-alarm rate 1e-6: scale (10 + 1) / epsilon in each coordinate."""
    table = pl.DataFrame({"x": [3.0] * 20_000, "z": [0.25] * 20_000})
    release = SyntheticPoints({"x": Grid(10), "z": Grid(1)}, 5, "0.5")(table, np.random.default_rng(8))
    for name, middle in (("x", 3.0), ("z", 0.25)):
        assert stats.kstest(release[name].to_numpy(), stats.laplace(middle, 11 / 0.5).cdf).pvalue > 1e-6


def test_row_order_does_not_matter_given_the_rng():
    table = pl.DataFrame({"x": [1.0, 5.0, 9.0, 2.0]})
    mechanism = SyntheticPoints({"x": Grid(10)}, 2, 1)
    assert mechanism(table, np.random.default_rng(1)).equals(mechanism(table[::-1], np.random.default_rng(1)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SuppressedHistogram(Scheme({"count": Keep()}), 2), "a column is called 'count'"),
        (lambda: SuppressedHistogram(SCHEME, 0), "k is 0"),
        (lambda: SyntheticPoints({}, 2), "no column is named"),
        (lambda: SyntheticPoints({"x": Grid(1)}, 2, -1), "epsilon is -1"),
    ],
)
def test_wrong_parameters_are_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
