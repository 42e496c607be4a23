"""The tight delta for either relation: brute force, attained, below Theorem 5, simulation."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from crowdproof.exact import Epsilon
from crowdproof.proofs.bounds import ADD_REMOVE, REPLACE, epsilon_for, profile, theorem5, tight, worst_pair

BETAS = [Fraction(1, 2), Fraction(1, 10), Fraction(9, 10), Fraction(2, 5)]
LEVELS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(10)]
PAPER = {
    "0.05": ("6.704e-12", "3.433e-16", "7.071e-19", "8.560e-21", "2.337e-23", "5.888e-25"),
    "0.1": ("6.310e-8", "2.632e-11", "1.267e-13", "2.761e-15", "1.243e-17", "4.871e-19"),
    "0.2": ("5.092e-5", "3.109e-7", "6.417e-9", "2.768e-10", "3.719e-12", "2.704e-13"),
}


def ln(x):
    return Epsilon.of(f"ln {x}")


def test_two_routes_to_the_law_agree(laws):
    for rows in [(4,), (3, 2), (0, 3)]:
        one, other = (law(rows, 2, Fraction(1, 3)) for law in (laws.by_samples, laws.by_counts))
        assert one == other


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("x", LEVELS)
def test_add_remove_is_the_maximum_over_all_cells(laws, beta, x):
    for k in range(1, 7):
        found = tight(k, beta, ln(x))
        cells = [laws.by_counts((n,), k, beta) for n in range(15)]
        seen = max(
            max(laws.excess(one, other, x), laws.excess(other, one, x)) for one, other in itertools.pairwise(cells)
        )
        assert seen <= found.high
        n = found.n
        attained = laws.excess(
            laws.by_counts(found.pair.likelier, k, beta), laws.by_counts(found.pair.other, k, beta), x
        )
        assert found.low <= attained <= found.high
        if n <= 14:
            assert found.low <= seen <= found.high
        assert {abs(a - b) for a, b in zip(found.pair.likelier, found.pair.other, strict=True)} == {1}


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("x", LEVELS)
def test_replace_is_the_maximum_over_all_pairs_of_cells(laws, beta, x):
    for k in range(1, 7):
        found = tight(k, beta, ln(x), REPLACE)
        one = {n: laws.by_counts((n,), k, beta) for n in range(15)}
        seen = max(_two_cells(one, n, m, x) for n in range(1, 15) for m in range(1, 15))
        assert seen <= found.high
        (n, m_less), (n_less, m) = found.pair.likelier, found.pair.other
        assert (n_less, m) == (n - 1, m_less + 1)
        attained = laws.excess(
            laws.by_counts(found.pair.likelier, k, beta), laws.by_counts(found.pair.other, k, beta), x
        )
        assert found.low <= attained <= found.high
        assert found.high - found.low <= found.low * Fraction(1, 10**12)
        assert found.high <= beta


def _two_cells(cells, n, m, x):
    left, right = (cells[n], cells[m - 1]), (cells[n - 1], cells[m])
    return sum(
        max(p * q - x * right[0].get(i, 0) * right[1].get(j, 0), Fraction(0))
        for i, p in left[0].items()
        for j, q in left[1].items()
    )


@pytest.mark.parametrize("beta", PAPER)
def test_known_values_and_never_above_theorem_5(beta):
    for epsilon, known in zip(("0.25", "0.5", "0.75", "1", "1.5", "2"), PAPER[beta], strict=True):
        found, replaced = tight(20, beta, epsilon), tight(20, beta, epsilon, REPLACE)
        assert abs(found.high / Fraction(known) - 1) < Fraction(1, 1000)
        assert found.high <= theorem5(20, beta, epsilon).low
        assert found.low <= replaced.high < 2 * found.low
        assert found.high - found.low <= found.low * Fraction(1, 10**12)


def test_below_theorem_5_wherever_both_apply():
    for k in (1, 2, 5, 13, 40):
        for beta in ("0.01", "0.3", "0.7", "0.95"):
            for epsilon in (f"-ln {1 - Fraction(beta)}", "3.5", "5"):
                assert tight(k, beta, epsilon).low <= theorem5(k, beta, epsilon).high


def test_holds_below_the_epsilons_of_theorem_5():
    assert abs(float(tight(20, "0.1", "0.1")) / 5.325e-5 - 1) < 1e-3
    assert abs(float(tight(20, "0.1", "0.05")) / 7.519e-4 - 1) < 1e-3
    assert worst_pair(20, "0.5", "0.4").likelier != worst_pair(20, "0.5", 2).likelier


def test_a_slightly_smaller_delta_is_refuted_by_the_pair(laws):
    found = tight(4, "0.3", "ln 2")
    left, right = (laws.by_counts(rows, 4, Fraction(3, 10)) for rows in (found.pair.likelier, found.pair.other))
    assert laws.excess(left, right, 2) == found.low == found.high
    assert laws.excess(left, right, 2) > found.low * Fraction(10**9 - 1, 10**9)


@pytest.mark.parametrize(("k", "beta", "epsilon", "neighbours"), [(5, 0.3, 0.3, ADD_REMOVE), (8, 0.6, 0.5, REPLACE)])
def test_simulation_meets_the_number(k, beta, epsilon, neighbours):
    """A false alarm has probability below 1e-6: five standard errors, twice."""
    found = tight(k, beta, epsilon, neighbours)
    rng, size = np.random.default_rng(5), 2_000_000
    left, right = (
        np.stack([rng.binomial(n, beta, size) for n in rows]) for rows in (found.pair.likelier, found.pair.other)
    )
    base = max(*found.pair.likelier, *found.pair.other) + 1
    codes = [(np.where(each >= k, each, 0) * (base ** np.arange(len(each)))[:, None]).sum(0) for each in (left, right)]
    one, other = (np.bincount(each, minlength=base ** len(left)) / size for each in codes)
    event = one > np.exp(epsilon) * other  # chosen on half of the evidence, measured on fresh draws below
    fresh = [np.stack([rng.binomial(n, beta, size) for n in rows]) for rows in (found.pair.likelier, found.pair.other)]
    codes = [(np.where(each >= k, each, 0) * (base ** np.arange(len(each)))[:, None]).sum(0) for each in fresh]
    measured = event[codes[0]].mean() - np.exp(epsilon) * event[codes[1]].mean()
    error = 5.2 * (0.5 / size**0.5) * (1 + np.exp(epsilon))
    assert measured < float(found.high) + error
    assert measured > float(found.low) - error - 2e-3  # the chosen event loses a little against the best


def test_profile_falls_and_its_inverse_comes_back():
    points = profile(12, "0.2", ["0", "0.1", "0.2", "0.5", "1", "2", "ln 9"])
    deltas = [point.delta for point in points]
    assert all(after.high < before.low for before, after in itertools.pairwise(deltas))
    for neighbours in (ADD_REMOVE, REPLACE):
        found = epsilon_for("1e-5", 12, "0.2", neighbours)
        assert tight(12, "0.2", found.high, neighbours).high <= Fraction(1, 10**5)
        assert tight(12, "0.2", found.low, neighbours).low > Fraction(1, 10**5)
        assert found.high - found.low < Fraction(1, 10**11)


def test_the_least_delta_of_all_is_beta_to_the_k():
    found = epsilon_for(Fraction(1, 10**3), 3, "0.1")
    assert tight(3, "0.1", found.high).high == Fraction(1, 1000)


def test_a_large_cell_and_k_of_100000():
    found = tight(10**5, "0.1", "0.01")
    assert found.high - found.low <= found.low * Fraction(1, 10**12)
    assert found.high < Fraction(1, 10**179)
