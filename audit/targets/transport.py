"""Releases and datasets as bytes, in both directions between judge and target: data that is parsed, never run.

A value is a JSON text, followed by the bytes that the text refers to: a number, text, a list and None are themselves;
all else is an object of one tag, such as {"tuple": [1, 2]} or {"table": 904}, which takes the next 904 bytes.
"""

import datetime
import io
import json
import math
import re
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.targets.plain import ARRAY_KINDS, MOST_DEPTH
from crowdproof.errors import TargetError, pass_interrupts

MOST_BYTES = 1 << 28
"""256 MiB: some ten million rows of a table, beyond what is run again and again; a judge can still hold a few of them.
"""
MOST_VALUES = 1 << 24
"""Values in the JSON text. Each takes up to a hundred bytes once it is read, and this keeps that below two GiB."""
LONGEST_INTEGER = 1 << 10
"""Bits of an integer that is written in decimal; Python refuses to read decimals of more than 4,300 digits."""

_LENGTH = struct.Struct(">I")
_DTYPE = re.compile(rf"[<>|=][{ARRAY_KINDS}][1-9][0-9]*(\[[0-9]*[a-zA-Z]+\])?")
_LAST_CHARACTER = 0x10FFFF
_AS_IS = frozenset({type(None), bool, float, str})
_ATOMS = _AS_IS | {int}

Tail = list[bytes]
ReadTable = Callable[[bytes], pl.DataFrame]


def encode(value: Any) -> bytes:
    """The bytes of a plain value; what is none is a `TypeError`."""
    tail: Tail = []
    text = json.dumps(_tree(value, tail)).encode()
    return b"".join((_LENGTH.pack(len(text)), text, *tail))


def _tree(value: Any, tail: Tail) -> Any:
    kind = type(value)
    if kind in _AS_IS:
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
    return [each if type(each) in _AS_IS else _tree(each, tail) for each in values]


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
    value.write_ipc_stream(sink)
    return {"table": _put(sink.getvalue(), tail)}


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
}


def own_table(content: bytes) -> pl.DataFrame:
    """The table in bytes that this package wrote; other bytes may end the process."""
    return pl.read_ipc_stream(io.BytesIO(content))


def checked_table(content: bytes) -> pl.DataFrame:
    """The table in bytes that anyone wrote: pyarrow checks every offset, where polars would believe it."""
    import pyarrow as pa  # noqa: PLC0415  (a fork for each run would import it again, and needs it for nothing)

    table = pa.ipc.open_stream(content).read_all()
    table.validate(full=True)
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def decode(content: bytes, what: str, table: ReadTable = checked_table) -> Any:
    """The value in the bytes; `what` names where they came from in the one error that there is, a `TargetError`."""
    try:
        return _decoded(content, table)
    except BaseException as error:  # noqa: BLE001  (polars panics, which is no Exception)
        pass_interrupts(error)
        raise TargetError(f"{what} cannot be read: {type(error).__name__}: {str(error)[:200]}.") from None


