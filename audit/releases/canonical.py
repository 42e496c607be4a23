"""The canonical form of one release: a pure function of what one run returned, and of nothing else.

A test by betting is sound only if an event is an event of one release. So nothing that is read off a release may depend
on the other releases of its chunk, on the dataset, on the order of arrival or on the worker. Everything that looks at
releases looks at this form:

| what was returned                                         | canonical form                                  |
| --------------------------------------------------------- | ----------------------------------------------- |
| nothing, or an exception                                  | `Refusal`                                       |
| truth values                                              | bool                                            |
| whole and floating-point numbers of Python and numpy      | int where the number is whole, else float       |
| text and bytes                                            | str, with escapes for half characters; bytes    |
| lists, tuples, arrays of any number of axes               | tuple, nested where there are several axes      |
| sets; mappings                                            | frozenset; dict, in its order                   |
| tables of polars, pandas, pyarrow                         | polars.DataFrame                                |
| Decimal, Fraction, complex, dates, paths, ...             | `Other`, with their kind and text               |
| objects of other classes, attrs and dataclass values      | `Record`, with the name of the class and fields |

An object whose content cannot be seen is a `TargetError`.
"""

from collections.abc import Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.releases import foreign_tables
from crowdproof.audit.releases.columns import own_copy
from crowdproof.audit.releases.numbers import number
from crowdproof.audit.releases.objects import REMEDY, Other, Record, added_fields, described, fields_of
from crowdproof.audit.releases.refusal import Refusal
from crowdproof.audit.releases.sizes import check_shape, check_table
from crowdproof.audit.releases.spelling import spelled
from crowdproof.errors import TargetError, pass_interrupts
from crowdproof.visible import encodable

DEEPEST = 64
"""Nesting beyond which an output is no release: people nest a few levels, and a list that holds itself has no end."""


def canonical(output: Any) -> Any:
    """The canonical form of what one run returned; the canonical form of a canonical form is itself.

    It shares no memory with the output that the target could change later.

    >>> canonical(np.float64(2.0)), canonical([1, np.int8(2)]), canonical(np.array([[0.5, 1.0]])), canonical(None)
    (2, (1, 2), ((0.5, 1),), Refusal(reason='it returned None'))
    """
    if output is None:
        return Refusal("it returned None")
    try:
        return _form(output, 0)
    except TargetError:
        raise
    except BaseException as error:  # noqa: BLE001  (an object of the target may do anything, and polars panics)
        pass_interrupts(error)
        raise TargetError(
            f"the target returned a {type(output).__name__} that cannot be read ({type(error).__name__}): {REMEDY}."
        ) from None


def looked_at(output: Any) -> Any:
    """The canonical form, for those who look at it and do not keep it: a table is not copied."""
    if type(output) is pl.DataFrame and pl.Object not in output.dtypes:
        check_table(output)
        return output
    return canonical(output)


def snapshot(output: Any) -> Any:
    """The output as it is now: a target may go on to change what it returned, such as a buffer that it uses again."""
    kind = type(output)
    if kind in _UNCHANGING:
        return output
    if kind is np.ndarray and output.dtype != object:
        check_shape(output.shape)
        return output.copy()
    if kind in {list, tuple} and _UNCHANGING.issuperset(map(type, output)):
        return kind(output)
    return canonical(output)


_UNCHANGING = {bool, int, float, complex, str, bytes, type(None), Refusal, np.bool_, np.float64, np.float32, np.int64}


def _form(value: Any, depth: int) -> Any:
    if depth > DEEPEST:
        raise TargetError(f"the target returned something nested more than {DEEPEST} deep: that is no release.")
    added = added_fields(value)
    if not added:
        return _content(value, depth)
    fields = [(name, _form(each, depth + 1)) for name, each in added.items()]
    return Record(type(value).__name__, (("content", _content(value, depth)), *fields))


