"""Findings as JSON, by the versioned schema."""

from collections.abc import Sequence

from crowdproof.findings import Finding
from crowdproof.wire import dumps


def render(findings: Sequence[Finding]) -> str:
    """A JSON array with one object for each finding."""
    return dumps(list(findings))
