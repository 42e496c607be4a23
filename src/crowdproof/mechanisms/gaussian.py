"""Gaussian noise that is no larger than (epsilon, delta) asks for, at any epsilon."""

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from attrs import field, frozen

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.mechanisms.noise import Floats, Query, itself, with_normal_noise
from crowdproof.mechanisms.parameters import as_delta, as_loss, as_sensitivity

_BISECTIONS = 50
"""Halvings of an interval whose ends are within a factor of two: sigma is then found to 1e-15 of itself."""


@frozen
class AnalyticGaussian:
    """query(D) + Z, Z normal in each coordinate, with the least sigma that (epsilon, delta)-DP allows, at any epsilon.

    For a sensitivity in Euclidean distance, and s = sigma / sensitivity, the noise is (epsilon, delta)-DP exactly if

        Phi(1/(2s) - epsilon s) - e^epsilon Phi(-1/(2s) - epsilon s) <= delta

    (Balle and Wang 2018, Theorem 8): the left side is delta(epsilon) of two normal laws whose means are 1/s of their
    deviation apart, and it falls as s grows. sigma is found by bisection with balls and rounded up, so that the
    inequality certainly holds. The answer and the result are rounded to a lattice as those of `Gaussian` are.
    """

    epsilon: Epsilon = field(converter=as_loss)
    delta: Fraction = field(converter=as_delta)
    sensitivity: Fraction = field(default=Fraction(1), converter=as_sensitivity)
    query: Query = itself

    def __attrs_post_init__(self) -> None:
        if self.delta == 0:
            raise ParameterError("delta is 0, which takes infinite Gaussian noise: give a delta above 0.")

    @property
    def scale(self) -> float:
        """The standard deviation."""
        return float(self.sensitivity) * least_ratio(self.epsilon, self.delta)

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """The noisy answer: a float, or an array for a vector."""
        result = self.batch(data, rng, 1)[0]
        return float(result) if np.ndim(result) == 0 else result

    def batch(self, data: Any, rng: np.random.Generator, size: int) -> Floats:
        """`size` independent noisy answers."""
        exact = np.asarray(self.query(data), dtype=np.float64)
        return with_normal_noise(exact, self.scale, float(self.sensitivity), size=size, rng=rng)


@lru_cache(maxsize=256)
def least_ratio(epsilon: Epsilon, delta: Fraction) -> float:
    """The least s = sigma / sensitivity with which Gaussian noise is (epsilon, delta)-DP, rounded up.

    >>> round(least_ratio(Epsilon.of(1), Fraction(1, 100_000)), 4)
    3.7306
    """
    low = high = 1.0
    while not _suffices(high, epsilon, delta):
        high *= 2
        if high > 1e200:
            raise ParameterError("epsilon and delta ask for noise beyond floats: give larger ones.")
    while _suffices(low, epsilon, delta):
        low /= 2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if _suffices(middle, epsilon, delta) else (middle, high)
    return high


def _suffices(ratio: float, epsilon: Epsilon, delta: Fraction) -> bool:
    """Whether the inequality certainly holds for that s."""
    from flint import arb, ctx, fmpq  # noqa: PLC0415  (a heavy import that only this search needs)

    small = 2 * max(0, delta.denominator.bit_length() - delta.numerator.bit_length())
    with ctx.workprec(256 + small):  # the two terms nearly cancel where delta is tiny
        loss = arb(fmpq(epsilon.value.numerator, epsilon.value.denominator))
        loss = loss.log() if epsilon.logarithm else loss
        s = arb(ratio)
        root = arb(2).sqrt()
        above = ((loss * s - 1 / (2 * s)) / root).erfc() / 2
        below = ((loss * s + 1 / (2 * s)) / root).erfc() / 2
        return bool(above - loss.exp() * below <= arb(fmpq(delta.numerator, delta.denominator)))
