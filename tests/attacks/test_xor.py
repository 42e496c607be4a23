"""XOR: each half certified against brute force over all small datasets, the pair exact, the fresh pair harmless."""

import math
from fractions import Fraction
from math import comb

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import xor
from crowdproof.errors import ParameterError
from crowdproof.mechanisms import Contains, Parity, Sampled
from crowdproof.proofs.parity import parity_delta, presence_probability, smallest_threshold, true_probability

LARGEST = 14


def law(copies: int, others: int, threshold: int, *, secret: bool = True) -> Fraction:
    """Pr[true] by enumeration."""
    total = Fraction(0)
    for drawn in range(copies + 1):
        for rest in range(others + 1):
            size = drawn + rest
            if size >= threshold and (size % 2 == 1) != (secret and drawn > 0):
                total += Fraction(comb(copies, drawn) * comb(others, rest), 2 ** (copies + others))
    return total


def brute(threshold: int, x: float, *, secret: bool) -> float:
    """The largest excess over all neighbouring tables of at most `LARGEST` rows."""
    worst = 0.0
    for copies in range(LARGEST):
        for others in range(LARGEST - copies):
            for more in ((copies + 1, others), (copies, others + 1)):
                p, q = float(law(copies, others, threshold, secret=secret)), float(law(*more, threshold, secret=secret))
                worst = max(worst, p - x * q, q - x * p, (1 - p) - x * (1 - q), (1 - q) - x * (1 - p))
    return worst


@pytest.mark.parametrize("secret", [True, False])
@pytest.mark.parametrize("threshold", [1, 2, 3, 4, 5])
def test_the_certified_delta_is_the_brute_force_one(threshold, secret):
    certified = float(parity_delta(threshold, 1, secret=secret))
    truth = brute(threshold, math.e, secret=secret)
    assert truth <= certified <= truth + 1e-9


def test_the_probability_of_true_is_that_of_enumeration():
    for copies in range(5):
        for others in range(6 if copies else 0):
            for threshold in (1, 2, 3, 4):
                assert true_probability(copies + others, threshold, copies) == law(copies, others, threshold)


def test_the_probability_of_true_is_that_of_the_mechanism():
    """10,000 runs; a correct one strays 5 sigma with probability below 6e-7."""
    table = pl.DataFrame({"name": ["t", *["u"] * 9]})
    parity = Parity(Contains({"name": "t"}), at_least=4)
    outputs = Sampled("1/2", parity).batch(table, np.random.default_rng(1), 10_000)
    p = float(true_probability(10, 4, 1))
    assert abs(np.mean(outputs) - p) < 5 * math.sqrt(p * (1 - p) / 10_000)


def test_the_smallest_odd_threshold_certifies_and_the_one_before_does_not():
    found = smallest_threshold(0.1, "1e-6")
    both = [parity_delta(found, 0.1, secret=secret) for secret in (True, False)]
    before = [parity_delta(found - 2, 0.1, secret=secret) for secret in (True, False)]
    assert max(both) < Fraction(1, 10**6) <= max(before)
    assert parity_delta(found - 1, 0.1) > Fraction(1, 10**6)


def test_the_pair_shows_the_person_and_the_fresh_pair_does_not():
    story = xor.run()
    assert Fraction(1, 2) - story.victim.success.low < Fraction(1, 10**6)
    assert story.victim.baseline.high == 0
    assert story.victim.succeeds
    assert story.defended is not None
    assert not story.defended.succeeds
    assert abs(story.defended.advantage.high) < Fraction(1, 10**6)


def test_the_presence_is_shown_as_often_as_enumeration_says():
    shown = sum(Fraction(comb(1, 1) * comb(4, rest), 2**5) for rest in range(5) if 1 + rest >= 3)
    assert presence_probability(5, 3) == shown


def test_bad_input_is_refused_with_the_remedy():
    with pytest.raises(ParameterError, match="below the threshold"):
        xor.run(rows=10)
    with pytest.raises(ParameterError, match="epsilon is 0"):
        xor.run(epsilon=0)
