"""Data as a caller of Python gives it: tables of any library, lists, arrays and paths, each as one kind of dataset."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.data.tables import read_table
from crowdproof.errors import DataError, ParameterError, pass_interrupts

GIVE = "give a table of pandas, polars or pyarrow, a list of dicts, an array, or the path of a file"
"""What data can be, for errors to say."""


@frozen(eq=False)
class Given:
    """A dataset as the auditor keeps it, and the form in which it was given, where that tells what a function takes."""

    data: Any
    form: str | None = None


def given(data: Any, schema: Mapping[str, str] | None = None) -> Given:
    """The dataset; what is none is an error that says what to give.

    >>> given([{"age": 41}, {"age": 43}]).data["age"].to_list(), given([{"age": 41}]).form
    ([41, 43], 'rows')
    """
    if isinstance(data, str | Path):
        return Given(read_table(data, schema=schema))
    if schema:
        raise ParameterError("schema declares the types of a file: give a path as data, or convert the table yourself.")
    if data is None:
        return Given(None)
    try:
        return _checked(_converted(data))
    except DataError:
        raise
    except BaseException as error:  # noqa: BLE001  (code of others: polars panics, a subclass does as it likes)
        pass_interrupts(error)
        reason = _reason(error)
        raise DataError(
            f"data is a {type(data).__name__} that is no table ({reason}): give each column values of one type."
        ) from None


def _reason(error: BaseException) -> str:
    """The first line of an error, even of one that cannot tell its own."""
    with suppress(BaseException):
        return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
    return type(error).__name__


def _checked(found: Given) -> Given:
    """The dataset, if rows can be taken from it and compared."""
    kinds = found.data.schema.items() if isinstance(found.data, pl.DataFrame) else ()
    for name, kind in kinds:
        if kind == pl.Object:
            raise DataError(f"the column {name!r} holds Python objects, which nothing can compare: make it text.")
    if isinstance(found.data, np.ndarray) and not found.data.shape:
        raise DataError(f"data is an array of one value, which has no rows: {GIVE}.")
    return found


def _converted(data: Any) -> Given:
    library = str(type(data).__module__).partition(".")[0]
    if isinstance(data, pl.DataFrame | np.ndarray):
        return Given(data, "polars" if isinstance(data, pl.DataFrame) else None)
    if isinstance(data, pl.LazyFrame):
        return Given(data.collect(), "lazy")
    if library == "pandas":
        return _from_pandas(data)
    if library == "pyarrow":
        return Given(pl.DataFrame(pl.from_arrow(data)), "pyarrow")
    if isinstance(data, Mapping):
        return Given(pl.DataFrame(dict(data), strict=True))
    if isinstance(data, list | tuple):
        return _from_list(list(data))
    raise DataError(f"data is a {type(data).__name__}: {GIVE}.")


def _from_list(rows: list[Any]) -> Given:
    if not rows:
        raise DataError("data is an empty list: give at least one row.")
    if all(isinstance(row, Mapping) for row in rows):
        return Given(pl.from_dicts(rows, infer_schema_length=None), "rows")
    return Given(rows)


def _from_pandas(data: Any) -> Given:
    if not hasattr(data, "columns"):
        raise DataError(f"data is a {type(data).__name__} of pandas: give a DataFrame, such as data.to_frame().")
    named = [str(name) for name in data.index.names if name is not None]
    if named:
        raise DataError(f"the table has the index {', '.join(named)}, which a row lacks: give data.reset_index().")
    return Given(pl.from_pandas(data), "pandas")
