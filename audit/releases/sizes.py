"""How large a release may be, counted in what it stands for: a few bytes can stand for more than any memory holds.

A column of nothing but missing cells takes no memory, an array with an empty axis has no bytes, and a decimal number of
twelve letters can have a thousand million digits. Whoever writes them out one by one never ends.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import prod

import polars as pl

from crowdproof.errors import TargetError

MOST_CELLS = 1 << 25
"""Cells of a table or an array: what 256 MiB, the largest answer, hold of numbers of eight bytes each."""
MOST_COLUMNS = 1 << 16
"""Columns of a table: four times what a worksheet has. Each takes half a kilobyte, even where the table has no row."""
MOST_VALUES = 1 << 24
"""Values in a JSON text. Each takes up to a hundred bytes once it is read, and this keeps that below two GiB."""
MOST_DIGITS = 10_000
"""Digits of a decimal number before or after its point: the largest decimal format of IEEE 754 has some 6,200."""
MOST_BITS = 1 << 17
"""Bits of either part of a fraction: to reduce one of 130,000 takes some hundredths of a second, and longer ones take
the square of that."""
_LESS = "let it release less"


def check_shape(shape: Sequence[int], what: str = "the target") -> None:
    """Refuse an array whose axes stand for too many cells; an empty axis counts as one cell, since it is one list."""
    if prod(max(each, 1) for each in shape) > MOST_CELLS:
        axes = " x ".join(f"{each:,}" for each in shape)
        raise TargetError(f"{what} returned an array of {axes} cells, and {MOST_CELLS:,} are read: {_LESS}.")


def check_table(table: pl.DataFrame, what: str = "the target") -> None:
    """Refuse a table with too many cells, or too many columns."""
    check_size(pl.DataFrame.height.__get__(table), pl.DataFrame.width.__get__(table), what)


def check_size(height: int, width: int, what: str = "the target") -> None:
    """Refuse a table of so many rows and columns, before it is made.

    >>> check_size(2, 100_000, "it")
    Traceback (most recent call last):
    ...
    crowdproof.errors.TargetError: it returned a table of 100,000 columns, and 65,536 are read: let it release less.
    """
    if width > MOST_COLUMNS:
        raise TargetError(f"{what} returned a table of {width:,} columns, and {MOST_COLUMNS:,} are read: {_LESS}.")
    if max(height, 1) * max(width, 1) > MOST_CELLS:
        size = f"{height:,} rows and {width:,} columns"
        raise TargetError(f"{what} returned a table of {size}, and {MOST_CELLS:,} cells are read: {_LESS}.")


def values_in(text: str | bytes) -> int:
    """At most how many values a JSON text holds; of a short one, its length is the answer.

    >>> values_in('{"value": [[], 3]}')
    18
    """
    if len(text) <= MOST_VALUES:
        return len(text)
    if isinstance(text, str):
        return sum(map(text.count, (",", "[", "{")))
    return sum(map(text.count, (b",", b"[", b"{")))


def check_decimal(value: Decimal, what: str = "the target") -> Decimal:
    """The number, if it can be written out.

    >>> check_decimal(Decimal("1E+999999999"), "it")
    Traceback (most recent call last):
    ...
    crowdproof.errors.TargetError: it returned a decimal number of more than 10,000 digits: let it return a rounded one.
    """
    if abs(Decimal.adjusted(value)) > MOST_DIGITS or len(Decimal.__str__(value)) > MOST_DIGITS:
        number = f"a decimal number of more than {MOST_DIGITS:,} digits"
        raise TargetError(f"{what} returned {number}: let it return a rounded one.")
    return value


def check_parts(numerator: int, denominator: int, what: str = "the target") -> Fraction:
    """The fraction of these parts, if it can be reduced in no time."""
    if max(numerator.bit_length(), denominator.bit_length()) > MOST_BITS:
        raise TargetError(f"{what} returned a fraction of more than {MOST_BITS:,} bits: let it return a rounded one.")
    return Fraction(numerator, denominator)


def real(text: str) -> float:
    """The number in a text such as 1.5E+3 or 1/3, rounded once; a `ValueError` or `ArithmeticError` where it is none.

    A float has an end on both sides, which an exact number has not: 1E+999999999 is beyond it at once.

    >>> real("1/4"), real("1E-999999999")
    (0.25, 0.0)
    """
    above, slash, below = text.partition("/")
    return int(above) / int(below) if slash else float(text)
