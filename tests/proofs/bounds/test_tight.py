"""The tight delta for either relation: brute force, attained, below Theorem 5, simulation."""

import itertools
import random
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from flint import arb, ctx

from crowdproof.exact import Epsilon
from crowdproof.proofs.bounds import ADD_REMOVE, REPLACE, epsilon_for, profile, theorem5, tight, worst_pair
from crowdproof.proofs.bounds import cover as covering
from crowdproof.proofs.bounds import replace as replacing
from crowdproof.proofs.bounds.balls import Setting, estimate
from crowdproof.proofs.bounds.cells import Budget, Range, gain_peak
from crowdproof.proofs.bounds.certificate import Certificate, Certified
from crowdproof.proofs.bounds.cover import cover
from crowdproof.proofs.bounds.search import crossing

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


def random_boxes(k, draw, most):
    """Ranges of n and of m, every third of them without end."""
    for _ in range(60):
        ends = [sorted(draw.choices(range(k - 1, most), k=2)) for _ in range(2)]
        yield tuple(Range(low, None if draw.random() < 1 / 3 else high) for low, high in ends)


def values_of_pairs(laws, k, beta, x):
    """The delta of every pair of cells with fewer than 22 rows, in exact fractions."""
    cells = {n: laws.by_counts((n,), k, beta) for n in range(k - 2, 22)}
    return {(n, m): _two_cells(cells, n, m, x) for n in range(k - 1, 22) for m in range(k - 1, 22)}


def boxes_exceeded(laws, k, beta, x, *, exact):
    """Boxes in which some pair of cells has a larger delta, in exact fractions, than the bound of the box."""
    values = values_of_pairs(laws, k, beta, x)
    found = []
    with ctx.workprec(128):
        law = Setting(beta, ln(x)).law()
        for rows in random_boxes(k, random.Random(3), 22):
            search = replacing._Search(k, law, arb(2) ** -200, k, k, Budget(10**9))
            top = estimate(search.bound(replacing._Box(*rows, exact)).top).high
            inside = [
                value
                for pair, value in values.items()
                if all(span.first <= each <= (span.last or each) for each, span in zip(pair, rows, strict=True))
            ]
            found += [rows] if max(inside) > top else []
    return found


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("beta", BETAS)
def test_no_pair_of_a_box_is_above_its_bound(laws, beta, exact):
    for k, x in ((2, Fraction(11, 10)), (4, Fraction(1)), (5, Fraction(3, 2)), (3, Fraction(3))):
        assert not boxes_exceeded(laws, k, beta, x, exact=exact)


def test_bounds_without_the_steps_between_are_exceeded(laws, monkeypatch):
    monkeypatch.setattr(replacing, "between", lambda low, high: arb(0))
    assert boxes_exceeded(laws, 4, Fraction(2, 5), Fraction(11, 10), exact=True)


def coverings(laws, beta, steps):
    """For some k and x: the bound of the cover, and the largest delta of any pair of small cells."""
    for k, x in ((2, Fraction(11, 10)), (4, Fraction(1)), (5, Fraction(3, 2)), (3, Fraction(3))):
        with ctx.workprec(128):
            found = cover(k, Setting(beta, ln(x)).law(), arb(0), Budget(steps))
        assert found is not None
        yield found.high, max(values_of_pairs(laws, k, beta, x).values())


@pytest.mark.parametrize("steps", [3_000, 30_000])
@pytest.mark.parametrize("beta", BETAS)
def test_no_pair_is_above_the_cover(laws, beta, steps):
    assert [high for high, most in coverings(laws, beta, steps) if high < most] == []


def test_a_cover_by_less_than_the_largest_excess_is_noticed(laws, monkeypatch):
    monkeypatch.setattr(covering, "gain_peak", lambda k, y, law: gain_peak(k + 1, y, law))
    assert [high for high, most in coverings(laws, Fraction(1, 2), 30_000) if high < most]


