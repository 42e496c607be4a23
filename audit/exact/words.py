"""An event in words: what the releases inside it have in common and those outside it lack."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from crowdproof.audit.outputs import traits
from crowdproof.audit.outputs.words import describe

_TELLING = ("range ends", "range starts", "set holds", "cell", "rows", "number", "is")
"""Kinds of traits in the order in which a reader understands them."""
_MOST = 2000
"""Releases that are looked at for a common trait."""


def event_words(inside: Sequence[Any], outside: Sequence[Any]) -> str:
    """A sentence that is true of the releases inside and of none outside; None stands for no release."""
    if all(each is None for each in inside):
        return "there is no release"
    if len(inside) + len(outside) <= _MOST and not any(each is None for each in inside):
        words = _separating_trait(inside, [each for each in outside if each is not None])
        if words is not None:
            return words
    shown = [_shown(each) for each in inside[:3]]
    more = f" or one of {len(inside) - 3:,} more" if len(inside) > 3 else ""
    return f"the release is {' or '.join(shown)}{more}"


def _separating_trait(inside: Sequence[Any], outside: Sequence[Any]) -> str | None:
    """A trait that is larger in every release inside than in any outside, or smaller; one that an output lacks is 0."""
    seen_inside, seen_outside = [dict(traits(each)) for each in inside], [dict(traits(each)) for each in outside]
    for feature in sorted({name for seen in seen_inside for name in seen}, key=_rank):
        here = [seen.get(feature, 0.0) for seen in seen_inside]
        there = [seen.get(feature, 0.0) for seen in seen_outside] or [0.0 if min(here) > 0 else math.inf]
        if min(here) > max(there):
            edge = 1.0 if max(there) == 0 and float(min(here)).is_integer() else min(here)
            return describe(feature, np.array([edge]), np.array([False, True, False]))
        if max(here) < min(there):
            return describe(feature, np.array([min(there)]), np.array([True, False, False]))
    return None


def _rank(feature: tuple[Any, ...]) -> tuple[int, int, str]:
    kind = feature[0]
    place = _TELLING.index(kind) if kind in _TELLING else len(_TELLING)
    return place, len(str(feature)), str(feature)


def _shown(output: Any) -> str:
    if output is None:
        return "no release"
    if hasattr(output, "height") and hasattr(output, "rows"):
        rows = ", ".join(str(row) for row in output.unique(maintain_order=True).rows()[:3])
        return f"a table of {output.height:,} rows ({rows or 'empty'})"
    text = str(output)
    return text if len(text) <= 80 else f"{text[:77]}..."
