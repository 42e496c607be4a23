"""Findings for a terminal."""

from collections.abc import Sequence

from crowdproof.findings import (
    Chart,
    Counterexample,
    Evidence,
    Finding,
    Note,
    NotRefuted,
    PairWitness,
    Proved,
    Refuted,
    Skipped,
    Table,
    Undecided,
    Verdict,
    Witness,
)


def render(findings: Sequence[Finding]) -> str:
    """One paragraph for each finding, blank lines between."""
    return "\n\n".join("\n".join(_lines(each)) for each in findings)


def _lines(finding: Finding) -> list[str]:
    sure = f" ({finding.certainty})" if finding.certainty is not None else ""
    lines = [f"{finding.verdict.name}  {finding.subject}: {finding.claim}{sure}", *_explain(finding.verdict)]
    for evidence in finding.evidence:
        lines += _show(evidence)
    if finding.cost.runs:
        lines.append(f"  cost: {finding.cost.runs:,} runs, {finding.cost.seconds:.1f} s")
    if finding.reproduce.command:
        lines.append(f"  reproduce: {finding.reproduce.command}")
    return lines


def _explain(verdict: Verdict) -> list[str]:
    match verdict:
        case Proved():
            return []
        case Refuted(witness):
            return _witness(witness)
        case NotRefuted(detectable):
            return [f"  No leak was found; this is not a proof of privacy. {detectable}"]
        case Undecided(reason) | Skipped(reason):
            return [f"  {reason}"]


def _witness(witness: Witness) -> list[str]:
    match witness:
        case PairWitness():
            return [
                f"  event: {witness.event.words}",
                (
                    f"  probability {witness.p_left} on one dataset, {witness.p_right} on its neighbour; "
                    f"excess {witness.excess}"
                ),
            ]
        case Counterexample(words, values):
            return [f"  {words}", *(f"    {name} = {value}" for name, value in values.items())]


def _show(evidence: Evidence) -> list[str]:
    match evidence:
        case Note(title, text):
            return [f"  {title}: {text}"]
        case Table():
            return [f"  {evidence.title}", *(f"    {line}" for line in text_table(evidence))]
        case Chart(title):
            return [f"  [chart: {title}; see it with --format html]"]


def text_table(table: Table) -> list[str]:
    """The table in aligned columns."""
    rows = [table.columns, *table.rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]