def _content(value: Any, depth: int) -> Any:  # noqa: C901, PLR0911  (one return for each kind of value)
    match value:
        case None | Refusal() | Other():
            return value
        case bool() | np.bool_():
            return bool(value)
        case np.timedelta64() | np.floating():  # numpy takes a length of time for an integer
            return described(value) or number(value)
        case int() | float() | np.integer():
            return number(value)
        case str():
            return encodable(str.__str__(value))
        case bytes() | bytearray() | memoryview():
            return bytes(value)
        case np.ndarray():
            return _array(value, depth)
        case Mapping():
            return _mapping(value, depth)
        case AbstractSet():
            return _whole(frozenset(_member(each, depth) for each in value), value)
        case pl.Series():
            return _content(value.to_frame(), depth)
        case Sequence() | ValuesView():
            return tuple(_form(each, depth + 1) for each in value)
    table = as_table(value)
    if table is not None:
        check_table(table)
        return own_copy(_plain_table(table))
    listed = listed_content(value)
    return _other(value, depth) if listed is None else _form(listed, depth + 1)


def _mapping(value: Any, depth: int) -> Any:
    form = {_member(name, depth): _form(each, depth + 1) for name, each in value.items()}
    return _whole(form, value)


def _whole(form: Any, value: Any) -> Any:
    """The form of a set or a mapping, if no two of its members have become one."""
    if len(form) != len(value):
        raise TargetError(
            f"the target returned a {type(value).__name__} with two members that cannot be told apart, such as nan and "
            "nan: return a list of them."
        )
    return form


def _plain_table(table: pl.DataFrame) -> pl.DataFrame:
    """The table, in which what polars knows nothing of is text."""
    odd = [name for name, kind in table.schema.items() if kind == pl.Object]
    if not odd:
        return table
    return table.with_columns(_text_column(table[name]) for name in odd)


def _text_column(column: pl.Series) -> pl.Series:
    texts = [None if each is None else _cell_text(each) for each in column]
    return pl.Series(column.name, texts)


def _cell_text(cell: Any) -> str:
    """A cell that is an object as a text that tells all of it."""
    known = foreign_tables.text_of_cell(cell)
    return spelled(_form(cell, 1)) if known is None else known


def as_table(output: Any) -> pl.DataFrame | None:
    """The output as a polars table, if it is a table of any common kind."""
    return foreign_tables.as_table(output, _cell_text)


def listed_content(value: Any) -> Any:
    """The content of an array of another make, whose text may leave out its middle; None for anything else."""
    if hasattr(value, "toarray"):  # a sparse matrix
        return value.toarray()
    if isinstance(value, np.void):
        return _entries(value)
    module = type(value).__module__.partition(".")[0]
    if module == "pandas" and hasattr(value, "__len__") and hasattr(value, "tolist"):
        return value.tolist()
    if module == "pyarrow" and hasattr(value, "to_pylist"):
        return value.to_pylist()
    return value.as_py() if module == "pyarrow" and hasattr(value, "as_py") else None


def _entries(row: Any) -> Any:
    """A row of a structured array by the names of its fields; what has none is a string of bytes."""
    if row.dtype.names is None:
        return row.tobytes()
    return {name: row[name] for name in row.dtype.names}


def _member(value: Any, depth: int) -> Any:
    """A member of a set or a name in a mapping: one whose form has no hash is known by how it is spelled."""
    form = _form(value, depth + 1)
    try:
        hash(form)
    except TypeError:
        return Other(type(value).__name__, spelled(form))
    return form


def _array(value: Any, depth: int) -> Any:
    """An array as nested tuples, an array without axes as its only entry.

    The room that an array of texts has for longer ones is not part of what they say; numpy takes zeros at their end for
    such room.
    """
    kind = value.dtype.kind
    check_shape(value.shape)
    if value.size == 0 and 0 in value.shape[:-1]:
        return Other("empty array", f"shape {value.shape}")  # lists do not tell the axes after an empty one
    if kind in "mM":
        value = value.astype(str)
    listed = value.tolist() if kind in "biuf" else list(value) if value.ndim else value.item()
    return _form(listed, depth)


def _other(value: Any, depth: int) -> Any:
    """A value by its text where that tells all of it, any other by its fields."""
    known = described(value)
    if known is not None:
        return known
    if isinstance(value, Record):
        return Record(value.kind, tuple((name, _form(each, depth + 1)) for name, each in value.fields))
    fields = fields_of(value)
    return Record(type(value).__name__, tuple((name, _form(each, depth + 1)) for name, each in fields.items()))
