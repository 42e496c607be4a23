"""Crowd-blending: does each row of a dataset blend with k rows of it, or is it ignored?

Row t of D is not ignored if San(D) and San(D without t) can be told apart beyond e^eps. It does not blend with t' if
San(D) and San(D with t' in place of t) can: one such dataset is enough. So t refutes the claim if it is not ignored and
fewer than k rows of D, t itself counted, are left that it may blend with.
"""

from collections.abc import Iterable
from itertools import islice

from attrs import evolve

from crowdproof.audit.allowance import Allowance
from crowdproof.audit.compare.betting.drift import DRIFT, SHARED
from crowdproof.audit.compare.exact import NotDeterministicError
from crowdproof.audit.compare.measured import ASSUMED, GOING_ON, if_deterministic
from crowdproof.audit.compare.question import Known, Question, known_of
from crowdproof.audit.notions.blending import OTHERS, Examination
from crowdproof.audit.notions.suspects import Suspect, suspects_of
from crowdproof.audit.request import Conclusion, Request
from crowdproof.audit.targets.interface import afresh
from crowdproof.audit.targets.probe import probe
from crowdproof.claims import CrowdBlending, Neighbours, Point
from crowdproof.errors import TargetError
from crowdproof.findings import (
    Certainty,
    Confidence,
    Exact,
    Measured,
    Note,
    NotRefuted,
    Refuted,
    Skipped,
    Table,
    Undecided,
    Verdict,
)

DATASETS = 16
"""Datasets that are looked at, each with one row that sticks out. A guess: all comparisons share the error, so that
more leave too little for each, and with fewer the row that does not blend may not be among them."""


def examine(request: Request) -> Conclusion:
    """Look for a dataset and a row of it that neither blends nor is ignored."""
    claim, allowance = request.claim, Allowance.of(request)
    assert isinstance(claim, CrowdBlending)
    suspects = list(islice(suspects_of(request, claim), DATASETS))
    known = known_of(request.target, request)  # first, on the user's data: what is made by hand may show nothing
    datasets = [suspect.without().left for suspect in suspects[:2]]
    allowance.count(probe(request.target, datasets, until=allowance.until).runs)
    asked = Question(
        mechanism=request.target,
        curve=(Point(claim.epsilon),),
        neighbours=Neighbours.ADD_REMOVE,
        known=known,
        runner=request.runner,
    )
    first = Examination(asked, claim.k, allowance=allowance, tests=len(suspects) * (OTHERS + 1))
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
    mechanism = first.question.mechanism
    if first.random:  # it may have drawn its noise when it started
        mechanism = afresh(mechanism)
    question = evolve(first.question, mechanism=mechanism, known=Known(finite=False))
    return Examination(question, first.k, allowance=allowance, tests=first.tests, made=first.made)


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
    examination.clean = not (examination.drifts or examination.shares_noise or examination.unconfirmed)
    return _nothing_found(examination), ()


def _nothing_found(examination: Examination) -> Verdict:
    """What is said where no row refutes."""
    rows = examination.rows
    if examination.drifts:
        return Undecided(DRIFT)
    if examination.shares_noise:
        return Undecided(SHARED)
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


def _table(examination: Examination) -> Table:
    columns = ("dataset and its row that sticks out", "is the row seen?", "rows that it may blend with")
    return Table("Who blends, who is ignored", columns, tuple(examination.rows))
