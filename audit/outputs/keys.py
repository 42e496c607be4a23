"""Canonical keys: equal outputs get equal keys, whatever container or order-free collection they came in."""

import hashlib
import math
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crowdproof.errors import TargetError

_ODD = np.uint64(0x9E3779B97F4A7C15)


def key(output: Any) -> Hashable:  # noqa: PLR0911  (one return for each kind of output)
    """A hashable value that stands for the output: row order counts, the order inside sets and dicts does not.

    >>> key([1, 2.0]) == key((1, 2)), key({"b": 1, "a": {2, 3}}) == key({"a": {3, 2}, "b": 1})
    (True, True)
    >>> key(float("nan")) == key(float("nan")), key(0.0) == key(-0.0), key(True) == key(1)
    (True, False, False)
    """
    match output:
        case None | str() | bytes():
            return output
        case bool() | np.bool_():
            return ("bool", bool(output))
        case int() | float() | np.integer() | np.floating():
            return _number(output)
        case Decimal() | Fraction() | complex():
            return (type(output).__name__, str(output))
        case Mapping():
            return ("mapping", *sorted(((key(name), key(value)) for name, value in output.items()), key=repr))
        case AbstractSet():
            return ("set", *sorted((key(each) for each in output), key=repr))
        case np.ndarray() | Sequence():
            return ("list", *map(key, output))
    table = as_table(output)
    if table is not None:
        return ("table", tuple(table.columns), *(key(row) for row in table.rows()))
    return _other(output)


def as_table(output: Any) -> pl.DataFrame | None:
    """The output as a polars table, if it is a table of any common kind."""
    if isinstance(output, pl.DataFrame):
        return output
    if isinstance(output, pl.LazyFrame):
        return output.collect()
    module = type(output).__module__.partition(".")[0]
    if module == "pyarrow" and hasattr(output, "to_pydict"):
        return pl.DataFrame(output.to_pydict(), strict=False)
    if module == "pandas" and hasattr(output, "columns"):
        # by way of plain lists: pandas' object columns hold mixed types, and its index is not part of what is read
        columns = {str(name): output[name].tolist() for name in output.columns}
        return pl.DataFrame({name: _uniform(values) for name, values in columns.items()}, strict=False)
    return None


def code(output: Any) -> int:
    """A 64-bit number for the key, the same in every process."""
    return int.from_bytes(hashlib.blake2b(repr(key(output)).encode(), digest_size=8).digest(), "little")


def row_codes(matrix: NDArray[np.float64]) -> NDArray[np.uint64]:
    """A 64-bit number for each row of numbers."""
    bits = np.ascontiguousarray(matrix).view(np.uint64)
    total = np.zeros(len(matrix), np.uint64)
    for column in range(bits.shape[1]):
        mixed = (total ^ bits[:, column]) * _ODD
        total = mixed ^ (mixed >> np.uint64(29))
    return total


def _number(value: Any) -> Hashable:
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, int):
        return number
    if math.isnan(number):
        return "nan"
    if number == 0 and math.copysign(1, number) < 0:
        return "-0.0"
    return int(number) if number.is_integer() else number


def _uniform(values: list[Any]) -> list[Any]:
    kinds = {type(each) for each in values}
    return values if len(kinds) <= 1 else [None if each is None else str(each) for each in values]


def _other(output: Any) -> Hashable:
    if hasattr(output, "__attrs_attrs__"):
        return (type(output).__name__, *(key(getattr(output, each.name)) for each in output.__attrs_attrs__))
    if hasattr(output, "__dataclass_fields__"):
        return (type(output).__name__, *(key(getattr(output, name)) for name in output.__dataclass_fields__))
    if repr(output) == object.__repr__(output):
        raise TargetError(
            f"the target returned a {type(output).__name__}, which shows nothing of itself: "
            "return numbers, text, lists, dicts, sets or tables."
        )
    return (type(output).__name__, repr(output))
