"""Which neighbouring datasets to look at: worst cases made by hand, the user's own data, and a guided search."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import polars as pl

from crowdproof.audit.interface import Pair
from crowdproof.audit.neighbours.schema import schema_of
from crowdproof.audit.neighbours.worst_cases import Setting, worst_cases
from crowdproof.claims import Neighbours
from crowdproof.errors import DataError
from crowdproof.exact import Epsilon

USUAL_K = (5, 10, 2)
"""Group sizes to try where the target does not tell its own."""


def propose(data: Any, target: object, relation: Neighbours, epsilon: Epsilon, beta: Fraction | None) -> Iterator[Pair]:
    """Pairs to examine, the likeliest to show a leak first."""
    if data is None:
        raise DataError("there is nothing to audit on: give data, or pairs of neighbouring datasets of your own.")
    if isinstance(data, pl.DataFrame):
        schema = schema_of(data)
        for k in group_sizes(target):
            yield from worst_cases(Setting(schema, relation, epsilon, beta, k))


def group_sizes(target: object) -> tuple[int, ...]:
    """The k that the target declares (or the target inside it), else a few usual ones."""
    k = getattr(target, "k", None)
    return (k,) if isinstance(k, int) and k >= 1 else USUAL_K
