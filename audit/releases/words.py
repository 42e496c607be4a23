"""Features and events in words."""

import datetime
import math
import re
from collections.abc import Callable, Container, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdproof.audit.releases.features import Feature

Floats: TypeAlias = NDArray[np.float64]
_LOWEST = np.finfo(float).min
"""Where finite numbers begin."""
_PLACE = re.compile(r"\{(-?\w+)\}")
"""A place in a pattern that is to be filled."""
_TABLE = re.compile(r"a table of ([\d,]+) rows \([0-9a-f]{16,}\)")
"""A table within a release, as `text_of` tells it from all others."""
_LONG = re.compile(r"(?<![\d.])[1-9]\d{4,}(?!\d)")
SHOWN = 400
"""Characters of a text that are shown: some lines of a page."""
_COUNTED = {
    "cell": "a cell {1} in column {0}",
    "range starts": "a range that starts at {1} in column {0}",
    "range ends": "a range that ends at {1} in column {0}",
    "set holds": "a set that holds {1} in column {0}",
    "stars": "a suppressed cell in column {0}",
    "column": "a column {0}",
    "column type": "a column {0} of type {1}",
    "holds": "{-1}",
    "entry": "an entry {-1}",
    "entry order": "entries in the order {-1}",
    "word": "the word {-1}",
    "first letter": "a text that begins with {-1}",
    "last letter": "a text that ends with {-1}",
}
_TRUE = {
    "rows in order": ("its rows are sorted", "its rows are not sorted"),
    "kind": ("it is a {0}", "it is not a {0}"),
    "refused": ("there is no release", "there is a release"),
    "other": ("the release is {1}", "the release is not {1}"),
    "cells are": ("column {0} has exactly the cells with the digest {1}", "column {0} has other cells than usual"),
    "rows are": ("its rows are exactly those with the digest {0}", "its rows are others than usual"),
}
"""What is said where a trait is there, and where it is not."""
_MEASURED = {
    "rows": "the number of rows",
    "columns": "the number of columns",
    "rows of stars": "the number of wholly suppressed rows",
    "smallest group": "the size of the smallest group of equal rows",
    "distinct": "the number of distinct cells in column {0}",
    "sum of": "the sum of column {0}",
    "smallest of": "the smallest number in column {0}",
    "largest of": "the largest number in column {0}",
    "rank correlation": "the rank correlation of columns {0} and {1}",
    "together": "the number of rows with {2} in column {0} and {3} in column {1}",
    "number": "the number at {path}",
    "date": "the date at {path}",
    "last digit": "the last digit of component {0}",
    "size": "the number of members at {path}",
    "length": "the length of the text at {path}",
    "step": "component {0} minus the one before it",
    "sum": "the sum of the finite components",
    "missing": "the number of components that are not numbers",
    "finite": "the number of finite components",
    "largest": "the largest component",
    "smallest": "the smallest component",
    "place of the largest": "the place of the largest component",
    "grain": "the place of the last set bit of component {0} (an exponent of two)",
}


_ALONE = {
    "the number at {path}": "the released number",
    "the date at {path}": "the released date",
    "the number of members at {path}": "the number of members of the release",
    "the length of the text at {path}": "the length of the released text",
}
"""What is said where the whole release is a number, a date, a list or a text."""


def feature_words(feature: Feature) -> str:  # noqa: PLR0911  (one return for each kind of feature)
    """What is looked at, as a noun.

    >>> feature_words(("range ends", "income", "35000000"))
    'number of cells with a range that ends at 35,000,000 in column income'
    """
    kind, *rest = feature
    if kind == "value":
        return f"component {rest[0] + 1}"
    if kind == "other":
        return f"release being {rest[1]}"
    if kind == "bit":
        return f"bit {rest[1]} of the floating-point number"
    if kind in _COUNTED:
        return f"number of cells with {_fill(_COUNTED[kind], rest)}"
    if kind in _MEASURED:
        return _fill(_MEASURED[kind], rest).removeprefix("the ")
    if kind in ("row", "first row", "last row"):
        noun = "number of rows equal to" if kind == "row" else f"{kind} being"
        return f"{noun} ({', '.join(_readable(each) for each in rest)})"
    return f"{kind} {' '.join(_readable(each) for each in rest)}".strip()


def describe(feature: Feature, edges: Floats, inside: NDArray[np.bool_]) -> str:
    """The event that a feature is on one of the steps `inside`; the last step is 'not a number'.

    >>> describe(("range ends", "income", "35000000"), np.array([1.0]), np.array([False, True, False]))
    'the release contains a range that ends at 35,000,000 in column income'
    >>> describe(("value", 0), np.array([0.0, 0.5]), np.array([True, True, False, False]))
    'component 1 of the release is below 0.5'
    """
    kind, *rest = feature
    spans = _spans(edges, inside[:-1])
    above_zero = len(spans) == 1 and 0 < spans[0][0] <= 1 and math.isinf(spans[0][1])
    none = len(spans) == 1 and math.isinf(spans[0][0]) and 0 < spans[0][1] <= 1
    if kind in _COUNTED and (above_zero or none):
        return f"the release contains {'no ' if none else ''}{_bare(_fill(_COUNTED[kind], rest), none)}"
    if kind in _TRUE and (above_zero or none):
        return _fill(_TRUE[kind][none], rest)
    if kind in ("row", "first row", "last row", "is") and (above_zero or none):
        return _whole(kind, rest, none=none)
    show = _date if kind == "date" else _readable
    ranges = [_span(low, high, show) for low, high in spans]
    if inside[-1] and not (ranges and np.isfinite(edges).all()):
        ranges.append("not a number")
    return f"{_subject(feature)} is {' or '.join(ranges) or 'nothing'}"


