"""Mechanisms whose output depends on a table only through a few counts: many samples can be drawn at once."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crowdproof.mechanisms.predicates import Contains
from crowdproof.mechanisms.sampling import poisson_sample

Ints = NDArray[np.int64]


class Counting(ABC):
    """Base of such mechanisms."""

    __slots__ = ()

    @abstractmethod
    def predicates(self) -> tuple[Contains, ...] | None:
        """The predicates whose counts, with the number of rows, decide the law of the output; None: more does."""

    @abstractmethod
    def of_counts(self, total: Ints, held: Sequence[Ints], rng: np.random.Generator) -> Sequence[Any] | NDArray[Any]:
        """The outputs on many tables: table i has total[i] rows, held[p][i] of which match predicate p."""

    @abstractmethod
    def __call__(self, table: Any, rng: np.random.Generator, /) -> Any:
        """Run once."""

    def sampled_batch(self, table: pl.DataFrame, beta: Fraction, rng: np.random.Generator, size: int) -> Any:
        """The outputs on `size` independent Poisson samples of the table."""
        predicates = self.predicates()
        if predicates is None:
            return [self(poisson_sample(table, beta, rng), rng) for _ in range(size)]
        return self.of_counts(*sampled_counts(table, predicates, beta, rng, size), rng)


def sampled_counts(
    table: pl.DataFrame, predicates: Sequence[Contains], beta: Fraction, rng: np.random.Generator, size: int
) -> tuple[Ints, list[Ints]]:
    """For each of `size` Poisson samples its number of rows, and of rows that match each predicate.

    Rows that match the same predicates are of one kind; of n rows of a kind a sample has Bin(n, beta), independently.
    """
    kind_of_row = np.zeros(table.height, dtype=np.int64)
    for place, predicate in enumerate(predicates):
        kind_of_row += predicate.matches(table).to_numpy().astype(np.int64) << place
    kinds, rows = np.unique(kind_of_row, return_counts=True)
    counts = rng.binomial(rows, float(beta), size=(size, len(kinds)))
    held = [counts[:, (kinds >> place) % 2 == 1].sum(axis=1) for place in range(len(predicates))]
    return counts.sum(axis=1), held
