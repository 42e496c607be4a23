"""eps-safe k-anonymization: the scheme is chosen from a fixed family by a differentially private first step."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, rational, show
from crowdproof.mechanisms.apply import Mapping, drop_rare
from crowdproof.mechanisms.parameters import as_beta, as_epsilon, as_k
from crowdproof.mechanisms.recoding import Scheme
from crowdproof.mechanisms.sampling import poisson_sample
from crowdproof.mechanisms.selection import exact_choice


def _weight(written: Number) -> Fraction:
    weight = rational(written, "weight")
    if not 0 <= weight <= 1:
        raise ParameterError(f"weight is {show(weight)}: a scheme's worth lies between 0 and 1.")
    return weight


@frozen
class Candidate:
    """A scheme, and how much a row released by it is worth: fixed before any data is seen, from 0 to 1."""

    scheme: Scheme
    weight: Fraction = field(default=Fraction(1), converter=_weight)


def _family(written: Iterable[Candidate | Scheme]) -> tuple[Candidate, ...]:
    return tuple(each if isinstance(each, Candidate) else Candidate(each) for each in written)


class Quality(Protocol):
    """How good a scheme is for a table."""

    def rows(self, counts: Sequence[int], k: int) -> int:
        """The quality of a scheme of weight 1 whose cells have these counts."""

    def sensitivity(self, k: int) -> int:
        """The most that `rows` changes between neighbours, by either relation."""


@frozen
class ReleasedRows:
    """q = sum of n_c over cells with n_c >= k: the rows that are released. Sensitivity k.

    One more row in a cell of n rows adds 0 when n + 1 < k, k when n + 1 = k, and 1 when n >= k: at most k. A
    replacement takes 0, 1 or k away and adds 0, 1 or k: the difference is again at most k.
    """

    def rows(self, counts: Sequence[int], k: int) -> int:
        """The rows that are released."""
        return sum(count for count in counts if count >= k)

    def sensitivity(self, k: int) -> int:
        """As large as k."""
        return k


@frozen
class ExcessRows:
    """q = sum of max(n_c - (k - 1), 0) over cells: the released rows beyond k - 1 in each cell. Sensitivity 1.

    One more row in a cell of n rows adds 0 when n + 1 < k and 1 otherwise. A replacement takes 0 or 1 away and adds 0
    or 1: the difference is at most 1. So the same epsilon chooses k times as sharply as with `ReleasedRows`.
    """

    def rows(self, counts: Sequence[int], k: int) -> int:
        """The rows beyond k - 1 of each cell."""
        return sum(max(count - k + 1, 0) for count in counts)

    def sensitivity(self, k: int) -> int:  # noqa: ARG002
        """One, whatever k is."""
        return 1


class TwoStep(Protocol):
    """A k-anonymizer in the paper's form: `choose` a mapping, then apply it and drop what is rare."""

    k: int

    def choose(self, table: pl.DataFrame, rng: np.random.Generator, /) -> Mapping:
        """The first step, A_m."""


@frozen
class EpsSafe:
    """A(D) = Apply(g, D, k), with g chosen from the family by the exponential mechanism: A_m is epsilon-DP.

    Pr[g = g_i] is proportional to e^(epsilon w_i q_i(D) / (2 S)), where q is the quality, S its sensitivity and
    w_i <= 1 the weight of g_i. Between neighbours each exponent moves by at most epsilon/2, and so does the logarithm
    of the sum: the choice is epsilon-DP for both neighbour relations. It is drawn exactly.

    Both steps see the same table, as printed in the paper: under sampling, Theorem 6's delta then does not hold in
    general, since the choice tells something about the sample that is released. `TwoSamples` is the repaired form.
    """

    family: tuple[Candidate, ...] = field(converter=_family)
    k: int = field(converter=as_k)
    epsilon: Epsilon = field(converter=as_epsilon)
    quality: Quality = field(factory=ExcessRows)

    def __attrs_post_init__(self) -> None:
        if not self.family:
            raise ParameterError("the family of schemes is empty: give at least one.")
        if len({frozenset(each.scheme.names) for each in self.family}) != 1:
            raise ParameterError("the schemes of a family release different columns: let all name the same ones.")

    def choose(self, table: pl.DataFrame, rng: np.random.Generator) -> Scheme:
        """The first step: an epsilon-DP choice among the schemes."""
        return self.family[exact_choice(self.epsilon, self.exponents(table), rng)].scheme

    def exponents(self, table: pl.DataFrame) -> list[Fraction]:
        """The w_i q_i / (2 S): a scheme's probability is proportional to e to epsilon times that."""
        scale = Fraction(1, 2 * self.quality.sensitivity(self.k))
        return [each.weight * self.quality.rows(_counts(each.scheme, table), self.k) * scale for each in self.family]

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        """The release, by both steps on the same table."""
        return drop_rare(self.choose(table, rng)(table), self.k)


def _counts(scheme: Scheme, table: pl.DataFrame) -> list[int]:
    return scheme(table).group_by(scheme.names).len()["len"].to_list()


@frozen
class TwoSamples:
    """The repaired form of an eps-safe algorithm under sampling: choose on one sample, apply to another.

    T_1 and T_2 are independent Poisson samples of D at rate beta; the output is Apply(A_m(T_1), T_2, k). The choice is
    independent of what is released, so for epsilon_1-safe A_m the privacy losses add up: (epsilon, delta)-DP with
    delta = d(k, beta, epsilon - epsilon_1), the number that Theorem 6 prints.
    """

    beta: Fraction = field(converter=as_beta)
    mechanism: TwoStep

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        """The release of a sample by the choice of another."""
        mapping = self.mechanism.choose(poisson_sample(table, self.beta, rng), rng)
        return drop_rare(mapping(poisson_sample(table, self.beta, rng)), self.mechanism.k)
