"""t-closeness: how far the sensitive values of a crowd are from those of the whole release.

equal       every two values are equally far apart: half the sum of |p - q|
ordered     values in a row are one step apart: the sum of |P - Q| over the steps, divided by their number
"""

from collections import Counter
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.check.diversity import CLOSE, Measured
from crowdproof.audit.check.groups import COUNT, GROUP, VALUE, Spread
from crowdproof.errors import DataError

DISTANCES = ("equal", "ordered")
_CELLS = 20_000_000
"""How many cells of the matrix groups x values are looked at in one go."""


def equal(spread: Spread, t: Fraction) -> Measured:
    """The largest distance of a group, where all values are equally far apart."""
    whole = spread.table.group_by(VALUE).agg(pl.col(COUNT).sum().alias("all"))
    total = spread.groups.rows
    size = pl.col(COUNT).sum().over(GROUP)
    excess = (pl.col(COUNT) / size - pl.col("all") / total).clip(lower_bound=0)
    joined = spread.table.join(whole, on=VALUE, nulls_equal=True)
    found = joined.with_columns(excess.alias("excess")).group_by(GROUP).agg(pl.col("excess").sum())
    distances = found.sort(GROUP)["excess"].to_numpy()
    return _worst(spread, distances, t, _exact_equal)


def ordered(spread: Spread, t: Fraction) -> Measured:
    """The largest distance of a group, where values have an order and their neighbours are one step apart."""
    ranked = _ranked(spread)
    values = int(ranked["rank"].max()) + 1  # type: ignore[arg-type]
    sizes = spread.groups.sizes
    whole = np.bincount(ranked["rank"], weights=ranked[COUNT], minlength=values).cumsum() / spread.groups.rows
    distances = np.zeros(len(sizes))
    step = max(1, _CELLS // values)
    by_group = ranked.sort(GROUP)
    groups, ranks, counts = (by_group[name].to_numpy() for name in (GROUP, "rank", COUNT))
    for first in range(0, len(sizes), step):
        last = min(first + step, len(sizes))
        part = slice(*np.searchsorted(groups, [first, last]))
        matrix = np.zeros((last - first, values))
        matrix[groups[part] - first, ranks[part]] = counts[part]
        share = matrix.cumsum(axis=1) / sizes[first:last, None]
        distances[first:last] = np.abs(share - whole).sum(axis=1) / max(1, values - 1)
    return _worst(spread, distances, t, _exact_ordered)


def _ranked(spread: Spread) -> pl.DataFrame:
    """The sensitive values by their place in the order of numbers, dates or truth values."""
    column = spread.table[VALUE]
    if column.dtype == pl.String:
        column = column.cast(pl.Float64, strict=False)
    if column.null_count() or column.dtype == pl.Object:
        raise DataError(
            f"the values of {spread.column} have no order: some are missing or no numbers. Use the equal distance."
        )
    return spread.table.with_columns((column.rank("dense").cast(pl.Int64) - 1).alias("rank"))


def _worst(spread: Spread, distances: np.ndarray, t: Fraction, exact: Any) -> Measured:
    """The largest distance; where floats cannot tell it from t or from another, exactly."""
    worst = float(distances.max())
    candidates = np.flatnonzero(distances >= worst - CLOSE)[:20]
    value, group = max((exact(spread, int(each)), -int(each)) for each in candidates)
    near = np.flatnonzero(np.abs(distances - float(t)) < CLOSE)
    holds = value <= t and all(exact(spread, int(each)) <= t for each in near)
    return Measured(value, f"distance {float(value):.6g}", -group, holds)


def _exact_equal(spread: Spread, group: int) -> Fraction:
    own, whole = _laws(spread, group)
    return sum((max(own[value] - whole[value], Fraction(0)) for value in own), Fraction(0))


def _exact_ordered(spread: Spread, group: int) -> Fraction:
    own, whole = _laws(spread, group)
    order = sorted(whole, key=lambda value: float(value) if isinstance(value, str) else value)
    steps = accumulate(own.get(value, Fraction(0)) - whole[value] for value in order)
    return sum((abs(step) for step in steps), Fraction(0)) / max(1, len(order) - 1)


def _laws(spread: Spread, group: int) -> tuple[dict[Any, Fraction], dict[Any, Fraction]]:
    """The shares of the values in the group and in the whole release."""
    own = spread.table.filter(pl.col(GROUP) == group)
    whole: Counter[Any] = Counter()
    totals = spread.table.group_by(VALUE).agg(pl.col(COUNT).sum())
    for value, count in totals.iter_rows():
        whole[value] += count
    size, total = int(own[COUNT].sum()), spread.groups.rows
    shares = {value: Fraction(count, size) for value, count in own.select(VALUE, COUNT).iter_rows()}
    return shares, {value: Fraction(count, total) for value, count in whole.items()}
