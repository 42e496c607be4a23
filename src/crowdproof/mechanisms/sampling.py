"""Poisson sampling, exactly: each row is kept with probability beta, independently of all others."""

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from attrs import asdict, evolve, field, frozen
from numpy.typing import NDArray

from crowdproof.exact import Number, rate
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms.parameters import as_beta

_DIGIT = 2**32


def bernoulli(beta: Fraction, rng: np.random.Generator, size: int) -> NDArray[np.bool_]:
    """`size` independent coins that are true with probability exactly beta, for any rational beta in [0, 1].

    Compares the digits, in base 2^32, of a uniform number with those of beta, one after the other until they differ.
    """
    coins = np.zeros(size, dtype=np.bool_)
    open_coins, rest = np.arange(size), beta
    while len(open_coins) and rest > 0:
        digit, rest = divmod(rest * _DIGIT, 1)
        uniform = rng.integers(_DIGIT, size=len(open_coins), dtype=np.uint64)
        coins[open_coins[uniform < int(digit)]] = True
        open_coins = open_coins[uniform == int(digit)]
    return coins


def poisson_sample(table: pl.DataFrame, beta: Number, rng: np.random.Generator) -> pl.DataFrame:
    """Each row of the table with probability beta, independently, in the order of the table.

    >>> poisson_sample(pl.DataFrame({"a": range(1000)}), "1/4", np.random.default_rng(1)).height
    236
    """
    return table.filter(pl.Series(bernoulli(rate(beta), rng, table.height)))


@frozen
class Fitted:
    """A k-anonymizer that refuses a table of fewer than k rows; with `total`, such a table has the empty release."""

    total: bool = field(default=False, kw_only=True)


class Composed:
    """A mechanism that runs those in its fields on the table that it is given."""

    __slots__ = ()


def for_samples(mechanism: Any) -> Any:
    """The mechanism, made total where it can be: a sample may be of any size, also smaller than k.

    This concerns the k-anonymizers here and what is made of them. A mechanism of your own stays as it is, whatever its
    fields are called: it would be another one with any of them changed.
    """
    if isinstance(mechanism, Fitted):
        return evolve(mechanism, total=True)
    if not isinstance(mechanism, Composed):
        return mechanism
    parts = asdict(mechanism, recurse=False)  # type: ignore[arg-type]
    return evolve(mechanism, **{name: for_samples(part) for name, part in parts.items()})  # type: ignore[misc]


@frozen
class Sampled:
    """A^beta of Definition 3: T holds each row of D with probability beta, independently; the output is A(T).

    A is made total by `for_samples`. Where A has a faster way to draw many outputs (`sampled_batch`), `batch` takes it.
    """

    beta: Fraction = field(converter=as_beta)
    mechanism: Mechanism = field(converter=for_samples)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> Any:
        """The output of the mechanism on one sample."""
        return self.mechanism(poisson_sample(table, self.beta, rng), rng)

    @property
    def independent(self) -> bool:
        """Whether runs do not depend on one another: where the mechanism stands for it by a faster way of its own."""
        return hasattr(self.mechanism, "sampled_batch")

    def batch(self, table: pl.DataFrame, rng: np.random.Generator, size: int) -> Any:
        """`size` outputs on independent samples."""
        if hasattr(self.mechanism, "sampled_batch"):
            return self.mechanism.sampled_batch(table, self.beta, rng, size)
        return [self(table, rng) for _ in range(size)]
