"""t-closeness: how far the sensitive values of a crowd are from those of the whole release.

equal       every two values are equally far apart: half the sum of |p - q|
ordered     values in a row are one step apart: the sum of |P - Q| over the steps, divided by their number
hierarchical  by a hierarchy of values, in a file of its own (see `hierarchies`)

By the equal distance a missing value is a value of its own, since that it is missing may tell something. The ordered
distance has no place for it, nor for codes such as `007`.
"""

from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl
from attrs import evolve

from crowdproof.audit.check.diversity import Measured
from crowdproof.audit.check.groups import COUNT, GROUP, VALUE, Spread
from crowdproof.audit.check.nearest import Law, worst
from crowdproof.cells import is_code, number

DISTANCES = ("equal", "ordered", "hierarchical")


def equal(spread: Spread, t: Fraction) -> Measured:
    """The largest distance of a group, where all values are equally far apart."""
    whole = spread.table.group_by(VALUE).agg(pl.col(COUNT).sum().alias("all"))
    total = spread.groups.rows
    size = pl.col(COUNT).sum().over(GROUP)
    excess = (pl.col(COUNT) / size - pl.col("all") / total).clip(lower_bound=0)
    joined = spread.table.join(whole, on=VALUE, nulls_equal=True)
    found = joined.with_columns(excess.alias("excess")).group_by(GROUP).agg(pl.col("excess").sum())
    distances = found.sort(GROUP)["excess"].to_numpy()
    return worst(spread, distances, t=t, exact=_exact_equal)


def ordered(spread: Spread, t: Fraction) -> Measured:
    """The largest distance of a group, where values have an order and their neighbours are one step apart.

    The share P of a group is the same from one of its values to the next, and the share Q of the whole never falls. So
    the sum of |P - Q| from value to value is worked out from sums of Q, without a look at each value between.
    """
    spread = _ranked(spread)
    table = spread.table.sort(GROUP, VALUE)
    group, rank, count = (table[name].to_numpy().astype(np.int64) for name in (GROUP, VALUE, COUNT))
    values, sizes = int(rank.max()) + 1, spread.groups.sizes
    whole = np.bincount(rank, weights=count, minlength=values).cumsum() / spread.groups.rows
    sums = np.concatenate([[0.0], whole.cumsum()])
    seen = np.cumsum(count)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    before = (seen[starts] - count[starts])[np.cumsum(np.diff(group, prepend=-1) != 0) - 1]
    share = (seen - before) / sizes[group]
    ends = np.where(np.diff(group, append=-1) == 0, np.append(rank[1:], 0), values)
    distances = np.bincount(group, weights=_between(whole, sums, rank, ends, share), minlength=len(sizes))
    distances += np.bincount(group[starts], weights=sums[rank[starts]], minlength=len(sizes))
    return worst(spread, distances / max(1, values - 1), t=t, exact=_exact_ordered)


def _between(whole: np.ndarray, sums: np.ndarray, first: np.ndarray, last: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The sum of |share - Q| from the first place up to the last, which is left out."""
    cut = np.clip(np.searchsorted(whole, share), first, last)
    found: np.ndarray = (
        (cut - first) * share - (sums[cut] - sums[first]) + (sums[last] - sums[cut]) - (last - cut) * share
    )
    return found


class NoOrderError(Exception):
    """Some of the sensitive values are missing, codes or texts, so that they have no order."""


def _read(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return None if is_code(value.strip()) else number(value)


def _ranked(spread: Spread) -> Spread:
    """The spread with the place of each value in the order, where `1` and `1.0` are one; no order is an error."""
    values = spread.table[VALUE].unique()
    read = [_read(value) for value in values]
    if any(each is None for each in read):
        raise NoOrderError
    places = {value: place for place, value in enumerate(sorted(set(read)))}
    ranks = pl.col(VALUE).replace_strict(values, [places[each] for each in read], return_dtype=pl.Int64)
    merged = spread.table.with_columns(ranks).group_by(GROUP, VALUE).agg(pl.col(COUNT).sum())
    return evolve(spread, table=merged)


def _exact_equal(own: Law, whole: Law) -> Fraction:
    return sum((max(share - whole[value], Fraction(0)) for value, share in own.items()), Fraction(0))


def _exact_ordered(own: Law, whole: Law) -> Fraction:
    order = sorted(whole)
    steps = accumulate(own.get(value, Fraction(0)) - whole[value] for value in order)
    return sum((abs(step) for step in steps), Fraction(0)) / max(1, len(order) - 1)
