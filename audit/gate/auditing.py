"""How the gate examines one claim, by the auditor's own comparison: enumerated first, then bet on in slices."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import Factory, define, evolve

from crowdproof import wire
from crowdproof.audit import audit
from crowdproof.audit.allowance import Allowance
from crowdproof.audit.compare import betting_story
from crowdproof.audit.compare.betting import Ended, SequentialResult
from crowdproof.audit.compare.betting.drift import DRIFT, SHARED
from crowdproof.audit.compare.comparison import Comparison
from crowdproof.audit.compare.conclusion import conclude
from crowdproof.audit.compare.exact import NotDeterministicError
from crowdproof.audit.compare.question import Question
from crowdproof.audit.gate.cases import Case, load_options, runs_of, table_of
from crowdproof.audit.gate.config import Entry, Project
from crowdproof.audit.gate.evidence import Slice
from crowdproof.audit.request import DEFAULT_CANARIES, Budget, OneRunTerms, Pair, Request, Sampling
from crowdproof.audit.runners.inline import Inline
from crowdproof.audit.targets.behaviour import Behaviour
from crowdproof.audit.targets.interface import afresh
from crowdproof.audit.targets.load import load_target
from crowdproof.audit.targets.spec import Code, TargetSpec
from crowdproof.claims import DistributionClaim
from crowdproof.errors import NoReleaseError, pass_interrupts
from crowdproof.findings import Confidence, Cost, Finding, Json, Measured, Refuted

LEARNED_FORM = 2
"""The form in which a slice leaves what it learned, raised whenever that changes; what has another form is not read.

The first form had no number, and was changed without one.
"""

NAMED = 3
"""Pairs that a finding names: as many as a reader takes in at a glance. `crowdproof audit` lists all of them."""


DOUBTS = {Ended.DRIFT: DRIFT, Ended.SHARED_NOISE: SHARED}
"""Why a slice of a test by betting leaves its claim open."""


@define(eq=False)
class Subject:
    """A loaded target, and the question about it where the claim is one of indistinguishability."""

    target: Any
    question: Question | None = None
    found: list[Pair] = Factory(list)
    """The most promising pairs of a randomized target, which are looked at first."""


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

    def prepare(self, entry: Entry, project: Project, *, seconds: float) -> Case:
        """Load the target, read the data, and see how the target behaves on it."""
        data = self._table(entry, project)
        target = load_target(**load_options(entry, project))
        runs = runs_of(entry, project)
        with suppress(NoReleaseError):  # data that is refused in every form: other datasets may not be
            target.get_ready([data])
        case = Case(entry, Subject(target), data, runs, spends=True, loaded=target.loaded)
        if entry.one_run or not isinstance(entry.claim, DistributionClaim):
            return case
        budget = Budget(seconds=seconds)
        question = Question.of(_request(case, budget, error=Fraction(1, 2), seed=0))
        Comparison(question, Allowance(budget)).probe()
        subject, passing = Subject(target, question), _passing(entry, target.behaviour)
        return Case(entry, subject, data, runs, passing=passing, spends=question.known.distrusted, loaded=target.loaded)

    def settle(self, case: Case, budget: Budget, *, error: Fraction, seed: int) -> Finding | None:
        """Enumerate where the output is determined by the sample; other notions are the auditor's as they are."""
        question = case.subject.question
        if question is None:
            return _audited(case, budget, error=error, seed=seed)
        comparison = Comparison(question, Allowance(budget, error=error, seed=(seed,)))
        if question.known.finite:
            return _enumerated(comparison, case)
        case.subject.found += comparison.search(question, comparison.allowance)
        return None

    def slice(self, case: Case, budget: Budget, *, alpha: Fraction, seed: np.random.SeedSequence, state: Any) -> Slice:
        """One slice of the test by betting."""
        comparison = Comparison(case.subject.question, Allowance(budget, error=alpha))
        result = comparison.slice(budget, error=alpha, seed=seed, first=case.subject.found, learned=_learned(state))
        betting_story.require_answers(result)
        case.keys.update(result.keys)
        learned = {"form": LEARNED_FORM, "state": result.state}
        return Slice(
            log_e=result.log_e,
            runs=result.trials,
            witness=_seen(case, result, pairs=comparison.pairs, alpha=alpha),
            state=learned,
            detectable=f"{_of_the_last_slice(result.detectable.words)} {_named(comparison.pairs)}",
            whole=result.ended is not Ended.SECONDS,
            sees=result.bet and not result.detectable.nothing and result.ended not in DOUBTS,
            doubt=DOUBTS.get(result.ended, ""),
        )

    def release(self, case: Case) -> None:
        """End the target's processes."""
        case.subject.target.close()


