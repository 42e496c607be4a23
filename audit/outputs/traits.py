"""Traits of a structured output: what a reviewer would point at in a table, a text, a set or a nested list."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from crowdproof.audit.check.cells import STARS
from crowdproof.audit.outputs.keys import as_table, key

Trait: TypeAlias = tuple[Any, ...]
DEEPEST = 6
"""Nested outputs are followed this far down."""
LONGEST = 4096
"""Characters of a text that are looked at as words."""
_RANGE = re.compile(r"\s*[\[(]\s*([^,\[\]()]+?)\s*,\s*([^,\[\]()]+?)\s*[\])]\s*")
_FINITE_LIMIT = 1e300


def traits(output: Any) -> Iterator[tuple[Trait, float]]:
    """Names and numbers of what can be seen in the output; each name at most once.

    >>> dict(traits({"total": 3}))
    {('kind', 'dict'): 1.0, ('entry', 'total'): 1.0, ('number', 'total'): 3.0}
    """
    yield ("kind", type(output).__name__), 1.0
    table = as_table(output)
    if table is not None:
        yield from _table(table)
    elif _is_rows(output):
        yield from _table(_from_rows(output))
    else:
        yield from _nested(output, (), 0)


def _table(table: pl.DataFrame) -> Iterator[tuple[Trait, float]]:
    yield ("rows",), float(table.height)
    yield ("columns",), float(table.width)
    yield ("column order", *table.columns), 1.0
    for name in table.columns:
        yield ("column", name), 1.0
        yield from _column(name, table.get_column(name))
    rows = [tuple(_text(cell) for cell in row) for row in table.rows()]
    for row, count in Counter(rows).items():
        yield ("row", *row), float(count)
    if rows:
        yield ("first row", *rows[0]), 1.0
        yield ("last row", *rows[-1]), 1.0
        yield ("rows in order",), float(rows == sorted(rows))
        yield ("smallest group",), float(min(Counter(rows).values()))
        yield ("rows of stars",), float(sum(all(map(STARS.fullmatch, row)) for row in rows))


def _column(name: str, column: pl.Series) -> Iterator[tuple[Trait, float]]:
    cells = Counter(_text(cell) for cell in column.to_list())
    found: Counter[Trait] = Counter()
    for text, count in cells.items():
        found[("cell", name, text)] += count
        if STARS.fullmatch(text):
            found[("stars", name)] += count
        elif ends := _RANGE.fullmatch(text):
            found[("range starts", name, ends[1])] += count
            found[("range ends", name, ends[2])] += count
        elif text.startswith("{") and text.endswith("}"):
            for member in text[1:-1].split(","):
                found[("set holds", name, member.strip())] += count
    yield ("distinct", name), float(len(cells))
    for trait, total in found.items():
        yield trait, float(total)
    if column.dtype.is_numeric() and len(column):
        numbers = column.drop_nulls().cast(pl.Float64)
        for kind, value in (("sum", numbers.sum()), ("smallest", numbers.min()), ("largest", numbers.max())):
            yield (f"{kind} of", name), _finite(value)


def _nested(output: Any, path: tuple[Any, ...], depth: int) -> Iterator[tuple[Trait, float]]:
    match output:
        case bool() | np.bool_():
            yield ("is", *path, str(bool(output))), 1.0
        case int() | float() | np.integer() | np.floating():
            yield ("number", *path), _finite(output)
        case str():
            yield from _string(output, path)
        case Mapping():
            for name, value in output.items():
                yield ("entry", *path, _text(name)), 1.0
                yield from _deeper(value, (*path, _text(name)), depth)
        case AbstractSet():
            yield ("size", *path), float(len(output))
            for member in output:
                yield ("holds", *path, _text(member)), 1.0
        case np.ndarray() | Sequence():
            yield from _members(output, path, depth)
        case _:
            yield ("is", *path, _text(output)), 1.0


def _members(output: Any, path: tuple[Any, ...], depth: int) -> Iterator[tuple[Trait, float]]:
    yield ("size", *path), float(len(output))
    for member, count in Counter(_text(each) for each in output).items():
        yield ("holds", *path, member), float(count)
    for place, value in enumerate(output):
        yield from _deeper(value, (*path, place), depth)


def _deeper(value: Any, path: tuple[Any, ...], depth: int) -> Iterator[tuple[Trait, float]]:
    if depth < DEEPEST:
        yield from _nested(value, path, depth + 1)


def _string(text: str, path: tuple[Any, ...]) -> Iterator[tuple[Trait, float]]:
    yield ("is", *path, text[:LONGEST]), 1.0
    yield ("length", *path), float(len(text))
    words = Counter(text[:LONGEST].split())
    if len(words) > 1:
        for word, count in words.items():
            yield ("word", *path, word), float(count)


def _is_rows(output: Any) -> bool:
    """A list of dicts, or a list of equally long lists with some text in them, is a table."""
    if not isinstance(output, (list, tuple)) or not output:
        return False
    if all(isinstance(row, Mapping) for row in output):
        return True
    if not all(isinstance(row, (list, tuple)) for row in output):
        return False
    return len({len(row) for row in output}) == 1 and any(isinstance(cell, str) for row in output for cell in row)


def _from_rows(output: Sequence[Any]) -> pl.DataFrame:
    if isinstance(output[0], Mapping):
        names = list(dict.fromkeys(_text(name) for row in output for name in row))
        plain = [{_text(name): _text(value) for name, value in row.items()} for row in output]
        return pl.DataFrame({name: [row.get(name, "missing") for row in plain] for name in names})
    columns = {f"column {place}": [_text(row[place]) for row in output] for place in range(len(output[0]))}
    return pl.DataFrame(columns)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(key(value)) if isinstance(value, (float, set, dict)) else str(value)


def _finite(value: Any) -> float:
    number = float(value) if value is not None else 0.0
    return min(max(0.0 if math.isnan(number) else number, -_FINITE_LIMIT), _FINITE_LIMIT)
