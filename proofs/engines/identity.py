"""Identities between expressions: sympy reduces the difference to zero, or an exact value at a probe is not zero."""

from typing import Any

import sympy

from crowdproof.proofs.answer import Answer
from crowdproof.proofs.engines.result import Result
from crowdproof.proofs.formula import evaluate, names, sides
from crowdproof.proofs.statement import Identity

_FUNCTIONS: dict[str, Any] = {
    "binomial": sympy.binomial,
    "factorial": sympy.factorial,
    "log": sympy.log,
    "diff": sympy.diff,
}


def decide(body: Identity) -> Result:
    """PROVED by simplification, REFUTED by a probe, else UNKNOWN."""
    left, right = _sides(body)
    symbols = _symbols(body)
    for probe in body.probes:
        values = {symbols[name]: sympy.Rational(value) for name, value in probe.items() if name in symbols}
        gap = sympy.simplify((left - right).subs(values))
        if gap.is_number and gap.is_finite and gap.is_zero is False:
            return Result("sympy", Answer.REFUTED, {**probe, "left - right": gap})
    if _quotient(left, right) == 1 or sympy.simplify(left - right) == 0:
        return Result("sympy", Answer.PROVED)
    return Result("sympy", Answer.UNKNOWN, detail="sympy could neither simplify the difference to 0 nor tell it apart")


def defined(body: Identity) -> bool:
    """Whether both sides have a value at every probe: an identity about nothing would be vacuous."""
    left, right = _sides(body)
    symbols = _symbols(body)
    points = ({symbols[name]: sympy.Rational(value) for name, value in probe.items()} for probe in body.probes)
    return bool(body.probes) and all(side.subs(point).is_finite for point in points for side in (left, right))


def _symbols(body: Identity) -> dict[str, Any]:
    return {name: sympy.Symbol(name, positive=True) for name in names(body.goal)}


def _quotient(left: Any, right: Any) -> Any:
    """Binomials cancel in the quotient, where simplifying the difference leaves them standing."""
    return None if right == 0 else sympy.simplify(sympy.gammasimp(sympy.powsimp(sympy.expand(left / right))))


def _sides(body: Identity) -> tuple[Any, Any]:
    left, _, right = sides(body.goal)
    values = {**_FUNCTIONS, **_symbols(body)}
    lift = sympy.Rational
    return evaluate(left, values, lift), evaluate(right, values, lift)
