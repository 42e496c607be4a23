"""Positivity certificates: a proof that polynomial arithmetic alone can check, without trusting any solver.

The assumptions and the negated goal are polynomials that would have to be >= 0, > 0 or = 0 at a counterexample. A
certificate is a sum of products of them that expands to the zero polynomial although it would have to be positive
there: coefficients are positive, except of products with a factor that is zero; and one product has only positive
factors. Where all variables and coefficients are whole numbers, p > 0 is used as p - 1 >= 0.
"""

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction

from attrs import frozen

from crowdproof.exact import rational
from crowdproof.proofs.answer import Answer
from crowdproof.proofs.engines.result import Result
from crowdproof.proofs.formula import names, negation, sides
from crowdproof.proofs.polynomial import Polynomial, expand, expand_tree
from crowdproof.proofs.statement import Implication

NEGATED = "the goal fails"
"""The name of the factor that the negated goal is."""


class Sign(Enum):
    """What is known of a factor at a counterexample."""

    POSITIVE = ">"
    NONNEGATIVE = ">="
    ZERO = "=="
    ANY = "any"
    """A variable: allowed in products that are zero."""


@frozen
class Factor:
    """A polynomial with what is known of its sign."""

    polynomial: Polynomial
    sign: Sign


@frozen
class Term:
    """A coefficient and the product of named factors that it multiplies."""

    coefficient: Fraction
    product: tuple[str, ...]


Certificate = tuple[Term, ...]


def factors(body: Implication) -> dict[str, Factor]:
    """What the assumptions, the negated goal, the offered squares and the variables contribute, by name."""
    found = {each: _factor(sides(each), body) for each in body.assume}
    found[NEGATED] = _factor(negation(body.goal), body)
    for each in body.squares:
        found[f"({each})**2"] = Factor(expand(f"({each})**2"), Sign.NONNEGATIVE)
    for name in sorted(frozenset().union(*map(names, (*body.assume, body.goal)))):
        found[name] = Factor(Polynomial.variable(name), Sign.ANY)
    return found


def _factor(relation: tuple[object, str, object], body: Implication) -> Factor:
    left, sign, right = relation
    variables = frozenset().union(*map(names, (*body.assume, body.goal)))
    difference = expand_tree(left, variables) - expand_tree(right, variables)  # type: ignore[arg-type]
    if sign in {"<", "<="}:
        difference = -difference
    if sign == "==":
        return Factor(difference, Sign.ZERO)
    if sign in {"<", ">"} and not difference.integral(body.integers):
        return Factor(difference, Sign.POSITIVE)
    return Factor(difference - 1 if sign in {"<", ">"} else difference, Sign.NONNEGATIVE)


def check(body: Implication, certificate: Certificate) -> Result:
    """PROVED if the certificate is one for this body; else UNKNOWN: a bad certificate refutes nothing."""
    known = factors(body)
    flaw = _flaw(known, certificate)
    return Result("certificate", Answer.UNKNOWN if flaw else Answer.PROVED, detail=flaw)


def _flaw(known: Mapping[str, Factor], certificate: Certificate) -> str:
    total = Polynomial({})
    positive = False
    for term in certificate:
        if any(name not in known for name in term.product):
            return f"the certificate multiplies {term.product}, which this obligation does not have"
        product = Polynomial.constant(term.coefficient)
        for name in term.product:
            product = product * known[name].polynomial
        total = total + product
        signs = {known[name].sign for name in term.product}
        if Sign.ZERO in signs:
            continue
        if Sign.ANY in signs or term.coefficient <= 0:
            return f"the product {term.product} is not known to be >= 0"
        positive = positive or signs <= {Sign.POSITIVE}
    if total.terms:
        return "the certificate does not expand to zero"
    return "" if positive else "no product of the certificate is known to be positive"


def read(record: list[list[object]]) -> Certificate:
    """A certificate from its stored form."""
    return tuple(Term(rational(str(coefficient)), tuple(map(str, product))) for coefficient, *product in record)


def write(certificate: Certificate) -> list[list[str]]:
    """The stored form of a certificate."""
    return [[str(term.coefficient), *term.product] for term in certificate]
