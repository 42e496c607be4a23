"""Checking one obligation or printed claim: every engine that can speak, the mutants, and that nothing is vacuous."""

from collections.abc import Mapping
from fractions import Fraction
from time import perf_counter

from attrs import frozen

from crowdproof.proofs.answer import Answer
from crowdproof.proofs.engines import certificate as certificates
from crowdproof.proofs.engines import finite, fractions_of_polynomials, identity, smt
from crowdproof.proofs.engines.certificate import Certificate
from crowdproof.proofs.engines.result import Result
from crowdproof.proofs.formula import evaluate, holds, sides
from crowdproof.proofs.statement import Body, Edge, Finite, Identity, Implication, Obligation, Printed


@frozen
class Outcome:
    """What came of one obligation (or printed claim) and its variants."""

    id: str
    sentence: str
    results: tuple[Result, ...]
    variants: tuple[tuple[str, Result], ...]
    """The mutants (or repairs) and what the engines said of them."""
    defects: tuple[str, ...]
    """Why the check does not count: empty where all is as registered."""
    gave_up: tuple[str, ...]
    """Engines that did not decide."""
    seconds: float

    @property
    def engines(self) -> tuple[str, ...]:
        """Who spoke."""
        return tuple(dict.fromkeys(each.engine for each in self.results))

    @property
    def refutation(self) -> Result | None:
        """The first result that refutes the body."""
        return next((each for each in self.results if each.answer is Answer.REFUTED), None)


def decide(body: Body) -> Result:
    """The quickest engine that decides a body and shows a counterexample where there is one."""
    match body:
        case Implication():
            return smt.z3(body)
        case Identity():
            return identity.decide(body)
        case Finite():
            return finite.decide(body)


def check_obligation(obligation: Obligation, certificate: Certificate | None) -> Outcome:
    """Discharge an obligation with all its engines and refute its mutants."""
    started = perf_counter()
    body = obligation.body
    results = _all_engines(body, certificate)
    variants = tuple((each.why, decide(each.change(body))) for each in obligation.mutants)
    defects = [*vacuous(body), *_unsettled(results, Answer.PROVED)]
    defects += [f"the mutant '{why}' is not refuted" for why, result in variants if result.answer is Answer.PROVED]
    if isinstance(body, Implication):
        flaw = certificates.check(body, certificate).detail if certificate else "there is no positivity certificate"
        defects += [flaw] if flaw else []
    gave_up = _gave_up(results, variants)
    seconds = perf_counter() - started
    return Outcome(
        obligation.id,
        obligation.sentence,
        results=results,
        variants=variants,
        defects=tuple(defects),
        gave_up=gave_up,
        seconds=seconds,
    )


def check_printed(printed: Printed) -> Outcome:
    """Refute a claim as printed, at the registered point where there is one, and prove its repairs."""
    started = perf_counter()
    body = printed.body
    results: tuple[Result, ...] = (decide(body),)
    defects = list(_unsettled(results, Answer.REFUTED))
    if isinstance(body, Implication):
        met = smt.refutes(body, printed.counterexample)
        defects += [] if met else ["the registered counterexample does not refute the claim"]
        results = (Result("substitution", Answer.REFUTED if met else Answer.PROVED, printed.counterexample), *results)
    variants = tuple((each.why, decide(each.change(body))) for each in printed.repairs)
    defects += [f"the repair '{why}' is refuted" for why, result in variants if result.answer is Answer.REFUTED]
    gave_up = _gave_up(results, variants)
    seconds = perf_counter() - started
    return Outcome(
        "printed",
        printed.sentence,
        results=results,
        variants=variants,
        defects=tuple(defects),
        gave_up=gave_up,
        seconds=seconds,
    )


def _all_engines(body: Body, certificate: Certificate | None) -> tuple[Result, ...]:
    if isinstance(body, Identity) and fractions_of_polynomials.speaks(body):
        return (decide(body), fractions_of_polynomials.decide(body))
    if not isinstance(body, Implication):
        return (decide(body),)
    valid = certificate is not None and certificates.check(body, certificate).answer is Answer.PROVED
    return (smt.z3(body), smt.cvc5(body), *((Result("certificate", Answer.PROVED),) if valid else ()))


def vacuous(body: Body) -> list[str]:
    """Why the body speaks of nothing, or of less than it is cited for."""
    match body:
        case Implication(covers=points):
            missed = [dict(point) for point in points if not _admits(body, point)]
            defects = [f"the assumptions do not admit {_words(point)}" for point in missed]
            slack = [point for point in points if isinstance(point, Edge) and not _attained(body, point)]
            defects += [f"the goal is not attained at {_words(point)}" for point in slack]
            return defects if points else ["no point is named that the assumptions admit"]
        case Identity():
            return [] if identity.defined(body) else ["a probe lies outside the domain"]
        case Finite(cases=cases):
            return [] if cases else ["there is no case"]


def _admits(body: Implication, point: Mapping[str, object]) -> bool:
    whole = all(Fraction(str(point[name])).denominator == 1 for name in body.integers if name in point)
    return whole and all(holds(each, point) is Answer.PROVED for each in body.assume)


def _attained(body: Implication, point: Edge) -> bool:
    left, _, right = sides(body.goal)
    return bool(evaluate(left, point) == evaluate(right, point))


def _words(point: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())


def _unsettled(results: tuple[Result, ...], expected: Answer) -> list[str]:
    contrary = [each for each in results if each.answer not in {expected, Answer.UNKNOWN}]
    return [f"{each.engine} says {each.answer.value}" for each in contrary]


def _gave_up(results: tuple[Result, ...], variants: tuple[tuple[str, Result], ...]) -> tuple[str, ...]:
    open_results = [each for each in (*results, *(result for _, result in variants)) if each.answer is Answer.UNKNOWN]
    return tuple(f"{each.engine}: {each.detail}" for each in open_results)
