"""Values of classes that are no container, number or text: by a faithful text, or by their fields.

The text that an object shows of itself may round numbers, leave out the middle of an array, or tell an address in
memory. So it is believed for a closed list of types only. Any other object is read by the fields that it holds, and one
whose content cannot be seen in fields is no release.
"""

import datetime
import ipaddress
import struct
import types
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np
from attrs import field, frozen

from crowdproof.errors import TargetError
from crowdproof.visible import encodable

REMEDY = "return numbers, text, lists, dicts, sets or tables"
"""What a target can do whose output is no release."""
_POINTER = struct.calcsize("P")
"""Bytes that each slot of an object takes."""


@frozen
class Other:
    """Something that is known by its kind and its text, which tells all of it."""

    kind: str = field(converter=encodable)
    text: str = field(converter=encodable)

    def __str__(self) -> str:
        return self.text


def _named(fields: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    return tuple((encodable(name), each) for name, each in fields)


@frozen
class Record:
    """An object that is known by the name of its class and its fields, in their order."""

    kind: str = field(converter=encodable)
    fields: tuple[tuple[str, Any], ...] = field(converter=_named)


_TEXTS: Mapping[type, Callable[[Any], str]] = {
    datetime.datetime: datetime.datetime.__str__,
    datetime.date: datetime.date.__str__,
    datetime.time: datetime.time.__str__,
    datetime.timedelta: datetime.timedelta.__str__,
    Decimal: Decimal.__str__,
    Fraction: lambda value: _ratio(value.numerator, value.denominator),
    complex: complex.__repr__,
    uuid.UUID: uuid.UUID.__str__,
    PurePath: str,
    ipaddress.IPv4Interface: str,
    ipaddress.IPv6Interface: str,
    ipaddress.IPv4Address: str,
    ipaddress.IPv6Address: str,
    ipaddress.IPv4Network: str,
    ipaddress.IPv6Network: str,
}
"""Types whose text tells all of a value; what a subclass says instead has no say for those that can be subclassed."""
_PANDAS = frozenset({"Timestamp", "Timedelta", "NaTType", "NAType", "Interval"})
"""Single values of pandas of which that is true too; they hold more than the types of Python they inherit from."""


def _ratio(numerator: int, denominator: int) -> str:
    """A fraction as a text, in hexadecimal where Python may refuse decimals, which it does from 4,300 digits on."""
    if denominator == 1:
        return whole_text(numerator)
    return f"{whole_text(numerator)}/{whole_text(denominator)}"


def whole_text(value: int) -> str:
    """A whole number in decimal, or in hexadecimal where Python may refuse decimals."""
    return str(value) if value.bit_length() < 2**13 else f"{value:#x}"


def described(value: Any) -> Other | None:
    """The value by its text, if it is of a type whose text tells all of it.

    >>> described(Decimal("1.50")), described(np.longdouble(1) / 4), described(object())
    (Other(kind='Decimal', text='1.50'), None, None)
    """
    kind = type(value)
    if isinstance(value, np.complexfloating | np.datetime64 | np.timedelta64):
        return Other(kind.__name__, str(value))
    if isinstance(value, np.floating):
        return _long_number(value)
    if is_pandas_value(value):
        return Other(kind.__name__, str(value))
    if _is_of_pandas(kind) and kind.__name__ == "Period":
        return Other(kind.__name__, f"{value} ({value.freqstr})")
    base = next((base for base in _TEXTS if isinstance(value, base)), None)
    return None if base is None else Other(base.__name__, _TEXTS[base](value))


def is_pandas_value(value: Any) -> bool:
    """Whether this is a single value of pandas, such as a time with nanoseconds."""
    kind = type(value)
    return _is_of_pandas(kind) and kind.__name__ in _PANDAS


def _is_of_pandas(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "pandas"


def _long_number(value: Any) -> Other | None:
    """A number with more bits than a 64-bit float has, as a fraction; None for one that is such a float or whole."""
    if value != value or value == float(value) or value.is_integer():  # noqa: PLR0124  (nan)
        return None
    numerator, denominator = value.as_integer_ratio()
    return Other(type(value).__name__, _ratio(numerator, denominator))


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of an object by their names: those that its class declares, then all others that it holds.

    >>> fields_of(types.SimpleNamespace(total=3))
    {'total': 3}
    """
    if isinstance(value, Enum):
        return {"name": value.name, "value": value.value}
    names = declared_fields(type(value))
    held = held_fields(value)
    if isinstance(value, BaseException):
        held = {"args": value.args, "text": str(value), **vars(value)}
    if names is None and not held:
        raise TargetError(
            f"the target returned a {type(value).__name__}, which shows nothing of itself that can be compared: "
            f"{REMEDY}."
        )
    declared = {name: getattr(value, name) for name in names or () if hasattr(value, name)}
    return declared | (held or {})


def declared_fields(kind: type) -> list[str] | None:
    """The names of the fields of an attrs class or a dataclass, in their order; None for any other class."""
    for fields in ("__attrs_attrs__", "__dataclass_fields__"):
        if hasattr(kind, fields):
            return [getattr(each, "name", each) for each in getattr(kind, fields)]
    return None


def held_fields(value: Any) -> dict[str, Any] | None:
    """What an object holds in its slots and in its `__dict__`; None where it may hold more than that.

    An object of a class that is written in C may keep its content where Python cannot see it. That shows in its size:
    it is larger than its slots need.
    """
    kind = type(value)
    slots = [
        (name, member)
        for base in kind.__mro__
        for name, member in vars(base).items()
        if isinstance(member, types.MemberDescriptorType) and not name.startswith("__")
    ]
    pointers = len(slots) + (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0)
    if kind.__itemsize__ or kind.__basicsize__ != object.__basicsize__ + pointers * _POINTER:
        return None
    return {**_filled(value, slots), **getattr(value, "__dict__", {})}


def _filled(value: Any, slots: list[tuple[str, Any]]) -> dict[str, Any]:
    """The slots that hold something."""
    found = {}
    for name, member in slots:
        try:
            found[name] = member.__get__(value)
        except AttributeError:
            continue
    return found


_BUILT_IN = (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, np.ndarray, np.generic)
"""Types of which a subclass is its content, together with the fields that its objects hold besides."""


def added_fields(value: Any) -> dict[str, Any]:
    """What an object of a subclass of a built-in type holds besides the content of that type."""
    if type(value) in _BUILT_IN or not isinstance(value, _BUILT_IN) or isinstance(value, Enum | np.ma.MaskedArray):
        return {}
    held = getattr(value, "__dict__", None)
    return dict(held) if isinstance(held, dict) else {}
