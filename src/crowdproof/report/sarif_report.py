"""Findings as SARIF 2.1.0, for code scanning.

A refuted claim is a result of kind `fail` and level `error`; an undecided one is of kind `open`, which the standard
keeps for 'not enough information to decide'. What held up is no alert, and what could not be run is no result about
the code: both are notifications of the run, and the second makes the run unsuccessful.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from crowdproof.claims import PARSEABLE, Assertion
from crowdproof.findings import Finding, Refuted, Skipped, Undecided
from crowdproof.report import wording
from crowdproof.report.location import location, rule_id
from crowdproof.visible import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(findings: Sequence[Finding]) -> str:
    """A SARIF log with one run."""
    findings = wording.ordered(findings)
    alerts = [each for each in findings if isinstance(each.verdict, Refuted | Undecided)]
    rules = {rule_id(each): each for each in reversed(alerts)}
    order = sorted(rules)
    run = {
        "tool": {"driver": {**_driver(), "rules": [_rule(rules[name]) for name in order]}},
        "invocations": [_invocation(findings)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, order.index(rule_id(each))) for each in alerts],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


@cache
def _driver() -> dict[str, Any]:
    return {
        "name": "crowdproof",
        "semanticVersion": version("crowdproof"),
        "shortDescription": {"text": "Tells whether a data release really gives the privacy it claims."},
    }


def _rule(finding: Finding) -> dict[str, Any]:
    claim = finding.claim
    meaning = claim.sentence if isinstance(claim, Assertion) else (PARSEABLE[claim.notion].__doc__ or "")
    return {
        "id": rule_id(finding),
        "shortDescription": {"text": f"A claim of {rule_id(finding)} does not hold"},
        "fullDescription": {"text": " ".join(meaning.split())},
        "help": {"text": "Change the release or the claim; the reproduce command of the alert shows the leak again."},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["security", "privacy"], "precision": "very-high", "security-severity": "8.0"},
    }


def _result(finding: Finding, rule_index: int) -> dict[str, Any]:
    refuted = isinstance(finding.verdict, Refuted)
    where = location(finding)
    return {
        "ruleId": rule_id(finding),
        "ruleIndex": rule_index,
        "kind": "fail" if refuted else "open",
        "level": "error" if refuted else "none",
        "message": {"text": message(finding)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": where.uri, "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": where.line},
                },
                "logicalLocations": [{"fullyQualifiedName": finding.subject}],
            }
        ],
        "partialFingerprints": {"crowdproofFinding/v1": fingerprint(finding)},
        "properties": {"verdict": finding.verdict.name, "claim": str(finding.claim)},
    }


def message(finding: Finding) -> str:
    """The finding in a few lines, the reproduce command last."""
    sure = "" if finding.certainty is None else f" {wording.certainty_words(finding.certainty)}"
    head, told = visible(f"{finding.subject}: {finding.claim}"), visible(f"{wording.sentence(finding)}{sure}")
    again = f"\nSee it again: {visible(finding.reproduce.command)}" if finding.reproduce.command else ""
    return f"{head}\n{told}{again}"


def fingerprint(finding: Finding) -> str:
    """Known by subject and claim alone: what was measured, or how an assertion is worded, may change between runs."""
    claim = rule_id(finding) if isinstance(finding.claim, Assertion) else str(finding.claim)
    return hashlib.sha256(f"{finding.subject}\0{claim}".encode()).hexdigest()


def _invocation(findings: Sequence[Finding]) -> dict[str, Any]:
    notes = [_notification(each) for each in findings if not isinstance(each.verdict, Refuted | Undecided)]
    if not findings:
        notes.append({"level": "error", "message": {"text": wording.headline(findings)}})
    broken = not findings or any(isinstance(each.verdict, Skipped) for each in findings)
    return {"executionSuccessful": not broken, "toolExecutionNotifications": notes}


def _notification(finding: Finding) -> dict[str, Any]:
    return {
        "level": "error" if isinstance(finding.verdict, Skipped) else "note",
        "message": {"text": message(finding)},
        "properties": {"verdict": finding.verdict.name},
    }
