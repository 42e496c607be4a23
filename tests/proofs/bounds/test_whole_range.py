"""Bounds over the whole range of inputs: they end, never exceed 1, and agree with a second route."""

import random
from fractions import Fraction

import pytest

from crowdproof.proofs.bounds import ADD_REMOVE, REPLACE, tight
from crowdproof.proofs.bounds import replace as replacing
from crowdproof.proofs.bounds.telling import bound_finding
from crowdproof.proofs.engines.smt import smt_lib
from crowdproof.proofs.statement import Implication, at


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
