"""Fresh samples composed: bounds around the exact law of two or three releases, and around known cases."""

from fractions import Fraction
from itertools import product

import pytest

from crowdproof.proofs.bounds import amplify, compose, compose_basic, tight


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
    assert found.low > Fraction(1, 2) * max(exact.values())
    if found.n in exact:
        assert found.low <= exact[found.n]


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
