"""Crowd-blending: does each row of a dataset blend with k rows of it, or is it ignored?

Row t of D is not ignored if San(D) and San(D without t) can be told apart beyond e^eps. It does not blend with t' if
San(D) and San(D with t' in place of t) can: one such dataset is enough. So t refutes the claim if it is not ignored and
fewer than k rows of D, t itself counted, are left that it may blend with.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, islice

import numpy as np
from attrs import Factory, define, evolve, frozen

from crowdproof.audit.exact import ExactResult, Excess, NotDeterministicError, confirmed, exact_law, worst_excess
from crowdproof.audit.exact import report as exact_report
from crowdproof.audit.interface import Conclusion, Pair, Request
from crowdproof.audit.meter import Meter
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.notions.question import ASSUMED, GOING_ON, finite, if_deterministic
from crowdproof.audit.notions.statistically import require_answers
from crowdproof.audit.notions.statistically import witness as betting_witness
from crowdproof.audit.probe import probe
from crowdproof.audit.rows import GroupedPair, group
from crowdproof.audit.sequential import Ended, sequential_audit
from crowdproof.audit.sequential.drift import DRIFT
from crowdproof.claims import CrowdBlending, Neighbours
from crowdproof.errors import DataError, TargetError
from crowdproof.findings import (
    Certainty,
    Confidence,
    Exact,
    Measured,
    Note,
    NotRefuted,
    PairWitness,
    Refuted,
    Skipped,
    Table,
    Undecided,
    Verdict,
)

DATASETS = 16
"""Datasets that are looked at, each with one row that sticks out."""
SHARE = 4
"""A test by betting takes at most one part in so many of what is left of the budget."""
OTHERS = 16
"""Kinds of other rows that a row is compared with."""


@frozen(eq=False)
class Suspect:
    """A dataset and one kind of its rows."""

    rows: GroupedPair
    place: int
    origin: str

    def without(self) -> Pair:
        """The dataset against the dataset without the row."""
        return self._pair(None, "without the row")

    def exchanged(self, other: int) -> Pair:
        """The dataset against the dataset with another of its rows in place of the row."""
        return self._pair(other, "with another row in its place")

    def _pair(self, other: int | None, what: str) -> Pair:
        counts = list(self.rows.left)
        counts[self.place] -= 1
        if other is not None:
            counts[other] += 1
        relation = Neighbours.ADD_REMOVE if other is None else Neighbours.REPLACE
        left, right = self.rows.dataset(self.rows.left), self.rows.dataset(counts)
        return Pair(left, right, relation, f"{self.origin}: the dataset, against the same {what}")


@define(eq=False)
class Examination:
    """Tells datasets apart, exactly or by betting; each bet has its share of the error and of the budget."""

    request: Request
    claim: CrowdBlending
    exact: bool
    measured: bool
    """Whether it was only measured that the target is deterministic."""
    meter: Meter
    tests: int
    rows: list[tuple[str, ...]] = Factory(list)
    late: bool = False
    """Whether a bet, or the confirmation of what was enumerated, lacked time or runs."""
    drifts: bool = False
    """Whether releases changed in the course of a bet, though the runs were declared to be independent."""
    blind: bool = False
    """Whether the budget of the last comparison was too small for anything to show."""
    agreed: int = 0
    """Runs of the enumeration: no two on the same data differed."""

    @property
    def rests_on_measuring(self) -> bool:
        """Whether what is found holds only if the target is deterministic, as was measured."""
        return self.exact and self.measured

    def distinguishes(self, pair: Pair) -> PairWitness | None:
        """What tells the two datasets apart beyond e^eps, if anything does."""
        if self.exact:
            result = exact_law(pair, self.request.target, None, runner=self.request.runner, meter=self.meter)
            assert isinstance(result, ExactResult)  # two datasets are always affordable
            excess, flipped = worst_excess(result.law, self.claim.epsilon)
            self.agreed += result.runs
            self.blind = not result.complete
            if not excess.above(Fraction(0)):
                return None
            if self.measured and not self._confirmed(result, excess, flipped):
                self.late = True
                return None
            return exact_report.witness(result, excess, flipped)
        found = sequential_audit(
            [pair],
            self.request.target,
            self.claim.epsilon,
            Fraction(0),
            error=self.request.error / self.tests,
            budget=self.meter.part(SHARE).budget,
            seed=np.random.SeedSequence([self.request.seed, 4, self.meter.runs]),
            runner=self.request.runner,
            progress=self.request.progress,
            bounds=False,
        )
        self.meter.runs += found.trials
        self.late |= found.ended is Ended.SECONDS
        self.drifts |= found.ended is Ended.DRIFT
        self.blind = found.detectable.nothing or not found.bet
        if found.refuted is not None:
            return betting_witness(found.refuted, [pair])
        require_answers(found)
        return None

    def _confirmed(self, result: ExactResult, excess: Excess, flipped: bool) -> bool:
        return confirmed(
            result,
            excess,
            flipped=flipped,
            mechanism=self.request.target,
            delta=Fraction(0),
            error=self.request.error / (2 * self.tests),
            seed=(self.request.seed, 3, self.meter.runs),
            runner=self.request.runner,
            meter=self.meter,
        )

    def refutes(self, suspect: Suspect) -> PairWitness | None:
        """The witness that the row is not ignored, if it also blends with fewer than k rows."""
        seen = self.distinguishes(suspect.without())
        if seen is None and self.blind:
            return None
        blending = suspect.rows.left[suspect.place]
        if seen is not None:
            blending = self._blending(suspect)
        shown = "ignored, as far as seen" if seen is None else f"{blending:,}"
        self.rows.append((suspect.origin, "no" if seen is None else "yes", shown))
        return seen if blending < self.claim.k else None

    def _blending(self, suspect: Suspect) -> int:
        """How many rows the row may blend with; stops at k."""
        counts = suspect.rows.left
        blending = counts[suspect.place]
        others = sorted((i for i in range(len(counts)) if i != suspect.place and counts[i]), key=lambda i: -counts[i])
        for place, other in enumerate(others):
            if blending >= self.claim.k:
                break
            if place >= OTHERS:  # not compared, so it may blend
                return blending + sum(counts[i] for i in others[place:])
            if self.distinguishes(suspect.exchanged(other)) is None:
                blending += counts[other]
        return blending


def examine(request: Request) -> Conclusion:
    """Look for a dataset and a row of it that neither blends nor is ignored."""
    claim, meter = request.claim, Meter(request.budget, request.progress)
    assert isinstance(claim, CrowdBlending)
    suspects = list(islice(_suspects(request, claim), DATASETS))
    meter.runs += probe(request.target, [suspect.without().left for suspect in suspects[:2]])
    known = finite(request.target, request)
    tests = len(suspects) * (OTHERS + 1)
    examination = Examination(request, claim, known.finite, known.measured, meter, tests)
    held: NotRefuted | None = None
    try:
        verdict, origin = _look(examination, suspects)
        if examination.rests_on_measuring and isinstance(verdict, NotRefuted):
            held = verdict
        done = held is None
    except NotDeterministicError:
        done = False
    if not done:
        less = evolve(request, error=request.error / 2)  # the other half was for confirmations
        own = meter.part(1) if held is None else meter.rest(GOING_ON)
        betting = Examination(less, claim, False, True, own, tests)
        verdict, origin = _look(betting, suspects, held)
        meter.runs += own.runs
        if verdict is held:
            text = f"{own.runs:,} further runs, in tests by betting on the same rows, refuted nothing."
            origin = (Note("If the target is not deterministic", text),)
        else:
            examination = betting
    assumed = (ASSUMED,) if examination.rests_on_measuring else ()
    return Conclusion(
        verdict,
        None if isinstance(verdict, Undecided | Skipped) else _certainty(examination, verdict, request),
        (*origin, _table(examination), *assumed, *known.notes),
        meter.runs,
    )


def _certainty(examination: Examination, verdict: Verdict, request: Request) -> Certainty:
    """Exact where the target is known to be deterministic, and else by how many runs agreed."""
    if not examination.exact:
        return Confidence(request.error)
    if not examination.measured:
        return Exact()
    return Confidence(request.error) if isinstance(verdict, Refuted) else Measured(examination.agreed)


def _look(
    examination: Examination, suspects: Iterable[Suspect], held: NotRefuted | None = None
) -> tuple[Verdict, tuple[Note, ...]]:
    """The verdict, and the dataset that refutes if one does; what enumeration `held` stands where nothing is found."""
    rows, meter = examination.rows, examination.meter
    try:
        for suspect in suspects:
            if meter.spent:
                break
            witness = examination.refutes(suspect)
            if witness is not None:
                return Refuted(witness), (Note("Dataset", suspect.origin),)
    except KeyboardInterrupt:
        return Undecided(f"It was interrupted after {len(rows)} rows were examined."), ()
    except NotDeterministicError:
        raise
    except TargetError as error:
        return Skipped(f"The target failed after {len(rows)} rows were examined: {error}"), ()
    return held or _nothing_found(examination), ()


def _nothing_found(examination: Examination) -> Verdict:
    """What is said where no row refutes."""
    rows = examination.rows
    if examination.drifts:
        return Undecided(DRIFT)
    if examination.late or examination.meter.late:
        return Undecided(
            f"No leak was found before the time, or the runs to confirm one, were spent on {len(rows)} rows."
        )
    if not rows:
        return Skipped("The budget of runs does not allow a single row to be examined: raise it.")
    words = f"{len(rows)} rows, each in a dataset of its own, were found to be ignored or to blend with enough"
    if examination.rests_on_measuring:
        words += f", {if_deterministic(examination.agreed)}"
    return NotRefuted(f"{words}.")


def _suspects(request: Request, claim: CrowdBlending) -> Iterator[Suspect]:
    if request.pairs is not None:
        yield from map(_suspect, request.pairs)
        return
    # groups just below k are where a threshold that is too low shows
    below, at = (
        Proposals(request.data, _WithK(size), Neighbours.ADD_REMOVE, claim.epsilon, None)
        for size in (max(claim.k - 1, 1), claim.k)
    )
    yield from map(_suspect, chain(below.worst_cases(), at.own_data(), at.worst_cases()))


def _suspect(pair: Pair) -> Suspect:
    """The larger dataset of the pair, and the row that the other lacks."""
    rows = group(pair.left, pair.right)
    if sum(rows.right) > sum(rows.left):
        rows = GroupedPair(rows.distinct, rows.right, rows.left)
    if not rows.neighbours(Neighbours.ADD_REMOVE):
        raise DataError(f"the datasets of the pair '{pair.origin}' do not differ by one row, as crowd-blending needs.")
    place = next(i for i, (a, b) in enumerate(zip(rows.left, rows.right, strict=True)) if a > b)
    return Suspect(rows, place, pair.origin.partition(", against")[0])


@frozen
class _WithK:
    """A target whose groups have that size, as far as the choice of datasets goes."""

    k: int


def _table(examination: Examination) -> Table:
    columns = ("dataset and its row that sticks out", "is the row seen?", "rows that it may blend with")
    return Table("Who blends, who is ignored", columns, tuple(examination.rows))
