"""Each engine proves what is true, refutes what is not with a point that was substituted, and says when it gives up."""

from fractions import Fraction

import pytest
from flint import arb

from crowdproof.proofs.answer import Answer
from crowdproof.proofs.engines import certificate, finite, fractions_of_polynomials, identity, lp, simplex, smt
from crowdproof.proofs.engines.certificate import Term
from crowdproof.proofs.engines.certificate_finder import find
from crowdproof.proofs.statement import Finite, Identity, Implication, at
from crowdproof.proofs.statements import STATEMENTS

SQUARE = Implication(("x >= 1",), "x**2 >= x", (at(x=1),))
FALSE = Implication(("x >= 0",), "x**2 >= x", (at(x=0),))
ROOT = Implication(("x**2 == 2", "x > 0"), "x*y < 1", (at(x=1),))  # its counterexamples have an irrational x
WIDE = Implication(("x**2 >= 2", "x > 0"), "x**2 > 3", (at(x=2),))


@pytest.mark.parametrize("engine", [smt.z3, smt.cvc5])
def test_both_solvers_prove_and_refute(engine):
    assert engine(SQUARE).answer is Answer.PROVED
    assert engine(FALSE).answer is Answer.REFUTED


def test_a_model_is_substituted_back():
    result = smt.z3(FALSE)
    assert smt.refutes(FALSE, result.values)
    assert not smt.refutes(SQUARE, result.values)


def test_irrational_models_are_made_rational_or_given_up():
    found = smt.z3(WIDE)
    assert found.answer is Answer.REFUTED
    assert all(isinstance(value, Fraction) for value in found.values.values())
    assert smt.z3(ROOT).answer is Answer.UNKNOWN  # no rational point has x^2 = 2, so nothing is claimed


def test_a_spent_budget_is_unknown(monkeypatch):
    hard = Implication(("a**3 + b**3 == c**3", "a > 0", "b > 0"), "c <= 0", (at(a=1),), ("a", "b", "c"))
    monkeypatch.setattr(smt, "Z3_BUDGET", 1000)
    assert smt.z3(hard).answer is Answer.UNKNOWN
    monkeypatch.setattr(smt, "CVC5_BUDGET", 1)
    monkeypatch.setattr(smt, "CVC5_MILLISECONDS", 200)
    assert smt.cvc5(hard).answer is Answer.UNKNOWN


def test_whole_numbers_are_whole():
    tight = Implication(("n > k",), "n >= k + 1", (at(n=1, k=0),), ("n", "k"))
    assert smt.z3(tight).answer is Answer.PROVED
    assert smt.cvc5(tight).answer is Answer.PROVED
    reals = Implication(("n > k",), "n >= k + 1", (at(n=1, k=0),))
    assert smt.z3(reals).answer is Answer.REFUTED
    assert not smt.refutes(tight, at(n="1/2", k=0))


def test_the_smt_text_names_its_logic_and_assumptions():
    text = smt.smt_lib(SQUARE)
    assert text.startswith("(set-logic QF_NRA)")
    assert "; assumption: x >= 1" in text
    assert text.endswith("(check-sat)\n")


def test_a_certificate_is_found_and_checked():
    found = find(SQUARE)
    assert found is not None
    assert certificate.check(SQUARE, found).answer is Answer.PROVED
    assert certificate.read(certificate.write(found)) == found
    assert find(FALSE, degree=3) is None


@pytest.mark.parametrize(
    ("forged", "why"),
    [
        ((Term(Fraction(1), (certificate.NEGATED,)),), "expand to zero"),
        ((Term(Fraction(-1), (certificate.NEGATED,)), Term(Fraction(1), (certificate.NEGATED,))), "not known"),
        ((Term(Fraction(1), ("x",)),), "not known"),
        ((Term(Fraction(1), ("x >= 5",)),), "does not have"),
        ((), "no product"),
    ],
)
def test_forged_certificates_are_rejected(forged, why):
    result = certificate.check(SQUARE, forged)
    assert result.answer is Answer.UNKNOWN
    assert why in result.detail


