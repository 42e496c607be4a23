"""Copies of a dataset for a target to change at will: each row by itself, and nothing in common with any other run.

Neighbours are put together from the rows of the user's data, so that one object may stand in two places of one dataset,
and of its neighbour in one place only. Equal rows of a file that was read are two objects. So a target is given each
row as an object of its own: what it writes into one row shows in no other, on either side.
"""

import copy
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

_SCALARS = frozenset(np.sctypeDict.values()) - {np.void, np.object_}
"""Those of numpy but for records, which can be written to, and objects, which may be anything."""
UNCHANGING = _SCALARS | {bool, int, float, complex, str, bytes, type(None)}
"""Types of values that nothing can change. A class below one of them may well have attributes that change."""


def copies_of(data: Any) -> Callable[[], Any]:
    """Hands out copies of the dataset, one for each run.

    >>> row = [1]
    >>> first, second = copies_of([row, row])()
    >>> first is second, first is row
    (False, False)
    """
    if type(data) in UNCHANGING:
        return lambda: data
    if type(data) is list and UNCHANGING.issuperset(map(type, data)):
        return data.copy
    if isinstance(data, pl.DataFrame):
        objects = [name for name, kind in data.schema.items() if kind == pl.Object]
        return (lambda: _polars_objects(data, objects)) if objects else data.clone
    if isinstance(data, np.ndarray):
        return (lambda: _objects(data)) if data.dtype.hasobject else data.copy
    return lambda: _rows_apart(data)


def own_copy(data: Any) -> Any:
    """One such copy."""
    return copies_of(data)()


def _rows_apart(data: Any) -> Any:
    """A deep copy in which two rows have no object in common; within a row what is one object stays one."""
    if type(data) in (list, tuple):
        return type(data)(map(_own_row, data))
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame | pandas.Series):
        return _in_pandas(data)
    whole = copy.deepcopy(data)
    if isinstance(data, list):
        list.__setitem__(whole, slice(None), [_own_row(row) for row in data])
    elif isinstance(data, dict):  # such as columns by name
        for name, each in zip(whole, data.values(), strict=True):
            dict.__setitem__(whole, name, copy.deepcopy(each) if isinstance(each, dict) else own_copy(each))
    elif isinstance(data, tuple) and hasattr(data, "_make"):
        return data._make(map(_own_row, data))
    return whole


def _own_row(row: Any) -> Any:
    """A deep copy, also of a tuple in which nothing can change: that two rows are one object could be seen."""
    copied = copy.deepcopy(row)
    return tuple(iter(row)) if copied is row and type(row) is tuple else copied


def _objects(data: np.ndarray) -> np.ndarray:
    """An array that holds objects of Python, which `copy` leaves to be shared."""
    if not data.ndim:
        return copy.deepcopy(data)
    whole = data.copy()
    for row in range(len(data)):
        whole[row : row + 1] = copy.deepcopy(data[row : row + 1])
    return whole


def _polars_objects(data: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    return data.with_columns(
        pl.Series(name, [copy.deepcopy(each) for each in data[name]], dtype=pl.Object) for name in names
    )


def _in_pandas(data: Any) -> Any:
    """A table or a column of pandas, whose own deep copy shares the objects in its cells."""
    whole = data.copy(deep=True)
    if data.ndim == 1:
        return _cells_apart(whole)
    for place, kind in enumerate(whole.dtypes):
        if _holds_objects(kind):
            whole.isetitem(place, _cells_apart(whole.iloc[:, place]))
    return whole


def _cells_apart(column: Any) -> Any:
    """The column of pandas with each cell copied by itself."""
    if not _holds_objects(column.dtype):
        return column
    cells = np.empty(len(column), dtype=object)
    for place, each in enumerate(column.array):
        cells[place] = copy.deepcopy(each)
    return type(column)(cells, index=column.index, name=column.name, dtype=object)


def _holds_objects(kind: Any) -> bool:
    """Whether this type of pandas is one of objects: those of texts and of categories are types of its own."""
    return isinstance(kind, np.dtype) and kind.hasobject
