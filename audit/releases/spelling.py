"""Canonical forms as texts: equal for equal forms, different for different ones, the same in every process."""

import math
from collections.abc import Iterable
from typing import Any

import polars as pl

from crowdproof.audit.releases.columns import table_digest
from crowdproof.audit.releases.objects import Other, Record
from crowdproof.audit.releases.refusal import Refusal


def spelled(form: Any) -> str:  # noqa: C901, PLR0911  (one return for each kind of canonical form)
    """A text that is equal for equal canonical forms and different for different ones."""
    match form:
        case None:
            return "none"
        case bool():
            return f"truth:{form}"
        case int() | float():
            return _spelled_number(form)
        case str() | bytes():
            return repr(form)
        case tuple():
            return f"({','.join(map(spelled, form))})"
        case dict():
            return f"{{{_entries(form.items())}}}"
        case frozenset():
            return f"<{','.join(sorted(map(spelled, form)))}>"
        case pl.DataFrame():
            return f"table:{table_digest(form)}"
        case Refusal():
            return "refusal"
        case Other():
            return f"other({form.kind!r},{form.text!r})"
        case Record():
            return f"record({form.kind!r},{_entries(form.fields)})"
    raise TypeError(f"{type(form).__name__} is no canonical form")


def _entries(entries: Iterable[tuple[Any, Any]]) -> str:
    """Names and values in their order, which shows wherever a mapping is written down."""
    return ",".join(f"{spelled(name)}:{spelled(each)}" for name, each in entries)


def _spelled_number(value: float) -> str:
    """Whole numbers in hexadecimal: Python refuses to write very long ones in decimal."""
    if isinstance(value, int):
        return f"{value:x}"
    return "nan" if math.isnan(value) else value.hex()
