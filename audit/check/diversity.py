"""l-diversity: over how many sensitive values each crowd is spread. Decided in whole numbers, without rounding.

distinct    at least l different values
entropy     an entropy of at least ln l
recursive   the commonest value is rarer than c times all but the l - 1 commonest together

A missing value adds no diversity. It counts as the commonest value of its group, which is the worst that it may be: no
other way to fill it in gives a less even spread.
"""

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

import polars as pl
from attrs import evolve, frozen
from sympy import factorint

from crowdproof.audit.check.groups import COUNT, GROUP, VALUE, Spread

CLOSE = 1e-6
"""Where floats come so near to each other, whole numbers decide: a guess, far above the rounding of floats."""
SHORT = 2000
"""Rows of a group up to which the powers are written out. A guess: such powers have some thousand digits."""
DIVERSITIES = ("distinct", "entropy", "recursive")


@frozen
class Measured:
    """A quantity of the release, the group where it is worst, and whether that is good enough."""

    value: Fraction | float
    words: str
    group: int
    holds: bool


def filled(spread: Spread) -> Spread:
    """The spread with each missing value as the commonest value of its group.

    A group without any value has one, which is not known.
    """
    missing = spread.table.filter(pl.col(VALUE).is_null()).select(GROUP, pl.col(COUNT).alias("missing"))
    if missing.is_empty():
        return spread
    known = spread.table.filter(pl.col(VALUE).is_not_null()).sort(GROUP, COUNT, descending=[False, True])
    is_commonest = pl.int_range(pl.len()).over(GROUP) == 0
    added = pl.when(is_commonest).then(pl.col("missing").fill_null(0)).otherwise(0)
    with_missing = known.join(missing, on=GROUP, how="left").with_columns(pl.col(COUNT) + added).drop("missing")
    unknown = spread.table.join(known, on=GROUP, how="anti")
    return evolve(spread, table=pl.concat([with_missing, unknown.select(with_missing.columns)]))


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
    decided: dict[tuple[int, ...], bool] = {}
    failing = []
    for group, counts in counted.iter_rows():
        key = tuple(sorted(counts))
        if key not in decided:
            decided[key] = entropy_at_least(counts, l)
        if not decided[key]:
            failing.append(int(group))
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
    if n <= SHORT:
        return bool(n**n >= l**n * math.prod(count**count for count in reduced))
    return _is_tie(reduced, l) or _is_above(reduced, l)


def _is_tie(counts: list[int], l: int) -> bool:  # noqa: E741
    """Whether n^n = l^n prod c_i^c_i, by the primes on both sides."""
    n = sum(counts)
    primes: Counter[int] = Counter()
    for base, power in ((n, n), (l, -n), *((count, -count) for count in counts)):
        for prime, often in factorint(base).items():
            primes[prime] += often * power
    return not any(primes.values())


def _is_above(counts: list[int], l: int) -> bool:  # noqa: E741
    """Whether n ln n > n ln l + sum c_i ln c_i, with ever more digits: the two are known to differ."""
    n = sum(counts)
    for digits in (50, 200, 1000, 5000):
        with localcontext() as context:
            context.prec = digits
            tally = Counter(counts)
            rest = sum((often * Decimal(count) * Decimal(count).ln() for count, often in tally.items()), Decimal(0))
            gap = n * Decimal(n).ln() - n * Decimal(l).ln() - rest
            if abs(gap) > Decimal(10) ** (20 - digits):  # far above what rounding adds to sums below 1e10
                return gap > 0
    raise ArithmeticError("two sums of logarithms that differ agree to 5,000 digits")


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
