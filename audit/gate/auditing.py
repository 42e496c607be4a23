"""The engine of the gate: the auditor's exact part first, then slices of its sequential part."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, islice
from typing import Any

import numpy as np
from attrs import evolve, frozen

import crowdproof
from crowdproof import wire
from crowdproof.audit import audit
from crowdproof.audit.exact import NotDeterministicError
from crowdproof.audit.gate.config import Entry, Project
from crowdproof.audit.gate.engine import Case, load_options, runs_of, table_of
from crowdproof.audit.gate.evidence import Slice
from crowdproof.audit.inline import Inline
from crowdproof.audit.interface import Budget, Pair, Request, Sampling
from crowdproof.audit.meter import Meter
from crowdproof.audit.notions import statistically
from crowdproof.audit.notions.constant import constant
from crowdproof.audit.notions.exactly import ExactPart
from crowdproof.audit.notions.question import Question
from crowdproof.audit.probe import probe
from crowdproof.audit.sequential import Ended, SequentialResult, sequential_audit
from crowdproof.audit.targets.behaviour import Behaviour
from crowdproof.audit.targets.load import load_target
from crowdproof.claims import DP, DPS
from crowdproof.errors import pass_interrupts
from crowdproof.findings import (
    Confidence,
    Cost,
    Finding,
    Json,
    Measured,
    Note,
    Refuted,
    Skipped,
    Undecided,
    Verdict,
)


@frozen(eq=False)
class Subject:
    """A loaded target, and the question about it where the claim is one of indistinguishability."""

    target: Any
    question: Question | None = None


class AuditEngine:
    """What `crowdproof.audit` offers, as the gate needs it."""

    def __init__(self) -> None:
        self._data: dict[str, Any] = {}

    def _table(self, entry: Entry, project: Project) -> Any:
        """The data of a claim. All data is read before the first target runs, which may write what it likes."""
        if not self._data:
            self._data = {each.name: _read(each, project) for each in project.config.claims}
        data = self._data.get(entry.name) or (lambda: table_of(entry, project))
        return data()

    def prepare(self, entry: Entry, project: Project) -> Case:
        """Load the target, read the data, and see how the target behaves on it."""
        data = self._table(entry, project)
        target = load_target(**load_options(entry, project))
        runs = runs_of(entry, project)
        case = Case(entry, Subject(target), data, runs, spends=True)
        if not isinstance(entry.claim, DP | DPS):
            return case
        question = Question.of(_request(case, Budget(), Fraction(1, 2), 0))
        probe(question.mechanism, [data])
        subject, passing = Subject(target, question), _passing(entry, target.behaviour)
        return Case(entry, subject, data, runs, passing, spends=question.finite and question.distrust)

    def settle(self, case: Case, budget: Budget, error: Fraction, seed: int) -> Finding | None:
        """Enumerate where the output is determined by the sample; other notions are the auditor's as they are."""
        request = _request(case, budget, error, seed)
        question = case.subject.question
        if question is None:
            return audit(
                request.target,
                request.claim,
                data=case.data,
                budget=budget,
                error=error,
                seed=seed,
                sampling=request.sampling,
                deterministic=request.deterministic,
            )
        return _enumerated(question, request, case) if question.finite else None

    def slice(self, case: Case, budget: Budget, alpha: Fraction, seed: np.random.SeedSequence, state: Any) -> Slice:
        """One slice of the sequential audit."""
        question = case.subject.question
        claim, pairs = question.claim, list(_pairs(question, case.data))
        result = sequential_audit(
            pairs,
            question.whole,
            claim.epsilon,
            claim.delta,
            error=alpha,
            budget=budget,
            seed=seed,
            runner=Inline(),
            warm=_learned(state),
            stop=False,
            bounds=False,
        )
        statistically.require_answers(result)
        case.keys.update(result.keys)
        detectable = f"In the last slice, {result.detectable.words}."
        whole = result.ended is not Ended.SECONDS
        learned = {"crowdproof": crowdproof.__version__, "state": result.state}
        seen = _seen(case, result, pairs, alpha)
        return Slice(result.log_e, result.trials, seen, learned, detectable, whole, result.bet)

    def release(self, case: Case) -> None:
        """End the target's processes."""
        case.subject.target.close()


