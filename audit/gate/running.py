"""The gate: every claim of a project, the cheapest and surest evidence first.

Arithmetic needs no run at all, exact audits need no statistics, and what remains is tested in slices whose evidence
adds up over runs of the gate.
"""

import contextlib
import datetime
import time
import uuid
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

from attrs import Factory, define, evolve, frozen

from crowdproof import interrupts
from crowdproof.audit.gate import arithmetic, suppressing
from crowdproof.audit.gate.cases import Case, Engine, load_options
from crowdproof.audit.gate.code_hash import Code, code_of, key_of
from crowdproof.audit.gate.config import Entry, Project
from crowdproof.audit.gate.evidence import Evidence
from crowdproof.audit.gate.reproduce_command import Again
from crowdproof.audit.gate.result import GateResult
from crowdproof.audit.gate.rounds import Bout, Deadline, Ring
from crowdproof.audit.gate.verdicts import concluded
from crowdproof.audit.request import Budget
from crowdproof.errors import pass_interrupts, told
from crowdproof.findings import Finding, Note, Reproduce, Skipped, Undecided, Verdict


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
    with _inside(project) as inner, Evidence(_evidence_path(inner, options)) as evidence:
        run = _Run(
            inner,
            str(project.path),
            options,
            engine,
            evidence,
            Deadline.within(options.seconds or inner.config.seconds),
        )
        findings = [run.findings[entry.name] for entry in run.examine()]
        today = options.today or datetime.datetime.now(tz=datetime.UTC).date()
        marked = suppressing.apply(evolve(inner, path=project.path), findings, run.keys, today)
    return GateResult(
        marked.findings,
        project.config.error,
        options.seed,
        time.monotonic() - started,
        marked.passed,
        marked.problems,
        lasting=project.config.evidence is not None and options.keep,
        interrupted=run.interrupted,
    )


@contextlib.contextmanager
def _inside(project: Project) -> Iterator[Project]:
    """Work in the project's folder: targets are imported and programs are started from there."""
    with contextlib.chdir(project.folder.resolve()):
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
    evidence: Evidence
    deadline: Deadline
    run: str = Factory(lambda: uuid.uuid4().hex)
    findings: dict[str, Finding] = Factory(dict)
    keys: dict[str, str] = Factory(dict)
    interrupted: bool = False

    def examine(self) -> tuple[Entry, ...]:
        """Fill in a finding for every claim; the claims are handed back, and what comes after is not interrupted."""
        entries = self.project.config.claims
        try:
            self._calculate(entries)
            self._work(entries)
        except BaseException as error:  # noqa: BLE001  (what is found about the others is not lost)
            verdict = self._stopped(error)
            for entry in entries:
                self.keys.setdefault(entry.name, key_of(entry, Code(), self.project))
                if entry.name not in self.findings:
                    self._found(entry, Finding(entry.name, entry.claim, verdict))
        interrupts.keep()
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
            for entry in entries:
                cases += self._prepared(entry) if entry.name not in self.findings else ()
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

    def _prepared(self, entry: Entry) -> list[Case]:
        self.options.tell(f"{entry.name}: loading")
        try:
            return [self.engine.prepare(entry, self.project)]
        except BaseException as error:  # noqa: BLE001
            pass_interrupts(error)
            self._found(entry, _skipped(entry, error))
            return []

    def _unsettled(self, cases: list[Case]) -> list[Case]:
        """Those that need a statistical test."""
        left = []
        with interrupts.noticed() as asked:
            for place, case in enumerate(cases):
                if not self._settled(case, len(cases) - place):
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
            finding = self.engine.settle(case, budget, self._single_error(case), self.options.seed)
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
        epoch = self.evidence.open_epoch(f"{self.keys[case.entry.name]} {self.run}", case.entry.name)
        self.evidence.close_epoch(epoch)
        return epoch.alpha(self.project.config.error)

    def _test(self, cases: list[Case]) -> None:
        bouts = []
        for case in cases:
            key = self.keys[case.entry.name]
            epoch = self.evidence.open_epoch(key if case.passing is None else f"{key} {self.run}", case.entry.name)
            alpha = epoch.alpha(self.project.config.error)
            bouts.append(Bout(case, epoch, alpha, self.evidence.standing(epoch)))
        ring = Ring(self.engine, self.evidence, self.run, self.options.seed, self.deadline, self.options.tell)
        stopped: Verdict | None = None
        try:
            ring.fight(bouts)
        except BaseException as error:  # noqa: BLE001
            stopped = self._stopped(error)
        for bout in bouts:
            finding = concluded(bout)
            if stopped is not None and not bout.over:
                finding = evolve(finding, verdict=stopped, certainty=None)
            self._found(bout.case.entry, finding)

    def _found(self, entry: Entry, finding: Finding) -> None:
        """Complete a finding with what is the same for all: its name, the arithmetic, where and how to see it again."""
        note = (
            arithmetic.support(entry)
            if not finding.evidence or finding.evidence[0].title != "Nothing was run"
            else None
        )
        evidence = (note, *finding.evidence) if isinstance(note, Note) else finding.evidence
        self.findings[entry.name] = evolve(
            finding, subject=entry.name, evidence=evidence, reproduce=self._reproduce(entry, finding.reproduce)
        )

    def _reproduce(self, entry: Entry, known: Reproduce) -> Reproduce:
        loading = load_options(entry, self.project)
        place = {"file": self.file, "line": self.project.lines.get(f"claims.{entry.name}")}
        return evolve(
            known,
            command=self._again().command(entry),
            seed=self.options.seed if known.seed is None else known.seed,
            parameters={**known.parameters, **place, "target": loading, "sampling": entry.sampling},
        )

    def _again(self) -> Again:
        return Again(self.project, self.file, self.options.seed, self.options.seconds, self.options.keep)


def _skipped(entry: Entry, error: BaseException) -> Finding:
    return Finding(entry.name, entry.claim, Skipped(told(error)))
