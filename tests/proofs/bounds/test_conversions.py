"""What GDP, RDP and zCDP imply, by second routes: scipy, the published formula, and the worst pair of two outcomes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from crowdproof.exact import Epsilon
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.conversions import gdp_delta, implied_delta, rdp_delta, zcdp_delta

EPSILONS = ("0", "0.3", "1", "ln 5", "4")


@pytest.mark.parametrize("mu", ["0.1", "1", "3"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_gdp_is_the_formula(mu, epsilon):
    found = gdp_delta(Fraction(mu), Epsilon.of(epsilon))
    m, e = float(Fraction(mu)), float(Epsilon.of(epsilon))
    expected = norm.cdf(m / 2 - e / m) - math.exp(e) * norm.cdf(-m / 2 - e / m)
    assert float(found.low) == pytest.approx(expected, rel=1e-6, abs=1e-15)
    assert 0 < found.low <= found.high < found.low * (1 + Fraction(1, 10**9))


def published(rho, epsilon):
    """Canonne, Kamath and Steinke (2020), proposition 12, by trying many orders."""
    alpha = 1 + np.exp(np.linspace(-7, 9, 100_001))
    logs = (alpha - 1) * (alpha * rho - epsilon) - np.log(alpha - 1) + alpha * np.log1p(-1 / alpha)
    return float(np.exp(logs.min()))


@pytest.mark.parametrize("rho", ["0.001", "0.5", "4"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_zcdp_is_between_the_gaussian_mechanism_and_the_published_conversion(rho, epsilon):
    exact = Epsilon.of(epsilon)
    found = zcdp_delta(Fraction(rho), exact).high
    assert found >= gdp_delta(Fraction(math.sqrt(2 * float(Fraction(rho)))), exact).low
    assert float(found) <= published(float(Fraction(rho)), float(exact)) * (1 + 1e-3)


def two_outcomes(alpha, divergence, epsilon):
    """The largest delta of two laws on two outcomes whose divergence is at most that, on a grid of likelihood ratios.

    With ratios r1 < 1 < r2 the second law has q = (1 - r1)/(r2 - r1) on the second outcome.
    """
    r1 = 1 - np.exp(np.linspace(-25, 0, 1500))[:, None]
    r2 = 1 + np.exp(np.linspace(-4, 6, 3000))[None, :]
    q = (1 - r1) / (r2 - r1)
    with np.errstate(over="ignore"):
        fits = q * r2**alpha + (1 - q) * r1**alpha <= math.exp((alpha - 1) * divergence)
    return float(np.where(fits, q * (r2 - math.exp(epsilon)), 0).max())


@pytest.mark.parametrize(
    ("alpha", "divergence", "epsilon"), [("2", "0.5", "0"), ("2", "1", "1"), ("8", "1", "2"), ("3/2", "2", "1")]
)
def test_rdp_is_the_largest_delta_that_the_order_allows(alpha, divergence, epsilon):
    found = float(rdp_delta(Fraction(alpha), Epsilon.of(divergence), Epsilon.of(epsilon)).high)
    attained = two_outcomes(float(Fraction(alpha)), float(divergence), float(epsilon))
    assert attained <= found <= attained * 1.02 + 1e-9


def test_nothing_is_promised_beyond_nothing():
    nothing = Estimate.exactly(Fraction(0))
    assert gdp_delta(Fraction(0), Epsilon.of(0)) == nothing
    assert zcdp_delta(Fraction(0), Epsilon.of(0)) == nothing
    assert rdp_delta(Fraction(2), Epsilon.of(0), Epsilon.of(0)) == nothing


def test_a_delta_in_few_digits_is_rounded_up():
    third = Fraction(1, 3)
    assert third < implied_delta(Estimate.exactly(third)) < third + Fraction(1, 10**6)
