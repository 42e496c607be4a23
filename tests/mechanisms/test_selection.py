"""The exact draw: right at the borders, and in frequency."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.mechanisms.selection import exact_choice

scores = st.lists(st.fractions(-40, 40, max_denominator=6), min_size=1, max_size=5)
epsilons = st.sampled_from(["0", "ln 3", "0.7", "ln(10/9)", "3", "1e-9"])


class Words:
    """A source of chosen 64-bit words in place of random ones, that counts how many were asked for."""

    def __init__(self, number, words):
        self.words = [(number >> 64 * (words - 1 - i)) % 2**64 for i in range(words)]
        self.asked = 0

    def integers(self, high, dtype, endpoint):
        assert (high, dtype, endpoint) == (2**64 - 1, np.uint64, True)
        self.asked += 1
        return np.uint64(self.words[self.asked - 1])


def borders(epsilon, values):
    """The distribution function, to 200 digits."""
    unit = Epsilon.of(epsilon)
    number = mpmath.mpf(unit.value.numerator) / unit.value.denominator
    loss = mpmath.log(number) if unit.logarithm else number
    weights = [mpmath.exp(loss * each.numerator / each.denominator) for each in map(Fraction, values)]
    return [mpmath.fsum(weights[: i + 1]) / mpmath.fsum(weights) for i in range(len(weights))]


@settings(max_examples=60)
@given(epsilon=epsilons, values=scores, data=st.data())
def test_a_uniform_number_just_beside_a_border_falls_on_its_right_side(epsilon, values, data):
    """120 bits are needed to tell: a float would not know."""
    with mpmath.workdps(200):
        limits = borders(epsilon, values)
        border = data.draw(st.integers(0, len(limits) - 1))
        number = int(mpmath.floor(limits[border] * 2**256))
        for offset in (-(2**136), 2**136):
            uniform = number + offset
            if 0 <= uniform < 2**256:
                expected = sum(limit * 2**256 <= uniform for limit in limits)
                source = Words(uniform, 4)
                assert exact_choice(Epsilon.of(epsilon), values, source) == min(expected, len(values) - 1)


def test_more_bits_are_drawn_only_in_doubt():
    for number, index, asked in ((2**255 + 1, 1, 4), (2**254, 0, 1)):
        source = Words(number, 4)
        assert exact_choice(Epsilon.of(0), [0, 0], source) == index
        assert source.asked == asked


def test_frequencies_follow_the_weights():
    """3,000 draws by chi-square, false-alarm rate 1e-6: weights 1, 3, 9, 27 of 40."""
    rng = np.random.default_rng(11)
    draws = [exact_choice(Epsilon.of("ln 3"), [0, 1, 2, 3], rng) for _ in range(3_000)]
    expected = [3_000 * weight / 40 for weight in (1, 3, 9, 27)]
    assert stats.chisquare(np.bincount(draws, minlength=4), expected).pvalue > 1e-6


def test_huge_scores_do_not_overflow():
    rng = np.random.default_rng(5)
    assert exact_choice(Epsilon.of(1), [10**9, 0, -(10**9)], rng) == 0
    assert exact_choice(Epsilon.of(1), [Fraction(1, 10**30)], rng) == 0


def test_nothing_to_choose_from_is_an_error():
    with pytest.raises(ParameterError, match="give at least one candidate"):
        exact_choice(Epsilon.of(1), [], np.random.default_rng(0))
