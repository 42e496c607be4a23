"""The interval of a probability, held to exact binomial tails."""

from fractions import Fraction
from math import comb

import pytest
from flint import arb, ctx

from crowdproof.audit.proportion import MARGIN, clopper_pearson


def at_least(hits: int, runs: int, p: Fraction) -> Fraction:
    """Pr[Binomial(runs, p) >= hits]."""
    return sum((comb(runs, j) * p**j * (1 - p) ** (runs - j) for j in range(hits, runs + 1)), Fraction(0))


@pytest.mark.parametrize("error", [0.2, 0.001, 1e-9])
@pytest.mark.parametrize("runs", [1, 2, 13, 60])
def test_the_tails_at_the_ends_are_at_most_half_the_error_and_further_in_are_more(runs, error):
    half, step = Fraction(error) / 2, 2 * Fraction(MARGIN)
    for hits in range(runs + 1):
        seen = clopper_pearson(hits, runs, error)
        assert 0 <= seen.low <= Fraction(hits, runs) <= seen.high <= 1
        if hits:
            assert at_least(hits, runs, seen.low) <= half < at_least(hits, runs, seen.low * (1 + step))
        if hits < runs:
            more, fewer = (1 - at_least(hits + 1, runs, seen.high * (1 - inwards)) for inwards in (step, 0))
            assert fewer <= half < more


@pytest.mark.parametrize("p", [Fraction(1, 100), Fraction(3, 10), Fraction(1, 2)])
def test_it_misses_no_more_often_than_it_says(p):
    error, runs = Fraction(1, 5), 30
    seen = [clopper_pearson(hits, runs, error) for hits in range(runs + 1)]
    missed = [hits for hits in range(runs + 1) if not seen[hits].low <= p <= seen[hits].high]
    assert missed
    assert sum(comb(runs, j) * p**j * (1 - p) ** (runs - j) for j in missed) <= error


@pytest.mark.parametrize("error", [0.05, 1e-6, 1e-14])
@pytest.mark.parametrize("runs", [10_000, 3_000_000])
def test_the_ends_of_many_runs_are_outside_by_ball_arithmetic(runs, error):
    precision, ctx.prec = ctx.prec, 256
    try:
        for hits in (1, 7, runs // 1000, runs // 2, runs - 3, runs - 1):
            seen = clopper_pearson(hits, runs, error)
            low, high = (arb(end.numerator) / end.denominator for end in (seen.low, seen.high))
            assert low.beta_lower(hits, runs - hits + 1, regularized=True) <= arb(error) / 2
            assert (1 - high).beta_lower(runs - hits, hits + 1, regularized=True) <= arb(error) / 2
    finally:
        ctx.prec = precision
