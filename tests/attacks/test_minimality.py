"""Minimality: the posterior by enumerating all worlds, the suspects on census rows, and rates at a fixed level."""

from fractions import Fraction
from itertools import combinations

import polars as pl
import pytest

from crowdproof.attacks import minimality
from crowdproof.attacks.minimal_diverse import MinimalDiverse, posterior
from crowdproof.attacks.minimality import COARSE, FINE
from crowdproof.audit.check import Terms, check
from crowdproof.data import adult
from crowdproof.errors import DataError


@pytest.mark.parametrize(
    ("sizes", "having", "l"), [([2, 4], 2, 2), ([3, 3], 2, 2), ([1, 2, 5], 3, 2), ([2, 3, 4], 3, 3), ([4, 1], 1, 4)]
)
def test_the_posterior_is_that_of_counting_worlds(sizes, having, l):  # noqa: E741
    borders = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    worlds = [
        [sum(borders[i] <= each < borders[i + 1] for each in world) for i in range(len(sizes))]
        for world in combinations(range(sum(sizes)), having)
    ]
    coarse = [world for world in worlds if any(count * l > size for count, size in zip(world, sizes, strict=True))]
    expected = [Fraction(sum(world[i] for world in coarse), len(coarse) * size) for i, size in enumerate(sizes)]
    assert posterior(sizes, having, l) == expected


def test_success_is_held_against_the_claims_own_number_and_people_outside():
    story = minimality.run()
    assert story.victim.succeeds
    assert story.victim.success.low > Fraction(1, 2)
    assert story.victim.allowed == max(Fraction(1, 2), story.victim.baseline.high)
    assert story.defended is not None
    assert not story.defended.succeeds
    assert story.defended.yardstick is story.victim.yardstick
    assert story.defended.advantage.low <= 0 <= story.defended.advantage.high


@pytest.mark.slow
def test_an_interval_that_reaches_1_in_l_or_the_share_outside_refutes_nothing():
    for seed in range(6):
        for l in (2, 3, 4):  # noqa: E741
            victim = minimality.run(l=l, seed=seed).victim
            assert victim.succeeds == (victim.success.low > max(Fraction(1, l), victim.baseline.high))


def test_the_seed_and_the_data_change_every_number():
    first, second = (minimality.run(seed=seed) for seed in (0, 1))
    assert first.victim != second.victim
    assert first.learned != second.learned
    half = minimality.run(data=adult(complete=True).sample(15_000, seed=5))
    assert half.learned != first.learned
    assert not any(each.title == "How the columns were chosen" for each in half.evidence)


def test_the_victims_release_is_diverse_as_it_claims():
    town = adult(complete=True).sample(3000, seed=1)
    release = MinimalDiverse(FINE, COARSE, "income", ">50K", 2)(town)
    groups = release.group_by(FINE.names).agg((pl.col("income") == ">50K").mean().alias("share"))
    assert groups.height > 0
    assert groups["share"].max() <= 0.5
    assert release["age"].str.ends_with(")").all()
    assert check(release, Terms(k=1))[0].verdict.name == "PROVED"


def test_data_without_the_columns_is_refused():
    with pytest.raises(DataError, match="no column 'age'"):
        minimality.run(data=pl.DataFrame({"a": [1, 2]}))
    with pytest.raises(DataError, match="anybody a suspect"):
        minimality.run(value="no such income")
