"""What is left of the data: rows that survive sampling and the dropping of small groups."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from scipy.stats import binom

from crowdproof.claims import once
from crowdproof.errors import DataError


def group_sizes(table: pl.DataFrame, columns: Sequence[str] = ()) -> list[int]:
    """The sizes of the groups of rows that agree in these columns, or in all.

    >>> sorted(group_sizes(pl.DataFrame({"age": [1, 1, 2], "sex": ["f", "f", "m"]})))
    [1, 2]
    """
    for name in once(columns):
        if name not in table.columns:
            raise DataError(f"there is no column {name!r}: the table has {', '.join(table.columns)}.")
    return table.group_by(list(columns) or table.columns).len()["len"].to_list()


def rows_kept(sizes: Sequence[int], beta: float, k: int) -> float:
    """The expected number of rows in the release, for groups of these sizes.

    A group of n keeps E[J; J >= k] = n beta Pr[Bin(n-1, beta) >= k-1] rows. (For planning, not certified.)

    >>> rows_kept([1, 2], 0.5, 2)
    0.5
    """
    counts, times = np.unique(np.asarray(sizes, dtype=np.int64), return_counts=True)
    return float(np.sum(times * counts * beta * binom.sf(k - 2, counts - 1, beta)))
