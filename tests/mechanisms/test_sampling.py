"""Poisson sampling: exact coins, and the exact law of a sampled strongly safe algorithm."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from crowdproof.errors import ParameterError
from crowdproof.mechanisms import Grid, Parity, Sampled, Scheme, StronglySafe, poisson_sample
from crowdproof.mechanisms.sampling import bernoulli


class Digits:
    """A source of chosen digits in base 2^32 in place of random ones."""

    def __init__(self, *digits):
        self.digits = iter(digits)

    def integers(self, high, size, dtype):
        assert high == 2**32
        return np.array([next(self.digits) for _ in range(size)], dtype=dtype)


@pytest.mark.parametrize("beta", [Fraction(1, 3), Fraction(1, 10), Fraction(2**70 + 1, 2**71)])
def test_a_coin_compares_a_uniform_number_with_beta_exactly(beta):
    digits = [int(beta * 2 ** (32 * i) % 1 * 2**32) for i in range(4)]
    for last in (0, 1, 2):
        for shift in (-1, 1):
            uniform = [*digits[:last], digits[last] + shift]
            if 0 <= uniform[-1] < 2**32:
                assert bernoulli(beta, Digits(*uniform), 1)[0] == (shift < 0)


def test_a_uniform_number_equal_to_beta_is_not_below_it():
    assert not bernoulli(Fraction(1, 2), Digits(2**31), 1)[0]
    assert bernoulli(Fraction(1, 2), Digits(2**31 - 1), 1)[0]
    assert bernoulli(Fraction(1), Digits(2**32 - 1), 1)[0]


def test_the_sample_keeps_the_order_and_the_rate():
    table = pl.DataFrame({"a": range(100_000)})
    sample = poisson_sample(table, 0.3, np.random.default_rng(7))
    assert sample["a"].is_sorted()
    assert sample["a"].n_unique() == sample.height
    assert stats.binomtest(sample.height, table.height, 0.3).pvalue > 1e-6  # false-alarm rate


@settings(max_examples=15)
@given(
    cells=st.lists(st.integers(0, 2), max_size=7),
    k=st.integers(1, 4),
    beta=st.fractions(min_value="1/9", max_value="8/9", max_denominator=9),
)
def test_the_law_under_sampling_is_that_of_thinned_binomials(cells, k, beta):
    """All subsets, each weighed exactly, against a product over cells of Bin(n, beta) with counts below k set to 0."""
    table = pl.DataFrame({"x": [10 * each for each in cells]}, schema={"x": pl.Int64})
    safe = StronglySafe(Scheme({"x": Grid(10)}), k)
    enumerated: Counter[tuple[int, ...]] = Counter()
    for kept in product([False, True], repeat=len(cells)):
        release = safe(table.filter(pl.Series(kept, dtype=pl.Boolean)))["x"].to_list()
        weight = math.prod(beta if each else 1 - beta for each in kept)
        enumerated[tuple(release.count(f"[{10 * c}, {10 * c + 10})") for c in range(3))] += weight
    by_binomials: Counter[tuple[int, ...]] = Counter()
    for shown in product(*(thinned(cells.count(c), k, beta).items() for c in range(3))):
        by_binomials[tuple(count for count, _ in shown)] += math.prod(weight for _, weight in shown)
    assert enumerated == by_binomials
    assert sum(enumerated.values()) == 1


def thinned(n, k, beta):
    law: Counter[int] = Counter()
    for j in range(n + 1):
        law[j if j >= k else 0] += math.comb(n, j) * beta**j * (1 - beta) ** (n - j)
    return law


def test_a_run_follows_that_law():
    """Frequencies of 1,500 runs against the exact law, by a chi-square test with false-alarm rate 1e-6."""
    table = pl.DataFrame({"x": [1] * 6})
    mechanism, rng = Sampled("1/3", StronglySafe(Scheme({"x": Grid(10)}), 2)), np.random.default_rng(3)
    seen = Counter(mechanism(table, rng).height for _ in range(1_500))
    law = thinned(6, 2, Fraction(1, 3))
    assert set(seen) <= set(law)
    counts = [j for j in law if law[j]]
    expected = [1_500 * float(law[j]) for j in counts]
    assert stats.chisquare([seen[j] for j in counts], expected).pvalue > 1e-6


def test_a_batch_is_a_list_of_runs_or_the_mechanisms_own():
    table = pl.DataFrame({"x": range(40)})
    slow = Sampled("1/2", StronglySafe(Scheme({"x": Grid(40)}), 1)).batch(table, np.random.default_rng(1), 3)
    assert [type(each) for each in slow] == [pl.DataFrame] * 3
    assert Sampled("1/2", Parity()).batch(table, np.random.default_rng(1), 5).shape == (5,)


@pytest.mark.parametrize("beta", [0, 1, -0.1, "1.5", "nan"])
def test_a_rate_outside_0_to_1_is_refused(beta):
    with pytest.raises(ParameterError, match=r"strictly between 0 and 1|not a number"):
        Sampled(beta, Parity())
    with pytest.raises(ParameterError, match=r"strictly between 0 and 1|not a number"):
        poisson_sample(pl.DataFrame({"a": [1]}), beta, np.random.default_rng(0))
