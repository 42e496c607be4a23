"""(eps, delta)-DP and DP under sampling: can the outputs on two neighbours be told apart better than is claimed?

Pairs whose output law is finite and small are settled exactly, and take no share of the error. The others are tested by
betting, all together, with the whole error.

Where it was only measured that the target is deterministic, two tests are run at most, each with half of the error, so
that a true claim is refuted with at most the whole. The first goes by what was enumerated. If that breaks the claim,
fresh runs have to confirm it. If not, a test by betting looks for what a rare random release would show, on the pairs
that were enumerated as well. What was enumerated decides which of the two it is, and either has its error whatever that
was, since its runs are fresh. The second test is run only when a run comes out otherwise than was enumerated: it bets
against a target of which nothing is assumed.
"""

from collections.abc import Sequence
from itertools import chain, islice, zip_longest

from attrs import define, evolve

from crowdproof.audit.exact import NotDeterministicError, Watched
from crowdproof.audit.exact.engine import NOT_DETERMINISTIC
from crowdproof.audit.interface import Conclusion, Pair, Request
from crowdproof.audit.meter import Meter
from crowdproof.audit.notions import statistically
from crowdproof.audit.notions.constant import constant
from crowdproof.audit.notions.exactly import ExactPart
from crowdproof.audit.notions.pilot import best_by_search
from crowdproof.audit.notions.question import GOING_ON, Question, check_pairs, is_recorded
from crowdproof.audit.probe import probe
from crowdproof.audit.sequential import Ended, SequentialResult
from crowdproof.audit.sequential.drift import DRIFT
from crowdproof.errors import NoReleaseError
from crowdproof.findings import (
    Certainty,
    Confidence,
    Evidence,
    Note,
    NotRefuted,
    Refuted,
    Skipped,
    Undecided,
    Verdict,
)

PROBED = 2
"""Datasets on which the target is tried before the audit."""
WATCHED_STREAM = 7
"""Random stream of the test by betting that watches for a difference; a test after it must not repeat its runs."""


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

    @property
    def keys(self) -> set[str]:
        """Keys of all releases that count."""
        tested = frozenset[str]() if self.tested is None else self.tested.keys
        return self.exact.keys | tested


def examine(request: Request) -> Conclusion:
    """Look for a pair of neighbours and an event that refute the claim."""
    question, meter = Question.of(request), Meter(request.budget, request.progress)
    if request.pairs is not None:
        check_pairs(request.pairs, question.claim.neighbours, sampled=question.beta is not None)
    if not is_recorded(question.mechanism):
        meter.runs += _probed(question, request)
    found = Findings(ExactPart(question, request, meter), request)
    try:
        _look(question, request, meter, found)
    except KeyboardInterrupt:
        found.ended = "it was interrupted"
    conclusion = _conclude(question, request, meter, found)
    return evolve(conclusion, evidence=(*constant(found.keys), *conclusion.evidence))


def _probed(question: Question, request: Request) -> int:
    """Try the target on a few datasets; the runs that it took. To release nothing on one side only may be a leak."""
    datasets = _datasets(question, request)
    try:
        return probe(question.mechanism, datasets)
    except NoReleaseError:
        if request.pairs is None:
            raise
        others = [pair.right for pair in request.pairs[:PROBED]]
        return len(datasets) + probe(question.mechanism, others)


def _datasets(question: Question, request: Request) -> list[object]:
    if request.pairs is not None:
        return [pair.left for pair in request.pairs[:PROBED]]
    proposals = question.proposals(request.data)
    return [request.data, *(pair.left for pair in islice(proposals.worst_cases(), PROBED - 1))]


def _look(question: Question, request: Request, meter: Meter, found: Findings) -> None:
    if not question.finite:
        _test(question, _pairs(question, request), meter, found)
        return
    if question.distrust:
        found.request = evolve(request, error=request.error / 2)
    try:
        _exactly(question, request, found.exact)
        found.exact.confirm()
        if found.exact.refuting is None:
            _test_the_rest(question, meter, found)
    except NotDeterministicError as error:
        found.exact.forget(error)
        found.pairs, found.tested = (), None
        found.request = evolve(request, error=request.error / 2)
        randomized = evolve(question, finite=False)
        _test(randomized, _pairs(randomized, request), meter, found)


