"""Mechanisms that are private alone and betray a secret together: DP under sampling does not compose.

Each outputs a plain truth value; `Both` runs two of them on the same data.
"""

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import polars as pl
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, whole
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms.noise import Laplace
from crowdproof.mechanisms.parameters import as_epsilon, as_sensitivity, as_size
from crowdproof.mechanisms.predicates import Contains, Value, sampled_counts
from crowdproof.mechanisms.tables import require_columns

Bools = NDArray[np.bool_]


def _block(written: Number) -> int:
    return whole(written, "block")


@frozen
class Parity:
    """r(T) = [floor(|T| / block) is odd] when |T| >= at_least, else false; XORed with s(T) where a secret s is given.

    `Parity()` is the first algorithm of section 2.2 and `Parity(secret=s)` the second. Together they show s(T), by one
    XOR. Both need the threshold to be DPS: of a table with a single row, the sample's parity tells whether it is there.
    """

    deterministic: ClassVar[bool] = True
    secret: Contains | None = None
    at_least: int = field(default=0, converter=as_size)
    block: int = field(default=1, converter=_block)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> bool:  # noqa: ARG002
        """The truth value for the table."""
        present = self.secret is not None and self.secret(table)
        return bool(self.of(np.array(table.height), np.array(present)))

    def of(self, size: NDArray[np.integer], present: NDArray[Any]) -> Bools:
        """The truth value as a function of the table's size and of the secret."""
        odd: Bools = (size // self.block) % 2 == 1
        return (size >= self.at_least) & (odd ^ (present > 0))

    def sampled_batch(self, table: pl.DataFrame, beta: Fraction, rng: np.random.Generator, size: int) -> Bools:
        """The outputs on `size` Poisson samples, from how many rows with and without the secret each has."""
        target = 0 if self.secret is None else int(self.secret.matches(table).sum())
        counts = sampled_counts(np.array([target, table.height - target]), beta, rng, size)
        return self.of(counts.sum(axis=1), counts[:, 0])


@frozen
class MajorityXor:
    """A_1 of section 2.6 as printed: r(T) XOR s(T) when |T| >= at_least, else false.

    r(T): more rows have `value` in `column` than do not. It is not DPS: when all rows of D have the value, r(T) is
    certain and the output is NOT s(T), so delta is beta.
    """

    deterministic: ClassVar[bool] = True
    secret: Contains
    column: str = "gender"
    value: Value = "male"
    at_least: int = field(default=1000, converter=as_size)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> bool:  # noqa: ARG002
        """The truth value for the table."""
        holders = Contains({self.column: self.value}).matches(table).sum()
        majority = 2 * holders > table.height
        return table.height >= self.at_least and majority != self.secret(table)

    def sampled_batch(self, table: pl.DataFrame, beta: Fraction, rng: np.random.Generator, size: int) -> Bools:
        """The outputs on `size` Poisson samples, from how many rows of each of four kinds each has."""
        held = Contains({self.column: self.value}).matches(table).to_numpy()
        kinds = np.bincount(2 * self.secret.matches(table).to_numpy().astype(np.int64) + held, minlength=4)
        counts = sampled_counts(kinds, beta, rng, size)
        total, majority = counts.sum(axis=1), 2 * counts[:, [1, 3]].sum(axis=1) > counts.sum(axis=1)
        present = counts[:, 2:].sum(axis=1) > 0
        result: Bools = (total >= self.at_least) & (majority ^ present)
        return result


@frozen
class Share:
    """The share of rows that have `value` in `column`, from 0 to 1; 0 for no rows at all.

    One row more or less moves it by up to 1: from no rows to one.
    """

    column: str = "gender"
    value: Value = "male"

    def __call__(self, table: pl.DataFrame) -> float:
        """The share."""
        require_columns(table, [self.column])
        holders = int(Contains({self.column: self.value}).matches(table).sum())
        return holders / table.height if table.height else 0.0


def size_of(table: pl.DataFrame) -> float:
    """The number of rows; one row more or less moves it by exactly 1."""
    return float(table.height)


@frozen
class Both:
    """The two mechanisms on the same data; the output is the pair of theirs."""

    first: Mechanism
    second: Mechanism

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> tuple[Any, Any]:
        """The pair of outputs."""
        return self.first(table, rng), self.second(table, rng)


def xor_pair(secret: Contains, at_least: int = 0) -> Both:
    """The pair of section 2.2: parity, and parity XOR secret."""
    return Both(Parity(at_least=at_least), Parity(secret, at_least))


def printed_pair(secret: Contains, epsilon: Number | Epsilon, sensitivity: Number = 1, at_least: int = 1000) -> Both:
    """The pair of section 2.6 as printed: majority XOR secret, and the share of males with Laplace noise.

    The paper leaves the noise open. A share has global sensitivity 1, and with noise for that the second output no
    longer shows the majority; with the smaller noise that the paper has in mind, it is not epsilon-DP.
    """
    loss = as_epsilon(epsilon)
    return Both(MajorityXor(secret, at_least=at_least), Laplace(loss, as_sensitivity(sensitivity), Share()))


def repaired_pair(secret: Contains, epsilon: Number | Epsilon, block: int, at_least: int) -> Both:
    """A pair that makes section 2.6's point: the parity of blocks of the sample's size XOR secret, and the noisy size.

    The size has sensitivity exactly 1, so the second is epsilon-DP. With `block` well above 1/epsilon it shows the
    number of the block, while the spread of the sample's size over many blocks makes the first DPS.
    """
    if block > at_least:
        raise ParameterError(f"block is {block} and at_least {at_least}: blocks must be smaller than the threshold.")
    return Both(Parity(secret, at_least, block), Laplace(epsilon, 1, size_of))
