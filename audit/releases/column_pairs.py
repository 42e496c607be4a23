"""Traits of two columns together: what neither column shows alone."""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crowdproof.audit.releases.counting import Counted, Numbered, counted  # noqa: F401  (for the example)

MOST_COLUMNS = 6
"""Columns of a kind that are looked at in pairs, the first ones: fifteen pairs are few beside the cells of a table."""
FEW_CELLS = 4
"""Distinct cells up to which two columns are counted together: sixteen counts for a pair at most."""
FEWEST_ROWS = 5
"""Rows from which two columns are correlated: of four, one permutation in twelve is wholly in order or reversed."""
DIGITS = 1
"""Digits of a correlation: a sixty-row table without any is within 0.13 of zero in two cases of three."""


def correlations(table: pl.DataFrame) -> Iterator[tuple[tuple[Any, ...], float]]:
    """The rank correlation of each two of the first columns of numbers, over the rows that have both.

    >>> dict(correlations(pl.DataFrame({"a": [1, 2, 3, 4, 5], "b": [0.5, 0.4, 0.3, 0.2, 0.1]})))
    {('rank correlation', 'a', 'b'): -1.0}
    """
    columns = [column for column in table.iter_columns() if column.dtype.is_numeric()][:MOST_COLUMNS]
    if len(columns) < 2 or table.height < FEWEST_ROWS:
        return
    numbers = [column.cast(pl.Float64).fill_nan(None) for column in columns]
    ranks = [None if each.null_count() else _ranks(each) for each in numbers]
    for first, second in combinations(range(len(columns)), 2):
        left, right = ranks[first], ranks[second]
        if left is None or right is None:
            both = numbers[first].is_not_null() & numbers[second].is_not_null()
            left, right = _ranks(numbers[first].filter(both)), _ranks(numbers[second].filter(both))
        if (found := _correlation(left, right)) is not None:
            yield ("rank correlation", columns[first].name, columns[second].name), found


def _ranks(numbers: pl.Series) -> NDArray[np.float64]:
    """The rank of each number, counted from 1; equal ones share the mean of their ranks."""
    return numbers.rank("average").to_numpy()


def _correlation(left: NDArray[np.float64], right: NDArray[np.float64]) -> float | None:
    """The correlation of ranks to `DIGITS` digits; None where the rows are few or a column has one number only."""
    if len(left) < FEWEST_ROWS:
        return None
    left, right = left - left.mean(), right - right.mean()
    # no product of vectors by BLAS: its threads spin for longer than the sum takes
    scale = float(np.sqrt((left * left).sum() * (right * right).sum()))
    return round(float((left * right).sum()) / scale, DIGITS) + 0.0 if scale > 0 else None  # no minus zero


def joint_cells(table: Counted) -> Iterator[tuple[tuple[Any, ...], float]]:
    """How many rows have these two cells, for each two of the first columns of few distinct cells.

    In a table of two columns that is told by its rows.

    >>> table = pl.DataFrame({"a": ["x", "x"], "b": ["y", "y"], "c": ["u", "v"]})
    >>> dict(joint_cells(counted(table)))["together", "a", "b", "x", "y"]
    2.0
    """
    if table.table.width < 3:
        return
    few: dict[str, Numbered] = {}
    for column in table.table.iter_columns():
        numbered = table.numbered(column, FEW_CELLS)
        if numbered is not None and len(few) < MOST_COLUMNS:
            few[column.name] = numbered
    for (first, (ones, left)), (second, (others, right)) in combinations(few.items(), 2):
        counts = np.bincount(left * len(others) + right, minlength=len(ones) * len(others))
        for cells, count in zip(product(ones, others), counts.tolist(), strict=True):
            if count:
                yield ("together", first, second, *cells), float(count)
