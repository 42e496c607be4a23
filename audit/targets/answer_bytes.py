"""Plain values as the bytes that `transport` describes and reads."""

import datetime
import io
import json
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.releases.objects import Other, Record

LONGEST_INTEGER = 1 << 10
"""Bits of an integer that is written in decimal; Python refuses to read decimals of more than 4,300 digits."""
LENGTH = struct.Struct(">I")
"""How the length of the JSON text is written, which comes first."""
AS_IS = frozenset({type(None), bool, float, str})
"""Types whose values JSON writes as they are."""

Tail = list[bytes]


def encode(value: Any) -> bytes:
    """The bytes of a plain value; what is none is a `TypeError`."""
    tail: Tail = []
    text = json.dumps(_tree(value, tail)).encode()
    return b"".join((LENGTH.pack(len(text)), text, *tail))


def _tree(value: Any, tail: Tail) -> Any:
    kind = type(value)
    if kind in AS_IS:
        return value
    if kind in _WRITERS:
        return _WRITERS[kind](value, tail)
    if isinstance(value, np.generic):
        return {"scalar": [value.dtype.str, _put(value.tobytes(), tail)]}
    raise TypeError(f"a {kind.__name__} cannot be sent")


def _put(content: bytes, tail: Tail) -> int:
    tail.append(content)
    return len(content)


def _trees(values: Any, tail: Tail) -> list[Any]:
    return [each if type(each) in AS_IS else _tree(each, tail) for each in values]


def _write_integer(value: int, tail: Tail) -> Any:  # noqa: ARG001
    return value if value.bit_length() <= LONGEST_INTEGER else {"integer": hex(value)}


def _write_dict(value: dict[Any, Any], tail: Tail) -> Any:
    return {"dict": [[_tree(key, tail), _tree(each, tail)] for key, each in value.items()]}


def _write_array(value: Any, tail: Tail) -> Any:
    if value.dtype.kind == "O":
        return {"objects": [list(value.shape), _trees(value.ravel(), tail)]}
    return {"array": [value.dtype.str, list(value.shape), _put(value.tobytes(), tail)]}


def _write_table(value: pl.DataFrame, tail: Tail) -> Any:
    sink = io.BytesIO()
    value.write_ipc_stream(sink, compat_level=pl.CompatLevel.oldest())  # the newest has views, which are refused
    return {"table": _put(sink.getvalue(), tail)}


def _write_record(value: Record, tail: Tail) -> Any:
    return {"record": [value.kind, [[name, _tree(each, tail)] for name, each in value.fields]]}


def _write_duration(value: datetime.timedelta, tail: Tail) -> Any:  # noqa: ARG001
    return {"duration": [value.days, value.seconds, value.microseconds]}


_WRITERS: Mapping[type, Callable[[Any, Tail], Any]] = {
    int: _write_integer,
    list: _trees,
    tuple: lambda value, tail: {"tuple": _trees(value, tail)},
    set: lambda value, tail: {"set": _trees(value, tail)},
    frozenset: lambda value, tail: {"frozenset": _trees(value, tail)},
    dict: _write_dict,
    bytes: lambda value, tail: {"bytes": _put(value, tail)},
    complex: lambda value, _: {"complex": [value.real, value.imag]},
    Decimal: lambda value, _: {"decimal": str(value)},
    Fraction: lambda value, _: {"fraction": [hex(value.numerator), hex(value.denominator)]},
    datetime.datetime: lambda value, _: {"datetime": value.isoformat()},
    datetime.date: lambda value, _: {"date": value.isoformat()},
    datetime.time: lambda value, _: {"time": value.isoformat()},
    datetime.timedelta: _write_duration,
    np.ndarray: _write_array,
    pl.DataFrame: _write_table,
    Other: lambda value, _: {"other": [value.kind, value.text]},
    Record: _write_record,
}
