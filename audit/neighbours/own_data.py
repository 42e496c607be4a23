"""The user's own data with a row removed, replaced or added, the rows that stick out first."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.data.rows import size, stack, take
from crowdproof.audit.neighbours.schema import schema_of
from crowdproof.audit.request import Pair
from crowdproof.claims import Neighbours

MOST = 6
"""Rows that are tried, those that stick out most. A guess: the runs are divided among them, so that more leave too few
for each, and with fewer the row that is at risk may not be among them."""
BEFORE_ADDED = 1
"""Pairs with a row removed before those with a row added. A guess: small budgets look at the first few pairs only, and
should see something of both."""


def own_data(data: Any, relation: Neighbours) -> Iterator[Pair]:
    """The data against the data without one row, with one more, or with a usual row in the place of one."""
    taken_out = _taken_out(data, relation)
    yield from islice(taken_out, BEFORE_ADDED)
    if relation is Neighbours.ADD_REMOVE:
        yield from _added(data)
    yield from taken_out


def _added(data: Any) -> Iterator[Pair]:
    """The data with one more row: a target may treat tables in a special way that are larger than the user's."""
    if size(data) < 2:
        return
    suspects = suspicious(data)
    usual = next((row for row in range(size(data)) if row not in suspects), 0)
    more = [(f"a copy of row {usual + 1}", take(data, np.array([usual])))]
    if isinstance(data, pl.DataFrame) and data.columns:
        schema = schema_of(data)
        extreme = tuple(column.extremes[0] for column in schema.columns)
        more.append(("a row of extreme values", schema.table([(extreme, 1)])))
    for what, row in more:
        origin = f"your data and {what}, against the same without it"
        yield Pair(stack(data, row), data, Neighbours.ADD_REMOVE, origin)


def _taken_out(data: Any, relation: Neighbours) -> Iterator[Pair]:
    total = size(data)
    if total < 2:
        return
    suspects = suspicious(data)
    usual = next((row for row in range(total) if row not in suspects), 0)
    for row, why in list(suspects.items())[:MOST]:
        yield without(data, row, why=why, usual=usual, relation=relation)


def without(data: Any, row: int, *, why: str, usual: int, relation: Neighbours) -> Pair:
    """The data against the data without that row, or with the usual row in its place."""
    everything = np.arange(size(data))
    if relation is Neighbours.ADD_REMOVE:
        right, what = np.delete(everything, row), "without it"
    else:
        right, what = np.where(everything == row, usual, everything), f"with row {usual + 1} in its place"
    return Pair(data, take(data, right), relation, f"your data with row {row + 1} ({why}), against the same {what}")


def in_a_crowd(data: Any, row: int, *, usual: int, copies: int, relation: Neighbours) -> Pair:
    """Copies of a usual row with that row, against the same without it or with one more copy in its place."""
    crowd = np.full(copies, usual)
    removed = relation is Neighbours.ADD_REMOVE
    right = crowd if removed else np.append(crowd, usual)
    what = "without it" if removed else "with one more copy instead"
    origin = f"{copies} copies of row {usual + 1} of your data and its row {row + 1}, against the same {what}"
    return Pair(take(data, np.append(crowd, row)), take(data, right), relation, origin)


def suspicious(data: Any) -> dict[int, str]:
    """Places of rows that an anonymizer may give away, and why: extreme numbers, unique values, unique rows.

    >>> suspicious(pl.DataFrame({"age": [30, 30, 95], "city": ["Bonn", "Bonn", "Bonn"]}))
    {2: 'greatest age', 0: 'least age'}
    """
    found: dict[int, str] = {}
    if isinstance(data, pl.DataFrame):
        for name in data.columns:
            for place, why in _sticking_out(data[name]):
                found.setdefault(place, f"{why} {name}")
        for place in data.with_row_index("__place").filter(data.is_unique())["__place"].to_list()[:MOST]:
            found.setdefault(int(place), "the only row of its kind")
    elif all(isinstance(row, int | float | np.number) for row in data):
        found = {int(np.argmax(data)): "the greatest", int(np.argmin(data)): "the least"}
    found.setdefault(0, "the first")
    return found


def _sticking_out(column: pl.Series) -> Iterator[tuple[int, str]]:
    if column.dtype.is_numeric() or column.dtype.is_temporal():
        if column.null_count() == len(column):
            return
        for extreme, why in ((column.arg_max(), "greatest"), (column.arg_min(), "least")):
            if extreme is not None:
                yield int(extreme), why
        return
    counts = column.value_counts(name="__count").sort("__count", column.name)
    place = column.eq_missing(pl.Series([counts[column.name][0]], dtype=column.dtype)).arg_true()
    if len(place):
        yield int(place[0]), "rarest"