def _of_the_last_slice(words: str) -> str:
    """Sentences about a test by betting, as they are told where it has many slices."""
    return f"In the last slice of the test by betting, {words[0].lower()}{words[1:]}"


def _named(pairs: Sequence[Pair]) -> str:
    """Which pairs were tested, so that a reader sees which were not."""
    if len(pairs) == 1:
        return f"One pair of neighbours was tested: {pairs[0].origin}."
    origins = "; ".join(pair.origin for pair in pairs[:NAMED])
    first = ":" if len(pairs) <= NAMED else ", the first of them:"
    return f"{len(pairs)} pairs of neighbours were tested{first} {origins}."


def _audited(case: Case, budget: Budget, *, error: Fraction, seed: int) -> Finding:
    """What an audit by itself says."""
    entry = case.entry
    return audit(
        case.subject.target,
        entry.claim,
        data=case.data,
        budget=budget,
        error=error,
        seed=seed,
        sampling=Sampling(entry.sampling),
        deterministic=entry.deterministic,
        one_run=OneRunTerms(entry.canaries or DEFAULT_CANARIES) if entry.one_run else None,
    )


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


def _request(case: Case, budget: Budget, *, error: Fraction, seed: int) -> Request:
    entry = case.entry
    return Request(
        target=case.subject.target,
        claim=entry.claim,
        data=case.data,
        pairs=None,
        budget=budget,
        error=error,
        seed=seed,
        runner=Inline(),
        progress=None,
        sampling=Sampling(entry.sampling),
        deterministic=entry.deterministic,
    )


def _enumerated(comparison: Comparison, case: Case) -> Finding | None:
    """What enumeration shows; None where that leaves something to be tested.

    Some pairs could not be enumerated and none of the others refutes, or nothing refutes as long as the target is
    deterministic, and that was only measured.
    """
    try:
        comparison.enumerate()
    except NotDeterministicError:  # it may have drawn its noise when it started
        question = comparison.question
        case.subject.question = evolve(question, mechanism=afresh(question.mechanism))
        return None
    part, allowance = comparison.enumeration, comparison.allowance
    case.keys.update(part.keys)
    unsettled = part.refuting is None and part.gap is None and (part.unaffordable or part.worst is None)
    if unsettled and not allowance.spent:
        if part.worst is not None and not part.too_few:
            case.exact.append((part.seen(), part.certainty))
        case.shown.extend(part.evidence())
        return None
    found = conclude(comparison)
    cost = Cost(found.runs, allowance.seconds)
    finding = Finding(
        subject="",
        claim=case.entry.claim,
        verdict=found.verdict,
        certainty=found.certainty,
        evidence=found.evidence,
        cost=cost,
    )
    if isinstance(found.certainty, Measured):
        case.enumerated.append(finding)
        return None
    return finding


def _passing(entry: Entry, behaviour: Behaviour | None) -> str | None:
    """Why evidence about this target must not add up: other code or the same random numbers may come next time."""
    if TargetSpec.of(entry.target).kind.code is Code.ELSEWHERE:
        return "it is a service, whose code may change without notice"
    if entry.entropy or (behaviour is not None and behaviour.reproducible):
        return None
    return (
        "its randomness does not come from the seed that it is given, so that it may repeat itself in the next run; "
        "set entropy = true if it draws fresh randomness in every process"
    )


def _learned(state: Json) -> Json:
    """What earlier slices learned, where it was written in this form; else the slice starts from nothing."""
    written = isinstance(state, dict) and state.get("form") == LEARNED_FORM
    return state.get("state") if written else None


def _seen(case: Case, result: SequentialResult, *, pairs: Sequence[Pair], alpha: Fraction) -> Json:
    """What the slice saw, as the finding that it would be."""
    if result.leading is None:
        return None
    verdict = Refuted(betting_story.witness(result.leading, pairs))
    return wire.to_json(Finding(case.entry.name, case.entry.claim, verdict, Confidence(alpha)))