def _read(entry: Entry, project: Project) -> Callable[[], Any]:
    """Read the data of a claim now; what was wrong with it is raised when it is asked for."""
    try:
        table = table_of(entry, project)
    except BaseException as error:  # noqa: BLE001  (one claim's trouble is not that of the others)
        pass_interrupts(error)
        problem = error

        def missing() -> Any:
            raise problem

        return missing
    return lambda: table


def _request(case: Case, budget: Budget, error: Fraction, seed: int) -> Request:
    entry = case.entry
    sampling = Sampling(entry.sampling)
    return Request(
        case.subject.target,
        entry.claim,
        case.data,
        None,
        budget,
        error,
        seed,
        Inline(),
        None,
        sampling,
        deterministic=entry.deterministic,
    )


def _enumerated(question: Question, request: Request, case: Case) -> Finding | None:
    """What enumeration shows; None where that leaves something to be tested.

    Some pairs could not be enumerated and none of the others refutes, or nothing refutes as long as the target is
    deterministic, and that was only measured.
    """
    meter = Meter(request.budget)
    part = ExactPart(question, request, meter)
    proposals = question.proposals(request.data)
    try:
        part.examine(chain(proposals.worst_cases(), proposals.own_data()))
        if part.refuting is None and not meter.spent:
            part.search()
        part.confirm()
    except NotDeterministicError:
        return None
    case.keys.update(part.keys)
    if part.refuting is None and part.gap is None and not meter.spent and (part.unaffordable or part.worst is None):
        case.shown.extend([Note("Exact part", part.seen())] if part.worst is not None else [])
        case.shown.extend(part.evidence())
        return None
    finding = _settled(part, meter)
    if isinstance(finding.certainty, Measured):
        case.enumerated.append(finding)
        return None
    return evolve(finding, evidence=(*constant(case.keys), *finding.evidence))


def _settled(part: ExactPart, meter: Meter) -> Finding:
    """What enumeration says by itself."""
    verdict: Verdict
    open_ = part.refuting is None and part.gap is None
    if open_ and meter.late:
        verdict = Undecided("The time was spent before the pairs were enumerated.")
    elif open_ and part.worst is None:
        verdict = Skipped("Nothing was examined: the budget of runs was spent before a pair was enumerated, raise it.")
    else:
        verdict = part.verdict()
    evidence = (*part.evidence(), *part.question.notes)
    certainty = None if isinstance(verdict, Undecided | Skipped) else part.certainty
    return Finding("", part.request.claim, verdict, certainty, evidence, Cost(meter.runs, meter.seconds))


def _passing(entry: Entry, behaviour: Behaviour | None) -> str | None:
    """Why evidence about this target must not add up: other code or the same random numbers may come next time."""
    if entry.target.startswith(("http:", "https:")):
        return "it is a service, whose code may change without notice"
    if entry.entropy or (behaviour is not None and behaviour.reproducible):
        return None
    return (
        "its randomness does not come from the seed that it is given, so that it may repeat itself in the next run; "
        "set entropy = true if it draws fresh randomness in every process"
    )


def _learned(state: Json) -> Json:
    """What earlier slices learned, where this version of crowdproof wrote it; else the slice starts from nothing."""
    written = isinstance(state, dict) and state.get("crowdproof") == crowdproof.__version__
    return state.get("state") if written else None


def _pairs(question: Question, data: Any) -> Iterator[Pair]:
    """The same pairs in every slice, so that what was learned on one is of use to the next."""
    proposals = question.proposals(data)
    return islice(chain(proposals.own_data(), proposals.worst_cases()), statistically.MOST_PAIRS)


def _seen(case: Case, result: SequentialResult, pairs: list[Pair], alpha: Fraction) -> Json:
    """What the slice saw, as the finding that it would be."""
    if result.leading is None:
        return None
    verdict = Refuted(statistically.witness(result.leading, pairs))
    return wire.to_json(Finding(case.entry.name, case.entry.claim, verdict, Confidence(alpha)))
