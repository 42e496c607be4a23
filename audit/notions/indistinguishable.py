"""(eps, delta)-DP and DP under sampling: can the outputs on two neighbours be told apart better than is claimed?"""

from collections.abc import Iterable
from fractions import Fraction

from attrs import Factory, define, frozen

from crowdproof.audit import neighbours
from crowdproof.audit.exact import ExactResult, Excess, Unaffordable, exact_law, worst_excess
from crowdproof.audit.exact import report as exact_report
from crowdproof.audit.interface import Conclusion, Pair, Request, Sampling
from crowdproof.audit.meter import Meter
from crowdproof.claims import DP, DPS
from crowdproof.errors import DataError, TargetError
from crowdproof.findings import Evidence, Exact, Note, NotRefuted, Refuted, Skipped, Table, Undecided
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms.sampling import Sampled, for_samples

GLANCE = 400
"""Runs up to which further pairs are looked at after a refutation, for a larger leak to show."""


@frozen(eq=False)
class Question:
    """The claim as the engines see it: sample at rate beta (None: not at all), then run the mechanism."""

    mechanism: Mechanism
    beta: Fraction | None
    claim: DP | DPS

    @classmethod
    def of(cls, request: Request) -> "Question":
        """What is asked, with a target that samples by itself taken apart where that is known how."""
        claim, target = request.claim, request.target
        assert isinstance(claim, DP | DPS)
        if isinstance(claim, DPS) and request.sampling is Sampling.AUDITOR:
            return cls(for_samples(target), claim.beta, claim)
        if isinstance(target, Sampled):
            return cls(target.mechanism, target.beta, claim)
        return cls(target, None, claim)


@define(eq=False)
class Progressed:
    """What has been found so far: an interrupt loses none of it."""

    examined: list[tuple[ExactResult, Excess, bool]] = Factory(list)
    notes: list[Note] = Factory(list)
    unaffordable: list[Pair] = Factory(list)
    ended: str | None = None
    """Why it ended early, if it did."""

    def worst(self) -> tuple[ExactResult, Excess, bool]:
        """The pair with the largest excess."""
        return max(self.examined, key=lambda each: each[1].bounds().low)

    def refuting(self, delta: Fraction) -> tuple[ExactResult, Excess, bool] | None:
        """The pair with the largest excess, if that refutes the claim."""
        return self.worst() if self.examined and self.worst()[1].above(delta) else None


def examine(request: Request) -> Conclusion:
    """Look for a pair of neighbours and an event that refute the claim."""
    question, meter = Question.of(request), Meter(request.budget, request.progress)
    found = Progressed()
    try:
        _exact(question, _pairs(request, question), request, meter, found)
    except KeyboardInterrupt:
        found.ended = "it was interrupted"
    return _conclude(question, found, meter)


def _pairs(request: Request, question: Question) -> Iterable[Pair]:
    if request.pairs is not None:
        if not request.pairs:
            raise DataError("the list of pairs is empty: give at least one, or leave the choice to the auditor.")
        return request.pairs
    claim = question.claim
    return neighbours.propose(request.data, question.mechanism, claim.neighbours, claim.epsilon, question.beta)


def _exact(question: Question, pairs: Iterable[Pair], request: Request, meter: Meter, found: Progressed) -> None:
    for pair in pairs:
        if meter.spent:
            found.ended = "the budget was spent"
            return
        try:
            result = exact_law(pair, question.mechanism, question.beta, runner=request.runner, meter=meter)
        except TargetError as error:
            found.notes.append(Note(f"Not examined: {pair.origin}", str(error)))
            continue
        if isinstance(result, Unaffordable):
            found.unaffordable.append(pair)
            continue
        found.examined.append((result, *worst_excess(result.law, question.claim.epsilon)))
        if found.refuting(question.claim.delta) is not None and meter.runs >= GLANCE:
            return


def _conclude(question: Question, found: Progressed, meter: Meter) -> Conclusion:
    claim = question.claim
    refuting = found.refuting(claim.delta)
    if refuting is not None:
        evidence = (*_evidence(question, refuting), *found.notes)
        return Conclusion(Refuted(exact_report.witness(*refuting)), Exact(), evidence, meter.runs)
    if not found.examined:
        reason = found.notes[0].text if found.notes else f"Nothing was examined: {found.ended or 'no pair'}."
        return Conclusion(Skipped(reason), None, tuple(found.notes), meter.runs)
    worst = found.worst()
    evidence = (*_evidence(question, worst), _overview(found), *found.notes)
    if found.ended:
        return Conclusion(Undecided(f"No leak was found before {found.ended}."), None, evidence, meter.runs)
    seen = (
        f"Exact on {len(found.examined)} pairs of neighbours: delta at the claimed epsilon is at most "
        f"{exact_report.number(worst[1].bounds())} on them, and other pairs were not examined."
    )
    return Conclusion(NotRefuted(seen, delta=float(claim.delta)), Exact(), evidence, meter.runs)


def _evidence(question: Question, worst: tuple[ExactResult, Excess, bool]) -> tuple[Evidence, ...]:
    result, _, _ = worst
    return (
        Note("Pair", result.pair.origin),
        exact_report.how(result, question.beta),
        Note("What would hold", exact_report.needed_epsilon(result, question.claim.delta)),
        *exact_report.profile(result, question.claim.epsilon),
        *exact_report.failures(result),
    )


def _overview(found: Progressed) -> Table:
    rows = tuple(
        (result.pair.origin, f"{result.runs:,}", exact_report.number(excess.bounds()))
        for result, excess, _ in found.examined
    )
    return Table("Pairs examined", ("pair", "runs", "delta at the claimed epsilon"), rows)
