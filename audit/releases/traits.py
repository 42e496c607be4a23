"""Traits of a structured output: what a reviewer would point at in a table, a text, a set or a nested list."""

import datetime
import re
from collections import Counter
from collections.abc import Iterator
from math import isfinite
from typing import Any

import polars as pl

from crowdproof.audit.releases.canonical import looked_at
from crowdproof.audit.releases.objects import Other, Record
from crowdproof.audit.releases.refusal import Refusal
from crowdproof.audit.releases.sizes import real
from crowdproof.audit.releases.table_traits import Asked, Trait, finite, table_traits
from crowdproof.audit.releases.texts import kind_of, text_of

DEEPEST = 6
"""Nested outputs are followed this far down."""
LONGEST = 4096
"""Characters of a text that are looked at as words."""
_BETWEEN = re.compile(r"[\s=;:,|]+")
"""What stands between two words, or between a name and its value."""
_EVERYTHING = Asked()


def traits(output: Any, asked: Asked = _EVERYTHING) -> Iterator[tuple[Trait, float]]:
    """Names and numbers of what can be seen in a release, at least of what is asked for; each name at most once.

    >>> dict(traits({"total": 3}))
    {('kind', 'mapping'): 1.0, ('entry', 'total'): 1.0, ('number', 'total'): 3.0}
    """
    release = looked_at(output)
    if isinstance(release, Refusal):
        yield ("refused",), 1.0
        return
    yield ("kind", kind_of(release)), 1.0
    if isinstance(release, pl.DataFrame):
        yield from table_traits(release, asked)
    elif _is_rows(release):
        yield from table_traits(_from_rows(release), asked)
    else:
        yield from _nested(release, (), 0)


def _nested(output: Any, path: tuple[Any, ...], depth: int) -> Iterator[tuple[Trait, float]]:
    match output:
        case bool():
            yield ("is", *path, str(output)), 1.0
        case int() | float():
            yield ("number", *path), finite(output)
        case str():
            yield from _string(output, path)
        case dict():
            yield from _mapping(list(output.items()), path, depth)
        case Record():
            yield from _mapping([*output.fields], path, depth)
        case frozenset():
            yield ("size", *path), float(len(output))
            for member in output:
                yield ("holds", *path, text_of(member)), 1.0
        case tuple():
            yield from _members(output, path, depth)
        case _:
            yield ("is", *path, text_of(output)), 1.0
            yield from _measured(output, path)


def _mapping(entries: list[tuple[Any, Any]], path: tuple[Any, ...], depth: int) -> Iterator[tuple[Trait, float]]:
    names = [text_of(name) for name, _ in entries]
    if len(names) > 1:
        yield ("entry order", *path, ", ".join(names)), 1.0
    for name, (_, value) in zip(names, entries, strict=True):
        yield ("entry", *path, name), 1.0
        yield from _deeper(value, (*path, name), depth)


def _measured(output: Any, path: tuple[Any, ...]) -> Iterator[tuple[Trait, float]]:
    """What is known by its text, as a number where it is one: a decimal or complex number, a date."""
    kind = output.kind if isinstance(output, Other) else ""
    try:
        match kind:
            case "Decimal" | "Fraction" | "longdouble":
                if isfinite(number := real(output.text)):
                    yield ("number", *path), finite(number)
            case "complex" | "complex128" | "complex64":
                parts = complex(output.text)
                yield ("number", *path, "real part"), finite(parts.real)
                yield ("number", *path, "imaginary part"), finite(parts.imag)
            case "date" | "datetime" | "Timestamp":
                yield ("date", *path), _days(datetime.datetime.fromisoformat(output.text))
    except (ValueError, ArithmeticError):  # not a number, or one beyond the floats
        return


def _days(moment: datetime.datetime) -> float:
    """Days since the year 1, with the part of the day that has gone by."""
    midnight = datetime.datetime.combine(moment.date(), datetime.time(), moment.tzinfo)
    return moment.toordinal() + (moment - midnight) / datetime.timedelta(days=1)


def _members(output: Any, path: tuple[Any, ...], depth: int) -> Iterator[tuple[Trait, float]]:
    yield ("size", *path), float(len(output))
    for member, count in Counter(text_of(each) for each in output).items():
        yield ("holds", *path, member), float(count)
    for place, value in enumerate(output):
        yield from _deeper(value, (*path, place), depth)


def _deeper(value: Any, path: tuple[Any, ...], depth: int) -> Iterator[tuple[Trait, float]]:
    if depth < DEEPEST:
        yield from _nested(value, path, depth + 1)


def _string(text: str, path: tuple[Any, ...]) -> Iterator[tuple[Trait, float]]:
    yield ("is", *path, text[:LONGEST]), 1.0
    yield ("length", *path), float(len(text))
    if text:
        yield ("first letter", *path, text[0]), 1.0
        yield ("last letter", *path, text[-1]), 1.0
    words = Counter(filter(None, _BETWEEN.split(text[:LONGEST])))
    if len(words) > 1:
        for word, count in words.items():
            yield ("word", *path, word), float(count)


def _is_rows(release: Any) -> bool:
    """A list of mappings, or a list of equally long lists with some text in them, is a table."""
    if not isinstance(release, tuple) or not release:
        return False
    if all(isinstance(row, dict) for row in release):
        return True
    if not all(isinstance(row, tuple) for row in release):
        return False
    return len({len(row) for row in release}) == 1 and any(isinstance(cell, str) for row in release for cell in row)


def _from_rows(release: tuple[Any, ...]) -> pl.DataFrame:
    if isinstance(release[0], dict):
        plain = [{text_of(name): _shown(value) for name, value in row.items()} for row in release]
        names = list(dict.fromkeys(name for row in plain for name in row))
        return pl.DataFrame({name: [row.get(name, "missing") for row in plain] for name in names})
    columns = {f"column {place}": [_shown(row[place]) for row in release] for place in range(len(release[0]))}
    return pl.DataFrame(columns)


def _shown(cell: Any) -> str | None:
    """A cell of a list of rows as a text; a missing one stays missing."""
    return None if cell is None else text_of(cell)
