"""Guessing: how often the best guess is right, by formula and by running the Laplace mechanism."""

from fractions import Fraction

import numpy as np
import pytest

from crowdproof.attacks import guessing
from crowdproof.attacks.measure import proportion
from crowdproof.errors import ParameterError
from crowdproof.mechanisms import Laplace


def test_the_printed_epsilon_breaks_the_promise_and_the_corrected_one_keeps_it():
    story = guessing.run()
    assert story.victim.succeeds
    assert story.victim.advantage.low > Fraction(2, 10)
    assert story.defended is not None
    assert not story.defended.succeeds
    assert story.defended.advantage.high <= Fraction(1, 10)
    assert story.defended.yardstick is story.victim.yardstick


@pytest.mark.parametrize("prior", [Fraction(1, 4), Fraction(1, 2), Fraction(2, 3)])
@pytest.mark.parametrize("epsilon", ["0.049", "0.008274"])
def test_the_best_guess_is_right_as_often_as_on_the_running_mechanism(epsilon, prior):
    """The guess by Bayes' rule on 40,000 answers; the interval misses with probability 1e-6."""
    trials, rng = 40_000, np.random.default_rng(3)
    true = rng.random(trials) < float(prior)
    answers = Laplace(epsilon).perturb(np.where(true, 60.0, 0.0), rng)
    for_it, against = abs(answers - 60) * float(epsilon), abs(answers) * float(epsilon)
    guess = np.log(float(prior)) - for_it > np.log(1 - float(prior)) - against
    interval = proportion(int((guess == true).sum()), trials, Fraction(1, 10**6))
    found = guessing.best_guess(prior, Fraction(epsilon), Fraction(60))
    assert interval.low <= found.low <= found.high <= interval.high


def test_a_prior_without_room_is_refused():
    with pytest.raises(ParameterError, match="needs 0 < prior"):
        guessing.run(prior=1)
