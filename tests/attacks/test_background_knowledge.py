"""What ruling out does: one of those that are left, by its law; a wider bucket keeps the promise."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import background_knowledge
from crowdproof.attacks.background_knowledge import _attacked, _without
from crowdproof.errors import DataError, ParameterError


@pytest.mark.parametrize(("size", "ruled_out"), [(2, 1), (3, 1), (4, 2), (5, 3)])
def test_one_of_those_that_are_left_is_right_as_often_as_there_are_few(size, ruled_out):
    """2,000 buckets stray 5 sigma with probability below 6e-7."""
    secrets = np.random.default_rng(1).permutation(np.arange(2000 * size) % size)
    found = _attacked(secrets, secrets, size=size, ruled_out=ruled_out, rng=np.random.default_rng(2))
    p = 1 / (size - ruled_out)
    assert found.buckets == 2000
    assert abs(found.right / 2000 - p) <= 5 * np.sqrt(p * (1 - p) / 2000)
    assert len(found.left) == size - ruled_out
    assert found.truth in found.left
    assert not set(found.left) & set(found.gone)


def test_without_the_release_nothing_that_is_ruled_out_helps_more():
    """Second route: for each person outside, every choice of what to rule out; the baseline is the best of them."""
    inside, outside, b = np.array([0] * 5 + [1] * 3 + [2] * 2 + [3]), np.array([0, 0, 1, 2, 3, 3]), 1
    ranked = [value for value, _ in Counter(inside.tolist()).most_common()]

    def said(gone):
        return next(each for each in ranked if each not in gone)

    best = sum(any(said(gone) == own for gone in permutations(set(ranked) - {own}, b)) for own in outside.tolist())
    assert _without(inside, outside, b) == best


def test_the_numbers_are_those_of_the_run_and_the_data():
    people = pl.DataFrame({"age": range(400), "ill": ["flu", "gout", "cold", "ulcer"] * 100})
    story = background_knowledge.run(data=people, rows=200)
    assert story.victim.rows.given == 200
    assert story.defended.rows.published >= story.victim.rows.published / 2
    assert story.victim.allowed == max(Fraction(1, 3), story.victim.baseline.high)
    assert any(each in story.learned[0] for each in ("flu", "gout", "cold", "ulcer"))


def test_bad_input_is_refused_with_the_remedy():
    people = pl.DataFrame({"age": range(40), "ill": ["flu", "gout"] * 20})
    with pytest.raises(ParameterError, match="at most 2 can be ruled out"):
        background_knowledge.run(b=3)
    with pytest.raises(DataError, match="not so many different secrets as 3"):
        background_knowledge.run(data=people)
    with pytest.raises(DataError, match="no column 'colour'"):
        background_knowledge.run(secret="colour")
    with pytest.raises(DataError, match="at least four people"):
        background_knowledge.run(data=people.head(2))
