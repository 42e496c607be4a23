"""An event in words: what the releases inside it have in common and those outside it lack."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl


def event_words(inside: Sequence[Any], outside: Sequence[Any]) -> str:
    """A sentence that separates the releases inside from those outside; the shortest that is true of all."""
    if all(each is None for each in inside):
        return "there is no release"
    if all(isinstance(each, pl.DataFrame) for each in inside):
        for words, test in _table_tests(inside):
            if not any(_passes(test, each) for each in outside):
                return words
    if len(inside) == 1:
        return f"the release is {_shown(inside[0])}"
    return f"the release is one of {len(inside):,}, such as {_shown(inside[0])}"


def _table_tests(inside: Sequence[pl.DataFrame]) -> Iterator[tuple[str, Any]]:
    """Candidate sentences with their tests, all true of every table inside."""
    shared = set.intersection(*(set(_cells(each)) for each in inside))
    for column, value in sorted(shared, key=lambda cell: (len(str(cell[1])), str(cell))):
        yield f"the release contains {column} = {value}", lambda table, cell=(column, value): cell in set(_cells(table))
    fewest, most = min(each.height for each in inside), max(each.height for each in inside)
    yield f"the release has at least {fewest:,} rows", lambda table: table.height >= fewest
    yield f"the release has at most {most:,} rows", lambda table: table.height <= most
    if fewest == most:
        yield f"the release has exactly {most:,} rows", lambda table: table.height == most


def _cells(table: pl.DataFrame) -> Iterator[tuple[str, Any]]:
    for column in table.columns:
        for value in table[column].unique().to_list():
            yield column, value if isinstance(value, str | int | float | bool | None) else str(value)


def _passes(test: Any, output: Any) -> bool:
    return isinstance(output, pl.DataFrame) and bool(test(output))


def _shown(output: Any) -> str:
    if isinstance(output, pl.DataFrame):
        rows = ", ".join(str(row) for row in output.unique(maintain_order=True).rows()[:3])
        return f"a table of {output.height:,} rows: {rows or 'empty'}"
    text = str(output)
    return text if len(text) <= 80 else f"{text[:77]}..."
