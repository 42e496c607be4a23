"""Finitely many cases, each worked out in exact fractions or in ball arithmetic, with the precision raised on a tie."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from crowdproof.findings import Estimate
from crowdproof.proofs.answer import Answer
from crowdproof.proofs.engines.result import Result
from crowdproof.proofs.formula import holds, names
from crowdproof.proofs.statement import Finite

PRECISIONS = (128, 512, 2048)
"""Bits; a goal that is still open at the last is UNKNOWN."""


def decide(body: Finite) -> Result:
    """PROVED if the goal holds in every case, REFUTED with the first case in which it certainly fails."""
    unknown = None
    for parameters in body.cases:
        answer, values = _case(body, parameters)
        if answer is Answer.REFUTED:
            return Result(body.engine, answer, {**parameters, **values})
        if answer is Answer.UNKNOWN:
            unknown = parameters
    if unknown is not None:
        return Result(body.engine, Answer.UNKNOWN, detail=f"the balls overlap at {dict(unknown)}")
    return Result(body.engine, Answer.PROVED)


def _case(body: Finite, parameters: Mapping[str, Any]) -> tuple[Answer, dict[str, Any]]:
    for precision in PRECISIONS:
        with ctx.workprec(precision):
            values = dict(body.quantities(**parameters))
            used = {name: value for name, value in values.items() if name in names(body.goal)}
            exact = not any(isinstance(value, arb | Estimate) for value in used.values())
            lifted = used if exact else {name: lift(value) for name, value in used.items()}
            answer = holds(body.goal, lifted) if exact else holds(body.goal, lifted, lift)
            if answer is not Answer.UNKNOWN:
                return answer, {name: _shown(value) for name, value in used.items()}
    return Answer.UNKNOWN, {}


def _shown(value: Any) -> Any:
    """A ball as text: it is for people, and balls cannot be sent between processes."""
    return value.str(15, radius=False) if isinstance(value, arb) else value


def lift(value: Any) -> Any:
    """A ball that contains the number."""
    match value:
        case Fraction():
            return arb(fmpq(value.numerator, value.denominator))
        case Estimate(low=low, high=high):
            return lift(low).union(lift(high))
        case int():
            return arb(value)
        case _:
            return value
