"""Strongly safe k-anonymization: the recoding is fixed before any data is seen.

>>> from crowdproof.mechanisms.recoding import Grid, Scheme
>>> anonymize = StronglySafe(Scheme({"age": Grid(20)}), k=2)
>>> anonymize(pl.DataFrame({"age": [23, 38, 77]}))["age"].to_list()
['[20, 40)', '[20, 40)']
"""

from collections.abc import Iterable
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.mechanisms.apply import Apply
from crowdproof.mechanisms.parameters import as_k
from crowdproof.mechanisms.recoding import Scheme, suppress_all


@frozen
class StronglySafe:
    """A(D) = Apply(g, D, k) with a generalization scheme g that does not depend on D (Definition 5).

    On a cell that holds n rows of D the sampled mechanism A^beta shows Bin(n, beta) rows when that is at least k, else
    none; cells are independent. A row outside the release leaves no trace: no stars, no index, no count. Fewer than k
    rows, or none, give the empty release.
    """

    deterministic: ClassVar[bool] = True
    scheme: Scheme
    k: int = field(converter=as_k)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:
        """The release of the table."""
        return Apply(self.scheme, self.k)(table, rng)


def degenerate(columns: Iterable[str], k: int) -> StronglySafe:
    """The strongly safe algorithm that maps every row to one and the same row of stars.

    It shows only how many rows there are (none when fewer than k), so under replace neighbours it is perfectly private.
    """
    return StronglySafe(suppress_all(columns), k)
