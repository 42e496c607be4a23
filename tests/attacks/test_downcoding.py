"""Downcoding: the victim is minimal, the guess is the likeliest by enumeration, and fixed levels mislead it."""

import math
from collections import Counter
from itertools import product

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import downcoding
from crowdproof.attacks.downcoding import Country, likeliest
from crowdproof.attacks.minimal_hierarchical import CENSUS, MinimalHierarchical
from crowdproof.data import adult
from crowdproof.errors import DataError


@pytest.mark.slow
def test_cells_of_a_minimal_recoding_are_restored_and_those_of_a_fixed_one_are_not():
    story = downcoding.run(rows=1000)
    assert story.victim.succeeds
    assert story.victim.success.low > story.victim.allowed == story.victim.baseline.high
    assert story.defended is not None
    assert not story.defended.succeeds


def test_the_victim_is_k_anonymous_and_no_part_of_a_group_can_be_finer():
    town, k = adult(complete=True).sample(400, seed=2), 3
    mechanism = MinimalHierarchical.of(CENSUS, k)
    release = mechanism(town)
    assert release.height == town.height
    assert release.group_by(release.columns).len()["len"].min() >= k
    texts = mechanism.texts(town)
    for group in mechanism.groups(texts):
        for column, level in enumerate(group.levels):
            counts = Counter(texts[column][level - 1][group.rows].tolist()).values() if level else ()
            for count in counts:  # k of them could leave the group only if k others stayed
                assert count < len(group.rows)
                assert count < k or len(group.rows) < 2 * k


@pytest.mark.parametrize("minimal", [True, False])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_guess_is_the_likeliest_of_all_orders(size, minimal):
    """Brute force: every sequence of records by its probability, added up over the orders of a set."""
    records = {("a", "x"): (55, ("a",)), ("b", "x"): (30, ("b",)), ("b", "y"): (15, ("b",))}
    chances: Counter[tuple] = Counter()
    for world in product(records, repeat=size):
        if not minimal or len({records[each][1] for each in world}) > 1:
            chances[tuple(sorted(world))] += math.prod(records[each][0] for each in world)
    best = likeliest(records, size, minimal=minimal)
    assert chances[best] == max(chances.values())


def test_the_records_that_are_named_are_those_of_the_people():
    town, others = downcoding.divided(adult(complete=True), 800, np.random.default_rng(4))
    mechanism = MinimalHierarchical.of(CENSUS, 2)
    texts, country = mechanism.texts(town), Country(mechanism.texts(others))
    found = downcoding.recover(mechanism.groups(texts), texts, country, 2)
    rows = set(town.select(*CENSUS).cast(pl.String).rows())
    assert len(found.example) in (2, 3)
    assert set(found.example) <= rows
    assert found.rows.published == found.rows.given == town.height


def test_where_the_country_is_unlike_nothing_is_recovered():
    """The null: a country none of whose people fit."""
    town, others = downcoding.divided(adult(complete=True), 800, np.random.default_rng(4))
    mechanism = MinimalHierarchical.of(CENSUS, 2)
    strangers = others.with_columns(pl.col("age") + 200)
    texts, country = mechanism.texts(town), Country(mechanism.texts(strangers))
    found = downcoding.recover(mechanism.groups(texts), texts, country, 2)
    assert found.right == found.anyway == 0
    assert not found.outcome("strangers").succeeds


def test_data_of_the_users_own_and_bad_input():
    people = pl.DataFrame({"age": [21, 25, 38, 41] * 5, "sex": ["f", "m", "f", "f", "m"] * 4})
    assert downcoding.run(data=people, k=3).victim.success.high <= 1
    with pytest.raises(DataError, match="no group can be named"):
        downcoding.run(data=pl.DataFrame({"age": [1] * 9}))
    with pytest.raises(DataError, match="at least four people"):
        downcoding.run(data=people.head(1))
