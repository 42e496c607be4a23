"""The ledger: run the registry, compare each verdict with the registered one, and report.

>>> record = examine(statement("gamma"))
>>> record.verdict.name, record.agrees
('PROVED', True)
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from importlib.metadata import version
from multiprocessing import get_context
from typing import Any

from attrs import evolve, field, frozen

from crowdproof.claims import Assertion
from crowdproof.errors import ExitCode
from crowdproof.findings import (
    ByProof,
    Cost,
    Counterexample,
    Estimate,
    Exact,
    Finding,
    Note,
    Proved,
    Refuted,
    Reproduce,
    Table,
    Undecided,
    Verdict,
)
from crowdproof.proofs.answer import Answer
from crowdproof.proofs.check import Outcome, check_obligation, check_printed
from crowdproof.proofs.engines.kernel import Kernel, stored
from crowdproof.proofs.engines.smt import SEED
from crowdproof.proofs.lock import changed
from crowdproof.proofs.outline import statement_defects
from crowdproof.proofs.record import differs, finite_bodies
from crowdproof.proofs.statement import Finite, Printed, Registered, Statement
from crowdproof.proofs.statements import STATEMENTS, statement, stored_certificates

WORKERS = min(2, os.cpu_count() or 1)
_SOLVERS = ("z3-solver", "cvc5", "sympy", "python-flint", "scipy")


@frozen
class Record:
    """What came of one statement."""

    statement: Statement
    obligations: tuple[Outcome, ...]
    printed: Outcome | None
    kernel: Kernel = field(factory=stored)
    """What the proof kernel says, just now or when it last ran."""

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """All of them, the printed claim last."""
        return self.obligations if self.printed is None else (*self.obligations, self.printed)

    @property
    def verdict(self) -> Verdict:
        """What the engines say, whatever is registered."""
        if self.gave_up:
            return Undecided("; ".join(self.gave_up))
        refuted = [
            each for each in (self.printed, *self.obligations) if each is not None and each.refutation is not None
        ]
        if refuted and refuted[0].refutation is not None:
            values = {name: show_value(value) for name, value in refuted[0].refutation.values.items()}
            return Refuted(Counterexample(refuted[0].sentence, values))
        # a printed claim that an engine proves gives PROVED here, which is not what is registered
        if self.defects and self.printed is None:
            return Undecided("; ".join(self.defects))
        return Proved(self.statement.status)

    @property
    def gave_up(self) -> tuple[str, ...]:
        """The engines that did not decide, with the obligation."""
        return tuple(f"{each.id}: {why}" for each in self.outcomes for why in each.gave_up)

    @property
    def defects(self) -> tuple[str, ...]:
        """Why a check does not count, with the obligation."""
        found = (f"{each.id}: {why}" for each in self.outcomes for why in each.defects)
        subject = self.statement
        theorem = self.kernel.defects_of(subject.theorem) if subject.theorem else ()
        return (*found, *changed(subject), *theorem, *statement_defects(subject))

    @property
    def agrees(self) -> bool:
        """Whether all is as registered: the verdict, every obligation, every mutant."""
        return not self.defects and not self.gave_up and self.verdict.name == self.statement.verdict.value

    @property
    def engines(self) -> tuple[str, ...]:
        """Who spoke."""
        proof = ("coq",) if self.statement.theorem else ()
        return (*proof, *dict.fromkeys(name for each in self.outcomes for name in each.engines))

    @property
    def mutants(self) -> tuple[int, int]:
        """How many mutants were refuted, of how many."""
        every = [result for each in self.obligations for _, result in each.variants]
        return sum(result.answer is Answer.REFUTED for result in every), len(every)

    @property
    def seconds(self) -> float:
        """Time spent."""
        return sum(each.seconds for each in self.outcomes)


def examine(subject: Statement, kernel: Kernel | None = None) -> Record:
    """Run all obligations of a statement, and refute its printed claim where it has one."""
    certificates = stored_certificates()
    outcomes = [check_obligation(each, certificates.get(f"{subject.id}/{each.id}")) for each in subject.obligations]
    printed = _printed(subject.printed)
    bodies = finite_bodies(subject)
    outcomes = [_compared(each, bodies.get(f"{subject.id}/{each.id}"), subject) for each in outcomes]
    if printed is not None:
        printed = _compared(printed, bodies.get(f"{subject.id}/printed"), subject)
    return Record(subject, tuple(outcomes), printed, stored() if kernel is None else kernel)


def _compared(outcome: Outcome, body: Finite | None, subject: Statement) -> Outcome:
    """The outcome, with a defect where a finite claim does not come to what was recorded."""
    if body is None or not differs(f"{subject.id}/{outcome.id}", body):
        return outcome
    return evolve(outcome, defects=(*outcome.defects, "it does not come to the values that were recorded"))


def _printed(printed: Printed | None) -> Outcome | None:
    return None if printed is None else check_printed(printed)


def _examine_by_id(identifier: str) -> tuple[tuple[Outcome, ...], Outcome | None]:
    record = examine(statement(identifier))
    return record.obligations, record.printed


def run(identifiers: Iterable[str] = (), workers: int = WORKERS, kernel: Kernel | None = None) -> list[Record]:
    """Examine the named statements, or all, on that many processes; the result does not depend on their number.

    Without a `kernel` the stored result of Coq counts.
    """
    proofs = stored() if kernel is None else kernel
    subjects = [statement(each) for each in identifiers] or list(STATEMENTS)
    if workers == 1 or len(subjects) == 1:
        return [examine(each, proofs) for each in subjects]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(_examine_by_id, [each.id for each in subjects]))
    return [Record(each, *result, kernel=proofs) for each, result in zip(subjects, results, strict=True)]


def exit_code(records: Iterable[Record]) -> ExitCode:
    """0 only if every verdict is as registered; 1 if one differs; 4 if an engine gave up; 3 if nothing was examined."""
    every = list(records)
    if any(not each.agrees and not each.gave_up for each in every):
        return ExitCode.REFUTED
    if any(each.gave_up for each in every):
        return ExitCode.UNDECIDED
    return ExitCode.HELD if every else ExitCode.BROKEN


# --- findings -------------------------------------------------------------------------------------------------------


def show_value(value: Any) -> str:
    """An exact value as text; what is too long for a line is shortened, with its length."""
    match value:
        case Fraction() if len(str(value)) > 60:
            return f"{float(value):.12g} (an exact fraction of {len(str(value))} characters)"
        case Estimate():
            return str(value)
        case tuple():
            return f"({', '.join(map(show_value, value))})"
        case _ if hasattr(value, "mid"):
            return str(value.str(12, radius=False))
        case _:
            return str(value)


def finding(record: Record) -> Finding:
    """The finding about one statement."""
    subject = record.statement
    certainty = Exact() if isinstance(record.verdict, Refuted) else ByProof(record.engines)
    return Finding(
        subject.source,
        Assertion(subject.id, subject.sentence),
        verdict=record.verdict,
        certainty=None if isinstance(record.verdict, Undecided) else certainty,
        evidence=tuple(_evidence(record)),
        cost=Cost(sum(1 + len(each.variants) for each in record.outcomes), record.seconds),
        reproduce=Reproduce(
            f"crowdproof prove {subject.id}", SEED, versions={name: version(name) for name in _SOLVERS}
        ),
    )


def _evidence(record: Record) -> Iterator[Note | Table]:
    subject = record.statement
    if not record.agrees:
        wrong = "; ".join((*record.defects, *record.gave_up)) or f"the verdict is {record.verdict.name}"
        yield Note("Not as registered", f"registered as {subject.verdict.value}: {wrong}")
    yield Note("Status", f"{subject.status}{_theorem(record)}")
    if subject.printed is not None:
        yield Note("What holds instead", subject.printed.true)
    if subject.checked:
        yield Note("Assumed and checked here", "; ".join(subject.checked))
    if subject.duty:
        yield Note("The caller's duty", " ".join(subject.duty))
    if subject.remark:
        yield Note("Remark", subject.remark)
    columns = ("obligation", "engines", "answer", "mutants refuted", "seconds", "what it says")
    yield Table("Obligations", columns, tuple(map(_row, record.outcomes)))


def _theorem(record: Record) -> str:
    """Which theorem of Coq it is, and when that was checked."""
    name = record.statement.theorem
    return f": theorem {name} of proofs/coq/Statements.v, {record.kernel.words}" if name else ""


def _row(outcome: Outcome) -> tuple[str, ...]:
    answers = {each.answer for each in outcome.results}
    answer = answers.pop().value if len(answers) == 1 else "disagreement"
    expected = Answer.PROVED if outcome.id == "printed" else Answer.REFUTED
    met = sum(result.answer is expected for _, result in outcome.variants)
    word = "repairs proved: " if outcome.id == "printed" else ""
    return (
        outcome.id,
        ", ".join(outcome.engines),
        answer,
        f"{word}{met}/{len(outcome.variants)}",
        f"{outcome.seconds:.2f}",
        outcome.sentence,
    )


def summary(records: list[Record]) -> Finding:
    """The finding about the ledger as a whole, with a row for each statement."""
    chosen = [each.statement.id for each in records] if len(records) < len(STATEMENTS) else []
    return Finding(
        "the ledger",
        Assertion("ledger", "every statement has the verdict that it is registered with"),
        verdict=_overall(records),
        certainty=ByProof(tuple(sorted({name for each in records for name in each.engines}))) if records else None,
        evidence=(*_tables(records), Note("In all", _totals(records))),
        cost=Cost(seconds=sum(each.seconds for each in records)),
        reproduce=Reproduce(
            " ".join(["crowdproof prove", *chosen]), SEED, versions={name: version(name) for name in _SOLVERS}
        ),
    )


def _tables(records: list[Record]) -> Iterator[Table]:
    columns = ("statement", "status", "obligations", "engines", "mutants refuted", "time")
    as_registered = [each for each in records if each.agrees]
    parts = {
        "Not as registered": [each for each in records if not each.agrees],
        "Proved": [each for each in as_registered if each.statement.theorem],
        "Hold, but not as one checked theorem": [
            each for each in as_registered if each.statement.verdict is Registered.PROVED and not each.statement.theorem
        ],
        "Refuted as printed": [each for each in as_registered if each.statement.verdict is Registered.REFUTED],
    }
    for title, part in parts.items():
        if part:
            yield Table(title, columns, tuple(map(_summary_row, part)))


def _summary_row(record: Record) -> tuple[str, ...]:
    verdict = record.verdict.name
    return (
        record.statement.id,
        record.statement.status if record.agrees else f"{verdict}, registered {record.statement.verdict.value}",
        str(len(record.outcomes)),
        ", ".join(record.engines),
        "{}/{}".format(*record.mutants),
        f"{record.seconds:.1f} s",
    )


def _overall(records: list[Record]) -> Verdict:
    code = exit_code(records)
    wrong: Mapping[str, str] = {
        each.statement.id: f"{each.verdict.name}, registered {each.statement.verdict.value}"
        for each in records
        if not each.agrees
    }
    match code:
        case ExitCode.HELD:
            return Proved("each statement at the status in its row")
        case ExitCode.REFUTED:
            return Refuted(Counterexample("These statements are not as registered.", wrong))
        case _:
            return Undecided("; ".join(f"{name}: {what}" for name, what in wrong.items()) or "nothing was examined")


def _totals(records: list[Record]) -> str:
    obligations = sum(len(each.outcomes) for each in records)
    met = sum(each.mutants[0] for each in records)
    total = sum(each.mutants[1] for each in records)
    proved = sum(each.verdict.name == "PROVED" for each in records)
    checked = sum(bool(each.statement.theorem) and each.agrees for each in records)
    refuted = sum(each.verdict.name == "REFUTED" for each in records)
    return (
        f"{len(records)} statements: {checked} kernel-checked, {proved - checked} that hold with less than that, "
        f"{refuted} refuted as printed. {obligations} obligations, "
        f"{met} of {total} mutants refuted with a counterexample that was checked by substitution. "
        f"Coq: {records[0].kernel.words if records else 'nothing was examined'}."
    )
