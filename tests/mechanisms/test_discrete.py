"""Whole-number noise: its exact law by chi-square, its privacy by summing the divergence."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from crowdproof import DP
from crowdproof.audit import Budget, Pair, audit
from crowdproof.claims import Neighbours
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Epsilon
from crowdproof.mechanisms import DiscreteGaussian
from crowdproof.mechanisms.discrete import coin, discrete_gaussian, discrete_laplace, exponential_coin, two_sided


def fits(drawn, weight, far):
    """Chi-square of the draws against weights by |z|, what is beyond `far` together; false-alarm rate 1e-6."""
    drawn = np.clip(np.array(drawn), -far, far)
    places = np.arange(-far, far + 1)
    wide = np.array([weight(abs(z)) for z in range(-40 * far, 40 * far + 1)])
    shares = wide[39 * far : 41 * far + 1].copy()
    shares[0] += wide[: 39 * far].sum()
    shares[-1] += wide[41 * far + 1 :].sum()
    seen = [(drawn == each).sum() for each in places]
    return stats.chisquare(seen, shares / wide.sum() * len(drawn)).pvalue > 1e-6


@pytest.mark.parametrize("gamma", ["0", "1/3", "1", "5/2", "3"])
def test_the_exponential_coin(gamma):
    """3,000 coins, at 1e-6."""
    rng, p = np.random.default_rng(1), math.exp(-Fraction(gamma))
    hits = sum(exponential_coin(Fraction(gamma), rng) for _ in range(3_000))
    assert stats.binomtest(hits, 3_000, p).pvalue > 1e-6


def test_a_coin_of_a_very_large_denominator():
    rng = np.random.default_rng(2)
    p = Fraction(2**90 + 1, 3 * 2**90)
    assert stats.binomtest(sum(coin(p, rng) for _ in range(2_000)), 2_000, float(p)).pvalue > 1e-6


@pytest.mark.parametrize("scale", ["1/2", "3", "7/3"])
def test_discrete_laplace_has_its_law(scale):
    rng, t = np.random.default_rng(3), Fraction(scale)
    assert fits([discrete_laplace(t, rng) for _ in range(3_000)], lambda z: math.exp(-z / t), 5)


@pytest.mark.parametrize("epsilon", ["ln 2", "0.5", "ln(3/2)"])
def test_two_sided_noise_has_its_law_for_a_logarithm_too(epsilon):
    rng, loss = np.random.default_rng(4), Epsilon.of(epsilon)
    assert fits([two_sided(loss, rng) for _ in range(3_000)], lambda z: math.exp(-z * float(loss)), 5)


@pytest.mark.parametrize("variance", ["1/3", "4", "30"])
def test_the_discrete_gaussian_has_its_law(variance):
    rng, v = np.random.default_rng(5), Fraction(variance)
    assert fits([discrete_gaussian(v, rng) for _ in range(3_000)], lambda z: math.exp(-(z**2) / (2 * v)), 6)


@pytest.mark.parametrize("rho", ["1/8", "1/2", "2"])
def test_its_divergence_is_summed_up_and_is_within_rho(rho):
    """The second route: the Renyi divergence of the noise and its shift, term by term."""
    mechanism = DiscreteGaussian(rho, 2)
    v, places = float(mechanism.variance), np.arange(-400, 401)
    p, q = (-((places - shift) ** 2) / (2 * v) for shift in (0, 2))
    p, q = p - special.logsumexp(p), q - special.logsumexp(q)
    for alpha in (1.5, 2, 4, 16):
        divergence = special.logsumexp(alpha * p + (1 - alpha) * q) / (alpha - 1)
        assert divergence <= alpha * float(mechanism.rho) * (1 + 1e-9)


def test_an_audit_tells_the_claim_from_one_that_is_too_good():
    """The claim is the delta of rho = 1/8 at epsilon 1/2, summed up; the leaky twin has the noise of rho = 2."""
    pair = Pair([1], [0], Neighbours.REPLACE, "an answer that is one higher")
    safe, leaky = (DiscreteGaussian(rho, 1, sum) for rho in ("1/8", 2))
    places = np.arange(-200, 201)
    p, q = (np.exp(-((places - shift) ** 2) / (2 * float(safe.variance))) for shift in (0, 1))
    delta = np.maximum(p / p.sum() - math.exp(0.5) * q / q.sum(), 0).sum() + 1e-12
    claim = DP("1/2", float(delta), neighbours=Neighbours.REPLACE)
    assert audit(safe, claim, pairs=[pair], budget=Budget(2_000), seed=1).verdict.name != "REFUTED"
    assert audit(leaky, claim, pairs=[pair], budget=Budget(4_000), seed=1).verdict.name == "REFUTED"


def test_answers_and_parameters_that_are_wrong_are_refused():
    with pytest.raises(DataError, match="not of whole numbers"):
        DiscreteGaussian(1)(0.5, np.random.default_rng(0))
    with pytest.raises(ParameterError, match="rho is 0: it must be above 0"):
        DiscreteGaussian(0)
    assert DiscreteGaussian(1)(np.array([1, 2]), np.random.default_rng(0)).shape == (2,)
    assert isinstance(DiscreteGaussian(1)(5, np.random.default_rng(0)), int)
