"""l-diversity: over how many sensitive values each crowd is spread. Decided in whole numbers, without rounding.

distinct    at least l different values
entropy     an entropy of at least ln l
recursive   the commonest value is rarer than c times all but the l - 1 commonest together
"""

import math
from fractions import Fraction

import polars as pl
from attrs import frozen

from crowdproof.audit.check.groups import COUNT, GROUP, Spread

CLOSE = 1e-6
"""Where floats come so near to each other, whole numbers decide: a guess, far above the rounding of floats."""
DIVERSITIES = ("distinct", "entropy", "recursive")


@frozen
class Measured:
    """A quantity of the release, the group where it is worst, and whether that is good enough."""

    value: Fraction | float
    words: str
    group: int
    holds: bool


def distinct(spread: Spread, l: int) -> Measured:  # noqa: E741
    """The smallest number of different values in a group."""
    found = spread.table.group_by(GROUP).agg(pl.len().alias("l")).sort("l", GROUP)
    least = int(found["l"][0])
    values = "value" if least == 1 else "values"
    return Measured(least, f"{least} distinct {values}", group=int(found[GROUP][0]), holds=least >= l)


def entropy(spread: Spread, l: int) -> Measured:  # noqa: E741
    """The smallest entropy of a group, as the number of equally frequent values that would have it."""
    p = pl.col(COUNT) / pl.col(COUNT).sum()
    found = spread.table.group_by(GROUP).agg((-(p * p.log()).sum()).alias("H")).sort("H", GROUP)
    least = float(found["H"][0])
    words = f"the entropy of {math.exp(least):.4g} equally frequent values"
    near = found.filter((pl.col("H") - math.log(l)).abs() < CLOSE)[GROUP]
    counted = spread.table.filter(pl.col(GROUP).is_in(near.implode())).group_by(GROUP).agg(COUNT).sort(GROUP)
    failing = [int(group) for group, counts in counted.iter_rows() if not entropy_at_least(counts, l)]
    if least < math.log(l) - CLOSE:
        failing.insert(0, int(found[GROUP][0]))
    worst = failing[0] if failing else int(found[GROUP][0])
    return Measured(math.exp(least), words, group=worst, holds=not failing)


def entropy_at_least(counts: list[int], l: int) -> bool:  # noqa: E741
    """H >= ln l, that is n^n >= l^n prod c_i^c_i, in whole numbers.

    >>> entropy_at_least([5, 5, 5], 3), entropy_at_least([6, 5, 4], 3)
    (True, False)
    """
    shared = math.gcd(*counts)
    reduced = [count // shared for count in counts]
    n = sum(reduced)
    return bool(n**n >= l**n * math.prod(count**count for count in reduced))


def recursive(spread: Spread, l: int, c: Fraction) -> Measured:  # noqa: E741
    """The largest ratio of the commonest value to the tail r_l + ... + r_m; it must stay below c."""
    rank = pl.col(COUNT).rank("ordinal", descending=True).over(GROUP)
    tail = pl.col(COUNT).filter(pl.col("rank") >= l).sum()
    counted = (
        spread.table.with_columns(rank.alias("rank"))
        .group_by(GROUP)
        .agg(pl.col(COUNT).max().alias("top"), tail.alias("tail"))
        .group_by("top", "tail")
        .agg(pl.col(GROUP).min())
    )
    ratio, group, top, rest = max(  # in fractions, since products with a long c do not fit into 64 bits
        (Fraction(top, rest) if rest else math.inf, -group, top, rest) for top, rest, group in counted.iter_rows()
    )
    return Measured(ratio, f"commonest against tail {top} : {rest}", group=-group, holds=ratio < c)
