"""Exact parameters: what is written is what is meant, and what is out of range is refused by name."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdproof.errors import ExitCode, ParameterError
from crowdproof.exact import Epsilon, probability, rate, rational, show, whole

fractions = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**6)
decimals = st.decimals(allow_nan=False, allow_infinity=False, places=9)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(7), Fraction(7)),
        (1e-300, Fraction(1, 10**300)),
        (" 1e-8 ", Fraction(1, 10**8)),
        ("2/3", Fraction(2, 3)),
        ("0.5/1.5", Fraction(1, 3)),
        (3, Fraction(3)),
    ],
)
def test_a_number_is_read_as_written(written, meant):
    assert rational(written) == meant


@pytest.mark.parametrize(
    "written", ["", "abc", "1/0", "nan", "inf", float("nan"), math.inf, "1/2/3", True, None, "1,5"]
)
def test_what_is_not_a_number_is_refused_with_the_remedy(written):
    with pytest.raises(ParameterError, match="beta") as caught:
        rational(written, "beta")
    assert caught.value.exit_code == ExitCode.USAGE
    assert "give" in str(caught.value) or "write" in str(caught.value)


@given(fractions | decimals.map(Fraction))
def test_showing_and_reading_is_the_identity(number):
    assert rational(show(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_shortest_repr(number):
    assert float(rational(number)) == number
    assert rational(number) == rational(repr(number))


@given(fractions.filter(lambda number: not 0 < number < 1))
def test_a_rate_outside_the_open_unit_interval_is_refused(number):
    with pytest.raises(ParameterError, match=r"beta is .*between 0 and 1"):
        rate(number)


@given(fractions.filter(lambda number: not 0 <= number < 1))
def test_a_probability_outside_is_refused(number):
    with pytest.raises(ParameterError, match="delta is"):
        probability(number, "delta")


@given(fractions.filter(lambda number: number < 1 or number.denominator != 1))
def test_a_count_must_be_a_whole_number_of_at_least_one(number):
    with pytest.raises(ParameterError, match=r"k is .*whole number of at least 1"):
        whole(number, "k")


@given(fractions.filter(lambda number: number < 0))
def test_a_negative_epsilon_is_refused(number):
    with pytest.raises(ParameterError, match="epsilon is"):
        Epsilon.of(number)


@pytest.mark.parametrize("written", ["ln 0.5", "-ln 2", "ln 0", "ln -3", "ln x", "ln", "ln()", "log 3", "-ln(0)"])
def test_a_logarithm_that_is_no_epsilon_is_refused(written):
    with pytest.raises(ParameterError, match="epsilon"):
        Epsilon.of(written)


@given(st.fractions(min_value=1, max_value=1000, max_denominator=1000))
def test_a_logarithm_keeps_its_argument_exactly(argument):
    epsilon = Epsilon.of(f"ln({argument})")
    assert epsilon.exp_exact == argument
    assert Epsilon.of(f"-ln({1 / argument})") == epsilon
    assert Epsilon.of(str(epsilon)) == epsilon
    assert math.isclose(float(epsilon), math.log(argument), rel_tol=1e-9, abs_tol=1e-12)


@given(st.fractions(min_value=0, max_value=50, max_denominator=1000))
def test_a_rational_epsilon_round_trips(value):
    epsilon = Epsilon.of(value)
    assert Epsilon.of(str(epsilon)) == epsilon
    assert eval(repr(epsilon)) == epsilon
    assert (epsilon.exp_exact is None) == (value != 0)
    assert math.isclose(epsilon.exp(), math.exp(value))


epsilons = st.one_of(
    st.fractions(min_value=0, max_value=5, max_denominator=50).map(Epsilon.of),
    st.fractions(min_value=1, max_value=100, max_denominator=50).map(lambda q: Epsilon.of(f"ln({q})")),
)


@given(epsilons, epsilons)
def test_the_order_is_that_of_the_real_numbers(left, right):
    assert (left < right) + (right < left) + (left == right) == 1
    if abs(float(left) - float(right)) > 1e-9:
        assert (left < right) == (float(left) < float(right))


def test_the_order_decides_where_floats_cannot():
    near = rational("1.0986122886681098")  # ln 3 rounded up in the 17th digit
    assert float(Epsilon.of(near)) == float(Epsilon.of("ln 3"))
    assert Epsilon.of("ln 3") < Epsilon.of(near)
    assert Epsilon.of(rational("1.0986122886681096")) < Epsilon.of("ln 3")


def test_the_logarithm_of_a_huge_number_has_a_float():
    assert math.isclose(float(Epsilon.of(f"ln {10**400}")), 400 * math.log(10))
    assert Epsilon.of(f"ln {10**400}").exp() == math.inf
    assert Epsilon.of(1000).exp() == math.inf
