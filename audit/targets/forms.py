"""Tables at the border: into the form that a target wants, and back to polars."""

import copy
import datetime
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.releases.canonical import as_table, listed_content
from crowdproof.audit.targets.plain import ATOMS, plain
from crowdproof.errors import DataError, NoReleaseError, ParameterError, TargetError


def _polars(table: pl.DataFrame) -> pl.DataFrame:
    return table.clone()


def _pandas(table: pl.DataFrame) -> Any:
    return _in_pandas(_without_gaps(table, "choose the form pandas-nullable, or "))


def _pandas_nullable(table: pl.DataFrame) -> Any:
    """Whole numbers and booleans in the types of pandas that have missing cells, whether or not one is missing."""
    kinds = {name: "boolean" if kind == pl.Boolean else str(kind) for name, kind in table.schema.items() if _gaps(kind)}
    frame = _in_pandas(table.with_columns(pl.col(name).fill_null(pl.lit(0).cast(table.schema[name])) for name in kinds))
    for name, kind in kinds.items():
        frame[name] = frame[name].astype(kind).mask(table[name].is_null().to_numpy())
    return frame


def _in_pandas(table: pl.DataFrame) -> Any:
    try:
        return table.to_pandas().copy()  # without the copy a column may be read-only memory of polars
    except ImportError:
        raise ParameterError("this target wants a pandas table: install crowdproof[targets] or pandas.") from None


def _gaps(kind: pl.DataType) -> bool:
    """Whether numpy knows no missing cell in a column of this type."""
    return kind.is_integer() or kind == pl.Boolean


def _without_gaps(table: pl.DataFrame, remedy: str) -> pl.DataFrame:
    """The table, if it can be given with the types that it has.

    A missing whole number would make the column one of floats, so that of two neighbours one had 30 and the other 30.0
    in every row: that the target tells these apart says nothing about it.
    """
    for name, kind in table.schema.items():
        if _gaps(kind) and table[name].null_count():
            what, other = ("booleans", "text") if kind == pl.Boolean else ("whole numbers", "number")
            raise TargetError(  # which ends an audit: as a refusal it would tell the row that lacks the cell
                f"the column {name!r} is one of {what} with missing cells, for which numpy has no type: {remedy}"
                f"declare the column as {other} (--schema {name}={other})."
            )
    return table


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    return table.to_dicts()


def _numpy(table: pl.DataFrame) -> Any:
    table = _without_gaps(table, "")
    return table.to_series().to_numpy(writable=True) if table.width == 1 else table.to_numpy(writable=True)


FORMS: Mapping[str, Callable[[pl.DataFrame], Any]] = {
    "polars": _polars,
    "pandas": _pandas,
    "pandas-nullable": _pandas_nullable,
    "pyarrow": pl.DataFrame.to_arrow,
    "rows": _rows,
    "numpy": _numpy,
}
"""A table as: a polars or pandas DataFrame, a pyarrow Table, a list of dicts, an array (one column: a vector)."""


def check_form(form: str | None) -> str | None:
    """The form, if it is one."""
    if form is not None and form not in FORMS:
        raise ParameterError(f"form is {form!r}: a table can be given as {', '.join(FORMS)}.")
    return form


def form_of(parameter: inspect.Parameter) -> str:
    """The form that a parameter's annotation asks for; polars where it says nothing."""
    annotation = parameter.annotation
    text = annotation if isinstance(annotation, str) else f"{getattr(annotation, '__module__', '')} {annotation}"
    for word, form in (("pandas", "pandas"), ("pd.", "pandas"), ("polars", "polars"), ("pyarrow", "pyarrow")):
        if word in text:
            return form
    if "pa.Table" in text:
        return "pyarrow"
    if "ndarray" in text or "NDArray" in text:
        return "numpy"
    return "rows" if text.removeprefix("builtins ").lower().startswith(("list[", "<class 'list'", "list")) else "polars"


def give(data: Any, form: str) -> Any:
    """The data in that form, never shared with the caller: a target may change what it is given."""
    if isinstance(data, pl.DataFrame):
        return FORMS[form](data)
    if isinstance(data, np.ndarray):
        return data.copy()
    return copy.deepcopy(data)


def take(output: Any, name: str) -> Any:
    """What the target returned: a table of any make becomes polars, other plain values stay as they are."""
    if output is None:
        raise NoReleaseError(f"{name} returned nothing (None): let it return the release.")
    if type(output) in ATOMS:
        return output
    if isinstance(output, list):
        output = plain(output, name)  # before it is asked for anything: a subclass would answer itself
        is_rows = type(output) is list and output and all(type(each) is dict for each in output)
        return _rows_as_table(output) if is_rows else output
    try:
        table = as_table(output)
        if table is None and type(output).__module__.partition(".")[0] in {"pandas", "pyarrow"}:
            output = listed_content(output)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
        raise TargetError(f"{name} returned a {type(output).__name__} that is not a table: {error}") from None
    return plain(output if table is None else table, name)


_CELLS = frozenset({bool, int, float, str, bytes, datetime.date, datetime.datetime, datetime.time, datetime.timedelta})
"""Types of the cells of rows that polars stores as they are, where a column holds one of them."""


def _rows_as_table(rows: list[dict[Any, Any]]) -> Any:
    """Rows with the same columns in the same order as a table; rows that a table would change stay as they are."""
    names = list(rows[0])
    if not names or not all(type(name) is str for name in names) or any(list(row) != names for row in rows):
        return rows
    for name in names:
        kinds = {type(row[name]) for row in rows if row[name] is not None}
        if len(kinds) > 1 or not kinds <= _CELLS:
            return rows
    try:
        return pl.from_dicts(rows, infer_schema_length=None)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        return rows


def require_table(data: Any, name: str) -> pl.DataFrame:
    """The data, which has to be a table for this kind of target."""
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, np.ndarray) and data.ndim <= 2:
        return pl.DataFrame({"value": data}) if data.ndim == 1 else pl.from_numpy(data)
    raise DataError(f"{name} takes a table, and this dataset is a {type(data).__name__}: give a polars DataFrame.")
