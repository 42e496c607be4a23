"""Values without the classes of a target: built-in types, numpy and polars, exactly, so that none can run code."""

import datetime
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.releases.canonical import as_table
from crowdproof.audit.releases.objects import (
    Other,
    Record,
    added_fields,
    declared_fields,
    described,
    fields_of,
    held_fields,
    is_pandas_value,
)
from crowdproof.audit.releases.sizes import check_decimal, check_parts, check_shape, check_table
from crowdproof.errors import TargetError

MOST_DEPTH = 64
"""Lists within lists beyond this are no release: real ones are nested a few times, one that holds itself for ever."""
ARRAY_KINDS = "biufcSUMm"
"""numpy's letters for numbers, booleans, text, bytes, dates and durations: arrays that are nothing but their bytes."""

ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes})
"""Types of which a value is itself, with nothing inside."""
_REMEDY = "let it return a table, an array, a number, text, or a list of these"


def plain(value: Any, name: str) -> Any:
    """The value with the content of its built-in bases: a namedtuple is a tuple, an attrs value a `Record`.

    Only methods of the bases are called, so what a subclass overrides has no say. Fields that an object of a subclass
    holds besides stay with it. A value without such a base whose content cannot be seen is a `TargetError` that names
    the target.

    >>> from enum import IntEnum
    >>> plain([IntEnum("Sex", ["F"]).F, np.float64(2)], "it")
    [1, np.float64(2.0)]
    """
    return _plain(value, name, 0)


def _plain(value: Any, name: str, depth: int) -> Any:
    kind = type(value)
    if kind in ATOMS:
        return value
    if depth > MOST_DEPTH:
        raise TargetError(f"{name} returned a value nested more than {MOST_DEPTH} times: {_REMEDY}.")
    added = added_fields(value)
    if not added:
        return _content(value, name, depth)
    return Record(kind.__name__, (("content", _content(value, name, depth)), *_named(added, name, depth)))


def _content(value: Any, name: str, depth: int) -> Any:
    kind = type(value)
    if is_pandas_value(value):  # before its base in Python, which knows no nanoseconds
        return described(value)
    for base, convert in _CONVERSIONS.items():
        if issubclass(kind, base):
            return convert(value, name, depth + 1)
    table = as_table(value)
    if table is not None:
        return _table(table, name, depth)
    known = described(value)
    if known is not None:
        return known
    if not isinstance(value, Enum) and declared_fields(kind) is None and not held_fields(value):
        raise TargetError(f"{name} returned a {_title(kind)}, which is not a release: {_REMEDY}.")
    return Record(kind.__name__, _named(fields_of(value), name, depth))


def _named(fields: Mapping[str, Any], name: str, depth: int) -> tuple[tuple[str, Any], ...]:
    return tuple((field, _plain(each, name, depth + 1)) for field, each in fields.items())


def _title(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _each(values: Any, name: str, depth: int) -> list[Any]:
    return [each if type(each) in ATOMS else _plain(each, name, depth) for each in values]


def _list(value: Any, name: str, depth: int) -> list[Any]:
    return _each(list.__iter__(value), name, depth)


def _tuple(value: Any, name: str, depth: int) -> tuple[Any, ...]:
    return tuple(_each(tuple.__iter__(value), name, depth))


def _set(value: Any, name: str, depth: int) -> set[Any]:
    return set(_each(set.__iter__(value), name, depth))


def _frozenset(value: Any, name: str, depth: int) -> frozenset[Any]:
    return frozenset(_each(frozenset.__iter__(value), name, depth))


def _dict(value: Any, name: str, depth: int) -> dict[Any, Any]:
    return {_plain(key, name, depth): _plain(each, name, depth) for key, each in dict.items(value)}


def _table(value: Any, name: str, depth: int) -> pl.DataFrame:  # noqa: ARG001
    check_table(value, name)
    kinds = pl.DataFrame.dtypes.__get__(value)
    if pl.Object in kinds:
        column = pl.DataFrame.columns.__get__(value)[kinds.index(pl.Object)]
        raise TargetError(f"{name} returned a table whose column {column!r} holds Python objects: make it text.")
    return value if type(value) is pl.DataFrame else pl.DataFrame(pl.DataFrame.get_columns(value))


def _scalar(value: Any, name: str, depth: int) -> Any:  # noqa: ARG001
    kind = np.generic.dtype.__get__(value)
    _check_array_kind(kind, name)
    return value if type(value) is kind.type else np.frombuffer(np.generic.tobytes(value), kind)[0]


def _array(value: Any, name: str, depth: int) -> Any:
    if isinstance(value, np.ma.MaskedArray):
        raise TargetError(f"{name} returned a masked array: let it return what is released, as an array or a list.")
    array = value if type(value) is np.ndarray else np.ndarray.view(value, np.ndarray)
    check_shape(array.shape, name)
    if array.dtype.kind != "O":
        _check_array_kind(array.dtype, name)
        return array
    objects = np.empty(array.shape, dtype=object)
    for place, each in np.ndenumerate(array):
        objects[place] = _plain(each, name, depth)
    return objects


def _check_array_kind(kind: Any, name: str) -> None:
    if kind.kind not in ARRAY_KINDS:
        raise TargetError(f"{name} returned an array of {kind}: let it hold numbers, text or dates.")


def _fraction(value: Any, name: str, depth: int) -> Fraction:  # noqa: ARG001
    return check_parts(int.__int__(value.numerator), int.__int__(value.denominator), name)


def _decimal(value: Any, name: str, depth: int) -> Decimal:  # noqa: ARG001
    return Decimal(Decimal.__str__(check_decimal(value, name)))


def _record(value: Any, name: str, depth: int) -> Record:
    return Record(value.kind, _named(dict(value.fields), name, depth))


def _base(method: Callable[[Any], Any]) -> Callable[[Any, str, int], Any]:
    return lambda value, _, __: method(value)


_CONVERSIONS: Mapping[type, Callable[[Any, str, int], Any]] = {
    Record: _record,
    Other: _base(lambda value: value),
    pl.DataFrame: _table,
    np.ndarray: _array,
    np.generic: _scalar,
    list: _list,
    tuple: _tuple,
    dict: _dict,
    set: _set,
    frozenset: _frozenset,
    str: _base(str.__str__),
    int: _base(int.__int__),
    float: _base(float.__float__),
    complex: _base(complex.__pos__),
    bytes: _base(lambda value: bytes(memoryview(value))),
    datetime.datetime: _base(lambda value: datetime.datetime.fromisoformat(datetime.datetime.isoformat(value))),
    datetime.date: _base(lambda value: datetime.date.fromordinal(datetime.date.toordinal(value))),
    datetime.time: _base(lambda value: datetime.time.fromisoformat(datetime.time.isoformat(value))),
    datetime.timedelta: _base(datetime.timedelta.__pos__),
    Fraction: _fraction,
    Decimal: _decimal,
}
"""Base class -> how its content is taken out; a class comes before those that it inherits from.

Of the zone of a time the distance from UTC stays, which is all that its text shows.
"""