@pytest.mark.parametrize("bend", [0.25, 3.0, 20.0])
@pytest.mark.parametrize(
    ("k", "beta", "epsilon"),
    [(20, "0.1", "0.5"), (60, "0.3", "0.2"), (60, "0.5", "1"), (120, "0.9", "0.5"), (40, "0.2", "0")],
)
def test_chords_of_any_length_bound_what_is_worked_out_count_by_count(monkeypatch, k, beta, epsilon, bend):
    """The way that is meant for large k, on smaller ones that the other way settles exactly."""
    exact = tight(k, beta, epsilon, REPLACE)
    assert exact.high < exact.low * (1 + Fraction(1, 10**9))
    monkeypatch.setattr(replacing, "_EXACT", 0)
    monkeypatch.setattr(replacing, "_BEND", bend)
    found = replacing.replace(k, beta, epsilon, effort=12_000)
    assert found.low <= exact.high
    assert exact.low <= found.high


def two_large_cells(k, n, m, b, x):
    """The definition for counts i >= k or fewer, with sums over j from the smallest: the ratio falls with j."""
    left, less, right, more = (lumped(masses(rows, b), k) for rows in (n, n - 1, m - 1, m))
    less, right = [*less, mp.mpf(0)], [*right, mp.mpf(0)]
    sums = [(mp.mpf(0), mp.mpf(0))]
    for one, other in zip(right, more, strict=True):
        sums.append((sums[-1][0] + one, sums[-1][1] + other))
    total, taken = mp.mpf(0), 0
    for p, q in zip(left, less, strict=True):  # the more of these, the larger the event in the other cell
        while taken < len(right) and p * right[taken] > x * q * more[taken]:
            taken += 1
        total += p * sums[taken][0] - x * q * sums[taken][1]
    return total


def masses(n, b):
    values = [(1 - b) ** n]
    for j in range(n):
        values.append(values[-1] * b / (1 - b) * (n - j) / (j + 1))
    return values


def lumped(law, k):
    return [mp.fsum(law[:k]), *law[k:]]


def test_the_second_route_for_large_cells_agrees_with_fractions(laws):
    cells = {n: laws.by_counts((n,), 4, Fraction(3, 10)) for n in range(14)}
    with mp.workdps(40):
        found = two_large_cells(4, 12, 13, mp.mpf(3) / 10, mp.mpf(2))
        assert abs(found - mp.mpf(1) * (exact := _two_cells(cells, 12, 13, 2)).numerator / exact.denominator) < 1e-35


@pytest.mark.parametrize(
    ("k", "beta", "epsilon"), [(300, "0.1", "0.05"), (1000, "0.5", "0.1"), (1000, "0.1", "0.5"), (2000, "0.9", "0.5")]
)
def test_replace_is_within_a_percent_for_large_k(k, beta, epsilon):
    found = tight(k, beta, epsilon, REPLACE)
    assert found.high < found.low * Fraction(1011, 1000)
    (n, _), (_, m) = found.pair.likelier, found.pair.other
    draw = random.Random(k)
    with mp.workdps(40):
        b, x = mp.mpf(beta), mp.exp(mp.mpf(epsilon))
        low, high = (mp.mpf(end.numerator) / end.denominator for end in (found.low, found.high))
        attained = two_large_cells(k, n, m, b, x)
        assert low * (1 - mp.mpf(10) ** -9) <= attained <= high
        assert attained < low * (1 + mp.mpf(10) ** -3)
        for _ in range(3):
            rows = (max(k, int(each * draw.gauss(1, 0.5 / k**0.5))) for each in (n, m))
            assert two_large_cells(k, *rows, b, x) <= high


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


@pytest.mark.parametrize("slack", [Fraction(0), Fraction(1, 100), Fraction(1)])
def test_both_ends_of_an_epsilon_are_certain_where_delta_is_an_interval(slack):
    """The upper end of an interval passes the limit later than the value itself."""

    def value(epsilon):
        exact = 1 / (1 + epsilon.value) ** 3
        return Certified(exact, exact * (1 + slack), 1, Certificate((1,), exact, ""))

    limit = Fraction(1, 1000)
    found = crossing(value, limit)
    assert found.low < 9 <= found.high  # the value itself is at the limit at 9
    assert value(Epsilon(found.low)).low > limit >= value(Epsilon(found.high)).high
