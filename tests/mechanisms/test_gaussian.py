"""The analytic Gaussian: its inequality by mpmath, its law, and Odoh's calibrations by it."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.mechanisms import AnalyticGaussian, Gaussian
from crowdproof.mechanisms.gaussian import least_ratio
from crowdproof.mechanisms.odoh import calibrate


def delta_of(ratio, epsilon):
    with mpmath.workdps(60):
        s, e = mpmath.mpf(ratio), mpmath.mpf(epsilon)
        return mpmath.ncdf(1 / (2 * s) - e * s) - mpmath.exp(e) * mpmath.ncdf(-1 / (2 * s) - e * s)


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "4", "20"])
@pytest.mark.parametrize("delta", ["0.1", "1e-5", "1e-30"])
def test_sigma_is_the_least_that_delta_allows(epsilon, delta):
    ratio = least_ratio(Epsilon.of(epsilon), Fraction(delta))
    assert delta_of(ratio, epsilon) <= mpmath.mpf(delta) * (1 + mpmath.mpf(10) ** -40)
    assert delta_of(ratio * (1 - 1e-12), epsilon) > mpmath.mpf(delta)


def test_it_needs_less_noise_than_the_classical_formula_and_goes_beyond_epsilon_1():
    assert AnalyticGaussian("0.5", "1e-5", 3).scale < Gaussian("0.5", "1e-5", 3).scale
    assert AnalyticGaussian(8, "1e-5").scale < AnalyticGaussian("ln 3", "1e-5").scale


def test_it_has_its_law():
    """100,000 draws by Kolmogorov-Smirnov, false-alarm rate 1e-6."""
    mechanism = AnalyticGaussian(4, "1e-6", 3)
    drawn = mechanism.batch(7, np.random.default_rng(1), 100_000)
    assert stats.kstest(drawn, stats.norm(7, mechanism.scale).cdf).pvalue > 1e-6
    assert isinstance(mechanism(7, np.random.default_rng(0)), float)


def test_delta_0_is_refused():
    with pytest.raises(ParameterError, match="give a delta above 0"):
        AnalyticGaussian(1, 0)


def test_odohs_gaussian_has_the_calibrated_loss_over_the_range():
    found = calibrate("2/3", "0.1", 60)
    assert found.gaussian("1e-5").scale == pytest.approx(60 * least_ratio(found.loss, Fraction("1e-5")))


@pytest.mark.parametrize("prior", ["2/3", "1/10"])
def test_odohs_exponential_mechanism_lifts_no_guess_above_the_promise(prior):
    """By Bayes over all answers: the posterior of a value, given its prior, at both ends of the range."""
    found = calibrate(prior, "0.1", 60)
    mechanism = found.exponential(range(0, 61, 5))
    weights = [[float(found.odds) ** float(each) for each in mechanism.exponents(value)] for value in (0, 60)]
    laws = [[each / sum(side) for each in side] for side in weights]
    p = float(Fraction(prior))
    posteriors = [p * a / (p * a + (1 - p) * b) for a, b in zip(*laws, strict=True)]
    assert p < max(posteriors) <= p + 0.1 + 1e-12
