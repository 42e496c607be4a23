"""The victim of minimality: published finely where that is l-diverse; and what that tells of the other groups."""

from fractions import Fraction
from math import comb
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.mechanisms import Scheme
from crowdproof.mechanisms.tables import canonical


@frozen
class MinimalDiverse:
    """Publishes each coarse group finely if every part is l-diverse in `value`, coarsely if only the whole is.

    A group is l-diverse if at most one in l has the value; one that is so at neither level is dropped.
    """

    deterministic: ClassVar[bool] = True
    fine: Scheme
    coarse: Scheme
    secret: str
    value: str
    l: int  # noqa: E741

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:  # noqa: ARG002
        """The release of the table."""
        has = (table[self.secret].cast(pl.String) == self.value).alias("has")
        fine, coarse = self.fine(table), self.coarse(table)
        parts = pl.DataFrame({"fine": keys(fine), "coarse": keys(coarse), "has": has}).with_columns(
            diverse=self._diverse(pl.col("has"), "fine", "coarse"), whole=self._diverse(pl.col("has"), "coarse")
        )
        ready = parts.select(pl.col("diverse").all().over("coarse")).to_series()
        kept = ready | parts["whole"]
        cells = {
            name: pl.select(pl.when(ready).then(fine[name]).otherwise(coarse[name])).to_series()
            for name in fine.columns
        }
        return canonical(pl.DataFrame({**cells, self.secret: table[self.secret].cast(pl.String)}).filter(kept))

    def _diverse(self, has: pl.Expr, *columns: str) -> pl.Expr:
        return (has.sum() * self.l <= pl.len()).over(columns)


def keys(cells: pl.DataFrame) -> pl.Series:
    """For each row its cells as one text."""
    return cells.select(pl.concat_str(pl.all(), separator="|")).to_series()


def posterior(sizes: list[int], having: int, l: int) -> list[Fraction]:  # noqa: E741
    """For each part of a coarse group the probability that a person of it has the value, all worlds equally likely.

    The parts have these sizes, `having` people have the value, and in some part more than one in l do.

    >>> posterior([2, 4], 2, 2)
    [Fraction(1, 1), Fraction(0, 1)]
    """
    total = comb(sum(sizes), having)
    allowed = [[comb(size, j) if j * l <= size else 0 for j in range(size + 1)] for size in sizes]
    harmless = _coefficient(allowed, having)
    chances = []
    for place, size in enumerate(sizes):
        weighed = [[j * ways for j, ways in enumerate(part)] if i == place else part for i, part in enumerate(allowed)]
        everywhere = Fraction(total * having * size, sum(sizes))  # the sum of the part's count over all worlds
        left = everywhere - _coefficient(weighed, having)
        chances.append(left / size / (total - harmless) if total > harmless else Fraction(having, sum(sizes)))
    return chances


def _coefficient(parts: list[list[int]], degree: int) -> int:
    """The coefficient of z^degree in the product of the polynomials."""
    product = [1]
    for part in parts:
        longer = [0] * min(len(product) + len(part) - 1, degree + 1)
        for i, a in enumerate(product):
            for j, b in enumerate(part[: degree + 1 - i]):
                longer[i + j] += a * b
        product = longer
    return product[degree] if degree < len(product) else 0
