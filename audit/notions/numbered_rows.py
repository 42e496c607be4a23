"""Columns of two releases that may only tell rows or values apart: numbers and pseudonyms, given anew in each release.

A release may replace the names in the data by P001, P002 and so on. These follow from the place of a row, or from which
names are equal; they change with one row although the recoding is fixed. So what may be such a column refutes nothing.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import polars as pl

from crowdproof.cells import Anything, Cell

Columns = Sequence[Sequence[Cell]]
"""The columns of a release, cell by cell."""


def may_be_numbered(releases: Sequence[Columns], place: int, *, given: Sequence[pl.Series]) -> bool:
    """Whether the column at this place may number rows, in all or in each group, or give values other names.

    `given` is the column of the same name in the data of either release.
    """
    left, right = (release[place] for release in releases)
    names_each_row = _all_differ(_shown(left)) and _all_differ(_shown(right))
    if names_each_row or _by_place(left, right):
        return True
    if not _has_no_names_of_its_own(left, right):
        return False
    in_each_group = all(_all_differ(_rows_with(release, place)) for release in releases)
    return in_each_group or (_fits(left, given[0]) and _fits(right, given[1]))


def _shown(cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if not isinstance(cell, Anything)]


def _rows_with(release: Columns, place: int) -> list[tuple[Cell, ...]]:
    """The rows that show something in this column."""
    return [row for row in zip(*release, strict=True) if not isinstance(row[place], Anything)]


def _all_differ(items: Iterable[Hashable]) -> bool:
    listed = list(items)
    return len(set(listed)) == len(listed)


def _by_place(left: Sequence[Cell], right: Sequence[Cell]) -> bool:
    """Whether rows at the same place show the same: the place alone may have made it."""
    return all(one == other for one, other in zip(left, right, strict=False))


def _has_no_names_of_its_own(left: Sequence[Cell], right: Sequence[Cell]) -> bool:
    """Whether one of the releases has only names that the other has, too, as where they are given in a fixed order."""
    first, second = set(_shown(left)), set(_shown(right))
    return first <= second or second <= first


def _fits(cells: Sequence[Cell], column: pl.Series) -> bool:
    """Whether each name can be that of a value of the data of its own, which is in as many rows or in more.

    Where several values were made one, some name is in more rows than there are values that are as frequent.
    """
    frequent = column.value_counts(sort=True, name="__count")["__count"].to_list()
    often = sorted(Counter(_shown(cells)).values(), reverse=True)
    return len(often) <= len(frequent) and all(one <= other for one, other in zip(often, frequent, strict=False))
