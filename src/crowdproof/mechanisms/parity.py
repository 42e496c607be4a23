"""Mechanisms that are private alone and betray a secret together: DP under sampling does not compose.

Each outputs a plain truth value; `Both` runs two of them on the same data.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, whole
from crowdproof.mechanism import Mechanism, is_deterministic
from crowdproof.mechanisms.counting import Counting, Ints
from crowdproof.mechanisms.noise import Laplace
from crowdproof.mechanisms.parameters import as_epsilon, as_sensitivity, as_size
from crowdproof.mechanisms.predicates import Contains, Value
from crowdproof.mechanisms.sampling import Composed

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def _block(written: Number) -> int:
    return whole(written, "block")


@frozen
class Parity(Counting):
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
        odd = table.height // self.block % 2 == 1
        return table.height >= self.at_least and odd != (self.secret is not None and self.secret(table))

    def predicates(self) -> tuple[Contains, ...]:
        """The secret, if there is one."""
        return () if self.secret is None else (self.secret,)

    def of_counts(self, total: Ints, held: Sequence[Ints], rng: np.random.Generator) -> Bools:  # noqa: ARG002
        """The truth values."""
        odd = total // self.block % 2 == 1
        value: Bools = odd ^ (held[0] > 0) if held else odd
        return value & (total >= self.at_least)


@frozen
class MajorityXor(Counting):
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
        majority = 2 * int(self.predicates()[0].matches(table).sum()) > table.height
        return table.height >= self.at_least and majority != self.secret(table)

    def predicates(self) -> tuple[Contains, ...]:
        """The value, and the secret."""
        return Contains({self.column: self.value}), self.secret

    def of_counts(self, total: Ints, held: Sequence[Ints], rng: np.random.Generator) -> Bools:  # noqa: ARG002
        """The truth values."""
        value: Bools = (2 * held[0] > total) ^ (held[1] > 0)
        return value & (total >= self.at_least)


@frozen
class Share:
    """The share of rows that have `value` in `column`, from 0 to 1; 0 for no rows at all.

    One row more or less moves it by up to 1: from no rows to one.
    """

    column: str = "gender"
    value: Value = "male"

    def __call__(self, table: pl.DataFrame) -> float:
        """The share."""
        return int(self.predicates()[0].matches(table).sum()) / max(table.height, 1)

    def predicates(self) -> tuple[Contains, ...]:
        """The value."""
        return (Contains({self.column: self.value}),)

    def of_counts(self, total: Ints, held: Sequence[Ints]) -> Floats:
        """The shares in many tables."""
        return np.true_divide(held[0], np.maximum(total, 1))


@frozen
class Size:
    """The number of rows; one row more or less moves it by exactly 1."""

    def __call__(self, table: pl.DataFrame) -> float:
        """The size."""
        return float(table.height)

    def predicates(self) -> tuple[Contains, ...]:
        """None are needed."""
        return ()

    def of_counts(self, total: Ints, held: Sequence[Ints]) -> Floats:  # noqa: ARG002
        """The sizes of many tables."""
        return total.astype(np.float64)


@frozen
class Both(Counting, Composed):
    """The two mechanisms on the same data; the output is the pair of theirs."""

    first: Mechanism
    second: Mechanism

    @property
    def deterministic(self) -> bool:
        """Whether both ignore their rng."""
        return is_deterministic(self.first) and is_deterministic(self.second)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> tuple[Any, Any]:
        """The pair of outputs."""
        return self.first(table, rng), self.second(table, rng)

    def predicates(self) -> tuple[Contains, ...] | None:
        """Those of both, if counts decide for both."""
        found = [each.predicates() if isinstance(each, Counting) else None for each in (self.first, self.second)]
        return None if found[0] is None or found[1] is None else found[0] + found[1]

    def of_counts(self, total: Ints, held: Sequence[Ints], rng: np.random.Generator) -> list[tuple[Any, Any]]:
        """The pairs of outputs."""
        assert isinstance(self.first, Counting)
        assert isinstance(self.second, Counting)
        border = len(self.first.predicates() or ())
        firsts = self.first.of_counts(total, held[:border], rng)
        seconds = self.second.of_counts(total, held[border:], rng)
        return list(zip(np.asarray(firsts).tolist(), np.asarray(seconds).tolist(), strict=True))


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
    return Both(Parity(secret, at_least, block), Laplace(epsilon, 1, Size()))
