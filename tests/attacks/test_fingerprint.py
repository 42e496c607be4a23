"""Sparse ratings: records are found by a few of their films; shared favourites find nobody."""

import numpy as np
import pytest

from crowdproof.attacks import fingerprint
from crowdproof.attacks.fingerprint import Clue, Ratings, find, generate, overhear
from crowdproof.errors import ParameterError


def test_the_record_is_the_persons_and_none_where_all_are_alike():
    ratings = generate(300, 200, 20, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    busy = np.flatnonzero(np.count_nonzero(ratings.stars, axis=1) > 8)[:40].tolist()
    assert sum(find(ratings, overhear(ratings, each, 6, rng)) == each for each in busy) > 35
    alike = Ratings(np.full((50, 5), 3), np.full((50, 5), 100))
    assert find(alike, overhear(alike, 7, 3, rng)) is None


def test_a_film_on_another_day_or_with_other_stars_does_not_fit():
    ratings = Ratings(np.array([[5, 0], [1, 0], [5, 0], [0, 5]]), np.array([[10, -1], [10, -1], [500, -1], [-1, 10]]))
    assert find(ratings, Clue(np.array([0]), np.array([4]), np.array([20]))) == 0
    assert find(ratings, Clue(np.array([0]), np.array([4]), np.array([250]))) is None


def test_too_much_to_know_is_refused():
    with pytest.raises(ParameterError, match="nobody has rated more"):
        fingerprint.run(people=50, films=20, each=2, known=30)
