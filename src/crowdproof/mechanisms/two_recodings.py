"""The counterexample to Theorem 6: an eps-safe algorithm whose choice betrays the sample that it is applied to."""

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.exact import Number, rational
from crowdproof.mechanisms.apply import drop_rare
from crowdproof.mechanisms.parameters import as_k
from crowdproof.mechanisms.sampling import bernoulli
from crowdproof.mechanisms.tables import require_columns


@frozen
class Relabel:
    """The mapping that gives every row one and the same cell, with its own name for it."""

    label: str

    def __call__(self, table: pl.DataFrame) -> pl.DataFrame:
        """As many equal rows as there are."""
        return pl.DataFrame({"cell": pl.repeat(self.label, table.height, dtype=pl.String, eager=True)})


def _row(written: Sequence[Number]) -> tuple[Fraction, ...]:
    return tuple(rational(each, "p") for each in written)


@frozen
class TwoRecodings:
    """The smallest refutation of Theorem 6: two recodings with one cell, chosen by an epsilon_1-DP first step.

    Recodings A and B map every row to one cell, called `A` and `B`. On a table with b copies of the target row and m
    other rows, A_m picks A with probability p(m, b), else B; m and b count no further than the table of p goes.
    `TwoRecodings()` has e^(epsilon_1) = 4 and k = 3: for D of the target and three other rows, at beta = 1/4 and
    e^epsilon = 12, delta is 119/5120, and Theorem 6 claims 1/64.
    """

    target: str = "t"
    """The value of column `person` that marks the target."""
    k: int = field(default=3, converter=as_k)
    without: tuple[Fraction, ...] = field(default=("1/5", "4/5", "1/5", "1/20"), converter=_row)
    """p(0, 0), p(1, 0), ..."""
    with_target: tuple[Fraction, ...] = field(default=("4/5", "1/5", "4/5", "1/5"), converter=_row)
    """p(0, 1), p(1, 1), ..."""
    recodings: ClassVar[tuple[Relabel, Relabel]] = (Relabel("A"), Relabel("B"))

    def probability(self, table: pl.DataFrame) -> Fraction:
        """The probability that A is picked."""
        require_columns(table, ["person"])
        present = int((table["person"] == self.target).sum())
        row = self.with_target if present else self.without
        return row[min(table.height - present, len(row) - 1)]

    def choose(self, table: pl.DataFrame, rng: np.random.Generator) -> Relabel:
        """The first step."""
        return self.recodings[0 if bernoulli(self.probability(table), rng, 1)[0] else 1]

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        """The release, by both steps on the same table."""
        return drop_rare(self.choose(table, rng)(table), self.k)

    def law(self, table: pl.DataFrame) -> list[tuple[pl.DataFrame, Fraction]]:
        """The possible releases and their exact probabilities."""
        p = self.probability(table)
        return [
            (drop_rare(each(table), self.k), weight) for each, weight in zip(self.recodings, (p, 1 - p), strict=True)
        ]

    @staticmethod
    def pair(others: int = 3) -> tuple[pl.DataFrame, pl.DataFrame]:
        """D, with the target and `others` other rows, and D', without the target."""
        people = ["t", *["u"] * others]
        return pl.DataFrame({"person": people}), pl.DataFrame({"person": people[1:]})
