"""Parts of a column by which rows may be sorted: its words, its numbers, and its blanks filled in."""

import numpy as np
import polars as pl

PART = "\0"
"""What stands between the name of a column and that of a part of it."""
FILLED = f"{PART}filled"
_MOST_FILLED = 0.4
"""The share of cells up to which a column with groups of different sizes may name each group once. A guess."""


def parts(column: pl.Series) -> dict[str, pl.Series]:
    """The parts of the column under names of their own.

    >>> sorted(name.partition(PART)[2] for name in parts(pl.Series("month", ["Mai 2020", "Juni 2020", "Mai 2021"])))
    ['numbers', 'words']
    """
    found = {}
    if column.dtype == pl.String:
        numbers = column.str.replace_all("[^0-9]", " ").str.strip_chars()
        words = column.str.replace_all("[0-9]", "")
        if 1 < words.n_unique() < column.n_unique() and 1 < numbers.n_unique() < column.n_unique():
            found = {f"{column.name}{PART}numbers": numbers, f"{column.name}{PART}words": words}
    if _names_groups_once(column):
        found[f"{column.name}{FILLED}"] = column.forward_fill()
    return found


def _names_groups_once(column: pl.Series) -> bool:
    """Whether each value stands in the first row of a group and the other rows are blank, as in pivoted tables."""
    named = np.flatnonzero(column.is_not_null().to_numpy())
    if not len(named) or named[0] != 0 or len(named) == len(column):
        return False
    known = column.drop_nulls()
    if (known.shift(1) == known).any():
        return False
    sizes = np.diff([*named, len(column)])
    return len(set(sizes.tolist())) == 1 or len(named) <= _MOST_FILLED * len(column)
