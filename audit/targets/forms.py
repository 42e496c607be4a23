"""Tables at the border: into the form that a target wants."""

import io
import json
import tempfile
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.data.categories import categorical
from crowdproof.audit.data.copies import own_copy
from crowdproof.audit.targets import databases
from crowdproof.errors import DataError, ParameterError, TargetError


def _polars(table: pl.DataFrame) -> pl.DataFrame:
    return table.clone()


def _pandas(table: pl.DataFrame) -> Any:
    return _in_pandas(_without_gaps(table, "choose the form pandas-nullable, or "))


def _pandas_nullable(table: pl.DataFrame) -> Any:
    """Whole numbers and booleans in the types of pandas that have missing cells, whether or not one is missing."""
    _without_inner_gaps(table)
    kinds = {name: "boolean" if kind == pl.Boolean else str(kind) for name, kind in table.schema.items() if _gaps(kind)}
    frame = _in_pandas(table.with_columns(pl.col(name).fill_null(pl.lit(0).cast(table.schema[name])) for name in kinds))
    for name, kind in kinds.items():
        frame[name] = frame[name].astype(kind).mask(table[name].is_null().to_numpy())
    return frame


def _in_pandas(table: pl.DataFrame) -> Any:
    try:
        return _with_lists(table).to_pandas().copy()  # without the copy a column may be read-only memory of polars
    except ImportError:
        raise ParameterError("this target wants a pandas table: install crowdproof[targets] or pandas.") from None


def _pyarrow(table: pl.DataFrame) -> Any:
    return _with_lists(table).to_arrow()


def _with_lists(table: pl.DataFrame) -> pl.DataFrame:
    """The table, if its categorical columns have lists of their own: see `crowdproof.audit.data.categories`."""
    for name in categorical(table):
        raise TargetError(
            f"the column {name!r} is categorical without a fixed list of categories, so that each dataset would be "
            "given with another list: cast it to polars.Enum, or to text."
        )
    return table


def _gaps(kind: pl.DataType) -> bool:
    """Whether numpy knows no missing cell in a column of this type."""
    return kind.is_integer() or kind == pl.Boolean


def has_gaps(table: pl.DataFrame) -> bool:
    """Whether a column of whole numbers or booleans has a missing cell, or one of lists or records of these."""
    return any(map(_has_gap, table.iter_columns()))


def _has_gap(column: pl.Series) -> bool:
    """Whether a whole number or a boolean is missing in a column, at any depth.

    >>> [_has_gap(pl.Series(cells)) for cells in ([[1, 2], []], [[1, None]], [{"a": 1}, {"a": None}])]
    [False, True, True]
    """
    kind = column.dtype
    if isinstance(kind, pl.Struct):
        return any(_has_gap(column.struct.field(field.name)) for field in kind.fields)
    if isinstance(kind, pl.List):
        return _has_gap(column.filter(column.list.len() > 0).explode())  # of an empty list it would make a missing cell
    if isinstance(kind, pl.Array):
        return _has_gap(column.explode())
    return _gaps(kind) and column.null_count() > 0


def _without_gaps(table: pl.DataFrame, remedy: str) -> pl.DataFrame:
    """The table, if it can be given with the types that it has.

    A missing whole number would make the column one of floats, so that of two neighbours one had 30 and the other 30.0
    in every row: that the target tells these apart says nothing about it.
    """
    _without_inner_gaps(table)
    for name, kind in table.schema.items():
        if _gaps(kind) and table[name].null_count():
            what, other = ("booleans", "text") if kind == pl.Boolean else ("whole numbers", "number")
            raise TargetError(  # which ends an audit: as a refusal it would tell the row that lacks the cell
                f"the column {name!r} is one of {what} with missing cells, for which numpy has no type: {remedy}"
                f"declare the column as {other} (--schema {name}={other})."
            )
    return table


def _without_inner_gaps(table: pl.DataFrame) -> None:
    """Refuse lists and records in which a whole number or a boolean is missing, likewise: it changes all other rows."""
    for column in table.iter_columns():
        if column.dtype.is_nested() and _has_gap(column):
            raise TargetError(
                f"the column {column.name!r} has lists or records in which a whole number or a boolean is missing, for "
                "which numpy has no type: choose the form polars, pyarrow or rows."
            )


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    return table.to_dicts()


