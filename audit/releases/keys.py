"""Equality of releases: equal canonical forms have equal codes, and the same ones in every process."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdproof.audit.releases.canonical import looked_at
from crowdproof.audit.releases.spelling import spelled

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio, made odd: a multiplication by it spreads the bits and can be undone."""


def code(output: Any) -> int:
    """A 64-bit number for a release: equal for equal ones, the same in every process.

    The order of rows and of the entries of a mapping counts, the order inside sets does not.

    >>> code([1, 2.0]) == code((1, 2)), code({"b": 1, "a": {2, 3}}) == code({"b": 1, "a": {3, 2}})
    (True, True)
    >>> code(float("nan")) == code(float("nan")), code(0.0) == code(-0.0), code(True) == code(1)
    (True, False, False)
    """
    return int.from_bytes(hashlib.blake2b(spelled(looked_at(output)).encode(), digest_size=8).digest(), "little")


def same(one: Any, other: Any) -> bool:
    """Whether two releases are one and the same to everything that looks at them: their canonical forms are equal.

    >>> same(np.array([1.0, np.nan]), [1, float("nan")]), same([1, 2], [2, 1]), same(0.0, -0.0)
    (True, False, False)
    """
    return spelled(looked_at(one)) == spelled(looked_at(other))


def row_codes(matrix: NDArray[np.float64]) -> NDArray[np.uint64]:
    """A 64-bit number for each row of numbers."""
    bits = np.ascontiguousarray(matrix).view(np.uint64)
    total = np.zeros(len(matrix), np.uint64)
    for column in range(bits.shape[1]):
        mixed = (total ^ bits[:, column]) * _ODD
        total = mixed ^ (mixed >> np.uint64(29))
    return total
