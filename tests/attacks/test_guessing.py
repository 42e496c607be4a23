"""Guessing: the posterior by formula and by running the Laplace mechanism, printed and corrected."""

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
    assert story.victim.advantage.low > Fraction(3, 10)
    assert story.defended is not None
    assert not story.defended.succeeds
    assert abs(story.defended.advantage.high - Fraction(1, 10)) < Fraction(1, 10**12)


@pytest.mark.parametrize("epsilon", ["0.049", "0.008274"])
def test_the_posterior_is_that_of_the_running_mechanism(epsilon):
    """Among answers beyond the likelier value, how often it is the true one; misses with probability 1e-6."""
    trials, rng = 40_000, np.random.default_rng(3)
    true = rng.random(trials) < 2 / 3
    answers = Laplace(epsilon).perturb(np.where(true, 60.0, 0.0), rng)
    beyond = answers >= 60
    interval = proportion(int((beyond & true).sum()), int(beyond.sum()), Fraction(1, 10**6))
    posterior = guessing.run(epsilon=epsilon).victim.success
    assert interval.low <= posterior.low <= posterior.high <= interval.high


def test_a_prior_without_room_is_refused():
    with pytest.raises(ParameterError, match="needs 0 < prior"):
        guessing.run(prior=1)