def path_words(path: Iterable[tuple[Feature, float, bool]], may_lack: Container[Feature] = ()) -> str:
    """A way through a tree: its questions (feature, threshold, went left) as what all the answers say together.

    `may_lack` are the features that are not always numbers.

    >>> path_words([(("value", 1), 0.5, False), (("value", 6), 3.0, True), (("value", 1), 2.0, True)])
    'component 2 is from 0.5 to below 2 and component 7 is below 3'
    """
    answers: dict[Feature, list[tuple[float, bool]]] = {}
    for feature, threshold, left in path:
        answers.setdefault(feature, []).append((threshold, left))
    said = [_answer(feature, each, feature in may_lack) for feature, each in answers.items()]
    return " and ".join(said) or "the release is anything"


def _answer(feature: Feature, answers: list[tuple[float, bool]], may_lack: bool) -> str:
    """What the answers to questions about one feature leave of it."""
    if any(math.isnan(threshold) and not left for threshold, left in answers):
        return f"{_subject(feature)} is not a number"
    low = max((threshold for threshold, left in answers if not left), default=-math.inf)
    high = min((threshold for threshold, left in answers if left and not math.isnan(threshold)), default=math.inf)
    edges = np.array([each for each in (low, high) if abs(each) < math.inf])
    inside = np.zeros(len(edges) + 2, bool)
    inside[int(low > -math.inf)] = True
    number = any(left for _, left in answers) or not may_lack
    words = describe(feature, edges, inside)
    return words if number else f"{words} or not a number"


def _whole(kind: str, rest: list[Any], *, none: bool) -> str:
    """That a row of a table, or a part of another release, is what it is.

    >>> _whole("is", ["wards", "B2"], none=False), _whole("is", ["B2"], none=True), _whole("is", [0, "B2"], none=False)
    ('the release has B2 at wards', 'the release is not B2', 'the release has B2 as part 1')
    """
    if kind != "is":
        return f"the release {'has not' if none else 'has'} {_noun(kind)} {', '.join(map(_readable, rest))}"
    *path, value = rest
    value = _readable(value)
    if not path:
        return f"the release is {'not ' if none else ''}{value}"
    place = f"as part {path[0] + 1}" if len(path) == 1 and isinstance(path[0], int) else f"at {_fill('{path}', path)}"
    return f"the release has {'something else than ' if none else ''}{value} {place}"


def _subject(feature: Feature) -> str:
    if feature == ("value", 0):
        return "component 1 of the release"
    return feature_words(feature) if feature[0] == "value" else f"the {feature_words(feature)}"


def _noun(kind: str) -> str:
    return {"row": "the row", "first row": "as its first row", "last row": "as its last row"}[kind]


def _bare(text: str, plain: bool) -> str:
    return text.removeprefix("a ").removeprefix("an ").removeprefix("the ") if plain else text


def _spans(edges: Floats, inside: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Maximal runs of chosen steps as half-open intervals."""
    bounds = [-math.inf, *edges.tolist(), math.inf]
    spans: list[tuple[float, float]] = []
    for place in np.flatnonzero(inside):
        low, high = bounds[place], bounds[place + 1]
        if spans and spans[-1][1] == low:
            spans[-1] = (spans[-1][0], high)
        else:
            spans.append((low, high))
    return spans


def _span(low: float, high: float, show: Callable[[float], str]) -> str:
    if high == _LOWEST:
        return "minus infinity"
    if low == _LOWEST:
        return f"below {show(high)} and not minus infinity" if high < math.inf else "above minus infinity"
    if math.isinf(low):
        return f"below {show(high)}" if not math.isinf(high) else "anything"
    if math.isinf(high):
        return f"at least {show(low)}"
    if np.nextafter(low, math.inf) >= high:
        return show(low)
    return f"from {show(low)} to below {show(high)}"


def _date(days: float) -> str:
    """Days since the year 1 as a date, with the time where it is not midnight."""
    whole = math.floor(days)
    if not datetime.date.min.toordinal() <= whole <= datetime.date.max.toordinal():
        return _readable(days)
    moment = datetime.datetime.fromordinal(whole) + datetime.timedelta(days=days - whole)
    return str(moment.date() if days == whole else moment.replace(microsecond=0))


def _fill(pattern: str, rest: list[Any]) -> str:
    shown = [_readable(each + 1 if isinstance(each, int) else each) for each in rest]
    named = {str(place): text for place, text in enumerate(shown)}
    named |= {"-1": shown[-1] if shown else "", "path": " / ".join(shown) or "the top"}
    pattern = pattern if shown else _ALONE.get(pattern, pattern)
    filled = _PLACE.sub(lambda place: named[place[1]], pattern)  # in one go: a text of the release may have braces too
    return filled.replace("in column column ", "in column ")  # as the columns of rows without names are called


def _certain_table(found: re.Match[str]) -> str:
    return f"one certain table of {found[1]} row{'' if found[1] == '1' else 's'}"


def _readable(value: Any) -> str:
    """Numbers with thousands set apart, other things as they are."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        text = _TABLE.sub(_certain_table, str(value))
        text = text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"
        return _LONG.sub(lambda digits: f"{int(digits[0]):,}", text)
    if number.is_integer() and abs(number) < 1e15:
        return f"{int(number):,}"
    return f"{number:.6g}"
