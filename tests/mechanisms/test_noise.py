"""Noise: its law, its lattice, what it refuses, and Odoh's calibration."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Epsilon
from crowdproof.mechanisms import Exponential, Gaussian, Laplace
from crowdproof.mechanisms.noise import geometric, lattice_step
from crowdproof.mechanisms.odoh import calibrate, calibrate_and, calibrate_or, uniqueness


def test_laplace_has_its_law():
    """100,000 draws by Kolmogorov-Smirnov, false-alarm rate 1e-6."""
    noisy = Laplace("0.5", 3).batch(7, np.random.default_rng(1), 100_000)
    assert stats.kstest(noisy, stats.laplace(7, 6).cdf).pvalue > 1e-6


def test_gaussian_has_its_law():
    """100,000 draws by Kolmogorov-Smirnov, false-alarm rate 1e-6."""
    mechanism = Gaussian("0.5", "1e-5", 3)
    assert mechanism.scale == pytest.approx(3 * math.sqrt(2 * math.log(1.25e5)) / 0.5)
    noisy = mechanism.batch(7, np.random.default_rng(1), 100_000)
    assert stats.kstest(noisy, stats.norm(7, mechanism.scale).cdf).pvalue > 1e-6


@pytest.mark.parametrize("epsilon", ["1e-6", "1e-3", "0.5"])
@pytest.mark.parametrize("answers", [1, 1000, 10**6])
@pytest.mark.parametrize("make", [lambda epsilon: Laplace(epsilon, 3), lambda epsilon: Gaussian(epsilon, "1e-5", 3)])
def test_noise_is_within_a_hundredth_of_its_scale(epsilon, answers, make):
    """The median of at least 100,000 draws; it strays five standard deviations less than once in 10^6."""
    mechanism, rng = make(epsilon), np.random.default_rng(6)
    drawn = mechanism.batch(np.zeros(answers), rng, max(1, 10**5 // answers)).ravel()
    middle = np.median(abs(drawn))  # of Laplace ln 2 of the scale, of the normal law 0.6745
    usual = math.log(2) if isinstance(mechanism, Laplace) else stats.norm.ppf(0.75)
    stray = 5 / math.sqrt(len(drawn)) / usual  # five standard deviations of a median, at most
    assert abs(middle / (usual * mechanism.scale) - 1) < 0.01 + stray


@pytest.mark.parametrize("rate", [0.5, 1e-3, 2.0**-24, 2.0**-30, 1e-14])
def test_geometric_numbers_have_their_law_and_reach_every_number(rate):
    """200,000 draws against e^(-rate g) by Kolmogorov-Smirnov, and the last digit a fair coin, each at 1e-6."""
    drawn = geometric(rate, (200_000,), np.random.default_rng(7))
    assert drawn.min() >= 0
    blurred = drawn + np.random.default_rng(8).random(len(drawn))  # within a step the law is that of the digits
    if rate < 1e-2:
        assert stats.kstest(blurred * rate, stats.expon.cdf).pvalue > 1e-6
    odd = 1 / (1 + math.exp(rate))
    for place in range(8):
        share = np.mean(drawn >> place & 1)
        expected = 1 / (1 + math.exp(rate * 2**place))
        assert abs(share - expected) < 5 * math.sqrt(odd / len(drawn))


@pytest.mark.parametrize("mechanism", [Laplace(1), Gaussian("0.5", "1e-6"), Laplace("ln 3", "0.1")])
def test_every_output_is_a_multiple_of_one_step_whatever_the_answer(mechanism):
    """A step of 2^-20 or less of the scale, in a lattice without holes: 0 and 1/3 meet in the same points."""
    step = 2.0 ** (math.floor(math.log2(mechanism.scale)) - 20)
    for answer in (0, 1 / 3, 1e5):
        multiples = mechanism.batch(answer, np.random.default_rng(2), 5_000) / step
        assert np.array_equal(multiples, np.rint(multiples))
        assert {int(each) % 2 for each in multiples} == {0, 1}


def test_vectors_get_independent_noise_in_each_coordinate():
    noisy = Laplace(1, 2).batch(np.zeros(2), np.random.default_rng(3), 50_000)
    assert noisy.shape == (50_000, 2)
    assert abs(np.corrcoef(noisy.T)[0, 1]) < 0.03  # six standard deviations
    assert Laplace(1, 2)(np.array([1.0, 2.0]), np.random.default_rng(0)).shape == (2,)
    assert isinstance(Laplace(1)(5, np.random.default_rng(0)), float)


def test_same_seed_same_noise():
    one, two = (Laplace(1).batch(0, np.random.default_rng(5), 10) for _ in range(2))
    assert np.array_equal(one, two)


def utility(data, candidate):
    return -abs(data - candidate)


def test_the_exponential_mechanism_follows_its_weights():
    """3,000 draws by chi-square, false-alarm rate 1e-6: e^epsilon = 9 and sensitivity 1 give powers of 3."""
    mechanism, rng = Exponential((0, 1, 2), utility, "ln 9"), np.random.default_rng(4)
    seen = Counter(mechanism(0, rng) for _ in range(3_000))
    weights = [1, 1 / 3, 1 / 9]
    expected = [3_000 * each / sum(weights) for each in weights]
    assert stats.chisquare([seen[each] for each in (0, 1, 2)], expected).pvalue > 1e-6


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gaussian(1, "1e-5"), "epsilon is 1: the classical Gaussian formula holds only below 1"),
        (lambda: Gaussian("ln 3", "1e-5"), "epsilon is ln 3: .* take Laplace noise"),
        (lambda: Gaussian("0.5", 0), "give a delta above 0"),
        (lambda: Gaussian("0.5", 1), "delta is 1"),
        (lambda: Laplace(0), "give an epsilon above 0"),
        (lambda: Laplace(1, 0), "sensitivity is 0: it must be above 0"),
        (lambda: Laplace(-1), "epsilon is -1"),
        (lambda: uniqueness(4, 3), "give k of at most N"),
        (lambda: uniqueness(0, 3), "k is 0"),
        (lambda: calibrate(uniqueness(1, 3), "0.1", 60), "p is 1 and the advantage 0.1: equation 3 has no value there"),
        (lambda: calibrate("0.5", "0.5", 60), "equation 3 has no value there"),
        (lambda: calibrate("0.5", "0.1", 0), "R is 0: it must be above 0"),
        (lambda: calibrate_or([], "0.1", 60), "there are no groups"),
    ],
)
def test_wrong_parameters_are_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize("mechanism", [Laplace("1e-300", "1e100"), Laplace("1e300"), Gaussian("1e-200", "0.1", "1e99")])
def test_noise_beyond_floats_is_refused(mechanism):
    with pytest.raises(ParameterError, match="give epsilon and sensitivity nearer to 1"):
        mechanism(0, np.random.default_rng(0))


def test_an_answer_that_is_no_number_is_refused():
    with pytest.raises(DataError, match="give a query with a finite answer"):
        Laplace(1)(math.nan, np.random.default_rng(0))
    with pytest.raises(DataError, match="give a sensitivity that fits the query"):
        Laplace(1)(1e60, np.random.default_rng(0))


def test_odohs_case_study():
    """The values that follow from the printed probability 2/3, not the printed ones."""
    groups = [uniqueness(2, 3)] * 2
    assert groups[0] == Fraction(2, 3)
    assert calibrate_or(groups, "0.1", 60).epsilon == pytest.approx(0.008274, abs=5e-7)
    assert calibrate_and(groups, "0.1", 60).epsilon == pytest.approx(0.006690, abs=5e-7)


def test_and_is_not_always_below_or():
    groups = ["1/3", "1/3"]
    assert calibrate_and(groups, "0.1", 60).epsilon == pytest.approx(0.0127, abs=5e-5)
    assert calibrate_or(groups, "0.1", 60).epsilon == pytest.approx(0.0071, abs=5e-5)


@given(
    p=st.fractions("1/50", "49/50", max_denominator=50),
    advantage=st.fractions("1/50", "49/50", max_denominator=50),
)
def test_equation_3_inverts_the_posterior_exactly(p, advantage):
    if p + advantage >= 1:
        return
    x = calibrate(p, advantage, 60).odds
    assert p * x / (p * x + 1 - p) == p + advantage


def test_the_calibrated_noise_is_scaled_by_the_range_once():
    found = calibrate("2/3", "0.1", 60)
    assert found.loss == Epsilon(found.odds, logarithm=True)
    assert found.laplace().scale == pytest.approx(1 / found.epsilon)
    as_printed = 60 / found.epsilon
    assert as_printed == pytest.approx(60 * found.laplace().scale)


@pytest.mark.parametrize("epsilon", ["1e-6", "0.5", "20"])
@pytest.mark.parametrize("coordinates", [1, 7, 1000, 10**6])
def test_step_and_rate_are_those_of_the_ledger(epsilon, coordinates):
    """lattice-noise: c h is at most D/128, and a step loses h eps/(D + c h); of n steps n h <= D + c h, at most eps."""
    for sensitivity in (Fraction(1, 1000), Fraction(3), Fraction(10**6)):
        mechanism = Laplace(epsilon, sensitivity)
        step = Fraction(lattice_step(mechanism.scale, float(sensitivity), coordinates))
        assert 128 * coordinates * step <= sensitivity
        width = sensitivity + coordinates * step
        rate = step / (Fraction(mechanism.scale) + coordinates * step / Fraction(float(mechanism.epsilon)))
        steps = width // step
        assert float(steps * rate) <= float(mechanism.epsilon) * (1 + 1e-9)