def test_a_certificate_proves_only_its_own_obligation():
    found = find(SQUARE)
    assert found is not None
    assert certificate.check(FALSE, found).answer is Answer.UNKNOWN


def test_identities():
    assert identity.decide(Identity("(a + b)**2 == a**2 + 2*a*b + b**2", (at(a=1, b=2),))).answer is Answer.PROVED
    wrong = identity.decide(Identity("(a + b)**2 == a**2 + b**2", (at(a=1, b=2),)))
    assert wrong.answer is Answer.REFUTED
    assert wrong.values["left - right"] == 4
    missed = identity.decide(Identity("a*(b - 2) == 0", (at(a=1, b=2),)))  # false, and the probe does not show it
    assert missed.answer is Answer.UNKNOWN
    assert not identity.defined(Identity("1/(a - 1) == 1/(a - 1)", (at(a=1),)))


def test_finite_claims_report_the_case_that_fails():
    body = Finite(lambda n: {"square": Fraction(n * n)}, "square < 10", tuple({"n": n} for n in range(5)))
    result = finite.decide(body)
    assert result.answer is Answer.REFUTED
    assert result.values == {"n": 4, "square": 16}


def test_balls_that_never_separate_are_unknown():
    body = Finite(lambda: {"one": arb(2).sqrt() ** 2, "two": arb(2)}, "one < two", ({},), "balls")
    assert finite.decide(body).answer is Answer.UNKNOWN


def test_exact_lp_and_its_proof():
    f = Fraction
    matrix, bound, objective = [[f(1), f(2)], [f(3), f(1)]], [f(4), f(6)], [f(1), f(1)]
    best = lp.maximize(objective, matrix, bound)
    assert best.value == f(14, 5)
    with pytest.raises(lp.NotCertifiedError):
        lp.certify(objective, matrix, bound, lp.Optimum(f(3), best.point, best.multipliers))
    with pytest.raises(lp.NotCertifiedError):
        lp.certify(objective, matrix, bound, lp.Optimum(f(0), (f(0), f(0)), best.multipliers))
    with pytest.raises(lp.NotCertifiedError):
        lp.maximize([f(1)], [[f(-1)]], [f(0)])  # unbounded


def test_the_simplex_method_agrees_with_the_guess_where_floats_suffice():
    f = Fraction
    matrix = [[f(1), f(-4), f(0)], [f(0), f(1), f(-4)], [f(1), f(1), f(1)], [f(0), f(0), f(1)]]
    bound = [f(0), f(0), f(1), f(1, 2)]
    objective = [f(3), f(1), f(-2)]
    solved = simplex.solve(objective, matrix, bound)
    assert solved is not None
    assert sum(a * b for a, b in zip(objective, solved[0], strict=True)) == lp.maximize(objective, matrix, bound).value


def test_the_simplex_method_handles_scales_beyond_double_precision():
    f = Fraction
    tiny = f(1, 10**40)
    best = lp.maximize([f(1), f(1)], [[f(1), f(0)], [f(0), f(1)], [f(1), f(1)]], [tiny, tiny, 3 * tiny / 2])
    assert best.value == 3 * tiny / 2


def test_identities_of_fractions_are_decided_twice():
    right, wrong = (Identity(f"1/(1 - p) - 1 == {side}", (at(p="1/2"),)) for side in ("p/(1 - p)", "p/(1 + p)"))
    assert fractions_of_polynomials.decide(right).answer is Answer.PROVED
    assert fractions_of_polynomials.decide(wrong).answer is Answer.REFUTED
    assert not fractions_of_polynomials.speaks(Identity("x**y == x**y", (at(x=2, y=2),)))
    assert not fractions_of_polynomials.speaks(Identity("log(x) == log(x)", (at(x=2),)))
    spoken = [
        (body, mutant.change(body))
        for each in STATEMENTS
        for obligation in each.obligations
        for mutant in obligation.mutants
        if isinstance(body := obligation.body, Identity) and fractions_of_polynomials.speaks(body)
    ]
    assert len(spoken) > 15
    for body, changed in spoken:
        assert fractions_of_polynomials.decide(body).answer is Answer.PROVED
        assert fractions_of_polynomials.decide(changed).answer is Answer.REFUTED
