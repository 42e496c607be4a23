"""Theorem 6: the exact counterexamples, the certified optimum, and a brute-force second route."""

from fractions import Fraction
from itertools import product

import pytest

from crowdproof.errors import ParameterError
from crowdproof.proofs.statements.theorem6 import TABLE
from crowdproof.proofs.theorem6 import Case, claimed, delta, factor, find_counterexamples, worst_first_step

SMALL = Case.of(4, 3, "1/4", 4, 12)


def brute_force(case: Case, choice) -> Fraction:
    """The law of the release over all samples of single rows, target first, without any formula of the module."""
    laws = []
    for rows in (case.n, case.n - 1):
        law: dict[tuple[str, int], Fraction] = {}
        for kept in product((0, 1), repeat=rows):
            weight = Fraction(1)
            for taken in kept:
                weight *= case.beta if taken else 1 - case.beta
            b = kept[0] if rows == case.n else 0
            p = choice[b][sum(kept) - b]
            count = sum(kept) if sum(kept) >= case.k else 0
            law["A", count] = law.get(("A", count), Fraction(0)) + weight * p
            law["B", count] = law.get(("B", count), Fraction(0)) + weight * (1 - p)
        laws.append(law)
    return sum(
        (max(p - case.x * laws[1].get(key, Fraction(0)), Fraction(0)) for key, p in laws[0].items()), Fraction(0)
    )


def test_the_printed_table_is_a_counterexample():
    assert factor(TABLE) == 4
    assert delta(SMALL, TABLE) == brute_force(SMALL, TABLE) == Fraction(119, 5120)
    assert claimed(SMALL) == Fraction(1, 64)


def test_the_program_finds_the_optimum_exactly():
    worst = worst_first_step(4, 3, "1/4", 4, 12)
    assert worst.optimal
    assert worst.exceeds
    assert worst.delta == brute_force(SMALL, worst.choice) == Fraction(119, 5120)
    assert factor(worst.choice) <= 4


@pytest.mark.parametrize(("n", "x1", "x"), [(3, 2, 4), (4, 2, 6), (5, 4, 16), (5, 3, 9)])
def test_no_random_safe_first_step_does_worse(n, x1, x):
    """A grid of eps1-safe first steps stays below the certified optimum."""
    case = Case.of(n, 3, "1/4", x1, x)
    best = worst_first_step(n, 3, "1/4", x1, x)
    low, high = Fraction(1, 1 + x1), Fraction(x1, 1 + x1)
    tried = 0
    for flags in product((low, high), repeat=2 * n):
        choice = (flags[:n], flags[n:])
        if (factor(choice) or x1 + 1) <= x1:
            tried += 1
            assert delta(case, choice) <= best.delta
    assert tried > 10


def test_a_first_step_that_ignores_the_data_keeps_the_printed_delta():
    constant = ((Fraction(1, 3),) * 4, (Fraction(1, 3),) * 4)
    assert delta(SMALL, constant) <= claimed(SMALL)
    assert not worst_first_step(4, 3, "1/4", 1, 3).exceeds


def test_further_counterexamples_are_found():
    found = find_counterexamples(3, "1/4", 4, (2, 3, 4))
    assert len(found) == 3
    for each in found:
        assert delta(each.case, each.choice) == brute_force(each.case, each.choice) > each.claimed
        assert (factor(each.choice) or 5) <= 4


def test_out_of_range_is_one_sentence():
    with pytest.raises(ParameterError, match="raise x"):
        worst_first_step(4, 3, "1/4", 4, 5)
    with pytest.raises(ParameterError, match="at least 1"):
        worst_first_step(4, 3, "1/4", "1/2", 5)
    with pytest.raises(ParameterError, match="raise n"):
        worst_first_step(2, 3, "1/4", 2, 5)
