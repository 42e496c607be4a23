"""Traits of two columns together are a function of one release, and are few."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from crowdproof.audit.releases import Records, Releases, traits
from crowdproof.audit.releases.column_pairs import DIGITS, FEW_CELLS, MOST_COLUMNS
from crowdproof.audit.releases.words import feature_words

PAIRED = ("rank correlation", "together")
CELLS = st.none() | st.sampled_from([0.0, -0.0, 1.0, 2.5, math.nan, math.inf, -math.inf, 1e308]) | st.floats()
ROWS = st.lists(st.tuples(CELLS, CELLS, st.sampled_from("xyz"), st.sampled_from(["u", None])), max_size=12)
SCHEMA = {"a": pl.Float64, "b": pl.Float64, "c": pl.String, "d": pl.String}


def table_of(rows):
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def paired(table):
    return {trait: value for trait, value in traits(table) if trait[0] in PAIRED}


@settings(max_examples=200, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_they_do_not_depend_on_the_order_of_rows(rows, random):
    shuffled = random.sample(rows, len(rows))
    found, again = paired(table_of(rows)), paired(table_of(shuffled))
    assert found.keys() == again.keys()
    assert all(abs(value) <= 1 for trait, value in found.items() if trait[0] == "rank correlation")
    assert all(math.isclose(value, again[trait], abs_tol=10**-DIGITS) for trait, value in found.items())


@settings(max_examples=50, deadline=None)
@given(ROWS, st.lists(ROWS, max_size=3))
def test_they_are_the_same_in_any_company(rows, company):
    table, others = table_of(rows), [table_of(each) for each in company]
    among = Releases.of([*others, table])
    features = list(dict.fromkeys([*paired(table), *Records().candidates(among)]))
    here = [column[-1] for column in Records().columns(among, features)]
    there = [column[0] for column in Records().columns(Releases.of([table]), features)]
    np.testing.assert_array_equal(here, there)
    assert here == [dict(traits(table)).get(feature, 0.0) for feature in features]


@pytest.mark.parametrize("seed", range(5))
def test_a_correlation_is_that_of_the_ranks(seed):
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 5, 40)
    right = left + rng.normal(size=40)
    found = paired(pl.DataFrame({"a": left, "b": right}))
    assert found["rank correlation", "a", "b"] == pytest.approx(spearmanr(left, right).statistic, abs=0.051)


def test_a_column_of_one_number_and_a_few_rows_have_no_correlation():
    assert paired(pl.DataFrame({"a": [1] * 9, "b": range(9)})) == {}
    assert paired(pl.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]})) == {}
    assert paired(pl.DataFrame({"a": [1, None] * 4, "b": range(8)})) == {}


def test_they_are_few_in_a_wide_table():
    rng = np.random.default_rng(0)
    numbers = {f"n{place}": rng.normal(size=50) for place in range(40)}
    texts = {f"t{place}": rng.choice(list("abcd"), 50) for place in range(40)}
    pairs = math.comb(MOST_COLUMNS, 2)
    assert len(paired(pl.DataFrame(numbers | texts))) <= pairs + pairs * FEW_CELLS**2


def test_they_are_told_in_words():
    assert feature_words(("rank correlation", "age", "pay")) == "rank correlation of columns age and pay"
    words = "number of rows with m in column sex and nurse in column job"
    assert feature_words(("together", "sex", "job", "m", "nurse")) == words
