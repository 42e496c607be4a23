"""Bounds over the whole range of inputs: they end, never exceed 1, and agree with a second route."""

import random
from fractions import Fraction

import pytest

from crowdproof.errors import ParameterError
from crowdproof.proofs.bounds import ADD_REMOVE, REPLACE, theorem5, tight
from crowdproof.proofs.bounds import replace as replacing
from crowdproof.proofs.bounds.balls import Setting
from crowdproof.proofs.bounds.binomial import exactly_at_least
from crowdproof.proofs.bounds.telling import ask, bound_finding, plan_finding
from crowdproof.proofs.engines.smt import smt_lib
from crowdproof.proofs.statement import Implication, at
from crowdproof.proofs.statements import statement


@pytest.mark.parametrize(
    ("k", "beta", "epsilon"), [(20, "1e-6", 1), (20, "max", 700), (5, "1e-9", 0), (3, "0.999", 700)]
)
def test_extreme_inputs_have_an_answer(k, beta, epsilon):
    told = bound_finding(k, beta, epsilon)
    assert told.verdict.name == "PROVED"
    one, two = (tight(k, beta, epsilon, relation) for relation in (ADD_REMOVE, REPLACE))
    assert 0 < one.low <= one.high <= 1
    assert one.low <= two.high <= 1
    drawn = [y for each in told.evidence for series in getattr(each, "series", ()) for y in series.y]
    assert all(each >= 1e-300 for each in drawn)


EXTREME_PLANS = (
    {"epsilon": "9.59885e-09", "delta": "1.69e-15", "k": 40},
    {"beta": "4.17e-07", "delta": "4.644e-08", "k": 20},
    {"epsilon": "2.08106e-05", "delta": "4.33e-15", "k": 71256},
    {"epsilon": "ln 30", "beta": "max", "k": 85641},
    {"beta": "1e-9", "delta": "1e-12", "k": 3},
    {"epsilon": "570.867", "delta": "3.601e-105", "k": 7},
    {"epsilon": "650", "delta": "1e-400", "k": 2},
)


@pytest.mark.parametrize("given", EXTREME_PLANS)
def test_extreme_plans_end(given):
    question = ask(**{name: given.get(name) for name in ("epsilon", "delta", "beta", "k")})
    assert plan_finding(question).verdict.name == "PROVED"


def test_a_plan_over_rates_leaves_out_those_without_an_answer():
    found = plan_finding(ask(epsilon=14, delta="4.35e-09", beta=None, k=None))
    rates = {row[2] for table in found.evidence for row in getattr(table, "rows", ())}
    assert rates
    assert "max" not in rates


def test_the_largest_rate_and_the_epsilon_cannot_both_be_asked_for():
    with pytest.raises(ParameterError, match="give beta as a number"):
        plan_finding(ask(epsilon=None, delta="1e-6", beta="max", k=20))


@pytest.mark.parametrize(
    ("k", "beta", "epsilon"),
    [(10_000, "0.05", "0.1"), (100_000, "0.01", "0.001"), (31_390, "1.0219e-9", "1.0219e-9"), (96_272, "0.223", 0)],
)
def test_replaced_rows_of_many_are_bracketed_closely(k, beta, epsilon):
    """The delta of either pair is far below what a float holds; its two ends are within a factor of a hundred."""
    found = tight(k, beta, epsilon, REPLACE)
    assert tight(k, beta, epsilon).low <= found.low <= found.high <= 100 * found.low


def test_every_number_names_the_statements_that_it_rests_on():
    for k, epsilon in ((20, "0.5"), (20, "0.05"), (6000, "0.5")):
        table = next(each for each in bound_finding(k, "0.1", epsilon).evidence if getattr(each, "rows", ()))
        for *_, told in table.rows:
            status, _, names = told.partition(" (")
            assert names or status in {"", "argued in words, not in the ledger"}
            for name in filter(None, names.removesuffix(")").split(", ")):
                assert statement(name).status == status


@pytest.mark.parametrize(("k", "beta", "epsilon"), [(20, "1/10", "ln 2"), (7, "1/3", "ln 3"), (40, "1/2", "ln 9")])
def test_what_is_examined_for_theorem_5_is_what_its_maximum_takes(k, beta, epsilon):
    """The condition of `d-maximum`, in exact fractions: every count is covered by one examined, up to an M."""
    found, setting = theorem5(k, beta, epsilon), Setting.of(beta, epsilon)
    gamma, x = setting.gamma.exact, setting.epsilon.exp_exact
    pairs = [(next(m for m in range(n + 1) if m > gamma * n), n) for n in found.certificate.examined]
    rho = float(Fraction(beta)) * float(x) ** (1 / float(gamma)) / float(x - 1 + Fraction(beta))
    last = next(m for m in range(k, 10**6) if rho**m * 1.000001 <= float(found.high))
    for m in range(k, last):
        assert any(one <= m <= gamma * (m + n - one + 1) for one, n in pairs), m
    assert all(exactly_at_least(one, n, Fraction(beta)) <= found.high for one, n in pairs)


def test_large_k_says_what_is_left_out():
    titles = [getattr(each, "title", getattr(each, "label", "")) for each in bound_finding(6000, "0.1", 2).evidence]
    assert any("left out" in str(each) for each in titles)


def test_small_rates_are_bracketed_by_the_shortcut_as_by_the_search():
    """The bracket without a search contains what the search settles."""
    draw = random.Random(4)
    for _ in range(12):
        k, beta = draw.randint(2, 30), Fraction(draw.randint(20, 300), 1000)
        epsilon = Fraction(draw.randint(20, 200), 100)
        searched = tight(k, beta, epsilon, REPLACE)
        bracket = replacing.replace(k, beta, epsilon, effort=0)
        assert bracket.low <= searched.high
        assert searched.low <= bracket.high


def test_a_power_of_zero_is_exported_as_one():
    text = smt_lib(Implication(("x >= 1",), "x**0 <= x", (at(x=1),)))
    assert "1.0 x" in text
    assert "(> x x)" not in text
