"""The planner: what it returns is enough, and a little less is not."""

from fractions import Fraction

import pytest

from crowdproof.errors import ParameterError
from crowdproof.proofs.bounds import By, largest_beta, smallest_delta, smallest_epsilon, smallest_k, theorem5, tight
from crowdproof.proofs.bounds.utility import rows_kept

DELTA = Fraction(1, 10**6)


@pytest.mark.parametrize(("epsilon", "theorem", "smallest"), [("0.5", 63, 46), ("1", 74, 58), ("2", 131, 114)])
def test_smallest_k_at_the_largest_rate(epsilon, theorem, smallest):
    assert smallest_k("max", epsilon, DELTA, By.THEOREM5) == theorem
    assert smallest_k("max", epsilon, DELTA) == smallest


@pytest.mark.parametrize("by", By)
@pytest.mark.parametrize("beta", ["0.05", "0.3", "2/3"])
def test_one_less_than_the_smallest_k_is_not_enough(by, beta):
    k = smallest_k(beta, "ln 4", DELTA, by)
    assert smallest_delta(k, beta, "ln 4", by).high <= DELTA < smallest_delta(k - 1, beta, "ln 4", by).low


def test_ties_are_decided():
    assert smallest_k("0.1", 3, "1e-6") == smallest_k("0.1", 3, "1e-6", By.THEOREM5) == 6


@pytest.mark.parametrize("by", By)
def test_smallest_epsilon_is_enough_and_less_is_not(by):
    found = smallest_epsilon(15, "0.1", DELTA, by)
    assert smallest_delta(15, "0.1", found.high, by).high <= DELTA < smallest_delta(15, "0.1", found.low, by).low


def test_theorem_5_has_a_least_epsilon():
    found = smallest_epsilon(200, "0.1", DELTA, By.THEOREM5)
    assert theorem5(200, "0.1", "-ln 0.9").high <= DELTA
    assert abs(float(found.high) - 0.105360515657826) < 1e-12


@pytest.mark.parametrize("by", By)
def test_largest_beta_is_enough_and_more_is_not(by):
    found = largest_beta(12, 1, DELTA, by)
    assert smallest_delta(12, found.low, 1, by).high <= DELTA < smallest_delta(12, found.high, 1, by).low
    assert found.high - found.low < Fraction(1, 10**11)


def test_theorem_5s_largest_beta_looks_behind_the_jumps():
    """d falls at some rates as beta grows, so the first rate that is too large is not the end."""
    limit = Fraction("7.1e-11")
    found = largest_beta(20, 1, limit, By.THEOREM5)
    assert theorem5(20, "0.156", 1).low > limit
    assert found.low > Fraction("0.157")
    assert theorem5(20, found.low, 1).high <= limit
    for i in range(1, 200):
        assert theorem5(20, found.high + Fraction(i, 2000), 1).low > limit


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: smallest_k("0.1", 1, "0.1"), "delta >= beta"),
        (lambda: smallest_k("0.1", 1, "0"), "delta is 0"),
        (lambda: smallest_k("0.1", "-1", "1e-6"), "at least 0"),
        (lambda: smallest_k("max", 0, "1e-6"), "raise epsilon"),
        (lambda: smallest_k("1", 1, "1e-6"), "strictly between 0 and 1"),
        (lambda: smallest_k("0.1", "0.01", "1e-6", By.THEOREM5), "Theorem 5 needs"),
        (lambda: smallest_k("0.5", "0", "1e-9"), "no k up to"),
        (lambda: smallest_epsilon(3, "0.1", "1e-4"), "below beta"),
        (lambda: smallest_epsilon(3, "0.1", "1e-4", By.THEOREM5), "below beta"),
        (lambda: largest_beta(1, 1, "1e-6"), "no beta above"),
        (lambda: largest_beta(5, 0, "1e-6", By.THEOREM5), "raise epsilon"),
        (lambda: theorem5("0", "0.1", 1), "at least 1"),
        (lambda: tight("many", "0.1", 1), "not a number"),
    ],
)
def test_impossible_questions_are_answered_in_a_sentence(ask, message):
    with pytest.raises(ParameterError, match=message):
        ask()


def test_rows_kept_is_the_expectation():
    beta, k, n = 0.4, 3, 6
    from scipy.stats import binom

    expected = sum(j * binom.pmf(j, n, beta) for j in range(k, n + 1))
    assert rows_kept([n, n, 1], beta, k) == pytest.approx(2 * expected)
