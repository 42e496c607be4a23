"""Claims against their own arithmetic: each number by a second route, and wrong only where it is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from crowdproof import DP, DPS, parse_claim
from crowdproof.audit.gate.arithmetic import contradiction, support
from crowdproof.audit.gate.config import Entry
from crowdproof.audit.gate.recipes import Gaussian, Laplace, StronglySafe


def entry(claim, mechanism):
    return Entry("name", "module:function", claim, mechanism=mechanism)


def wrong(claim, mechanism):
    return contradiction(entry(claim, mechanism)) is not None


def brackets(mechanism, epsilon, delta, beta=None):
    """Whether claims a millionth below and above a delta are told apart."""
    low, high = (Fraction(delta * factor) for factor in (1 - 1e-6, 1 + 1e-6))
    claims = [DP(epsilon, each) if beta is None else DPS(beta, epsilon, each) for each in (low, high)]
    return [wrong(each, mechanism) for each in claims] == [True, False]


@pytest.mark.parametrize(("scale", "sensitivity", "epsilon"), [(1, 1, 0.5), (2, 3, 1.2), ("1/2", 1, 1.9)])
def test_laplace_by_integration(scale, sensitivity, epsilon):
    noise = Laplace(scale, sensitivity)
    density = stats.laplace(scale=float(noise.scale)).pdf

    def excess(z):
        return max(density(z) - math.exp(epsilon) * density(z - float(noise.sensitivity)), 0)

    delta, _ = integrate.quad(excess, -60, 60, points=[0, float(noise.sensitivity)], limit=500)
    assert brackets(noise, epsilon, delta)


@pytest.mark.parametrize(("sigma", "sensitivity", "epsilon"), [(1, 1, 1), (3, 1, 0.5), (4, 2, "ln 2")])
def test_gaussian_by_integration(sigma, sensitivity, epsilon):
    x = DP(epsilon).epsilon.exp()
    density = stats.norm(scale=sigma).pdf

    def excess(z):
        return max(density(z + sensitivity) - x * density(z), 0)

    delta, _ = integrate.quad(excess, -20 * sigma, 20 * sigma, limit=2000, epsabs=1e-14)
    assert brackets(Gaussian(sigma, sensitivity), epsilon, delta)


@pytest.mark.parametrize(("k", "beta", "epsilon"), [(3, 0.25, 1.0), (5, 0.1, 0.5), (2, 0.5, 0.9)])
def test_strongly_safe_by_enumeration(k, beta, epsilon):
    def law(n):
        mass = stats.binom.pmf(np.arange(200), n, beta)
        return np.concatenate([[mass[:k].sum()], mass[k:]])

    def delta(n):
        p, q = law(n), law(n - 1)
        return max(np.clip(p - math.exp(epsilon) * q, 0, None).sum(), np.clip(q - math.exp(epsilon) * p, 0, None).sum())

    assert brackets(StronglySafe(k), epsilon, max(delta(n) for n in range(1, 150)), beta)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 40), st.integers(1, 40))
def test_laplace_is_right_exactly_from_its_epsilon_on(a, b, c, d):
    noise = Laplace(Fraction(a, b), Fraction(c, d))
    exact = noise.sensitivity / noise.scale
    assert not wrong(DP(exact), noise)
    assert wrong(DP(exact * Fraction(10**9 - 1, 10**9)), noise)


def test_theorem_5_does_not_make_a_claim_wrong():
    """Theorem 5 gives 1.606e-9 and the tight delta is 2.632e-11: between the two the claim is right."""
    recipe = StronglySafe(20)
    words = {}
    for delta in ("1e-11", "1e-10", "1e-8"):
        claim = parse_claim(f"dps(beta=0.1, epsilon=0.5, delta={delta})")
        words[delta] = support(entry(claim, recipe)).text
        assert wrong(claim, recipe) == (delta == "1e-11")
    assert "it is the tight number that carries the claim" in words["1e-10"]
    assert "Theorem 5's 1.606e-9 carries the claim as well" in words["1e-8"]


def test_replace_neighbours_have_numbers_of_their_own():
    add_remove, replace = (
        parse_claim(f"dps(beta=0.1, epsilon=0.5, delta=2.7e-11, neighbours={each})")
        for each in ("add-remove", "replace")
    )
    assert not wrong(add_remove, StronglySafe(20))
    assert wrong(replace, StronglySafe(20))


def test_a_dp_claim_of_a_sampling_mechanism_states_its_rate():
    claim = parse_claim("dp(epsilon=0.5, delta=1e-11)")
    assert wrong(claim, StronglySafe(20, "0.1"))
    assert not wrong(claim, StronglySafe(25, "0.1"))


def test_nothing_stated_is_nothing_to_contradict():
    assert contradiction(entry(DP(0), None)) is None
    assert support(entry(DP(0), None)) is None
