"""Reports: the same findings for a terminal, a program, a reviewer or a CI system.

Each format is a module with a function `render(findings) -> str`, imported when it is used.
"""

from collections.abc import Sequence
from importlib import import_module

from crowdproof.findings import Finding

FORMATS = ("text", "json")
"""Name of a format = name of its module, with `_report` added."""


def render(findings: Sequence[Finding], form: str) -> str:
    """The findings in that format."""
    module = import_module(f"{__name__}.{form}_report")
    text: str = module.render(findings)
    return text
