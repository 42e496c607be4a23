"""Identities a second time: both sides as one fraction of polynomials each, multiplied out, without sympy.

Two fractions of polynomials are the same function, wherever both have a value, exactly if crossing their numerators and
denominators gives the same polynomial. Binomials, factorials, logarithms and derivatives are not spoken of.
"""

import ast

from attrs import frozen

from crowdproof.errors import ConfigError
from crowdproof.proofs.answer import Answer
from crowdproof.proofs.engines.result import Result
from crowdproof.proofs.formula import evaluate, names, sides
from crowdproof.proofs.polynomial import Polynomial
from crowdproof.proofs.statement import Identity

ENGINE = "polynomials"


@frozen
class Ratio:
    """One polynomial over another."""

    over: Polynomial
    under: Polynomial

    def __add__(self, other: "Ratio") -> "Ratio":
        return Ratio(self.over * other.under + other.over * self.under, self.under * other.under)

    def __sub__(self, other: "Ratio") -> "Ratio":
        return self + -other

    def __neg__(self) -> "Ratio":
        return Ratio(-self.over, self.under)

    def __mul__(self, other: "Ratio") -> "Ratio":
        return Ratio(self.over * other.over, self.under * other.under)

    def __truediv__(self, other: "Ratio") -> "Ratio":
        if not other.over.terms:
            raise ConfigError("a formula divides by what is always 0.")
        return Ratio(self.over * other.under, self.under * other.over)

    def __pow__(self, exponent: int) -> "Ratio":
        return Ratio(self.over**exponent, self.under**exponent)


def speaks(body: Identity) -> bool:
    """Whether both sides are fractions of polynomials: no functions, and powers by whole numbers alone."""
    left, _, right = sides(body.goal)
    nodes = [each for side in (left, right) for each in ast.walk(side)]
    called = any(isinstance(each, ast.Call) for each in nodes)
    powers = (each.right for each in nodes if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Pow))
    return not called and all(isinstance(each, ast.Constant) and isinstance(each.value, int) for each in powers)


def decide(body: Identity) -> Result:
    """PROVED where the two fractions are the same, else REFUTED: they differ almost everywhere.

    >>> from crowdproof.proofs.statement import at
    >>> [decide(Identity(goal, (at(x=2),))).answer.value for goal in ("x/(x*x) == 1/x", "1/x == x")]
    ['proved', 'refuted']
    """
    left, _, right = sides(body.goal)
    unit = Polynomial.constant(1)
    values = {name: Ratio(Polynomial.variable(name), unit) for name in names(body.goal)}
    one, other = (
        evaluate(each, values, lambda number: Ratio(Polynomial.constant(number), unit)) for each in (left, right)
    )
    same = not (one.over * other.under - other.over * one.under).terms
    return Result(ENGINE, Answer.PROVED if same else Answer.REFUTED)
