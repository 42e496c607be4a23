"""Features: what is looked at in a release, each a number with a name; here those of vectors of numbers."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Feature: TypeAlias = tuple[Any, ...]
"""What is looked at, as JSON values: ("value", 3), ("range ends", "income", "35000000"), ..."""

BITS = 52
"""Bits of the fraction of a floating-point number; its sign and exponent are seen in its value."""


def number_feature(matrix: Floats, feature: Feature) -> Floats:
    """One feature of each row of numbers."""
    kind, *places = feature
    return np.asarray(_OF_NUMBERS[kind](matrix, *places), dtype=float)


def _step(matrix: Floats, place: int) -> Floats:
    with np.errstate(invalid="ignore"):  # of two infinities
        return np.asarray(matrix[:, place] - matrix[:, place - 1])


def grain(values: Floats) -> Floats:
    """Exponent of the last set bit: 2**grain is the largest power of two that divides the number.

    Sums of a constant and floating-point noise are multiples of the constant's own spacing; the noise alone is not.

    >>> grain(np.array([0.5, 0.75, 6.0]))
    array([-1., -2.,  1.])
    """
    with np.errstate(invalid="ignore"):
        mantissa, exponent = np.frexp(values)
        whole = np.where(np.isfinite(mantissa), mantissa * 2.0**53, 0.0).astype(np.int64)
    lowest = whole & -whole
    found = np.where(lowest > 0, np.log2(np.maximum(lowest, 1).astype(float)) + exponent - 53, np.nan)
    return np.asarray(np.where(values == 0, 1024.0, found))


def _last_digit(values: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # of an infinity
        return np.asarray(np.fmod(np.abs(values), 10.0))


def _bit(values: Floats, bit: int) -> Floats:
    bits = np.ascontiguousarray(values).view(np.uint64)
    return np.asarray((bits >> np.uint64(bit)) & np.uint64(1)).astype(float)


def bit_counts(values: Floats) -> NDArray[np.int64]:
    """How many of the numbers have each bit of the fraction set."""
    bits = np.ascontiguousarray(values).view(np.uint64)
    return np.array([np.count_nonzero(bits & np.uint64(1 << bit)) for bit in range(BITS)])


_OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "value": lambda matrix, place: matrix[:, place],
    "step": _step,
    "sum": lambda matrix: np.where(np.isfinite(matrix), matrix, 0.0).sum(1),
    "largest": lambda matrix: np.fmax.reduce(matrix, axis=1),
    "smallest": lambda matrix: np.fmin.reduce(matrix, axis=1),
    "place of the largest": lambda matrix: np.where(np.isnan(matrix), -np.inf, matrix).argmax(1),
    "missing": lambda matrix: np.isnan(matrix).sum(1),
    "finite": lambda matrix: np.isfinite(matrix).sum(1),
    "last digit": lambda matrix, place: _last_digit(matrix[:, place]),
    "grain": lambda matrix, place: grain(matrix[:, place]),
    "bit": lambda matrix, place, bit: _bit(matrix[:, place], bit),
}
