"""The canonical form of one release: a pure function of what one run returned, and of nothing else.

A test by betting is sound only if an event is an event of one release. So nothing that is read off a release may depend
on the other releases of its chunk, on the dataset, on the order of arrival or on the worker. Everything that looks at
releases looks at this form:

| what was returned                                         | canonical form                                  |
| --------------------------------------------------------- | ----------------------------------------------- |
| nothing, or an exception                                  | `Refusal`                                       |
| truth values                                              | bool                                            |
| whole and floating-point numbers of Python and numpy      | int where the number is whole, else float       |
| text and bytes                                            | str, bytes                                      |
| lists, tuples, arrays of any number of axes               | tuple, nested where there are several axes      |
| sets; mappings, attrs and dataclass values                | frozenset; dict                                 |
| tables of polars, pandas, pyarrow                         | polars.DataFrame                                |
| Decimal, Fraction, complex, dates, other things that show | `Other`, with their kind and text               |
"""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.releases.refusal import Refusal
from crowdproof.errors import TargetError

DEEPEST = 64
"""Nesting beyond which an output is no release: people nest a few levels, and a list that holds itself has no end."""


@frozen
class Other:
    """Something that is known by its kind and its text only."""

    kind: str
    text: str

    def __str__(self) -> str:
        return self.text


def canonical(output: Any) -> Any:
    """The canonical form of what one run returned; the canonical form of a canonical form is itself.

    >>> canonical(np.float64(2.0)), canonical([1, np.int8(2)]), canonical(np.array([[0.5, 1.0]])), canonical(None)
    (2, (1, 2), ((0.5, 1),), Refusal(reason='it returned None'))
    """
    if output is None:
        return Refusal("it returned None")
    try:
        return _form(output, 0)
    except TargetError:
        raise
    except Exception as error:  # noqa: BLE001  (an object of the target may do anything when it is looked at)
        raise TargetError(
            f"the target returned a {type(output).__name__} that cannot be read ({type(error).__name__}): return "
            "numbers, text, lists, dicts, sets or tables."
        ) from None


def snapshot(output: Any) -> Any:
    """The output as it is now: a target may go on to change what it returned, such as a buffer that it uses again."""
    kind = type(output)
    if kind in _UNCHANGING:
        return output
    if kind is np.ndarray and output.dtype != object:
        return output.copy()
    if kind in {list, tuple} and _UNCHANGING.issuperset(map(type, output)):
        return kind(output)
    return output.clone() if kind is pl.DataFrame else canonical(output)


_UNCHANGING = {bool, int, float, complex, str, bytes, type(None), Refusal, np.bool_, np.float64, np.float32, np.int64}


def _form(value: Any, depth: int) -> Any:  # noqa: C901, PLR0911  (one return for each kind of value)
    if depth > DEEPEST:
        raise TargetError(f"the target returned something nested more than {DEEPEST} deep: that is no release.")
    match value:
        case None | Refusal() | Other():
            return value
        case bool() | np.bool_():
            return bool(value)
        case int() | float() | np.integer() | np.floating():
            return number(value)
        case str():
            return str.__str__(value)
        case bytes() | bytearray() | memoryview():
            return bytes(value)
        case np.ndarray():
            return _array(value, depth)
        case Mapping():
            return {_member(name, depth): _form(each, depth + 1) for name, each in value.items()}
        case AbstractSet():
            return frozenset(_member(each, depth) for each in value)
        case pl.Series():
            return _form(value.to_frame(), depth)
        case Sequence():
            return tuple(_form(each, depth + 1) for each in value)
    table = as_table(value)
    if table is not None:
        return _plain_table(table)
    listed = _listed(value)
    return _other(value, depth) if listed is None else _form(listed, depth)


def _plain_table(table: pl.DataFrame) -> pl.DataFrame:
    """A copy of the table; what polars knows nothing of is text."""
    odd = [name for name, kind in table.schema.items() if kind == pl.Object]
    texts = [pl.Series(name, [None if each is None else str(each) for each in table[name]]) for name in odd]
    return table.with_columns(texts) if texts else table.clone()


def _listed(value: Any) -> Any:
    """The content of an array of another make, whose text may leave out its middle; None for anything else."""
    if hasattr(value, "toarray"):  # a sparse matrix
        return value.toarray()
    module = type(value).__module__.partition(".")[0]
    if isinstance(value, np.void) or (module == "pandas" and hasattr(value, "__len__") and hasattr(value, "tolist")):
        return value.tolist()
    return value.to_pylist() if module == "pyarrow" and hasattr(value, "to_pylist") else None


