"""Satisfiability modulo theories: one SMT-LIB text, given to two independent solvers.

A body holds if its assumptions together with the negated goal have no model. Budgets are resource limits and the seeds
are fixed, so that an answer does not depend on the machine; each question gets a fresh solver.
"""

import ast
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from crowdproof.proofs.answer import Answer
from crowdproof.proofs.engines.result import Result
from crowdproof.proofs.formula import evaluate, holds, names, negation, sides
from crowdproof.proofs.statement import Implication

Z3_BUDGET = 3_000_000
CVC5_BUDGET = 2_000_000
CVC5_MILLISECONDS = 20_000
"""A last resort: some loops of cvc5 do not count resources."""
SEED = 0


class _Text:
    """An SMT-LIB term under construction: arithmetic on it builds the text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _binary(self, sign: str, other: "_Text") -> "_Text":
        return _Text(f"({sign} {self.text} {other.text})")

    def __add__(self, other: "_Text") -> "_Text":
        return self._binary("+", other)

    def __sub__(self, other: "_Text") -> "_Text":
        return self._binary("-", other)

    def __mul__(self, other: "_Text") -> "_Text":
        return self._binary("*", other)

    def __truediv__(self, other: "_Text") -> "_Text":
        return self._binary("/", other)

    def __neg__(self) -> "_Text":
        return _Text(f"(- {self.text})")

    def __pow__(self, exponent: int) -> "_Text":
        return _Text(f"(* {' '.join([self.text] * exponent)})") if exponent > 1 else self


def _whole(value: Fraction) -> _Text:
    return _Text(str(value) if value >= 0 else f"(- {-value})")


def _number(value: Fraction) -> _Text:
    magnitude = f"{abs(value.numerator)}.0"
    if value.denominator != 1:
        magnitude = f"(/ {magnitude} {value.denominator}.0)"
    return _Text(f"(- {magnitude})" if value < 0 else magnitude)


def _relation(relation: tuple[ast.expr, str, ast.expr], integers: tuple[str, ...]) -> str:
    """The relation as a term; among whole numbers in whole numbers, since mixed arithmetic is harder to decide."""
    left, sign, right = relation
    nodes = [*ast.walk(left), *ast.walk(right)]
    used = {each.id for each in nodes if isinstance(each, ast.Name)}
    pure = used <= set(integers) and not any(isinstance(each, ast.Div) for each in nodes)
    lift = _whole if pure else _number
    terms = {name: _Text(name if pure or name not in integers else f"(to_real {name})") for name in used}
    symbol = "=" if sign == "==" else sign
    return f"({symbol} {evaluate(left, terms, lift).text} {evaluate(right, terms, lift).text})"


def logic(body: Implication) -> str:
    """The logic to name: with `ALL` some obligations are not decided."""
    return "QF_NIRA" if body.integers else "QF_NRA"


def smt_lib(body: Implication, *, goal: bool = True, pins: Mapping[str, Fraction] | None = None) -> str:
    """The text whose models are the counterexamples; without the goal, the points that the assumptions admit."""
    variables = sorted(frozenset().union(*map(names, (*body.assume, body.goal))))
    lines = [f"(set-logic {logic(body)})"]
    lines += [f"(declare-const {name} {'Int' if name in body.integers else 'Real'})" for name in variables]
    lines += [f"(assert {_relation(sides(each), body.integers)})  ; assumption: {each}" for each in body.assume]
    if goal:
        lines.append(f"(assert {_relation(negation(body.goal), body.integers)})  ; negated goal: {body.goal}")
    lines += [f"(assert (= {name} {_number(value).text}))" for name, value in (pins or {}).items()]
    return "\n".join([*lines, "(check-sat)", ""])


def z3(body: Implication) -> Result:
    """Ask z3; a model is made rational and substituted back before the answer is REFUTED."""
    answer, model = _z3(smt_lib(body), logic(body))
    if answer is not Answer.REFUTED:
        return Result("z3", answer, detail="z3 gave up within its resource limit" if answer is Answer.UNKNOWN else "")
    point = _rational_model(body, model)
    if point is None or not refutes(body, point):
        return Result("z3", Answer.UNKNOWN, detail="z3 has a model, but no rational one was found")
    return Result("z3", Answer.REFUTED, point)


def refutes(body: Implication, point: Mapping[str, Fraction | int]) -> bool:
    """Whether the point meets the assumptions and violates the goal, by exact substitution."""
    whole = all(Fraction(point[name]).denominator == 1 for name in body.integers if name in point)
    met = all(holds(each, point) is Answer.PROVED for each in body.assume)
    return whole and met and holds(body.goal, point) is Answer.REFUTED


def _z3(text: str, name: str) -> tuple[Answer, dict[str, Fraction | float]]:
    import z3 as solver_z3  # noqa: PLC0415  (a heavy import)

    solver = solver_z3.SolverFor(name)
    solver.set("rlimit", Z3_BUDGET)
    solver.set("random_seed", SEED)
    solver.from_string(text)
    outcome = solver.check()
    if outcome == solver_z3.unsat:
        return Answer.PROVED, {}
    if outcome != solver_z3.sat:
        return Answer.UNKNOWN, {}
    model = solver.model()
    return Answer.REFUTED, {each.name(): _value(model[each], solver_z3) for each in model.decls() if not each.arity()}


def _value(term: Any, solver_z3: Any) -> Fraction | float:
    if solver_z3.is_int_value(term):
        return Fraction(term.as_long())
    if solver_z3.is_rational_value(term):
        return Fraction(term.numerator_as_long(), term.denominator_as_long())
    near = term.approx(12)
    return float(Fraction(near.numerator_as_long(), near.denominator_as_long()))


def _rational_model(body: Implication, model: Mapping[str, Fraction | float]) -> dict[str, Fraction] | None:
    """Pin the irrational values of a model to simple rationals nearby, one by one, asking again after each."""
    for order in (sorted, lambda each: sorted(each, reverse=True)):
        current: Mapping[str, Fraction | float] | None = model
        pins: dict[str, Fraction] = {}
        while current is not None and any(isinstance(value, float) for value in current.values()):
            name = order([each for each, value in current.items() if isinstance(value, float)])[0]
            current = _pin(body, pins, name, float(current[name]))
        if current is not None:
            every = frozenset().union(*map(names, (*body.assume, body.goal)))
            return {name: Fraction(current.get(name, 0)) for name in sorted(every)}
    return None


def _pin(body: Implication, pins: dict[str, Fraction], name: str, near: float) -> Mapping[str, Fraction | float] | None:
    for size in (1, 8, 1000, 10**6):
        pins[name] = Fraction(near).limit_denominator(size)
        answer, model = _z3(smt_lib(body, pins=pins), logic(body))
        if answer is Answer.REFUTED:
            return model
    return None


def cvc5(body: Implication) -> Result:
    """Ask cvc5 with the same text."""
    return _cvc5(smt_lib(body))


def _cvc5(text: str) -> Result:
    import cvc5 as solver_cvc5  # noqa: PLC0415  (a heavy import)

    solver = solver_cvc5.Solver(solver_cvc5.TermManager())
    for option, value in (("rlimit", CVC5_BUDGET), ("tlimit-per", CVC5_MILLISECONDS), ("seed", SEED)):
        solver.setOption(option, str(value))
    parser = solver_cvc5.InputParser(solver)
    parser.setStringInput(solver_cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(solver, parser.getSymbolManager())).strip()
    answers = {"unsat": Answer.PROVED, "sat": Answer.REFUTED}
    answer = answers.get(said, Answer.UNKNOWN)
    return Result("cvc5", answer, detail=f"cvc5 said {said!r}" if answer is Answer.UNKNOWN else "")
