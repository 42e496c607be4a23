"""Crowd-blending: does each row of a dataset blend with k rows of it, or is it ignored?

Row t of D is not ignored if San(D) and San(D without t) can be told apart beyond e^eps. It does not blend with t' if
San(D) and San(D with t' in place of t) can: one such dataset is enough. So t refutes the claim if it is not ignored and
fewer than k rows of D, t itself counted, are left that it may blend with.
"""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, islice

from attrs import Factory, define, evolve, frozen

from crowdproof.audit.allowance import Allowance
from crowdproof.audit.compare.betting import Ended
from crowdproof.audit.compare.betting.drift import DRIFT
from crowdproof.audit.compare.betting_story import require_answers
from crowdproof.audit.compare.comparison import INTERRUPTED, Comparison, compare
from crowdproof.audit.compare.conclusion import suspicious
from crowdproof.audit.compare.exact import NotDeterministicError
from crowdproof.audit.compare.measured import ASSUMED, GOING_ON, if_deterministic
from crowdproof.audit.compare.question import Known, Question, known_of
from crowdproof.audit.data.rows import GroupedPair, group
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.request import Conclusion, Pair, Request
from crowdproof.audit.targets.probe import probe
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
    """Tells the datasets of suspects apart; the comparisons divide the error among them."""

    question: Question
    """What is asked of each pair, but for the pair itself."""
    k: int
    allowance: Allowance
    tests: int
    """How many comparisons there may be."""
    rows: list[tuple[str, ...]] = Factory(list)
    made: int = 0
    """Comparisons so far."""
    suspected: bool = False
    """Whether the last comparison saw something that could not be confirmed with what was left of the budget."""
    unconfirmed: bool = False
    """Whether the claim would be refuted if all that was only suspected were so."""
    drifts: bool = False
    """Whether releases changed in the course of a bet, though the runs were declared to be independent."""
    blind: bool = False
    """Whether the budget of the last comparison was too small for anything to show."""
    agreed: int = 0
    """Runs of the enumeration: no two on the same data differed."""
    random: bool = False
    """Whether the target turned out to be random, though it was taken to be deterministic."""
    clean: bool = False
    """Whether it came to its end, and saw nothing that would have to be confirmed."""

    def told_apart(self, pair: Pair) -> PairWitness | None:
        """What tells the two datasets apart beyond e^epsilon, if anything does."""
        known = self.question.known
        share = 1 if known.finite else SHARE
        allowance = self.allowance.part(share).comparison(self.made, tests=self.tests)
        self.made += 1
        asked = evolve(self.question, pairs=[pair], neighbours=pair.relation)
        comparison = compare(asked, allowance, going_on=False, bounds=False)
        if comparison.ended == INTERRUPTED:
            raise KeyboardInterrupt
        if known.finite and comparison.enumeration.not_deterministic:
            raise NotDeterministicError
        self._note(comparison)
        return comparison.witness

    def _note(self, comparison: Comparison) -> None:
        """Keep what a comparison says about the examination as a whole."""
        enumerated, tested = comparison.enumeration, comparison.tested
        self.agreed += enumerated.agreed
        self.suspected = enumerated.refuting is not None and not enumerated.sure
        self.blind = not enumerated.examined
        if tested is not None:
            self.drifts |= tested.ended is Ended.DRIFT
            self.suspected |= tested.refuted is None and suspicious(tested.log_e, -math.log(comparison.error))
            self.blind = tested.detectable.nothing or not tested.bet
            if tested.refuted is None:
                require_answers(tested)

    def refutes(self, suspect: Suspect) -> PairWitness | None:
        """The witness that the row is not ignored, if it also blends with fewer than k rows."""
        seen = self.told_apart(suspect.without())
        if seen is None and not self.suspected:
            if not self.blind:
                self.rows.append((suspect.origin, "no", "ignored, as far as seen"))
            return None
        most, least = self._blending(suspect)
        if seen is None or most >= self.k:
            self.unconfirmed |= least < self.k
            self.rows.append((suspect.origin, "perhaps" if seen is None else "yes", f"{most:,}"))
            return None
        self.rows.append((suspect.origin, "yes", f"{most:,}"))
        return seen

    def _blending(self, suspect: Suspect) -> tuple[int, int]:
        """How many rows the row may blend with: by what was shown, and if all were so that was only suspected.

        It stops where both are at least k.
        """
        counts = suspect.rows.left
        most = least = counts[suspect.place]
        others = sorted((i for i in range(len(counts)) if i != suspect.place and counts[i]), key=lambda i: -counts[i])
        for place, other in enumerate(others):
            if least >= self.k:
                break
            if place >= OTHERS:  # not compared, so they may blend
                rest = sum(counts[i] for i in others[place:])
                return most + rest, least + rest
            if self.told_apart(suspect.exchanged(other)) is None:
                most += counts[other]
                least += 0 if self.suspected else counts[other]
        return most, least


