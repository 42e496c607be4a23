"""The user's own data with a row removed or replaced, the rows that stick out first."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.data.rows import size, take
from crowdproof.audit.request import Pair
from crowdproof.claims import Neighbours

MOST = 6
"""Rows that are tried, those that stick out most. A guess: the runs are divided among them, so that more leave too few
for each, and with fewer the row that is at risk may not be among them."""


def own_data(data: Any, relation: Neighbours) -> Iterator[Pair]:
    """The data against the data without one row, or with a usual row in its place."""
    total = size(data)
    if total < 2:
        return
    everything = np.arange(total)
    suspects = suspicious(data)
    usual = next((row for row in range(total) if row not in suspects), 0)
    for row, why in list(suspects.items())[:MOST]:
        if relation is Neighbours.ADD_REMOVE:
            right, what = np.delete(everything, row), "without it"
        else:
            right, what = np.where(everything == row, usual, everything), f"with row {usual + 1} in its place"
        yield Pair(data, take(data, right), relation, f"your data with row {row + 1} ({why}), against the same {what}")


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
