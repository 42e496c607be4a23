"""Claims as text: the grammar, and what is said where it is not kept."""

import re
from pathlib import Path
from typing import Any

from attrs import NOTHING, fields

from crowdproof.claims.claim import Claim
from crowdproof.claims.curves import FDP, GDP, RDP, ZCDP
from crowdproof.claims.notions import DP, DPS, CrowdBlending, KAnonymity, Safe
from crowdproof.errors import ParameterError

PARSEABLE: dict[str, type[Claim]] = {
    each.notion: each for each in (DP, DPS, ZCDP, RDP, GDP, FDP, CrowdBlending, Safe, KAnonymity)
}
HERE = Path()
"""Where files are looked for that a claim names: the current folder, unless its configuration stands elsewhere."""
_CALL = re.compile(r"([a-z-]+)\s*\((.*)\)", re.DOTALL | re.IGNORECASE)
MOST_CHARACTERS = 10_000
"""Characters of a claim: enough for hundreds of columns, and read in a moment whatever they are."""


def parse_claim(text: str, folder: Path = HERE) -> Claim:
    """Read a claim as it is written on a command line or in a configuration file.

    A file that it names is relative to the folder.
    """
    if len(text) > MOST_CHARACTERS:
        raise ParameterError(
            f"a claim of {len(text):,} characters is not read: write it in {MOST_CHARACTERS:,} at most."
        )
    match = _CALL.fullmatch(text.strip())
    if match is None or match[1].lower() not in PARSEABLE:
        known = ", ".join(f"{name}(...)" for name in PARSEABLE)
        raise ParameterError(f"{text!r} is not a claim: write one of {known}, for example dp(epsilon=1, delta=1e-6).")
    return build_claim(match[1].lower(), _arguments(match[2], text), folder)


def build_claim(notion: str, arguments: dict[str, Any], folder: Path | None = HERE) -> Claim:
    """Make the claim of that notion from named arguments as text; unknown and missing names are errors.

    A file that it names is relative to the folder; without one, a claim that names a file is an error.
    """
    kind = PARSEABLE[notion]
    known = {each.name: each for each in fields(kind)}
    files = ["file"] if kind is FDP and folder is not None else []
    for name in arguments:
        if name not in [*known, *files]:
            raise ParameterError(f"{notion} has no parameter {name!r}: it takes {', '.join([*known, *files])}.")
    for name, each in known.items():
        if name not in arguments and each.default is NOTHING and not (files and "file" in arguments):
            raise ParameterError(f"{notion} needs {name}: write {notion}({name}=...).")
    return kind.read(arguments, folder or HERE)


def _arguments(text: str, whole_claim: str) -> dict[str, str]:
    arguments: dict[str, str] = {}
    for part in filter(str.strip, re.split(r",(?![^(]*\))", text)):
        name, equals, value = part.partition("=")
        if not equals:
            comma = ", and decimal numbers with a point" if arguments and part.strip().isdecimal() else ""
            raise ParameterError(f"{part.strip()!r} in {whole_claim!r} has no name: write it as name=value{comma}.")
        if name.strip() in arguments:
            raise ParameterError(f"{name.strip()} is given twice in {whole_claim!r}: keep one.")
        arguments[name.strip()] = value.strip()
    return arguments