def _member(value: Any, depth: int) -> Any:
    """A member of a set or a name in a mapping: a record, whose form has no hash, is known by its text."""
    form = _form(value, depth + 1)
    return Other(type(value).__name__, repr(value)) if isinstance(form, dict) else form


def number(value: Any) -> int | float:
    """A number as an int where it is whole, else as a float.

    Minus zero stays a float, so that it is told from zero; every nan is the same nan.

    >>> number(np.float32(3.0)), number(-0.0), number(2**70 + 1) == 2**70 + 1
    (3, -0.0, True)
    """
    if isinstance(value, int | np.integer):
        return int.__index__(value) if isinstance(value, int) else int(value)
    real = float.__float__(value) if isinstance(value, float) else float(value)
    if math.isnan(real):
        return math.nan
    minus_zero = real == 0 and math.copysign(1.0, real) < 0
    return int(real) if real.is_integer() and not minus_zero else real


def is_float(value: Any) -> bool:
    """Whether a canonical form is a number that a 64-bit float holds without loss.

    >>> is_float(2**53), is_float(2**53 + 1), is_float(True), is_float("1")
    (True, False, False, False)
    """
    if isinstance(value, bool):
        return False
    if isinstance(value, float):
        return True
    return isinstance(value, int) and (abs(value) <= 2**53 or _survives(value))


def _survives(value: int) -> bool:
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def _array(value: Any, depth: int) -> Any:
    """An array as nested tuples, an array without axes as its only entry."""
    if value.dtype.kind in "mM":
        value = value.astype(str)
    listed = value.tolist() if value.dtype.kind in "biufSU" else list(value) if value.ndim else value.item()
    return _form(listed, depth)


def as_table(output: Any) -> pl.DataFrame | None:
    """The output as a polars table, if it is a table of any common kind."""
    if isinstance(output, pl.DataFrame):
        return output
    if isinstance(output, pl.LazyFrame):
        return output.collect()
    module = type(output).__module__.partition(".")[0]
    if module == "pyarrow" and hasattr(output, "to_pydict"):
        return pl.DataFrame(output.to_pydict(), strict=False)
    if module == "pandas" and (hasattr(output, "columns") or hasattr(output, "to_frame")):
        return from_pandas(output)
    return None


def from_pandas(frame: Any) -> pl.DataFrame:
    """A pandas table or series as a polars table; the frame itself stays as it is.

    An index with a name, or of anything but whole numbers, is part of the release; else it is pandas' numbering. Of
    columns with one name the later ones are numbered.
    """
    if not hasattr(frame, "columns"):
        frame = frame.to_frame()
    index = frame.index
    labels = []
    if any(name is not None for name in index.names) or index.dtype.kind not in "iu":
        levels = [index.get_level_values(level).to_series() for level in range(index.nlevels)]
        labels = list(zip([name or "index" for name in index.names], levels, strict=True))
    cells = [(name, frame.iloc[:, place]) for place, name in enumerate(frame.columns)]
    columns: dict[str, pl.Series] = {}
    for place, (name, values) in enumerate([*labels, *cells]):
        unused = str(name) if str(name) not in columns else f"{name} ({place + 1})"
        columns[unused] = _plain_column(values)
    return pl.DataFrame(columns)


def _plain_column(column: Any) -> pl.Series:
    """Text for what is not a number, a date or text already, such as an interval or a mix of types."""
    if column.dtype.kind in "biufM":
        return pl.Series(pl.from_pandas(column))
    values = column.astype(object).where(column.notna(), None).tolist()
    kinds = {type(value) for value in values if value is not None}
    if (len(kinds) > 1 and not kinds <= {int, float}) or not _storable(kinds):
        values = [None if value is None else str(value) for value in values]
    return pl.Series(values, strict=False)


def _storable(kinds: set[type]) -> bool:
    return all(kind in {bool, int, float, str, bytes} or kind.__module__ == "datetime" for kind in kinds)


def _other(value: Any, depth: int) -> Any:
    """An attrs or dataclass value by its fields, anything else by what it shows of itself."""
    for fields in ("__attrs_attrs__", "__dataclass_fields__"):
        if hasattr(type(value), fields):
            names = [getattr(each, "name", each) for each in getattr(type(value), fields)]
            return {name: _form(getattr(value, name), depth + 1) for name in names}
    text = repr(value)
    if f"{id(value):x}" in text.lower():  # an address in memory: it tells where the value is, not what it is
        raise TargetError(
            f"the target returned a {type(value).__name__}, which shows nothing of itself: "
            "return numbers, text, lists, dicts, sets or tables."
        )
    return Other(type(value).__name__, str(value))
