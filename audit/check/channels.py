"""Side channels of a release file: what it tells besides its cells."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.check.groups import COUNT, Groups
from crowdproof.cells import suppressed

ERROR = Fraction(1, 1000)
"""How often at most a shuffled release is said not to be shuffled: a usual level, as a file is checked once."""
SHUFFLES = 1999
"""Shuffles that are made and compared with, where the rows are few: derived, so that one of them may be as far from the
mean as the release is at the error above."""
FEW_ROWS = 20_000
"""Rows up to which they are made. A guess: more rows would take seconds, and for many rows Chebyshev's bound is
enough."""
_START = 1000
"""Rows that are looked at first. A guess: of so many rows nearly every column has two that are equal, and fewer would
let more columns pass on to the slow look at all rows."""
_NAMES = re.compile(r"(unnamed.*|_?index|_?id|row.?(number|id|nr|no)?|nr|no|#|)", re.IGNORECASE)


@frozen
class RowNumbers:
    """A column that looks like a numbering of the rows."""

    column: str
    first: int
    last: int
    missing: int
    """Numbers left out between the first and the last: rows of the source that were suppressed."""


def row_numbers(table: pl.LazyFrame, columns: Sequence[str], rows: int) -> list[RowNumbers]:
    """Columns of whole numbers, all different, that fill at least half of the range they span.

    A handful of ages may do so too. Hence the numbers must also ascend, start at 0 or 1, or have a name like an index.
    """
    number = {name: _whole(name) for name in columns}
    start = table.select(each.alias(name) for name, each in number.items()).head(_START).collect()
    number = {name: number[name] for name in columns if start[name].drop_nulls().n_unique() == start.height}
    if not number:
        return []
    spans = table.select(
        expression.alias(f"{name} {what}")
        for name, each in number.items()
        for what, expression in (("low", each.min()), ("high", each.max()), ("count", each.count()))
    ).collect(engine="streaming")
    found = []
    for name, each in number.items():
        low, high, count = (spans[f"{name} {what}"][0] for what in ("low", "high", "count"))
        if count != rows or rows < 2 or not rows - 1 <= high - low < 2 * rows:
            continue
        facts = table.select(each.n_unique().alias("different"), (each.diff() > 0).all().alias("ascends"))
        different, ascends = facts.collect(engine="streaming").row(0)
        if different == rows and (ascends or low in {0, 1} or _NAMES.fullmatch(name)):
            found.append(RowNumbers(name, low, high, high - low + 1 - rows))
    return found


def _whole(column: str) -> pl.Expr:
    """The whole numbers of the column, `2.0` among them; null where there is none."""
    return pl.col(column).cast(pl.String).str.replace(r"\.0*$", "").cast(pl.Int64, strict=False)


def star_rows(groups: Groups) -> int:
    """How many rows were left in the release though every known column is missing, blank or stars."""
    hidden = pl.all_horizontal(suppressed(pl.col(name)) for name in groups.columns)
    return int(groups.table.select(pl.col(COUNT).filter(hidden).sum()).item())


@frozen
class Order:
    """How often a row looks like the one before it, against what a shuffle would give."""

    alike: int
    expected: float
    deviation: float
    """Standard deviation after a shuffle."""
    grouped: bool
    """All rows of a group stand together, as after a sort."""
    error: Fraction
    """At most this often is a shuffle so far from its mean."""


def row_order(table: pl.LazyFrame, groups: Groups) -> Order:
    """Compare the order of the rows with a shuffle and with a sort."""
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift(1)) for name in groups.columns)
    facts = table.select(same.sum().alias("all"), same.first().alias("first")).collect(engine="streaming")
    alike = int(facts["all"][0]) - bool(facts["first"][0])  # the first row has none before it
    mean, variance = adjacent_alike(groups.sizes)
    return Order(
        alike=alike,
        expected=mean,
        deviation=math.sqrt(variance),
        grouped=alike == groups.rows - len(groups.sizes),
        error=_error(alike, mean, variance=variance, sizes=groups.sizes),
    )


def _error(alike: int, mean: float, variance: float, sizes: np.ndarray) -> Fraction:
    distance = (alike - mean) ** 2
    if distance <= variance:
        return Fraction(1)
    bound = Fraction(variance / distance)
    rows = int(sizes.sum())
    if bound <= ERROR or rows > FEW_ROWS:
        return bound
    labels, rng = np.repeat(np.arange(len(sizes)), sizes), np.random.default_rng(0)
    shuffled = (rng.permutation(labels) for _ in range(SHUFFLES))
    as_far = sum((np.count_nonzero(each[1:] == each[:-1]) - mean) ** 2 >= distance for each in shuffled)
    return Fraction(1 + int(as_far), 1 + SHUFFLES)


def adjacent_alike(sizes: np.ndarray) -> tuple[float, float]:
    """Mean and variance of the number of neighbours of the same group after a shuffle.

    With I_i = [rows i and i+1 are alike], A = sum n_g (n_g - 1), B = sum n_g (n_g - 1)(n_g - 2) and N rows:
    E[I_i] = A / (N (N-1)), E[I_i I_(i+1)] = B / (N (N-1)(N-2)), and for |i - j| > 1
    E[I_i I_j] = (A^2 - 4 B - 2 A) / (N (N-1)(N-2)(N-3)): ordered pairs of pairs without a common row.

    >>> adjacent_alike(np.array([2, 1]))  # of AAB, ABA, BAA two have one such place
    (0.6666666666666666, 0.2222222222222222)
    """
    found, often = np.unique(sizes, return_counts=True)
    exact = [(int(size), int(times)) for size, times in zip(found, often, strict=True)]
    n = sum(size * times for size, times in exact)
    if n < 2:
        return 0.0, 0.0
    pairs = sum(times * size * (size - 1) for size, times in exact)
    triples = sum(times * size * (size - 1) * (size - 2) for size, times in exact)
    mean = Fraction(pairs, n)
    second = mean
    if n > 2:
        second += 2 * (n - 2) * Fraction(triples, n * (n - 1) * (n - 2))
    if n > 3:
        second += Fraction((n - 2) * (n - 3) * (pairs**2 - 4 * triples - 2 * pairs), n * (n - 1) * (n - 2) * (n - 3))
    return float(mean), float(second - mean**2)
