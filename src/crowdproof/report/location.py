"""Where in a project a finding belongs, for systems that show findings beside the code."""

import re
from urllib.parse import quote

from attrs import frozen

from crowdproof.claims import Assertion
from crowdproof.findings import Finding

CLAIMS_FILE = "privacy.toml"
"""Where a project writes its claims: the place of a finding that names no other."""
_TARGET = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):[A-Za-z_][\w.]*")


@frozen
class Location:
    """A file, relative to the project, and a line in it."""

    file: str
    line: int = 1

    @property
    def uri(self) -> str:
        """The file as a relative URI reference."""
        return quote(self.file.replace("\\", "/"))


def location(finding: Finding) -> Location:
    """The `file` and `line` among the parameters, else the module of a subject `module:function`, else the claims file.

    >>> from crowdproof.claims import DP
    >>> from crowdproof.findings import Proved
    >>> location(Finding("shop.release:recode", DP(1), Proved()))
    Location(file='shop/release.py', line=1)
    """
    parameters = finding.reproduce.parameters
    if isinstance(parameters.get("file"), str):
        line = parameters.get("line")
        return Location(parameters["file"], line if isinstance(line, int) and line > 0 else 1)
    target = _TARGET.fullmatch(finding.subject)
    return Location(f"{target[1].replace('.', '/')}.py") if target else Location(CLAIMS_FILE)


def rule_id(finding: Finding) -> str:
    """What was broken, by a name that stays: the notion of the claim, or the id of the assertion or attack."""
    return finding.claim.id if isinstance(finding.claim, Assertion) else finding.claim.notion