def _tuples(table: pl.DataFrame) -> list[Any]:
    """Rows of which a cell is had by its place, and by its name where that can be one of Python."""
    kind = namedtuple("Row", table.columns, rename=True)  # type: ignore[misc]  # noqa: PYI024  (known at run time)
    return [kind(*row) for row in table.rows()]


def _columns(table: pl.DataFrame) -> dict[str, list[Any]]:
    return table.to_dict(as_series=False)


def _values(table: pl.DataFrame) -> list[Any]:
    if table.width != 1:
        raise ParameterError(f"a list of values is one column, and the table has {table.width}: give one of them.")
    return table.to_series().to_list()


def _file(table: pl.DataFrame) -> io.StringIO:
    return io.StringIO(table.write_csv(), newline="")


def _connection(table: pl.DataFrame) -> Any:  # noqa: ARG001
    raise ParameterError("a connection is had by `handed` only, which closes it.")


def _numpy(table: pl.DataFrame) -> Any:
    """A vector of one column, a matrix of several: row by row, however polars has them in memory."""
    table = _without_gaps(table, "")
    return table.to_series().to_numpy(writable=True) if table.width == 1 else table.to_numpy(writable=True, order="c")


def _batches(table: pl.DataFrame) -> Iterator[Any]:
    """The table in one batch, as Spark's `mapInPandas` gives it to a function."""
    return iter([_pandas(table)])


def _spark(table: pl.DataFrame) -> Any:
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415  (few targets need it)
    except ImportError:
        raise ParameterError("this target wants a table of Spark: install pyspark.") from None
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    return session.createDataFrame(_pandas(table))


FORMS: Mapping[str, Callable[[pl.DataFrame], Any]] = {
    "polars": _polars,
    "pandas": _pandas,
    "pandas-nullable": _pandas_nullable,
    "pyarrow": _pyarrow,
    "rows": _rows,
    "tuples": _tuples,
    "columns": _columns,
    "values": _values,
    "numpy": _numpy,
    "lazy": pl.DataFrame.lazy,
    "batches": _batches,
    "spark": _spark,
    "path": pl.DataFrame.write_csv,
    "file": _file,
    **dict.fromkeys(databases.KINDS, _connection),
}
"""A table as: a polars or pandas DataFrame, a pyarrow Table, a list of dicts or of tuples, a dict of lists, a list of
the values of its only column, an array (one column: a vector), a lazy table of polars, an iterator over one pandas
DataFrame, a table of Spark, the path of a CSV file, an open CSV file, a connection to a database that has it."""


FIND = "find"
"""Stands for the form where a process is asked for the one that its function takes."""


def check_form(form: str | None) -> str | None:
    """The form, if it is one."""
    if form is not None and form not in FORMS:
        raise ParameterError(f"form is {form!r}: a table can be given as {', '.join(FORMS)}.")
    return form


def forms_told(body: bytes) -> tuple[str, ...]:
    """The forms in which the function may want its table, the likeliest first; none where the process does not tell."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return ()
    return tuple(each for each in told if each in FORMS) if isinstance(told, list) else ()


def give(data: Any, form: str) -> Any:
    """The data in that form, never shared with the caller: a target may change what it is given.

    A table is in one piece, as one that was read is: how neighbours are put together says nothing about their rows.
    """
    if isinstance(data, pl.DataFrame):
        return FORMS[form](data.rechunk())
    return own_copy(data)


@contextmanager
def handed(data: Any, form: str, names: Sequence[str] = ()) -> Iterator[Any]:
    """The data in that form, for one run; a file or a database is gone afterwards, and has the table by these names."""
    if form in databases.KINDS and isinstance(data, pl.DataFrame):
        with databases.connected(data, form, names) as connection:
            yield connection
        return
    if form != "path" or not isinstance(data, pl.DataFrame):
        yield give(data, form)
        return
    with tempfile.TemporaryDirectory(prefix="crowdproof-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "data.csv"
        data.write_csv(path)
        yield str(path)


def require_table(data: Any, name: str) -> pl.DataFrame:
    """The data, which has to be a table for this kind of target."""
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, np.ndarray) and data.ndim <= 2:
        return pl.DataFrame({"value": data}) if data.ndim == 1 else pl.from_numpy(data)
    raise DataError(f"{name} takes a table, and this dataset is a {type(data).__name__}: give a polars DataFrame.")