def _test_the_rest(question: Question, meter: Meter, found: Findings) -> None:
    """Test by betting what enumeration leaves open."""
    exact = found.exact
    left = [pair for pair, _ in exact.unaffordable]
    if not question.distrust:
        _test(question, left, meter, found)
        return
    watched = Watched.of(question.mechanism, [each.result for each in exact.examined])
    in_turn = chain.from_iterable(zip_longest(exact.worst_first(), left))
    pairs = [pair for pair in in_turn if pair is not None]
    own = meter.rest(GOING_ON) if exact.settled else meter.part(1)
    _test(evolve(question, mechanism=watched), pairs, own, found, stream=WATCHED_STREAM)
    meter.runs += own.runs
    if found.tested is None:
        return
    if found.tested.failure == NOT_DETERMINISTIC:
        raise NotDeterministicError
    exact.watched = found.tested.trials
    text = f"{exact.watched:,} further runs of the test by betting came out as enumerated wherever that was done."
    exact.notes.append(Note("No run differed", text))


def _test(question: Question, pairs: list[Pair], meter: Meter, found: Findings, *, stream: int = 1) -> None:
    """Test by betting on these pairs, with what is left of the budget."""
    request = found.request
    if meter.spent:
        if meter.left().runs != 0:
            found.ended = "the budget of time was spent"
        return
    if not question.finite and request.pairs is None and request.search:
        pairs = [*best_by_search(question, request, meter), *pairs]
    if pairs:
        found.pairs = pairs[: statistically.most_pairs(meter)]
        found.tested = statistically.bet_on(question, found.pairs, request, meter, stream=stream)


def _pairs(question: Question, request: Request) -> list[Pair]:
    if request.pairs is not None:
        return list(request.pairs)
    proposals = question.proposals(request.data)
    parts = (proposals.worst_cases(), proposals.own_data())
    return list(chain(*(parts if question.finite else reversed(parts))))


def _exactly(question: Question, request: Request, part: ExactPart) -> None:
    """Settle what can be enumerated."""
    part.examine(_pairs(question, request))
    if part.refuting is None and request.pairs is None and request.search and not part.meter.spent:
        part.search()


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
        return Conclusion(verdict, _certainty(found, verdict, request), evidence, meter.runs)
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


def _certainty(found: Findings, verdict: Verdict, request: Request) -> Certainty | None:
    """How sure the verdict of a test by betting is."""
    if isinstance(verdict, Skipped):
        return None
    if isinstance(verdict, NotRefuted) and found.exact.settled:
        return found.exact.certainty
    return Confidence(request.error)


def _judge(found: Findings, tested: SequentialResult) -> Verdict:  # noqa: PLR0911  (one return for each case)
    exact = f" {found.exact.seen()}" if found.exact.worst is not None else ""
    if tested.refuted is not None:
        return Refuted(statistically.witness(tested.refuted, found.pairs))
    if found.exact.gap:
        return Skipped(found.exact.gap)
    silent = statistically.out_of_order(tested)
    if silent is not None:
        return Skipped(silent)
    if tested.ended is Ended.DRIFT:
        return Undecided(DRIFT)
    if tested.ended is Ended.FAILED:
        return Skipped(f"The target failed after {tested.trials:,} runs: {tested.failure}{exact}")
    late = tested.ended is Ended.SECONDS and not found.exact.settled
    if late or tested.ended is Ended.INTERRUPTED:
        return Undecided(f"No leak was found before {tested.ended.value}: {tested.detectable.words}.{exact}")
    if tested.detectable.nothing or not tested.bet:
        return _too_few(tested, exact)
    return _not_found(found, tested, exact)


def _not_found(found: Findings, tested: SequentialResult, exact: str) -> Verdict:
    """Which leak would have been seen."""
    seen = tested.detectable
    if found.exact.settled:
        words = f"{exact.strip()} If it is not: {seen.words}."
    else:
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
