"""The gate: every claim of a project, the cheapest and surest evidence first.

Arithmetic needs no run at all, exact audits need no statistics, and what remains is tested in slices whose evidence
adds up over runs of the gate.
"""

import contextlib
import datetime
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

from attrs import Factory, define, evolve, frozen

from crowdproof import interrupts
from crowdproof.audit.gate import arithmetic, suppressing
from crowdproof.audit.gate.cases import Case, Engine
from crowdproof.audit.gate.code_hash import Code, code_of, key_of
from crowdproof.audit.gate.completing import complete
from crowdproof.audit.gate.config import Entry, Project
from crowdproof.audit.gate.deadline import Deadline
from crowdproof.audit.gate.folder import working_in
from crowdproof.audit.gate.ledger import Ledger, opened
from crowdproof.audit.gate.reproduce_command import ReproduceCommand
from crowdproof.audit.gate.result import GateResult
from crowdproof.audit.gate.rounds import ClaimUnderTest, Rounds
from crowdproof.audit.gate.verdicts import concluded
from crowdproof.audit.request import Budget
from crowdproof.errors import DataError, pass_interrupts, told
from crowdproof.findings import Finding, Skipped, Undecided, Verdict


@frozen
class Options:
    """How one run of the gate differs from what the configuration says."""

    seed: int
    seconds: float | None = None
    """The time that it may take, where it is another than the configuration's."""
    keep: bool = True
    """Whether to read and write the evidence file, if there is one."""
    today: datetime.date | None = None
    tell: Callable[[str], None] = lambda _: None
    """Told what is going on."""


def run_gate(project: Project, options: Options, engine: Engine | None = None) -> GateResult:
    """Examine every claim of the project. An interrupt ends it with what was found so far."""
    if engine is None:
        from crowdproof.audit.gate.auditing import AuditEngine  # noqa: PLC0415  (loads all engines)

        engine = AuditEngine()
    started = time.monotonic()
    deadline = Deadline.within(options.seconds or project.config.seconds)
    with _inside(project) as inner, opened(_evidence_path(inner, options), inner.config.error, deadline) as ledger:
        run = _Run(
            project=inner, file=str(project.path), options=options, engine=engine, ledger=ledger, deadline=deadline
        )
        findings = [run.findings[entry.name] for entry in run.examine()]
        today = options.today or datetime.datetime.now(tz=datetime.UTC).date()
        marked = suppressing.apply(evolve(inner, path=project.path), findings, keys=run.keys, today=today)
    return GateResult(
        findings=marked.findings,
        error=project.config.error,
        seed=options.seed,
        seconds=time.monotonic() - started,
        passed=marked.passed,
        problems=marked.problems,
        unkept=ledger.lost,
        lasting=project.config.evidence is not None and options.keep,
        interrupted=run.interrupted,
    )


@contextlib.contextmanager
def _inside(project: Project) -> Iterator[Project]:
    """Work in the project's folder: targets are imported and programs are started from there."""
    with working_in(project.folder.resolve()):
        yield evolve(project, path=Path(project.path.name))


def _evidence_path(project: Project, options: Options) -> Path | None:
    written = project.config.evidence
    return project.place(written) if written is not None and options.keep else None


