"""Randomized response, sparse vector and the noisy threshold: laws by a second route, and audits with leaky twins."""

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from attrs import evolve, frozen
from scipy import integrate, stats

from crowdproof import DP
from crowdproof.audit import Budget, Pair, audit
from crowdproof.claims import Neighbours
from crowdproof.errors import DataError, ParameterError
from crowdproof.mechanisms import Keep, NoisyThreshold, RandomizedResponse, Scheme, SparseVector

SWAP = Pair("yes", "no", Neighbours.REPLACE, "one person's answer")
CELLS = Scheme({"town": Keep()})
EMPTY = pl.DataFrame({"town": []}, schema={"town": pl.String})
ALONE = Pair(pl.DataFrame({"town": ["Ulm"]}), EMPTY, Neighbours.ADD_REMOVE, "one row")


def test_randomized_response_is_exactly_as_private_as_it_says():
    answer = RandomizedResponse(("yes", "no", "none"), "ln 3")
    law = answer.law("yes")
    assert law == {"yes": Fraction(3, 5), "no": Fraction(1, 5), "none": Fraction(1, 5)}
    verdicts = [
        audit(answer, DP(claimed, neighbours=Neighbours.REPLACE), pairs=[SWAP]).verdict.name
        for claimed in ("ln 3", "ln 2.99")
    ]
    assert verdicts == ["NOT_REFUTED", "REFUTED"]


@pytest.mark.parametrize("epsilon", ["ln 3", "1.1"])
def test_its_answers_follow_the_law(epsilon):
    """2,000 answers by chi-square, at 1e-6."""
    answer, rng = RandomizedResponse((1, 2, 3), epsilon), np.random.default_rng(1)
    odds = math.exp(float(answer.epsilon))
    drawn = [answer(2, rng) for _ in range(2_000)]
    shares = np.array([1, odds, 1]) / (odds + 2)
    assert stats.chisquare([drawn.count(each) for each in (1, 2, 3)], shares * 2_000).pvalue > 1e-6
    assert (answer.law is None) == (epsilon == "1.1")


def test_the_sparse_vector_has_the_law_of_the_noise_it_names():
    """The probability of (no, yes), integrated over the threshold's noise; 20,000 runs at 1e-6."""
    mechanism, rng = SparseVector("0.8", 1, 1, 1), np.random.default_rng(2)
    rho, nu = stats.laplace(1, 2 / 0.8), stats.laplace(0, 4 / 0.8)
    expected, _ = integrate.quad(
        lambda t: rho.pdf(t) * nu.cdf(t - 0) * nu.sf(t - 2), -60, 60, limit=200, points=[0, 1, 2]
    )
    hits = sum(mechanism([0, 2, 5], rng)[:2] == (False, True) for _ in range(20_000))
    assert stats.binomtest(hits, 20_000, expected).pvalue > 1e-6


def test_the_sparse_vector_stops_after_so_many():
    drawn = SparseVector(100, 0, 2, 1)([9, -9, 9, 9, 9], np.random.default_rng(3))
    assert drawn == (True, False, True)


@frozen
class WithoutStop:
    """The known error: noise of the threshold only, and no end (Lyu, Su and Li 2017, variant 5)."""

    epsilon: float

    def __call__(self, data, rng):
        limit = rng.laplace(0, 2 / self.epsilon)
        return tuple(each >= limit for each in data)


def test_an_audit_tells_the_sparse_vector_from_its_leaky_twin():
    pair = Pair([1.0] * 4 + [0.0] * 4, [0.0] * 4 + [1.0] * 4, Neighbours.REPLACE, "answers that move by one each")
    claim = DP(1, neighbours=Neighbours.REPLACE)
    assert (
        audit(SparseVector(1, "0.5", 1, 1), claim, pairs=[pair], budget=Budget(2_000), seed=1).verdict.name != "REFUTED"
    )
    assert audit(WithoutStop(1), claim, pairs=[pair], budget=Budget(4_000), seed=1).verdict.name == "REFUTED"


@pytest.mark.parametrize(("epsilon", "delta"), [("ln 2", "1/12"), ("1", "0.0135"), ("0.3", "1e-6"), ("ln 3", "1e-9")])
def test_the_threshold_is_the_least_with_that_delta(epsilon, delta):
    """By adding up the law of the noise."""
    mechanism = NoisyThreshold(CELLS, epsilon, delta)
    a = math.exp(-float(mechanism.epsilon))
    law = {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-2_000, 2_001)}

    def shown(tau):
        return sum(p for z, p in law.items() if 1 + z >= tau)

    assert shown(mechanism.threshold) <= float(Fraction(delta)) * (1 + 1e-9)
    assert shown(mechanism.threshold - 1) > float(Fraction(delta)) * (1 + 1e-9)


def test_the_noisy_histogram_has_its_law_and_leaves_rare_cells_out():
    table = pl.DataFrame({"town": ["Ulm"] * 50 + ["Bonn"]})
    mechanism, rng = NoisyThreshold(CELLS, 1, "1e-9"), np.random.default_rng(4)
    drawn = [mechanism(table, rng) for _ in range(300)]
    assert all(each["town"].to_list() == ["Ulm"] for each in drawn)
    counts = [each["count"].item() for each in drawn]
    assert abs(np.mean(counts) - 50) < 0.5  # six standard deviations of the mean
    assert mechanism(table.clear(), rng).height == 0


@frozen
class TooLow:
    """A threshold for seven times the delta."""

    safe: NoisyThreshold

    def __call__(self, data, rng):
        return evolve(self.safe, delta=self.safe.delta * 7)(data, rng)


def test_an_audit_tells_the_noisy_threshold_from_one_that_is_too_low():
    safe, claim = NoisyThreshold(CELLS, "ln 2", "1/12"), DP("ln 2", "1/12")
    assert safe.threshold == 4
    assert audit(safe, claim, pairs=[ALONE], budget=Budget(400), seed=1).verdict.name != "REFUTED"
    assert audit(TooLow(safe), claim, pairs=[ALONE], budget=Budget(4_000), seed=1).verdict.name == "REFUTED"


def test_what_is_wrong_is_refused():
    with pytest.raises(ParameterError, match="at least two different"):
        RandomizedResponse(("yes", "yes"), 1)
    with pytest.raises(DataError, match="none of the 2 that can be told"):
        RandomizedResponse(("yes", "no"), 1)("perhaps", np.random.default_rng(0))
    with pytest.raises(ParameterError, match="give a delta above 0"):
        NoisyThreshold(CELLS, 1, 0)
    with pytest.raises(ParameterError, match="rename it"):
        NoisyThreshold(Scheme({"count": Keep()}), 1, "0.1")
