"""A release in words that people read: what kind it is, and how it looks."""

from collections.abc import Iterable
from typing import Any

import polars as pl

from crowdproof.audit.releases.canonical import looked_at
from crowdproof.audit.releases.columns import table_digest
from crowdproof.audit.releases.objects import Record
from crowdproof.audit.releases.refusal import Refusal

LARGE = 10**300
"""Whole numbers from here on are written in hexadecimal: Python writes no very long ones in decimal."""
SHOWN = 80
"""Letters of a release that are shown where it is named."""
REFUSED = "no release"
"""What a run without a release is called."""

_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "truth value"),
    (int, "number"),
    (float, "number"),
    (str, "text"),
    (bytes, "string of bytes"),
    (tuple, "list"),
    (frozenset, "set"),
    (dict, "mapping"),
    (pl.DataFrame, "table"),
)
"""What a canonical form is, in a word; the first that fits."""


def kind_of(release: Any) -> str:
    """What a canonical release is, in a word or two."""
    if isinstance(release, Refusal):
        return REFUSED
    word = next((word for kind, word in _KINDS if isinstance(release, kind)), None)
    return word or str(getattr(release, "kind", type(release).__name__))


def brief(output: Any) -> str:
    """A release in a few words, for people."""
    text = " ".join(text_of(looked_at(output)).split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def text_of(release: Any) -> str:  # noqa: PLR0911  (one return for each kind of canonical form)
    """A canonical form as a text: numbers by their shortest digits, tables and long things by how they look."""
    match release:
        case str():
            return release
        case bool() | None | float() | bytes():
            return str(release)
        case int():
            return str(release) if abs(release) < LARGE else f"{release:#x}"
        case Refusal():
            return REFUSED
        case tuple():
            return f"({', '.join(map(text_of, release))})"
        case frozenset():
            return f"{{{', '.join(sorted(map(text_of, release)))}}}"
        case dict():
            return f"{{{_entries(release.items())}}}"
        case Record():
            return f"{release.kind}({_entries(release.fields)})"
        case pl.DataFrame():
            return f"a table of {release.height} rows ({table_digest(release)})"
        case _:
            return str(release)


def _entries(entries: Iterable[tuple[Any, Any]]) -> str:
    return ", ".join(f"{text_of(name)}: {text_of(each)}" for name, each in entries)
