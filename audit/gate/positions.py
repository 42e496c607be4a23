"""Where in a TOML text each value stands, so that every mistake can be reported with its line.

A statement of TOML ends with its line, unless a bracket or a string is still open; so it is the shortest run of
lines that `tomllib` accepts, and the text needs no parser of our own.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

Where: TypeAlias = tuple[str | int, ...]
"""The keys and indices that lead to a value."""


def positions(text: str) -> dict[Where, int]:
    """The line on which each value of a valid TOML text begins.

    >>> positions('a = 1\\n[[b]]\\nc.d = 2')
    {(): 1, ('a',): 1, ('b',): 2, ('b', 0): 2, ('b', 0, 'c'): 3, ('b', 0, 'c', 'd'): 3}
    """
    found: dict[Where, int] = {(): 1}
    tables: Counter[Where] = Counter()
    header: Where = ()
    for line, statement in _statements(text):
        record = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            header = _header(record, tables)
            for depth in range(1, len(header) + 1):
                found.setdefault(header[:depth], line)
        else:
            for where in _paths(record):
                found.setdefault(header + where, line)
    return found


def line_of(where: Where, lines: dict[Where, int]) -> int:
    """The line of a value, or of the nearest thing around it that is written down."""
    while where not in lines:
        where = where[:-1]
    return lines[where]


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each statement with the number of its first line."""
    start, pending = 1, ""
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        pending += line
        try:
            empty = not tomllib.loads(pending)
        except tomllib.TOMLDecodeError:
            continue
        if not empty:
            yield start, pending
        start, pending = number + 1, ""


def _header(record: dict[str, Any], tables: Counter[Where]) -> Where:
    """The place that a `[table]` or `[[table]]` line opens, counting the tables of each array."""
    where: Where = ()
    inner: Any = record
    while inner:
        if isinstance(inner, list):
            tables[where] += 1
            return (*where, tables[where] - 1)
        if tables[where]:
            where = (*where, tables[where] - 1)
        ((key, inner),) = inner.items()
        where = (*where, key)
    return where


def _paths(value: Any) -> Iterator[Where]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (key,)
        yield from ((key, *rest) for rest in _paths(each))
