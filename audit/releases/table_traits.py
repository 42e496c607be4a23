"""Traits of a table: which cells and rows it has, how often, and in what order.

Traits that are not asked for are left out where that saves time.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Self, TypeAlias

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.releases.cell_texts import column_texts
from crowdproof.audit.releases.column_pairs import correlations, joint_cells
from crowdproof.audit.releases.columns import column_digest, table_digest, type_text
from crowdproof.audit.releases.counting import Counted, counted
from crowdproof.audit.releases.moments import tellable
from crowdproof.cells import ends, is_suppressed, members, suppressed

Trait: TypeAlias = tuple[Any, ...]
_FINITE_LIMIT = 10**300
"""Numbers beyond this are taken for it. The sum of a million of them is still a float: these end at 10^308."""
_COUNTED = ("distinct", "cells are", "cell", "stars", "range starts", "range ends", "set holds")
_MEASURED = ("sum of", "smallest of", "largest of")
_GROUPED = ("row", "rows are", "smallest group")


@frozen
class Asked:
    """Which traits are asked for, by their kind and by what they are about; None for all that there are."""

    heads: frozenset[Trait] | None = None

    @classmethod
    def of(cls, features: Iterable[Trait]) -> Self:
        """Those that are features."""
        listed = list(features)
        return cls(frozenset(each[:size] for each in listed for size in (1, 2)))

    def wants(self, *heads: Trait) -> bool:
        """Whether any trait is asked for that begins with one of these."""
        return self.heads is None or not self.heads.isdisjoint(heads)


def table_traits(table: pl.DataFrame, asked: Asked) -> Iterator[tuple[Trait, float]]:
    """The traits of a table that are asked for, and others that cost little; each at most once."""
    yield ("rows",), float(table.height)
    yield ("columns",), float(table.width)
    yield ("column order", *table.columns), 1.0
    kinds = [type_text(kind) for kind in table.dtypes]
    table = tellable(table)
    for name, kind in zip(table.columns, kinds, strict=True):
        yield ("column", name), 1.0
        yield ("column type", name, kind), 1.0
    cells = counted(table)
    for column in table.iter_columns():
        if asked.wants(*((kind, column.name) for kind in _COUNTED)):
            yield from _column(column, cells)
        if column.dtype.is_numeric() and len(column) and asked.wants(*((kind, column.name) for kind in _MEASURED)):
            yield from _measures(column)
    if asked.wants(("rank correlation",)):
        yield from correlations(table)
    if asked.wants(("together",)):
        yield from joint_cells(cells)
    if table.height:
        yield from _rows(cells, asked)


def _column(column: pl.Series, table: Counted) -> Iterator[tuple[Trait, float]]:
    """How often a column has each cell, and what cells show besides their texts."""
    name = column.name
    counts, cells = table.cells(column)
    yield ("distinct", name), float(counts.different)
    found: Counter[Trait] = Counter()
    if cells is None:
        yield ("cells are", name, column_digest(column)), 1.0
        found["stars", name] += int(_stars(column).sum())
    elif column.null_count():
        found["stars", name] += column.null_count()
    is_plain = column.dtype.is_numeric()
    for text, count in (cells or {}).items():
        found["cell", name, text] += count
        for trait in () if is_plain else _cell(name, text):
            found[trait] += count
    for trait, total in found.items():
        if total:
            yield trait, float(total)


def _stars(column: pl.Series) -> pl.Series:
    """Which cells of a column are suppressed."""
    if column.dtype != pl.String:
        return column.is_null()
    return column.to_frame("cell").select(suppressed(pl.col("cell"))).to_series()


def _cell(name: str, text: str) -> Iterator[Trait]:
    """What a cell with this text shows besides its text."""
    if is_suppressed(text):
        yield "stars", name
        return
    low, high = ends(text) or ("", "")
    if low:
        yield "range starts", name, low
    if high:
        yield "range ends", name, high
    for member in members(text) or ():
        yield "set holds", name, member


def _measures(column: pl.Series) -> Iterator[tuple[Trait, float]]:
    numbers = column.drop_nulls().cast(pl.Float64)
    for kind, value in zip(_MEASURED, (numbers.sum(), numbers.min(), numbers.max()), strict=True):
        yield (kind, column.name), finite(value)


def _rows(table: Counted, asked: Asked) -> Iterator[tuple[Trait, float]]:
    """Which rows there are, and in what order; there is at least one."""
    if asked.wants(*((kind,) for kind in _GROUPED)):
        counts, groups = table.rows()
        yield ("smallest group",), float(counts.least)
        if groups is None:
            yield ("rows are", table_digest(table.table)), 1.0
        for row, count in (groups or {}).items():
            yield ("row", *row), float(count)
    if asked.wants(("first row",), ("last row",)):
        for name, place in (("first row", 0), ("last row", table.table.height - 1)):
            texts = [column_texts(column[place : place + 1])[0] for column in table.table.iter_columns()]
            yield (name, *texts), 1.0
    if asked.wants(("rows in order",)):
        yield ("rows in order",), float(table.is_sorted())
    if asked.wants(("rows of stars",)):
        yield ("rows of stars",), float(_rows_of_stars(table.table))


def _rows_of_stars(table: pl.DataFrame) -> int:
    """How many rows have nothing but suppressed cells."""
    places = np.arange(table.height)
    for column in table.iter_columns():
        places = places[_stars(column.gather(places)).to_numpy()]
        if not len(places):
            return 0
    return len(places)


def finite(value: Any) -> float:
    """A number that arithmetic with it does not spoil; whole numbers may be beyond the floats."""
    if value is None or value != value:  # noqa: PLR0124  (nan)
        return 0.0
    return float(min(max(value, -_FINITE_LIMIT), _FINITE_LIMIT))
