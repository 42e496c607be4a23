"""Failures that are knowingly let pass: for a reason, until a day, and only as long as nothing changes.

A suppression names the fingerprint of what it lets pass: the claim, the target's code and the verdict. It never hides
a finding; it only keeps it from failing the gate. One that has expired or that matches nothing fails the gate itself.
"""

import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from crowdproof.audit.gate.config import Project, Suppression
from crowdproof.findings import Confidence, Finding, Note, NotRefuted, Refuted, Skipped, Undecided

FAILING = (Refuted, Skipped, Undecided)
"""The verdicts that there is something to let pass about."""


@frozen
class Suppressed:
    """The findings with what is let pass marked, and what is wrong with the suppressions."""

    findings: tuple[Finding, ...]
    passed: frozenset[str]
    """Names of the claims whose failure is let pass."""
    problems: tuple[str, ...]


def fingerprint(key: str, verdict: str) -> str:
    """What a suppression is bound to: the evidence's key (claim, target, code) and the verdict."""
    return hashlib.sha256(json.dumps([key, verdict]).encode()).hexdigest()[:16]


def apply(project: Project, findings: Sequence[Finding], keys: Mapping[str, str], today: datetime.date) -> Suppressed:
    """Mark what is let pass. `keys` are the keys of the claims, by name."""
    marked = {each.subject: _with_fingerprint(each, keys[each.subject]) for each in findings}
    passed: set[str] = set()
    problems = []
    for number, each in enumerate(project.config.suppressions):
        trouble = _trouble(each, marked[each.claim], keys[each.claim], today)
        if trouble:
            line = project.lines.get(f"suppressions.{number}")
            problems.append(f"{project.path}{f':{line}' if line else ''}: the suppression of {each.claim} {trouble}")
        else:
            finding = marked[each.claim]
            failing = isinstance(finding.verdict, FAILING)
            passed |= {each.claim} if failing else set()
            note = Note(
                "Let pass" if failing else "Nothing to let pass now", f"until {each.until.written}: {each.reason}"
            )
            marked[each.claim] = evolve(finding, evidence=(note, *finding.evidence))
    return Suppressed(tuple(marked.values()), frozenset(passed), tuple(problems))


def _with_fingerprint(finding: Finding, key: str) -> Finding:
    if not isinstance(finding.verdict, FAILING):
        return finding
    note = Note("Fingerprint", f"{fingerprint(key, finding.verdict.name)} (for a suppression)")
    return evolve(finding, evidence=(*finding.evidence, note))


def _trouble(suppression: Suppression, finding: Finding, key: str, today: datetime.date) -> str | None:
    """Why the suppression does not hold; None where it does."""
    if suppression.until.date is None:
        return (
            f"ends on {suppression.until.written!r}, which is no date and counts as expired: write it like 2026-12-31."
        )
    if suppression.until.expired(today):
        return f"expired on {suppression.until.written}: fix the claim, or renew it with a reason."
    if suppression.fingerprint == fingerprint(key, finding.verdict.name):
        return None
    if suppression.fingerprint == fingerprint(key, Refuted.name) and _may_be_refuted_again(finding):
        return None
    return "matches nothing: the claim, the target or the verdict is another than it was made for; remove or renew it."


def _may_be_refuted_again(finding: Finding) -> bool:
    """A statistical refutation takes luck: that this run did not find it again is no reason to fail."""
    return isinstance(finding.verdict, NotRefuted | Undecided) and isinstance(finding.certainty, Confidence | None)
