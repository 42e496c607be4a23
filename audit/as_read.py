"""Data as if it had just been read: how it came about is no part of what its rows say.

Of two neighbours one is the data as it was given, and the other is put together from its rows. What only the first one
has, a target could see, and would seem to leak a row by it.
"""

from typing import Any

import numpy as np
import polars as pl

from crowdproof.errors import DataError


def as_read(data: Any) -> Any:
    """The data in one piece and without marks of its past; what is neither a table nor an array stays as it is.

    A column of polars is marked as sorted once it was sorted. By that mark the groups of `group_by` come in order, and
    otherwise in any; and a table that rows were taken out of has lost it. Likewise, an array that a row was added to
    has numbers in the order of bytes of this machine, and lacks the gaps between its fields and the notes on its type.

    >>> people = pl.DataFrame({"age": [43, 41]}).sort("age")
    >>> people["age"].flags["SORTED_ASC"], as_read(people)["age"].flags["SORTED_ASC"]
    (True, False)
    """
    if isinstance(data, np.ma.MaskedArray):
        raise DataError(
            "the data is a masked array, whose hidden cells come to light where rows are put together: give a table "
            "with missing cells, or an array without a mask."
        )
    if isinstance(data, np.ndarray):
        return np.concatenate([data[:0], data]).view(type(data)) if data.ndim else data
    if not isinstance(data, pl.DataFrame):
        return data
    whole = data.rechunk() if data.n_chunks() > 1 else data
    marked = any(flags["SORTED_ASC"] or flags["SORTED_DESC"] for flags in whole.flags.values())
    return whole[np.arange(whole.height)] if marked else whole
