"""Reports: the same findings for a terminal, a program, a reviewer or a CI system.

Each format is a module with a function `render(findings) -> str`, imported when it is used.
"""

import copy
from collections.abc import Sequence
from importlib import import_module
from typing import Any, TextIO

import attrs

from crowdproof.errors import ParameterError
from crowdproof.findings import Finding
from crowdproof.visible import encodable

FORMATS = ("text", "json", "html", "markdown", "sarif", "junit", "github")
"""Name of a format = name of its module, with `_report` added."""


def render(findings: Sequence[Finding], form: str) -> str:
    """The findings in that format."""
    if form not in FORMATS:
        raise ParameterError(f"{form!r} is not a format: choose from {', '.join(FORMATS)}.")
    module = import_module(f"{__name__}.{form}_report")
    text: str = module.render(_encodable(tuple(findings)))
    return text


def write(findings: Sequence[Finding], form: str, stream: TextIO) -> None:
    """Write the findings to a stream; text is coloured where the stream is a terminal."""
    if form == "text" and stream.isatty():
        from crowdproof.report.text_report import print_to  # noqa: PLC0415

        print_to(stream, _encodable(tuple(findings)))
    else:
        text = render(findings, form).rstrip("\n") + "\n"
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "replace").decode(encoding))  # a pipe may not know every letter


def _encodable(value: Any) -> Any:
    """The value with texts that every format can write, wherever it holds one: names of files may hold others."""
    if isinstance(value, str):
        return encodable(value) if type(value) is str else value
    if type(value) in {tuple, list}:
        return type(value)(map(_encodable, value))
    if type(value) is dict:
        return {_encodable(name): _encodable(each) for name, each in value.items()}
    if not attrs.has(type(value)):
        return value
    changed = {}
    for each in attrs.fields(type(value)):
        before = getattr(value, each.name)
        after = _encodable(before)
        if after != before:
            changed[each.name] = after
    return _with(value, changed) if changed else value


def _with(value: Any, changed: dict[str, Any]) -> Any:
    """A copy with these fields, whatever its class makes of them when it is built."""
    other = copy.copy(value)
    for name, each in changed.items():
        object.__setattr__(other, name, each)
    return other
