"""Releases and datasets as bytes, in both directions between judge and target: data that is parsed, never run.

A value is a JSON text, followed by the bytes that the text refers to: a number, text, a list and None are themselves;
all else is an object of one tag, such as {"tuple": [1, 2]} or {"table": 904}, which takes the next 904 bytes.
"""

import datetime
import io
import json
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.releases.objects import Other, Record
from crowdproof.audit.releases.sizes import MOST_VALUES, check_decimal, check_parts, check_shape, values_in
from crowdproof.audit.targets.answer_bytes import AS_IS, LENGTH
from crowdproof.audit.targets.arrow import read_checked
from crowdproof.audit.targets.plain import ARRAY_KINDS, MOST_DEPTH
from crowdproof.errors import TargetError, pass_interrupts

MOST_BYTES = 1 << 28
"""256 MiB: some ten million rows of a table, beyond what is run again and again; a judge can still hold a few of them.
"""

_DTYPE = re.compile(rf"[<>|=][{ARRAY_KINDS}][1-9][0-9]*(\[[0-9]*[a-zA-Z]+\])?")
_LAST_CHARACTER = 0x10FFFF
"""The last code point of Unicode."""
_ATOMS = AS_IS | {int}
"""Types of JSON that are values as they stand."""

ReadTable = Callable[[bytes], pl.DataFrame]


def own_table(content: bytes) -> pl.DataFrame:
    """The table in bytes that this package wrote; other bytes may end the process."""
    return pl.read_ipc_stream(io.BytesIO(content))


def checked_table(content: bytes) -> pl.DataFrame:
    """The table in bytes that anyone wrote: pyarrow checks every offset, where polars would believe it."""
    frame = pl.from_arrow(read_checked(content, MOST_BYTES))
    assert isinstance(frame, pl.DataFrame)
    return frame


def decode(content: bytes, what: str, table: ReadTable = checked_table) -> Any:
    """The value in the bytes; `what` names where they came from in the one error that there is, a `TargetError`."""
    try:
        return _decoded(content, table)
    except BaseException as error:  # noqa: BLE001  (polars panics, which is no Exception)
        pass_interrupts(error)
        raise TargetError(f"{what} cannot be read: {type(error).__name__}: {str(error)[:200].rstrip('.')}.") from None


def _decoded(content: bytes, table: ReadTable) -> Any:
    (length,) = LENGTH.unpack_from(content)
    text, rest = content[LENGTH.size : LENGTH.size + length], content[LENGTH.size + length :]
    if values_in(text) > MOST_VALUES:
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
    return check_parts(int(numerator, 16), int(denominator, 16), "it")


def _read_scalar(reader: _Reader, content: Any, depth: int) -> Any:  # noqa: ARG001
    kind, size = content
    return _array_of(kind, (), reader.take(size))[()]


def _read_array(reader: _Reader, content: Any, depth: int) -> Any:  # noqa: ARG001
    kind, shape, size = content
    return _array_of(kind, shape, reader.take(size))


def _read_objects(reader: _Reader, content: Any, depth: int) -> Any:
    shape, trees = content
    check_shape(shape, "it")
    objects = np.empty(len(trees), dtype=object)
    for place, each in enumerate(reader.values(trees, depth)):
        objects[place] = each
    return objects.reshape(shape)


def _read_record(reader: _Reader, content: Any, depth: int) -> Record:
    kind, fields = content
    return Record(str(kind), tuple((str(name), reader.value(each, depth)) for name, each in fields))


def _read_other(reader: _Reader, content: Any, depth: int) -> Other:  # noqa: ARG001
    kind, text = content
    return Other(str(kind), str(text))


_READERS: Mapping[str, Callable[[_Reader, Any, int], Any]] = {
    "integer": lambda _, text, __: int(text, 16),
    "tuple": lambda reader, trees, depth: tuple(reader.values(trees, depth)),
    "set": lambda reader, trees, depth: set(reader.values(trees, depth)),
    "frozenset": lambda reader, trees, depth: frozenset(reader.values(trees, depth)),
    "dict": _read_dict,
    "bytes": lambda reader, size, _: reader.take(size),
    "complex": lambda _, parts, __: complex(*parts),
    "decimal": lambda _, text, __: check_decimal(Decimal(str(text)), "it"),
    "fraction": _read_fraction,
    "datetime": lambda _, text, __: datetime.datetime.fromisoformat(text),
    "date": lambda _, text, __: datetime.date.fromisoformat(text),
    "time": lambda _, text, __: datetime.time.fromisoformat(text),
    "duration": lambda _, parts, __: datetime.timedelta(*parts),
    "scalar": _read_scalar,
    "array": _read_array,
    "objects": _read_objects,
    "other": _read_other,
    "record": _read_record,
    "table": lambda reader, size, _: reader.table(reader.take(size)),
}
"""Tag -> how its content is read."""


def _array_of(kind: Any, shape: Any, content: bytes) -> Any:
    if type(kind) is not str or _DTYPE.fullmatch(kind) is None:
        raise ValueError("there is no such type of an array")
    dtype = np.dtype(kind)
    if any(type(each) is not int or each < 0 for each in shape) or math.prod(shape) * dtype.itemsize != len(content):
        raise ValueError("an array is not of its size")
    check_shape(shape, "it")
    array = np.frombuffer(bytearray(content), dtype)
    if dtype.kind == "U" and (array.view(dtype.byteorder + "u4") > _LAST_CHARACTER).any():
        raise ValueError("an array holds no text")
    if dtype.kind == "b":
        array = array.view("u1") != 0
    return array.reshape(tuple(shape))
