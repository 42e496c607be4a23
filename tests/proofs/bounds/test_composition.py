"""Fresh samples composed: bounds around the exact law of two or three releases, and around known cases."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import binom

from crowdproof.proofs.bounds import amplify, compose, compose_basic, tight
from crowdproof.proofs.bounds.balls import Setting
from crowdproof.proofs.bounds.cells import Cell
from crowdproof.proofs.bounds.composition import _Grid


def together(laws, rows, k, beta, count):
    """The law of several independent releases."""
    single = laws.by_counts(rows, k, beta)
    joint = {}
    for shown in product(single.items(), repeat=count):
        weight = Fraction(1)
        for _, p in shown:
            weight *= p
        joint[tuple(o for o, _ in shown)] = weight
    return joint


@pytest.mark.parametrize(("count", "k", "x"), [(2, 3, 2), (2, 2, 1), (3, 2, 4), (2, 5, 3)])
def test_encloses_the_exact_delta_of_every_cell(laws, count, k, x):
    beta = Fraction(3, 10)
    found = compose(count, k, beta, f"ln {x}", points=400)
    exact = {}
    for n in range(k, 11):
        one, other = (together(laws, (rows,), k, beta, count) for rows in (n, n - 1))
        exact[n] = max(laws.excess(one, other, x), laws.excess(other, one, x))
    assert max(exact.values()) <= found.high <= found.adaptive
    assert found.low <= max(exact.values()) or found.n > 10
    assert found.high < Fraction(13, 10) * max(exact.values())
    assert found.low > Fraction(9, 10) * max(exact.values())
    if found.n in exact:
        assert found.low <= exact[found.n]


def by_transform(one, other, count, epsilon):
    """delta of the first law against the other in floats, by Fourier transforms on a grid that is far finer."""
    step, size = 5e-5, 2**19
    places = np.log(one / other) / step
    below = np.floor(places).astype(int)
    law = np.zeros(size)
    np.add.at(law, below % size, one * (below + 1 - places))
    np.add.at(law, (below + 1) % size, one * (places - below))
    total = np.fft.irfft(np.fft.rfft(law) ** count, size)
    losses = np.fft.fftfreq(size, 1 / size) * step
    return float((total * np.maximum(1 - np.exp(np.minimum(epsilon - losses, 0)), 0)).sum())


@pytest.mark.parametrize(("count", "k", "beta", "epsilon"), [(50, 20, 0.3, 1), (100, 20, 0.3, 2)])
def test_many_releases_are_close_below_the_transform(count, k, beta, epsilon):
    found = compose(count, k, beta, epsilon)
    j = np.arange(k, found.n)  # all n drawn: far below what floats can tell
    laws = [np.append(binom.cdf(k - 1, n, beta), binom.pmf(j, n, beta)) for n in (found.n, found.n - 1)]
    value = max(by_transform(*pair, count, epsilon) for pair in (laws, laws[::-1]))
    assert 0.8 * value < float(found.low) <= value * (1 + 1e-5) <= float(found.high) * (1 + 2e-5)
    assert found.high < found.low * Fraction(5, 4)


def below(k, beta, n, shift=0):
    """How much more than the outcomes themselves the merged ones tell at most, over many levels; both directions."""
    with ctx.workprec(128):
        grid = _Grid(Setting.of(beta, 1).law(), arb(1), k, 150, rounds=1, negligible=Fraction(0))
        cell = Cell(n, k, grid.law)
        cell.grow(n)
        pairs = [(cell.lump, cell.lump_before), *zip(cell.mass, cell.before, strict=True)]
        excesses = []
        for losses, laws in zip(grid.below(n), (pairs, [pair[::-1] for pair in pairs]), strict=True):
            places = [losses.base + grid.step * (losses.offset + shift + i) for i in range(len(losses.masses))]
            for level in (0.5 + i / 20 for i in range(40)):
                parts = zip(losses.masses, places, strict=True)
                merged = losses.infinite + sum((mass * (1 - level * (-place).exp()).max(0) for mass, place in parts))
                excesses.append(merged - sum((one - level * other).max(0) for one, other in laws))
        return max(float(each.lower()) for each in excesses), max(float(each.upper()) for each in excesses)


@pytest.mark.parametrize(("k", "beta", "n"), [(5, "0.3", 9), (20, "0.1", 30), (20, "0.1", 190), (10, "0.5", 40)])
def test_merged_outcomes_tell_no_more(k, beta, n):
    assert below(k, beta, n)[1] < 1e-30
    assert below(k, beta, n, shift=1)[0] > 1e-15  # one grid point too high is seen


def test_one_release_is_the_tight_delta():
    found = compose(1, 20, "0.1", "0.5")
    single = tight(20, "0.1", "0.5")
    assert found.low <= single.high
    assert single.low <= found.high < single.high * Fraction(1001, 1000)


def test_without_suppression_the_target_shows_whenever_it_is_drawn():
    found = compose(10, 1, "0.2", 1)
    assert found.low <= 1 - Fraction(4, 5) ** 10 <= found.high
    assert found.high - found.low < Fraction(1, 10**9)


def test_far_below_basic_composition():
    found = compose(10, 20, "0.1", 1)
    assert found.low < found.high <= found.adaptive < 10 * found.basic.high / 10**6


def test_basic_composition_of_fresh_samples():
    found = compose_basic([("0.02", 0)] * 50)
    assert str(found.exactly) == "1"
    assert found.delta == 0
    mixed = compose_basic([("ln 2", "1e-6"), ("0.5", "1e-6")])
    assert mixed.delta == Fraction(2, 10**6)
    assert mixed.epsilon.low <= Fraction("1.193147180559945309417232121458") <= mixed.epsilon.high


def test_table_1():
    assert str(amplify("0.1", "ln 11", "1e-5").exactly) == "ln 2"
    assert str(amplify("0.01", "ln 11", "1e-5").exactly) == "ln 1.1"
    assert amplify("0.01", "ln 11", "1e-5").delta == Fraction(1, 10**7)
    assert round(float(amplify("0.1", 1).epsilon.high), 3) == 0.159
    assert round(float(amplify("0.01", 1).epsilon.high), 3) == 0.017
    # in two steps as in one
    half = amplify("0.5", "ln 11")
    assert amplify("0.1", half.exactly, base="0.5").exactly == amplify("0.1", "ln 11").exactly
