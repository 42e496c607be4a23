"""The second step of every k-anonymizer: apply a mapping to all rows and drop what is rare."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.mechanisms.parameters import as_k
from crowdproof.mechanisms.tables import canonical, numbered

Mapping = Callable[[pl.DataFrame], pl.DataFrame]
"""Maps rows to rows, each by itself: row i of the result is g(row i)."""


def drop_rare(table: pl.DataFrame, k: int) -> pl.DataFrame:
    """The rows that appear at least k times, all their occurrences, in canonical order."""
    if not table.columns:
        return table
    plain = numbered(table)
    return canonical(table.filter(plain.select(pl.len().over(plain.columns) >= k).to_series()))


@frozen
class Apply:
    """Apply(g, D, k) of Li, Qardaji and Su, section 3.2, for a given mapping g.

    S is the multiset {g(t) : t in D}; every s with fewer than k occurrences in S is removed, all its occurrences.
    What is removed is gone: no row, mark or count of it is left. The result is sorted, so that row order carries
    nothing. It is total: a table with fewer than k rows has the empty release, as the theorems about it need.
    """

    deterministic: ClassVar[bool] = True
    mapping: Mapping
    k: int = field(converter=as_k)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:  # noqa: ARG002
        """The release of the table."""
        return drop_rare(self.mapping(table), self.k)
