"""Which neighbouring datasets to look at: worst cases made by hand, the user's own data, and a guided search."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import polars as pl
from attrs import frozen

from crowdproof.audit.neighbours.own_data import own_data
from crowdproof.audit.neighbours.schema import schema_of
from crowdproof.audit.neighbours.search import Climb, Score, Space, search
from crowdproof.audit.neighbours.vectors import vector_pairs
from crowdproof.audit.neighbours.worst_cases import Setting, worst_cases
from crowdproof.audit.request import Pair
from crowdproof.claims import Neighbours
from crowdproof.errors import DataError
from crowdproof.exact import Epsilon
from crowdproof.mechanism import Capabilities

__all__ = ["Climb", "Proposals", "Score", "vector_pairs"]

USUAL_K = (5, 2, 10)
"""Group sizes to try where the target does not tell its own: a guess at what is usual, the commonest first."""


@frozen(eq=False)
class Proposals:
    """Where to look for a leak, given the user's data and what is claimed."""

    data: Any
    target: object
    relation: Neighbours
    epsilon: Epsilon
    beta: Fraction | None

    def worst_cases(self) -> Iterator[Pair]:
        """Tables made by hand from the values of the data."""
        if isinstance(self._given, pl.DataFrame):
            schema = schema_of(self._given)
            for k in group_sizes(self.target):
                yield from worst_cases(Setting(schema, self.relation, epsilon=self.epsilon, beta=self.beta, k=k))

    def own_data(self) -> Iterator[Pair]:
        """The data itself with a row removed or replaced."""
        yield from own_data(self._given, self.relation)

    def search(self, score: Score, *, examples: int, seed: int) -> Climb | None:
        """Let the guided search look for a pair; None where the data is no table to take values from."""
        if not isinstance(self._given, pl.DataFrame):
            return None
        near = {1, 2, 3} | {size for k in group_sizes(self.target) for size in (k - 1, k, k + 1, 2 * k) if size > 0}
        space = Space(schema_of(self._given), self.relation, tuple(sorted(near)))
        return search(space, score, examples=examples, seed=seed)

    @property
    def _given(self) -> Any:
        if self.data is None:
            raise DataError("there is nothing to audit on: give data, or pairs of neighbouring datasets of your own.")
        return self.data


def group_sizes(target: object) -> tuple[int, ...]:
    """The k that the target declares, by attribute or among its parameters, else a few usual ones."""
    declared = Capabilities.of(target).k
    return USUAL_K if declared is None else (declared,)
