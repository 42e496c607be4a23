"""Answers without truth value, formulas, polynomials."""

from fractions import Fraction

import pytest
from flint import arb

from crowdproof.errors import ConfigError
from crowdproof.proofs.answer import Answer
from crowdproof.proofs.engines.finite import lift
from crowdproof.proofs.formula import holds, mutations, names, negation, sides
from crowdproof.proofs.polynomial import expand
from crowdproof.proofs.rounding import against


def test_an_answer_has_no_truth_value():
    for answer in Answer:
        with pytest.raises(TypeError, match="no truth value"):
            bool(answer)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x < 2", Answer.REFUTED),
        ("x <= 2", Answer.PROVED),
        ("x**2 - 1/3 == 11/3", Answer.PROVED),
        ("-x + 0.5 > -1.5", Answer.REFUTED),
        ("-x + 0.5 >= -1.5", Answer.PROVED),
    ],
)
def test_relations_are_evaluated_exactly(text, expected):
    assert holds(text, {"x": Fraction(2)}) is expected


def test_overlapping_balls_are_unknown_and_never_decided():
    near = {"a": arb(1, 0.5), "b": arb(1, 0.5)}
    for sign in ("<", "<=", ">", ">=", "=="):
        assert holds(f"a {sign} b", near, lift) is Answer.UNKNOWN
    assert holds("a < b", {"a": arb(1), "b": arb(2)}, lift) is Answer.PROVED
    assert holds("a == b", {"a": arb(1), "b": arb(2)}, lift) is Answer.REFUTED


@pytest.mark.parametrize("text", ["x", "x < y < z", "x != y", "x <", "f(x) < [1]"])
def test_what_is_not_a_relation_is_an_error(text):
    with pytest.raises(ConfigError):
        holds(text, {"x": 1, "y": 2, "z": 3, "f": lambda value: value})


def test_an_equation_has_no_opposite():
    with pytest.raises(ConfigError, match="identity"):
        negation("x == 1")


def test_names_leave_functions_out():
    assert names("binomial(n, k) <= n + x") == {"n", "k", "x"}


def test_every_comparison_and_constant_is_mutated():
    assert set(mutations("x - 1 <= 2*y")) == {
        "x - 1 >= 2 * y",
        "x - 2 <= 2 * y",
        "x - 0 <= 2 * y",
        "x - 1 <= 3 * y",
        "x - 1 <= 1 * y",
    }
    assert "x < 1" in set(mutations("x == 1"))


def test_polynomials_expand_and_refuse_division_by_a_variable():
    assert expand("(a + b)**2 - a**2 - 2*a*b - b**2").terms == {}
    assert expand("x/2 - x*(1/2)").terms == {}
    assert expand("x - y").terms != {}
    with pytest.raises(ConfigError, match="divides by constants"):
        expand("1/x")


def test_sides_are_cached_and_stable():
    assert sides("a < b")[1] == "<"


def test_rounding_to_the_printed_digit_is_decided_exactly():
    assert against(Fraction(1, 8), "0.13")["shown"] == 13  # a tie goes up
    assert against(Fraction(1, 8) - Fraction(1, 10**30), "0.12")["shown"] == 12
    assert {name: against(arb(2).log(), "0.693")[name] for name in ("shown", "printed")} == {
        "shown": 693,
        "printed": 693,
    }
    assert against(arb(2).log(), "0.693", 1)["printed"] == 694
