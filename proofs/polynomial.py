"""Polynomials with rational coefficients, as plain dictionaries: few enough lines to be read and believed."""

import ast
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache

from crowdproof.errors import ConfigError
from crowdproof.proofs.formula import evaluate, names, parse

Monomial = tuple[tuple[str, int], ...]
"""Variables with their exponents, sorted by name."""


class Polynomial:
    """A sum of monomials with rational coefficients.

    >>> x = Polynomial.variable("x")
    >>> ((x + 1) * (x - 1) - x * x).terms
    {(): Fraction(-1, 1)}
    """

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        self.terms = {monomial: value for monomial, value in terms.items() if value != 0}

    @classmethod
    def constant(cls, value: Fraction | int) -> "Polynomial":
        """The constant polynomial."""
        return cls({(): Fraction(value)})

    @classmethod
    def variable(cls, name: str) -> "Polynomial":
        """The polynomial that is one variable."""
        return cls({((name, 1),): Fraction(1)})

    def __add__(self, other: "Polynomial | int") -> "Polynomial":
        total = dict(self.terms)
        for monomial, value in _polynomial(other).terms.items():
            total[monomial] = total.get(monomial, Fraction(0)) + value
        return Polynomial(total)

    def __neg__(self) -> "Polynomial":
        return Polynomial({monomial: -value for monomial, value in self.terms.items()})

    def __sub__(self, other: "Polynomial | int") -> "Polynomial":
        return self + -_polynomial(other)

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        total: dict[Monomial, Fraction] = {}
        for one, a in self.terms.items():
            for two, b in other.terms.items():
                monomial = _product(one, two)
                total[monomial] = total.get(monomial, Fraction(0)) + a * b
        return Polynomial(total)

    def __pow__(self, exponent: int) -> "Polynomial":
        result = Polynomial.constant(1)
        for _ in range(exponent):
            result = result * self
        return result

    def __truediv__(self, other: "Polynomial") -> "Polynomial":
        if set(other.terms) != {()}:
            raise ConfigError("a polynomial formula divides by constants only: multiply the denominator out.")
        return self * Polynomial.constant(1 / other.terms[()])

    def integral(self, integers: Iterable[str]) -> bool:
        """Whether the value is a whole number wherever these variables are, and no other occurs."""
        known = set(integers)
        return all(
            value.denominator == 1 and known.issuperset(name for name, _ in monomial)
            for monomial, value in self.terms.items()
        )


def _polynomial(value: "Polynomial | int") -> Polynomial:
    return value if isinstance(value, Polynomial) else Polynomial.constant(value)


@cache
def _product(one: Monomial, two: Monomial) -> Monomial:
    exponents = dict(one)
    for name, exponent in two:
        exponents[name] = exponents.get(name, 0) + exponent
    return tuple(sorted(exponents.items()))


def expand(text: str) -> Polynomial:
    """The polynomial that a text denotes."""
    return expand_tree(parse(text), names(text))


def expand_tree(tree: ast.expr, variables: Iterable[str]) -> Polynomial:
    """The polynomial that a syntax tree denotes."""
    result: Polynomial = evaluate(
        tree, {name: Polynomial.variable(name) for name in variables}, lift=Polynomial.constant
    )
    return result
