"""Crowd-blending, Theorem 6 in both forms, and Odoh's epsilon."""

from fractions import Fraction
from math import comb

import pytest

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.proofs.bounds import (
    Groups,
    Reliance,
    crowd_blending,
    groups_epsilon,
    guessing_epsilon,
    theorem5,
    theorem6_printed,
    theorem6_repaired,
    tight,
    uniqueness,
)
from crowdproof.proofs.bounds.recoding import same_sample


@pytest.mark.parametrize("p", [Fraction(1, 10), Fraction(1, 2), Fraction(4, 5)])
def test_crowd_blending_is_its_maximum_over_n(p):
    g = 1 - (1 - p) ** 2
    for k in (1, 2, 5, 8):
        found = crowd_blending(k, p)
        values = [
            sum(Fraction(j, n) * comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1) if j > g * n)
            for n in range(1, int(k / g) + 30)
        ]
        assert found.delta.high == max(values)
        assert found.delta.high <= theorem5(k, p, f"-ln {1 - p}").high
        assert float(found.epsilon.high) == pytest.approx(float(Epsilon.of(f"-ln {1 - p}")))


def test_crowd_blending_meets_theorem_5s_least_epsilon():
    found = crowd_blending(20, "0.1")
    assert tight(20, "0.1", "-ln 0.9").high < found.delta.low < theorem5(20, "0.1", "-ln 0.9").low
    larger = crowd_blending(20, "0.1", "ln 2")
    assert round(2.718281828459045 ** float(larger.epsilon.high), 9) == round(0.19 / 0.9 * 2 + 0.9, 9)


def test_repaired_theorem_6_is_theorem_5_at_the_rest():
    found = theorem6_repaired(20, "0.1", 1, "0.5")
    assert found.theorem5 == theorem5(20, "0.1", "0.5")
    assert found.tight == tight(20, "0.1", "0.5")
    assert found.amplified.high < found.tight.low
    assert theorem6_repaired(20, "0.1", "ln 4", "ln 2").theorem5 == theorem5(20, "0.1", "ln 2")


def test_printed_theorem_6_is_refuted_where_a_choice_exceeds_it():
    found = theorem6_printed(3, "1/4", "ln 12", "ln 4", rows=4)
    assert found.claimed.high == Fraction(1, 64)
    assert found.reached == Fraction(119, 5120)
    assert found.reliance is Reliance.FALSE
    assert found.reached <= found.sound


def test_printed_theorem_6_without_a_choice_is_theorem_5():
    found = theorem6_printed(20, "0.1", 1, 0)
    assert found.reliance is Reliance.SOUND
    assert found.sound == found.claimed.high


def test_otherwise_it_is_open_and_the_sound_number_is_larger():
    found = theorem6_printed(5, "0.1", 2, "0.5")
    assert found.reliance is Reliance.OPEN
    assert found.reached < found.claimed.low < found.sound < Fraction(1, 1000)


def test_the_sound_bound_is_never_worse_than_trivial():
    assert same_sample(3, "1/4", "ln 12", "ln 4") == Fraction(1, 4)
    assert same_sample(20, "0.1", "0.05", "0.01") == Fraction(1, 10)


@pytest.mark.parametrize(("epsilon", "choice", "message"), [("1", "2", "alone spends"), ("1", "ln 2", "write both")])
def test_theorem_6_says_what_it_cannot_subtract(epsilon, choice, message):
    with pytest.raises(ParameterError, match=message):
        theorem6_repaired(20, "0.1", epsilon, choice)


def test_odoh():
    assert uniqueness(1, 3) == 1
    assert uniqueness(2, 3) == Fraction(2, 3)
    assert round(float(1 - uniqueness(23, 365)), 4) == 0.5073
    assert round(float(guessing_epsilon("2/3", "0.1", 60).high), 6) == 0.008274
    both = [(2, 3), (2, 3)]
    assert round(float(groups_epsilon(both, "0.1", 60, Groups.AND).high), 6) == 0.006690
    assert groups_epsilon(both, "0.1", 60) == guessing_epsilon("2/3", "0.1", 60)
    # AND is not always below OR
    third = [(2, 3), (1, 1)]
    with pytest.raises(ParameterError, match="prior \\+ advantage < 1"):
        groups_epsilon(third, "0.1", 60)
    assert guessing_epsilon("1/9", "0.1", 60).low > guessing_epsilon("1/3", "0.1", 60).high


def test_odohs_epsilon_inverts_the_posterior():
    prior, gain = Fraction(1, 5), Fraction(1, 10)
    epsilon = float(guessing_epsilon(prior, gain).high)
    posterior = 1 / (1 + (1 / float(prior) - 1) * 2.718281828459045**-epsilon)
    assert abs(posterior - float(prior + gain)) < 1e-12
