"""(eps, delta)-DP and DP under sampling: can the outputs on two neighbours be told apart better than is claimed?

Pairs whose output law is finite and small are settled exactly, and take no share of the error. The others are tested by
betting, all together, with the whole error.
"""

from collections.abc import Sequence
from itertools import chain, islice

from attrs import define, evolve

from crowdproof.audit.exact import NotDeterministicError
from crowdproof.audit.interface import Conclusion, Pair, Request
from crowdproof.audit.meter import Meter
from crowdproof.audit.notions import statistically
from crowdproof.audit.notions.exactly import ExactPart
from crowdproof.audit.notions.pilot import best_by_search
from crowdproof.audit.notions.question import Question, check_pairs, is_recorded
from crowdproof.audit.probe import probe
from crowdproof.audit.sequential import Ended, SequentialResult
from crowdproof.findings import (
    Confidence,
    Evidence,
    NotRefuted,
    Refuted,
    Skipped,
    Undecided,
    Verdict,
)

DRIFT = (
    "The releases of one dataset changed in the course of the audit, though its runs were declared to be independent. "
    "So a difference between the datasets may be one between earlier and later runs. Audit the target without a method "
    "batch, so that a coin decides on which dataset each run is, or give outputs that were made in random order."
)
PROBED = 2
"""Datasets on which the target is tried before the audit."""


@define(eq=False)
class Findings:
    """All that has been found, whatever ended the audit."""

    exact: ExactPart
    request: Request
    """As it was made, or with what is left of the error."""
    pairs: Sequence[Pair] = ()
    """Those that were tested by betting."""
    tested: SequentialResult | None = None
    ended: str | None = None
    """Why it ended early, if it did."""


def examine(request: Request) -> Conclusion:
    """Look for a pair of neighbours and an event that refute the claim."""
    question, meter = Question.of(request), Meter(request.budget, request.progress)
    if request.pairs is not None:
        check_pairs(request.pairs, question.claim.neighbours, sampled=question.beta is not None)
    if not is_recorded(question.mechanism):
        meter.runs += probe(question.mechanism, _datasets(question, request))
    found = Findings(ExactPart(question, request, meter), request)
    try:
        _look(question, request, meter, found)
    except KeyboardInterrupt:
        found.ended = "it was interrupted"
    return _conclude(question, request, meter, found)


def _datasets(question: Question, request: Request) -> list[object]:
    if request.pairs is not None:
        return [pair.left for pair in request.pairs[:PROBED]]
    proposals = question.proposals(request.data)
    return [request.data, *(pair.left for pair in islice(proposals.worst_cases(), PROBED - 1))]


def _look(question: Question, request: Request, meter: Meter, found: Findings) -> None:
    if question.finite:
        try:
            pairs = _exactly(question, request, found.exact)
            found.exact.confirm()
        except NotDeterministicError as error:
            found.exact.forget(error)
            found.request = evolve(request, error=request.error / 2)  # the other half was for a confirmation
            question = evolve(question, finite=False)
    if not question.finite:
        pairs = _pairs(question, request)
    if found.exact.refuting is not None:
        return
    if meter.spent:
        if meter.left().runs != 0:
            found.ended = "the budget of time was spent"
        return
    if not question.finite and request.pairs is None and request.search:
        pairs = [*best_by_search(question, request, meter), *pairs]
    if pairs:
        found.pairs = pairs[: statistically.most_pairs(meter)]
        found.tested = statistically.bet_on(question, found.pairs, found.request, meter)


def _pairs(question: Question, request: Request) -> list[Pair]:
    if request.pairs is not None:
        return list(request.pairs)
    proposals = question.proposals(request.data)
    parts = (proposals.worst_cases(), proposals.own_data())
    return list(chain(*(parts if question.finite else reversed(parts))))


def _exactly(question: Question, request: Request, part: ExactPart) -> list[Pair]:
    """Settle what can be enumerated; the pairs that are left."""
    part.examine(_pairs(question, request))
    if part.refuting is None and request.pairs is None and request.search and not part.meter.spent:
        part.search()
    return [pair for pair, _ in part.unaffordable]


def _conclude(question: Question, request: Request, meter: Meter, found: Findings) -> Conclusion:
    exact, tested = found.exact, found.tested
    evidence: tuple[Evidence, ...] = question.notes
    if exact.refuting is not None:
        verdict = exact.verdict()
        certainty = None if isinstance(verdict, Undecided) else exact.certainty
        return Conclusion(verdict, certainty, (*exact.evidence(), *evidence), meter.runs)
    if tested is not None:
        evidence = (*statistically.evidence(tested, found.pairs, found.request), *exact.evidence(), *evidence)
        verdict = _judge(found, tested)
        certainty = None if isinstance(verdict, Skipped) else Confidence(request.error)
        return Conclusion(verdict, certainty, evidence, meter.runs)
    evidence = (*exact.evidence(), *evidence)
    if exact.gap:
        return Conclusion(Skipped(exact.gap), None, evidence, meter.runs)
    if exact.worst is None:
        why = found.ended or ("the budget of runs was spent, raise it" if meter.spent else "there was no pair")
        reason = exact.notes[0].text if exact.notes else f"Nothing was examined: {why}."
        return Conclusion(Skipped(reason), None, evidence, meter.runs)
    if found.ended:
        return Conclusion(Undecided(f"No leak was found before {found.ended}."), None, evidence, meter.runs)
    return Conclusion(exact.verdict(), exact.certainty, evidence, meter.runs)


def _judge(found: Findings, tested: SequentialResult) -> Verdict:  # noqa: PLR0911  (one return for each case)
    exact = f" {found.exact.seen()}" if found.exact.worst is not None else ""
    if tested.refuted is not None:
        return Refuted(statistically.witness(tested.refuted, found.pairs))
    if found.exact.gap:
        return Skipped(found.exact.gap)
    match tested.ended:
        case Ended.DRIFT:
            return Undecided(DRIFT)
        case Ended.FAILED:
            return Skipped(f"The target failed after {tested.trials:,} runs: {tested.failure}{exact}")
        case Ended.SECONDS | Ended.INTERRUPTED:
            return Undecided(f"No leak was found before {tested.ended.value}: {tested.detectable.words}.{exact}")
        case _ if tested.detectable.nothing or not tested.bet:
            return _too_few(tested, exact)
        case _:
            seen = tested.detectable
            words = f"{seen.words[0].upper()}{seen.words[1:]}.{exact}"
            return NotRefuted(words, seen.epsilon, seen.delta)


def _too_few(tested: SequentialResult, exact: str) -> Verdict:
    """What may be said where no leak could have shown in the test."""
    if exact:
        return NotRefuted(exact.strip())
    runs = f"{tested.trials:,} runs are too few to"
    remedy = "raise the budget of runs, or give more outputs."
    if tested.bet:
        return Undecided(f"{runs} find any leak beyond this claim: {remedy}")
    return Skipped(f"{runs} test anything: {remedy}")
