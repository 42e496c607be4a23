"""Pairs of numeric vectors (answers to queries) in the patterns that show the bugs of noisy counting mechanisms."""

from collections.abc import Iterator

import numpy as np

from crowdproof.audit.request import Pair
from crowdproof.claims import Neighbours
from crowdproof.errors import ParameterError


def vector_pairs(length: int, *, every: bool = False, relation: Neighbours = Neighbours.ADD_REMOVE) -> Iterator[Pair]:
    """Vectors of that length that one person's coming or going may tell apart.

    One person changes one answer by at most one, or, with `every`, each of them. Which of the two is right
    is part of what the mechanism claims.

    >>> [pair.right.tolist() for pair in vector_pairs(2)]
    [[0.0, 1.0], [2.0, 1.0]]
    >>> len(list(vector_pairs(5, every=True)))
    8
    """
    if length < 1:
        raise ParameterError(f"a vector of {length} answers has nothing to tell: give at least one.")
    ones = np.ones(length)
    patterns = _patterns(length)
    for name, right in patterns.items():
        if every or np.abs(right - ones).sum() <= 1:
            yield Pair(ones, right, relation, f"all ones against {name}")
    if every and length > 1:
        half = (np.arange(length) < (length + 1) // 2).astype(float)
        yield Pair(half, 1 - half, relation, "ones then zeros against zeros then ones")


def _patterns(length: int) -> dict[str, np.ndarray]:
    place = np.arange(length)
    first, early = place == 0, place < (length + 1) // 2
    patterns = {
        "one below": np.where(first, 0.0, 1.0),
        "one above": np.where(first, 2.0, 1.0),
        "one above, the rest below": np.where(first, 2.0, 0.0),
        "one below, the rest above": np.where(first, 0.0, 2.0),
        "half above, half below": np.where(early, 2.0, 0.0),
        "all above": np.full(length, 2.0),
        "all below": np.zeros(length),
    }
    distinct = {each.tobytes(): name for name, each in reversed(patterns.items())}
    return {name: patterns[name] for name in patterns if distinct[patterns[name].tobytes()] == name}
