"""Downcoding: the victim is minimal, the guess is the likeliest by enumeration, and fixed levels mislead it."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import downcoding
from crowdproof.attacks.downcoding import CENSUS, Country, MinimalHierarchical, likeliest
from crowdproof.data import adult
from crowdproof.errors import DataError


def test_cells_of_a_minimal_recoding_are_restored_and_those_of_a_fixed_one_are_not():
    story = downcoding.run(rows=1000)
    assert story.victim.succeeds
    assert story.victim.success.low > 2 * story.victim.baseline.high
    assert story.defended is not None
    assert not story.defended.succeeds


def test_the_victim_is_k_anonymous_and_no_group_can_be_finer():
    town, k = adult(complete=True).sample(400, seed=2), 3
    mechanism = MinimalHierarchical.of(CENSUS, k)
    release = mechanism(town)
    assert release.height == town.height
    assert release.group_by(release.columns).len()["len"].min() >= k
    texts = mechanism.texts(town)
    for group in mechanism.groups(texts):
        for column, level in enumerate(group.levels):
            if level:
                assert min(Counter(texts[column][level - 1][group.rows].tolist()).values()) < k


@pytest.mark.parametrize("k", [None, 2, 3])
@pytest.mark.parametrize("rows", [2, 3, 5])
def test_the_guess_is_the_likeliest_of_all(rows, k):
    shares = {"a": 0.55, "b": 0.3, "c": 0.15}

    def chance(counts: tuple[int, ...]) -> float:
        ways = math.factorial(rows) / math.prod(map(math.factorial, counts))
        return ways * math.prod(share**count for share, count in zip(shares.values(), counts, strict=True))

    worlds = [each for each in product(range(rows + 1), repeat=3) if sum(each) == rows]
    if k is not None:
        worlds = [each for each in worlds if any(0 < count < k for count in each)]
    best = max(map(chance, worlds))
    found = likeliest(shares, rows, k)
    assert math.isclose(chance(tuple(found[each] for each in "abc")), best)


def test_the_share_that_is_recovered_on_census_rows():
    """The published figure: at k = 2, more than a third of the rows with generalized cells get a value back."""
    town, others = downcoding.divided(adult(complete=True), 2000, np.random.default_rng(0))
    mechanism = MinimalHierarchical.of(CENSUS, 2)
    texts, country = mechanism.texts(town), Country.of(mechanism.texts(others))
    found = downcoding.restore(mechanism.groups(texts), texts, country, 2)
    assert Fraction(found.rows_right, found.rows) > Fraction(3, 8)


def test_data_of_the_users_own_and_bad_input():
    people = pl.DataFrame({"age": [21, 25, 38, 41] * 5, "sex": ["f", "m", "f", "f", "m"] * 4})
    assert downcoding.run(data=people, k=3).victim.success.high <= 1
    with pytest.raises(DataError, match="nothing was generalized"):
        downcoding.run(data=pl.DataFrame({"age": [1] * 9}))
    with pytest.raises(DataError, match="at least four people"):
        downcoding.run(data=people.head(1))
