"""Tables that cannot be used: one sentence each, that names the remedy."""

import math

import numpy as np
import polars as pl
import pytest

from crowdproof.errors import CrowdproofError, DataError, ParameterError
from crowdproof.mechanisms import (
    Apply,
    EpsSafe,
    Grid,
    Hierarchy,
    Keep,
    KMember,
    Mondrian,
    Scheme,
    StronglySafe,
    SuppressedHistogram,
    SyntheticPoints,
    TopDown,
)

TREE = Hierarchy({"a": ["x"]})
BY_AGE = Scheme({"age": Grid(10)})
ON_AGE = [
    Mondrian(1, ["age"]),
    KMember(1, ["age"]),
    StronglySafe(BY_AGE, 1),
    StronglySafe(Scheme({"age": Keep()}), 1),
    Apply(BY_AGE, 1),
    EpsSafe([BY_AGE], 1, 1),
    SuppressedHistogram(BY_AGE, 1),
    SyntheticPoints({"age": Grid(10)}, 1),
]
MAKERS = [
    Mondrian,
    KMember,
    lambda k: StronglySafe(BY_AGE, k),
    lambda k: Apply(BY_AGE, k),
    lambda k: EpsSafe([BY_AGE], k, 1),
    lambda k: SuppressedHistogram(BY_AGE, k),
    lambda k: SyntheticPoints({"age": Grid(10)}, k),
    lambda k: TopDown("items", TREE, k),
]


def fails(mechanism, table, message, kind=DataError):
    with pytest.raises(kind, match=message) as caught:
        mechanism(table, np.random.default_rng(0))
    assert isinstance(caught.value, CrowdproofError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("mechanism", ON_AGE, ids=lambda each: type(each).__name__)
def test_an_unknown_column(mechanism):
    fails(mechanism, pl.DataFrame({"sex": ["f"], "city": ["Bonn"]}), r"no column 'age': name one of .*\(sex, city\)\.")


@pytest.mark.parametrize("mechanism", ON_AGE, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_nan_and_infinity(mechanism, bad):
    fails(mechanism, pl.DataFrame({"age": [1.0, bad]}), r"'age' holds NaN or infinity: .*null \(fill_nan\(None\)\)")


@pytest.mark.parametrize("mechanism", ON_AGE, ids=lambda each: type(each).__name__)
def test_mixed_types(mechanism):
    mixed = pl.DataFrame({"age": pl.Series([1, "old"], dtype=pl.Object)})
    fails(mechanism, mixed, "neither all numbers nor all text: cast it to a number or to text first")


@pytest.mark.parametrize("mechanism", ON_AGE, ids=lambda each: type(each).__name__)
def test_a_table_of_another_library(mechanism):
    fails(mechanism, {"age": [1]}, r"of type builtins.dict: give a polars.DataFrame \(polars.from_pandas makes one\)")


def test_text_in_a_grid():
    fails(
        StronglySafe(BY_AGE, 1), pl.DataFrame({"age": ["old"]}), "is text: a grid takes numbers, so give it a hierarchy"
    )


def test_a_value_too_far_away_for_the_grid():
    fails(StronglySafe(Scheme({"age": Grid("1e-9")}), 1), pl.DataFrame({"age": [1e300]}), "give a larger width")


@pytest.mark.parametrize("mechanism", [Mondrian(1), KMember(1)], ids=str)
def test_no_columns_at_all(mechanism):
    fails(mechanism, pl.DataFrame(), "the table has no columns: give at least one")


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("k", [0, -3, 1.5, "many", True])
def test_a_wrong_k(make, k):
    with pytest.raises(ParameterError, match=r"^k is .*: (give|write|it must)|not a number: write it like"):
        make(k)


def test_columns_as_one_text():
    with pytest.raises(ParameterError, match=r"give a list of names, such as \['age'\]"):
        Mondrian(2, "age")


@pytest.mark.parametrize("mechanism", [each for each in ON_AGE if not isinstance(each, SyntheticPoints)])
def test_numbers_of_128_bits_are_numbers_like_others(mechanism):
    """Second route: the same numbers in 64 bits; and a number that only 128 bits hold keeps its digits."""
    ages = [20, 25, None, 31, 47, 47]
    rows = [
        mechanism(pl.DataFrame({"age": pl.Series(ages, dtype=kind)}), np.random.default_rng(1))
        for kind in (pl.Int64, pl.Int128)
    ]
    assert rows[0].rows() == rows[1].rows()
    far = 2**90 + 1
    release = Mondrian(1, ["age"])(pl.DataFrame({"age": pl.Series([far, far + 1], dtype=pl.Int128)}))
    assert release["age"].to_list() == [f"[{far}, {far + 1}]"] * 2
