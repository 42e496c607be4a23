"""Predicate singling out: range ends isolate, fixed cells do not, and a hash does as well as it does anywhere."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import singling_out
from crowdproof.attacks.singling_out import choose
from crowdproof.errors import DataError
from crowdproof.mechanisms import Mondrian


def test_a_predicate_is_true_where_a_plain_search_says():
    people = pl.DataFrame({"age": list(range(20, 60)), "sex": ["f", "m"] * 20})
    release = Mondrian(10)(people)
    predicate = choose(release, "end", Fraction(1), np.random.default_rng(1))
    assert predicate is not None
    column, low = predicate.at
    assert column == "age"
    assert predicate(people).tolist() == [age == low for age in people["age"]]
    hashed = choose(release, "hash", Fraction(1), np.random.default_rng(1))
    cells = dict(hashed.cells)
    ages = people.filter(pl.Series(hashed(people)))["age"]
    assert all(cells["age"].low <= age <= cells["age"].high for age in ages)
    assert str(predicate).endswith(f"age = {low:g}")


def test_ranges_without_an_end_and_masks_are_within_a_predicate():
    people = pl.DataFrame({"age": [20, 70, 80], "zip": ["53113", "53114", "60000"], "key": ["20-40", "7", "20-40"]})
    release = pl.DataFrame({"age": [">=65"], "zip": ["531**"], "key": ["*"]})
    predicate = choose(release, "end", Fraction(1), np.random.default_rng(1))
    assert predicate.at is None  # a limit is nobody's value: a hash takes its place
    cells = dict(predicate.cells)
    assert [bool(each) for each in singling_out._inside(people["age"], cells["age"])] == [False, True, True]
    assert [bool(each) for each in singling_out._inside(people["zip"], cells["zip"])] == [True, True, False]
    assert "age in [65, inf) and zip in 531*" in str(predicate)
    keys = choose(release.with_columns(key=pl.lit("20-40")), "end", Fraction(1), np.random.default_rng(1))
    assert keys(people).tolist() == [False, False, False]


def test_a_hash_is_true_of_exactly_one_as_often_as_theory_says():
    """n rows, each with probability 1/n: (1 - 1/n)^(n-1); 600 salts stray 5 sigma with probability below 6e-7."""
    people = pl.DataFrame({"age": list(range(10))})
    release = pl.DataFrame({"age": ["[0, 9]"] * 10})
    rng = np.random.default_rng(2)
    hits = [np.count_nonzero(choose(release, "hash", Fraction(1), rng)(people)) == 1 for _ in range(600)]
    p = 0.9**9
    assert abs(np.mean(hits) - p) < 5 * np.sqrt(p * (1 - p) / 600)


def test_nothing_published_is_nothing_to_go_by():
    assert choose(pl.DataFrame({"age": []}), "end", Fraction(1), np.random.default_rng(1)) is None


def test_too_few_people_are_refused():
    with pytest.raises(DataError, match="at most 5"):
        singling_out.run(data=pl.DataFrame({"age": range(10)}), rows=8)