@define
class _Run:
    """One run of the gate under way."""

    project: Project
    file: str
    """The configuration, as seen from where the gate was started."""
    options: Options
    engine: Engine
    ledger: Ledger
    deadline: Deadline
    findings: dict[str, Finding] = Factory(dict)
    keys: dict[str, str] = Factory(dict)
    interrupted: bool = False

    def examine(self) -> tuple[Entry, ...]:
        """Fill in a finding for every claim; the claims are handed back, and what comes after is not interrupted."""
        entries = self.project.config.claims
        try:
            self.ledger.reserve(len(entries))
            self._calculate(entries)
            self._work(entries)
        except BaseException as error:  # noqa: BLE001  (what is found about the others is not lost)
            verdict = self._stopped(error)
            for entry in entries:
                self.keys.setdefault(entry.name, key_of(entry, Code(), self.project))
                if entry.name not in self.findings:
                    self._found(entry, Finding(entry.name, entry.claim, verdict))
        interrupts.keep()
        self.ledger.finish()
        return entries

    def _calculate(self, entries: tuple[Entry, ...]) -> None:
        """Find what the evidence about each claim is filed under, and what arithmetic says without a run."""
        for entry in entries:
            self.keys[entry.name] = self._key(entry)
            wrong = arithmetic.contradiction(entry)
            if wrong is not None:
                self._found(entry, wrong)

    def _work(self, entries: tuple[Entry, ...]) -> None:
        cases: list[Case] = []
        try:
            for place, entry in enumerate(entries):
                if entry.name not in self.findings:
                    cases += self._prepared(entry, waiting=len(entries) - place)
            self._test(self._unsettled(cases))
        finally:
            for case in cases:
                self.engine.release(case)

    def _stopped(self, error: BaseException) -> Verdict:
        """What is said of the claims that are open when the gate cannot go on; nothing breaks into the rest."""
        interrupts.keep()
        if isinstance(error, KeyboardInterrupt):
            self.interrupted = True
            return Undecided("The gate was interrupted before it was decided.")
        return Skipped(told(error))

    def _key(self, entry: Entry) -> str:
        try:
            return key_of(entry, code_of(entry, self.project), self.project)
        except BaseException as error:  # noqa: BLE001  (one claim's trouble is not that of the others)
            pass_interrupts(error)
            self._found(entry, _skipped(entry, error))
            return key_of(entry, Code(), self.project)

    def _prepared(self, entry: Entry, *, waiting: int) -> list[Case]:
        self.options.tell(f"{entry.name}: loading")
        try:
            case = self.engine.prepare(entry, self.project, seconds=self.deadline.left / waiting)
        except BaseException as error:  # noqa: BLE001
            pass_interrupts(error)
            self._found(entry, _skipped(entry, error))
            return []
        with contextlib.suppress(DataError):  # it was read before; a target may have left no way to read it again
            self.keys[entry.name] = key_of(entry, code_of(entry, self.project, case.loaded), self.project)
        return [case]

    def _unsettled(self, cases: list[Case]) -> list[Case]:
        """Those that need a statistical test."""
        left = []
        with interrupts.noticed() as asked:
            for place, case in enumerate(cases):
                if case.entry.name not in self.findings and not self._settled(case, len(cases) - place):
                    left.append(case)
                asked.check()
        return left

    def _settled(self, case: Case, waiting: int) -> bool:
        """Whether the claim needs no statistical test; it has its share of the time among those that wait."""
        entry = case.entry
        if self.deadline.left <= 0:
            self._found(
                entry, Finding(entry.name, entry.claim, Undecided("The time of the gate was spent before its turn."))
            )
            return True
        self.options.tell(f"{entry.name}: exact audit")
        try:
            budget = Budget(case.runs, self.deadline.left / waiting)
            error_share = self._single_error(case)
            finding = self.engine.settle(case, budget, error=error_share, seed=self.options.seed)
        except BaseException as error:  # noqa: BLE001
            pass_interrupts(error)
            finding = _skipped(entry, error)
        if finding is not None:
            self._found(entry, finding)
        return finding is not None

    def _single_error(self, case: Case) -> Fraction:
        """The error of an audit whose evidence does not add up: an epoch of its own in every run of the gate.

        What is settled exactly or not at all takes none.
        """
        if not case.spends:
            return self.project.config.error
        return self.ledger.share(self.keys[case.entry.name], case.entry.name)

    def _test(self, cases: list[Case]) -> None:
        """Test these claims statistically, and fill in a finding for each."""
        tests = [test for case in cases for test in self._under_test(case)]
        rounds = Rounds(
            self.engine, self.ledger, seed=self.options.seed, deadline=self.deadline, tell=self.options.tell
        )
        stopped: Verdict | None = None
        try:
            rounds.run(tests)
        except BaseException as error:  # noqa: BLE001
            stopped = self._stopped(error)
        for test in tests:
            finding = concluded(test)
            if stopped is not None and not test.over:
                finding = evolve(finding, verdict=stopped, certainty=None)
            self._found(test.case.entry, finding)

    def _under_test(self, case: Case) -> list[ClaimUnderTest]:
        """The claim with its account, which may be one for this run alone; none where it has no share of the error."""
        key, entry = self.keys[case.entry.name], case.entry
        if case.passing is not None:
            key = f"{key} {self.ledger.run_id}"
        try:
            return [ClaimUnderTest(case, self.ledger.open(key, entry.name))]
        except DataError as error:
            self._found(entry, _skipped(entry, error))
            return []

    def _found(self, entry: Entry, finding: Finding) -> None:
        """Keep a finding, completed with what is the same for all."""
        options = self.options
        seconds, keep = options.seconds, options.keep
        command = ReproduceCommand(self.project, self.file, seed=options.seed, seconds=seconds, keep=keep)
        self.findings[entry.name] = complete(finding, entry, command)


def _skipped(entry: Entry, error: BaseException) -> Finding:
    return Finding(entry.name, entry.claim, Skipped(told(error)))
