"""t-closeness: how far the sensitive values of a crowd are from those of the whole release.

equal       every two values are equally far apart: half the sum of |p - q|
ordered     values in a row are one step apart: the sum of |P - Q| over the steps, divided by their number
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve

from crowdproof.audit.check.diversity import CLOSE, Measured
from crowdproof.audit.check.groups import COUNT, GROUP, VALUE, Spread
from crowdproof.cells import number
from crowdproof.errors import DataError

DISTANCES = ("equal", "ordered")
_CELLS = 20_000_000
"""Cells of the matrix groups x values that are looked at in one go: a guess, 160 MB of floats."""


def equal(spread: Spread, t: Fraction) -> Measured:
    """The largest distance of a group, where all values are equally far apart."""
    whole = spread.table.group_by(VALUE).agg(pl.col(COUNT).sum().alias("all"))
    total = spread.groups.rows
    size = pl.col(COUNT).sum().over(GROUP)
    excess = (pl.col(COUNT) / size - pl.col("all") / total).clip(lower_bound=0)
    joined = spread.table.join(whole, on=VALUE, nulls_equal=True)
    found = joined.with_columns(excess.alias("excess")).group_by(GROUP).agg(pl.col("excess").sum())
    distances = found.sort(GROUP)["excess"].to_numpy()
    return _worst(spread, distances, t=t, exact=_exact_equal)


def ordered(spread: Spread, t: Fraction) -> Measured:
    """The largest distance of a group, where values have an order and their neighbours are one step apart."""
    spread = _ranked(spread)
    values = int(spread.table[VALUE].max()) + 1  # type: ignore[arg-type]
    sizes = spread.groups.sizes
    whole = np.bincount(spread.table[VALUE], weights=spread.table[COUNT], minlength=values).cumsum()
    whole = whole / spread.groups.rows
    distances = np.zeros(len(sizes))
    step = max(1, _CELLS // values)
    by_group = spread.table.sort(GROUP)
    groups, ranks, counts = (by_group[name].to_numpy() for name in (GROUP, VALUE, COUNT))
    for first in range(0, len(sizes), step):
        last = min(first + step, len(sizes))
        part = slice(*np.searchsorted(groups, [first, last]))
        matrix = np.zeros((last - first, values))
        matrix[groups[part] - first, ranks[part]] = counts[part]
        share = matrix.cumsum(axis=1) / sizes[first:last, None]
        distances[first:last] = np.abs(share - whole).sum(axis=1) / max(1, values - 1)
    return _worst(spread, distances, t=t, exact=_exact_ordered)


def _ranked(spread: Spread) -> Spread:
    """The spread with the place of each value in the order, where `1` and `1.0` are one; no order is an error."""
    values = spread.table[VALUE].unique()
    read: list[Any] = [number(value) if isinstance(value, str) else value for value in values]
    if any(each is None or each != each for each in read):  # noqa: PLR0124  (only nan is not itself)
        raise DataError(
            f"the values of {spread.column} have no order: some are missing or no numbers. Use the equal distance."
        )
    places = {value: place for place, value in enumerate(sorted(set(read)))}
    ranks = pl.col(VALUE).replace_strict(values, [places[each] for each in read], return_dtype=pl.Int64)
    merged = spread.table.with_columns(ranks).group_by(GROUP, VALUE).agg(pl.col(COUNT).sum())
    return evolve(spread, table=merged)


Law = dict[Any, Fraction]
"""The share of each value."""


def _worst(spread: Spread, distances: np.ndarray, t: Fraction, exact: Callable[[Law, Law], Fraction]) -> Measured:
    """The largest distance; whatever floats cannot tell from it or from t is worked out exactly."""
    near = (distances >= distances.max() - CLOSE) | (np.abs(distances - float(t)) < CLOSE)
    close = spread.table.filter(pl.col(GROUP).is_in(np.flatnonzero(near)))
    whole = _law(*spread.table.group_by(VALUE).agg(pl.col(COUNT).sum()).get_columns())
    found = close.group_by(GROUP).agg(VALUE, COUNT).iter_rows()
    value, group = max((exact(_law(values, counts), whole), -place) for place, values, counts in found)
    return Measured(value, f"distance {float(value):.6g}", group=-group, holds=value <= t)


def _law(values: Iterable[Any], counts: Iterable[int]) -> Law:
    counted = list(zip(values, counts, strict=True))
    total = sum(count for _, count in counted)
    return {value: Fraction(count, total) for value, count in counted}


def _exact_equal(own: Law, whole: Law) -> Fraction:
    return sum((max(share - whole[value], Fraction(0)) for value, share in own.items()), Fraction(0))


def _exact_ordered(own: Law, whole: Law) -> Fraction:
    order = sorted(whole)
    steps = accumulate(own.get(value, Fraction(0)) - whole[value] for value in order)
    return sum((abs(step) for step in steps), Fraction(0)) / max(1, len(order) - 1)
