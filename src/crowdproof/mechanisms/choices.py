"""Private answers of yes and no, and which cells there are: randomized response, sparse vector, noisy threshold."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Epsilon
from crowdproof.mechanisms.discrete import two_sided
from crowdproof.mechanisms.noise import geometric, itself, lattice_step, on_lattice
from crowdproof.mechanisms.parameters import as_delta, as_epsilon, as_k, as_loss, as_sensitivity
from crowdproof.mechanisms.recoding import Scheme
from crowdproof.mechanisms.selection import exact_choice
from crowdproof.mechanisms.tables import canonical


@frozen
class RandomizedResponse:
    """One person's value out of m, told truthfully with probability e^epsilon / (e^epsilon + m - 1), drawn exactly.

    Each other value is told with probability 1 / (e^epsilon + m - 1): any two true values make any answer likelier by a
    factor of at most e^epsilon, so it is epsilon-LDP, and no epsilon-LDP answer of m values is right more often
    (Kairouz, Oh and Viswanath 2014). The law is told where e^epsilon is rational.
    """

    values: tuple[Any, ...] = field(converter=tuple)
    epsilon: Epsilon = field(converter=as_epsilon)

    def __attrs_post_init__(self) -> None:
        if len(self.values) < 2 or len(set(self.values)) < len(self.values):
            raise ParameterError("values must be at least two different ones: an answer has to be able to differ.")

    @property
    def law(self) -> Callable[[Any], dict[Any, Fraction]] | None:
        """The exact probability of each answer, by the true value."""
        return None if self.epsilon.exp_exact is None else self._law

    def _law(self, data: Any) -> dict[Any, Fraction]:
        odds = self.epsilon.exp_exact
        assert odds is not None
        total = odds + len(self.values) - 1
        place = self._place(data)
        return {each: (odds if i == place else Fraction(1)) / total for i, each in enumerate(self.values)}

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """The answer that is told."""
        place = self._place(data)
        return self.values[exact_choice(self.epsilon, [int(i == place) for i in range(len(self.values))], rng)]

    def _place(self, value: Any) -> int:
        if value not in self.values:
            raise DataError(f"the value {value!r} is none of the {len(self.values)} that can be told: add it to them.")
        return self.values.index(value)


@frozen
class SparseVector:
    """Which of many answers are above a threshold, up to the first `positives` that are: epsilon-DP.

    With Delta the most that any one answer changes, the threshold gets noise of scale 2 Delta / epsilon, each answer
    noise of scale 4 c Delta / epsilon of its own, where c is `positives`, and after c answers of yes nothing more is
    told (Dwork and Roth, Algorithm 2, whose threshold is not drawn anew). Proof: given the noise of the answers that
    are below, move the threshold's noise up by Delta; every no stays a no, which costs epsilon/2. A yes then needs its
    own noise moved by 2 Delta at most, epsilon/(2c) each, and there are c of them.

    All is done in whole multiples of a step h. Answers are rounded to them, so two neighbours' are at most Delta + h
    apart; that takes the place of Delta, and h is less than a hundredth of it.
    """

    epsilon: Epsilon = field(converter=as_loss)
    threshold: float = 0.0
    positives: int = field(default=1, converter=as_k)
    sensitivity: Fraction = field(default=Fraction(1), converter=as_sensitivity)
    query: Callable[[Any], Sequence[float]] = itself

    def __call__(self, data: Any, rng: np.random.Generator) -> tuple[bool, ...]:
        """For each answer in turn whether it is above, until so many were."""
        answers = np.asarray(self.query(data), dtype=np.float64)
        scale = 2 * float(self.sensitivity) / float(self.epsilon)
        step = lattice_step(scale, float(self.sensitivity), 1)
        rate = step / (scale * (1 + step / float(self.sensitivity)))  # of the threshold; that of an answer is finer
        limit = int(on_lattice(np.array(self.threshold), step)) + _noise(rate, (), rng)
        noisy = on_lattice(answers, step) + _noise(rate / (2 * self.positives), answers.shape, rng)
        above = noisy >= limit
        told = np.flatnonzero(above)[: self.positives]
        count = len(above) if len(told) < self.positives else int(told[-1]) + 1
        return tuple(above[:count].tolist())


def _noise(rate: float, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    return geometric(rate, shape, rng) - geometric(rate, shape, rng)


@frozen
class NoisyThreshold:
    """The cells of a fixed scheme whose noisy count reaches a threshold, with those counts: (epsilon, delta)-DP.

    The noise z has probability proportional to a^|z|, a = e^-epsilon, and is drawn exactly. One row more changes one
    count by one. Where the cell has rows on both sides that is epsilon-DP; where it has none without the row, nothing
    can be shown of it without and, of a count of one, with probability

        Pr[1 + z >= tau] = a^(tau - 1) / (1 + a),

    which is therefore delta, exactly, for neighbours by adding or removing a row. `threshold` is the least tau for
    which it is at most delta.
    """

    scheme: Scheme
    epsilon: Epsilon = field(converter=as_loss)
    delta: Fraction = field(converter=as_delta)

    def __attrs_post_init__(self) -> None:
        if self.delta == 0:
            raise ParameterError("delta is 0, which takes a threshold without end: give a delta above 0.")
        if "count" in self.scheme.names:
            raise ParameterError("a column is called 'count', as the histogram's own: rename it.")

    @property
    def threshold(self) -> int:
        """The least tau with a^(tau - 1) / (1 + a) <= delta."""
        from flint import arb, ctx, fmpq  # noqa: PLC0415  (a heavy import that only this needs)

        with ctx.workprec(256):
            loss = arb(fmpq(self.epsilon.value.numerator, self.epsilon.value.denominator))
            loss = loss.log() if self.epsilon.logarithm else loss
            least = -arb(fmpq(self.delta.numerator, self.delta.denominator)).log() - (1 + (-loss).exp()).log()
            tau = max(1, int(str((least / loss + 1).upper().ceil().unique_fmpz())))
        return tau - 1 if tau > 1 and self._reaches(tau - 1) else tau

    def _reaches(self, tau: int) -> bool:
        """Whether that threshold is known to suffice in rational numbers: balls cannot tell where both are equal."""
        odds = self.epsilon.exp_exact
        return odds is not None and 1 / odds ** (tau - 1) <= self.delta * (1 + 1 / odds)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        """The histogram of the table."""
        counts = canonical(self.scheme(table).group_by(self.scheme.names).len("count").cast({"count": pl.Int64}))
        noise = pl.Series([two_sided(self.epsilon, rng) for _ in range(counts.height)], dtype=pl.Int64)
        noisy = counts.with_columns(counts["count"] + noise)
        return canonical(noisy.filter(pl.col("count") >= self.threshold))
