"""What every finding of the gate is completed with: its name, the arithmetic, its place in the file, its command."""

from attrs import evolve

from crowdproof.audit.gate import arithmetic
from crowdproof.audit.gate.cases import load_options
from crowdproof.audit.gate.config import Entry
from crowdproof.audit.gate.reproduce_command import ReproduceCommand
from crowdproof.findings import Finding, Reproduce


def complete(finding: Finding, entry: Entry, command: ReproduceCommand) -> Finding:
    """The finding about a claim as the gate reports it."""
    evidence = finding.evidence
    by_arithmetic = bool(evidence) and evidence[0].title == arithmetic.NOTHING_RUN
    note = None if by_arithmetic else arithmetic.support(entry)
    if note is not None:
        evidence = (note, *evidence)
    reproduce = _reproduce(entry, finding.reproduce, command)
    return evolve(finding, subject=entry.name, evidence=evidence, reproduce=reproduce)


def _reproduce(entry: Entry, known: Reproduce, command: ReproduceCommand) -> Reproduce:
    """What is needed to see the finding once more, added to what is `known` of that already."""
    loading = load_options(entry, command.project)
    place = {"file": command.file, "line": command.project.lines.get(f"claims.{entry.name}")}
    return evolve(
        known,
        command=command.of_claim(entry),
        seed=command.seed if known.seed is None else known.seed,
        parameters={**known.parameters, **place, "target": loading, "sampling": entry.sampling},
    )