def examine(request: Request) -> Conclusion:
    """Look for a dataset and a row of it that neither blends nor is ignored."""
    claim, allowance = request.claim, Allowance.of(request)
    assert isinstance(claim, CrowdBlending)
    suspects = list(islice(_suspects(request, claim), DATASETS))
    allowance.count(probe(request.target, [suspect.without().left for suspect in suspects[:2]]))
    known = known_of(request.target, request)
    asked = Question(
        mechanism=request.target,
        epsilon=claim.epsilon,
        delta=Fraction(0),
        neighbours=Neighbours.ADD_REMOVE,
        known=known,
        runner=request.runner,
    )
    first = Examination(asked, claim.k, allowance, tests=len(suspects) * (OTHERS + 1))
    verdict, notes = _look(first, suspects)
    shown = first
    if first.random or (known.distrusted and isinstance(verdict, NotRefuted)):
        second = _by_betting(first)
        other, dataset = _look(second, suspects)
        if first.random or not second.clean:
            verdict, notes, shown = other, dataset, second
        else:
            text = f"{second.allowance.runs:,} further runs, in tests by betting on the same rows, refuted nothing."
            notes = (Note("If the target is not deterministic", text),)
    assumed = (ASSUMED,) if shown.question.known.distrusted else ()
    certainty = None if isinstance(verdict, Undecided | Skipped) else _certainty(shown, verdict, request)
    return Conclusion(verdict, certainty, (*notes, _table(shown), *assumed, *known.notes), allowance.runs)


def _by_betting(first: Examination) -> Examination:
    """The same rows once more, with nothing assumed of the target; half of the error was for confirmations."""
    allowance = first.allowance.part(1, seconds=GOING_ON)
    allowance.error = first.allowance.error / 2
    question = evolve(first.question, known=Known(finite=False))
    return Examination(question, first.k, allowance, first.tests, made=first.made)


def _certainty(examination: Examination, verdict: Verdict, request: Request) -> Certainty:
    """Exact where the target is known to be deterministic, and else by how many runs agreed."""
    known = examination.question.known
    if not known.finite:
        return Confidence(request.error)
    if not known.measured:
        return Exact()
    return Confidence(request.error) if isinstance(verdict, Refuted) else Measured(examination.agreed)


def _look(examination: Examination, suspects: Iterable[Suspect]) -> tuple[Verdict, tuple[Note, ...]]:
    """The verdict, and the dataset that refutes if one does."""
    rows = examination.rows
    examination.clean = False  # until all was looked at
    try:
        for suspect in suspects:
            if examination.allowance.spent:
                break
            witness = examination.refutes(suspect)
            if witness is not None:
                return Refuted(witness), (Note("Dataset", suspect.origin),)
    except KeyboardInterrupt:
        return Undecided(f"It was interrupted after {len(rows)} rows were examined."), ()
    except NotDeterministicError as error:
        examination.random = True
        return Undecided(str(error)), ()
    except TargetError as error:
        return Skipped(f"The target failed after {len(rows)} rows were examined: {error}"), ()
    examination.clean = not (examination.drifts or examination.unconfirmed)
    return _nothing_found(examination), ()


def _nothing_found(examination: Examination) -> Verdict:
    """What is said where no row refutes."""
    rows = examination.rows
    if examination.drifts:
        return Undecided(DRIFT)
    if examination.unconfirmed:
        return Undecided(
            "A row is seen that seems to blend with too few others, and the budget ended before that was confirmed: "
            "raise --runs or --seconds."
        )
    if not rows:
        return Undecided("The budget does not allow a single row to be examined: raise --runs or --seconds.")
    words = f"{len(rows)} rows, each in a dataset of its own, were found to be ignored or to blend with enough"
    if examination.question.known.distrusted:
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
