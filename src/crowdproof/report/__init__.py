"""Reports: the same findings for a terminal, a program, a reviewer or a CI system.

Each format is a module with a function `render(findings) -> str`, imported when it is used.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TextIO

from crowdproof.errors import ParameterError
from crowdproof.findings import Finding

FORMATS = ("text", "json", "html", "markdown", "sarif", "junit", "github")
"""Name of a format = name of its module, with `_report` added."""


def render(findings: Sequence[Finding], form: str) -> str:
    """The findings in that format."""
    if form not in FORMATS:
        raise ParameterError(f"{form!r} is not a format: choose from {', '.join(FORMATS)}.")
    module = import_module(f"{__name__}.{form}_report")
    text: str = module.render(findings)
    return text


def write(findings: Sequence[Finding], form: str, stream: TextIO) -> None:
    """Write the findings to a stream; text is coloured where the stream is a terminal."""
    if form == "text" and stream.isatty():
        from crowdproof.report.text_report import print_to  # noqa: PLC0415

        print_to(stream, findings)
    else:
        text = render(findings, form).rstrip("\n") + "\n"
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "replace").decode(encoding))  # a pipe may not know every letter