def _decoded(content: bytes, table: ReadTable) -> Any:
    (length,) = _LENGTH.unpack_from(content)
    text, rest = content[_LENGTH.size : _LENGTH.size + length], content[_LENGTH.size + length :]
    if len(text) > MOST_VALUES and sum(map(text.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise ValueError(f"it holds more than {MOST_VALUES:,} values")
    reader = _Reader(rest, table)
    value = reader.value(json.loads(text), 0)
    reader.end()
    return value


class _Reader:
    """Reads a tree of JSON, and takes the bytes that it refers to one after the other."""

    def __init__(self, rest: bytes, table: ReadTable) -> None:
        self._rest, self._place, self.table = rest, 0, table

    def value(self, tree: Any, depth: int) -> Any:
        """The value that a tree stands for."""
        if type(tree) in _ATOMS:
            return tree
        if depth > MOST_DEPTH + 1:
            raise ValueError(f"it is nested more than {MOST_DEPTH} times")
        if type(tree) is list:
            return self.values(tree, depth + 1)
        ((tag, content),) = tree.items()
        if tag not in _READERS:
            raise ValueError(f"there is no tag {tag[:20]!r}")
        return _READERS[tag](self, content, depth + 1)

    def values(self, trees: Any, depth: int) -> list[Any]:
        """The values that a list of trees stands for."""
        if type(trees) is not list:
            raise ValueError("a list is missing")
        return [each if type(each) in _ATOMS else self.value(each, depth) for each in trees]

    def take(self, size: Any) -> bytes:
        """The next bytes."""
        if type(size) is not int or not 0 <= size <= len(self._rest) - self._place:
            raise ValueError("bytes are missing")
        self._place += size
        return self._rest[self._place - size : self._place]

    def end(self) -> None:
        """Everything was referred to."""
        if self._place != len(self._rest):
            raise ValueError("bytes are left over")


def _read_dict(reader: _Reader, pairs: Any, depth: int) -> dict[Any, Any]:
    return {reader.value(key, depth): reader.value(each, depth) for key, each in pairs}


def _read_fraction(reader: _Reader, content: Any, depth: int) -> Fraction:  # noqa: ARG001
    numerator, denominator = content
    return Fraction(int(numerator, 16), int(denominator, 16))


def _read_scalar(reader: _Reader, content: Any, depth: int) -> Any:  # noqa: ARG001
    kind, size = content
    return _array_of(kind, (), reader.take(size))[()]


def _read_array(reader: _Reader, content: Any, depth: int) -> Any:  # noqa: ARG001
    kind, shape, size = content
    return _array_of(kind, shape, reader.take(size))


def _read_objects(reader: _Reader, content: Any, depth: int) -> Any:
    shape, trees = content
    objects = np.empty(len(trees), dtype=object)
    for place, each in enumerate(reader.values(trees, depth)):
        objects[place] = each
    return objects.reshape(shape)


_READERS: Mapping[str, Callable[[_Reader, Any, int], Any]] = {
    "integer": lambda _, text, __: int(text, 16),
    "tuple": lambda reader, trees, depth: tuple(reader.values(trees, depth)),
    "set": lambda reader, trees, depth: set(reader.values(trees, depth)),
    "frozenset": lambda reader, trees, depth: frozenset(reader.values(trees, depth)),
    "dict": _read_dict,
    "bytes": lambda reader, size, _: reader.take(size),
    "complex": lambda _, parts, __: complex(*parts),
    "decimal": lambda _, text, __: Decimal(str(text)),
    "fraction": _read_fraction,
    "datetime": lambda _, text, __: datetime.datetime.fromisoformat(text),
    "date": lambda _, text, __: datetime.date.fromisoformat(text),
    "time": lambda _, text, __: datetime.time.fromisoformat(text),
    "duration": lambda _, parts, __: datetime.timedelta(*parts),
    "scalar": _read_scalar,
    "array": _read_array,
    "objects": _read_objects,
    "table": lambda reader, size, _: reader.table(reader.take(size)),
}
"""Tag -> how its content is read."""


def _array_of(kind: Any, shape: Any, content: bytes) -> Any:
    if type(kind) is not str or _DTYPE.fullmatch(kind) is None:
        raise ValueError("there is no such type of an array")
    dtype = np.dtype(kind)
    if any(type(each) is not int or each < 0 for each in shape) or math.prod(shape) * dtype.itemsize != len(content):
        raise ValueError("an array is not of its size")
    array = np.frombuffer(bytearray(content), dtype)
    if dtype.kind == "U" and (array.view(dtype.byteorder + "u4") > _LAST_CHARACTER).any():
        raise ValueError("an array holds no text")
    if dtype.kind == "b":
        array = array.view("u1") != 0
    return array.reshape(tuple(shape))
