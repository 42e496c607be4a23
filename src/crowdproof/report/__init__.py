"""Reports: the same findings for a terminal, a program, a reviewer or a CI system.

Each format is a module with a function `render(findings) -> str`, imported when it is used.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TextIO

from crowdproof.errors import ParameterError
from crowdproof.findings import Finding
from crowdproof.report.each_text import each_text
from crowdproof.report.redaction import redacted
from crowdproof.visible import encodable

FORMATS = ("text", "json", "html", "markdown", "latex", "bibtex", "figure", "sarif", "junit", "github")
"""Name of a format = name of its module, with `_report` added."""


def render(findings: Sequence[Finding], form: str) -> str:
    """The findings in that format."""
    if form not in FORMATS:
        raise ParameterError(f"{form!r} is not a format: choose from {', '.join(FORMATS)}.")
    module = import_module(f"{__name__}.{form}_report")
    text: str = module.render(_encodable(findings) if form == "json" else _for_people(findings))
    return text


def write(findings: Sequence[Finding], form: str, stream: TextIO, *, terse: bool = False) -> None:
    """Write the findings to a stream; text is coloured where it is a terminal, and one line for each if `terse`."""
    if form == "text" and terse:
        from crowdproof.report.text_report import verdict_lines  # noqa: PLC0415

        _put(verdict_lines(_for_people(findings)), stream)
    elif form == "text" and stream.isatty():
        from crowdproof.report.text_report import print_to  # noqa: PLC0415

        print_to(stream, _for_people(findings))
    else:
        _put(render(findings, form), stream)


def _put(text: str, stream: TextIO) -> None:
    encoding = stream.encoding or "utf-8"
    line = text.rstrip("\n") + "\n"
    stream.write(line.encode(encoding, "replace").decode(encoding))  # a pipe may not know every letter


def _encodable(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings with texts that every format can write, wherever they hold one: names of files may hold others."""
    found: tuple[Finding, ...] = each_text(tuple(findings), encodable)
    return found


def _for_people(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The same, without the values of identifiers."""
    return tuple(map(redacted, _encodable(findings)))
