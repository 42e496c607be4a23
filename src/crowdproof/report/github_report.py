"""Findings as GitHub workflow commands, which show as annotations on a pull request."""

from collections.abc import Sequence

from crowdproof.findings import Finding, Refuted, Skipped, Undecided
from crowdproof.report import wording
from crowdproof.report.location import location
from crowdproof.report.sarif_report import message
from crowdproof.visible import harmless, visible

MOST = 10
"""GitHub shows no more annotations than that of one step."""


def render(findings: Sequence[Finding]) -> str:
    """An error for each claim that is refuted or not examined, a warning for each undecided one, and the counts."""
    if not findings:
        return _command("error", {"title": "Crowdproof"}, wording.headline(findings))
    alarming = [each for each in wording.ordered(findings) if isinstance(each.verdict, Refuted | Skipped | Undecided)]
    lines = [_annotation(each) for each in alarming[:MOST]]
    if len(alarming) > MOST:
        lines.append(f"{len(alarming) - MOST:,} more without an annotation: see the report.")
    return "\n".join([*lines, _data(wording.tally(findings))])


def _annotation(finding: Finding) -> str:
    where = location(finding)
    level = "warning" if isinstance(finding.verdict, Undecided) else "error"
    title = visible(f"{wording.LABELS[finding.verdict.name]}: {finding.subject}")
    return _command(level, {"file": where.file, "line": str(where.line), "title": title}, message(finding))


def _command(level: str, properties: dict[str, str], text: str) -> str:
    named = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {named}::{_data(text)}"


def _data(text: str) -> str:
    return harmless(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
