"""Numbers of Python and numpy in one form, without loss."""

import math
from typing import Any

import numpy as np


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
    if math.isinf(value):
        return real
    minus_zero = real == 0 and math.copysign(1.0, real) < 0
    return int(value) if real.is_integer() and not minus_zero else real


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
