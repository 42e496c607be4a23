"""The literature of the findings as BibTeX, for whoever cites them; what was found stands above it as a comment."""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

from crowdproof.findings import Finding
from crowdproof.report import tex, wording
from crowdproof.visible import harmless, one_line


def render(findings: Sequence[Finding]) -> str:
    """The entry of Crowdproof itself, and one for each publication that a finding rests on."""
    found = {
        key: each
        for finding in findings
        for key, each in zip(tex.keys([finding]), tex.references(finding), strict=False)
    }
    told = [f"% {_comment(wording.headline(findings))}", *(line for each in findings for line in _told(each))]
    return harmless("\n\n".join(["\n".join(told), tex.entry(_ourselves()), *map(tex.entry, found.values())]) + "\n")


def _told(finding: Finding) -> list[str]:
    return [
        f"% {_comment(f'{finding.verdict.name} {finding.subject}: {finding.claim}')}",
        f"% {_comment(wording.sentence(finding))}",
    ]


def _comment(text: str) -> str:
    """BibTeX takes all that is no entry for a comment; an at sign would begin one."""
    return one_line(text).replace("@", "(at)")


@cache
def _ourselves() -> dict[str, str]:
    """Read once: a target may allow no more files afterwards."""
    return {
        "key": "crowdproof",
        "kind": "misc",
        "author": "The Crowdproof developers",
        "title": "Crowdproof: does a data release give the privacy it claims?",
        "version": version("crowdproof"),
    }
