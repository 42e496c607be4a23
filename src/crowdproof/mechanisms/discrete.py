"""Noise of whole numbers, drawn exactly: from fair bits and rational comparisons alone, without a logarithm.

The samplers are those of Canonne, Kamath and Steinke 2020, the discrete Gaussian for differential privacy.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.errors import DataError
from crowdproof.exact import Epsilon, Number
from crowdproof.mechanisms.parameters import as_sensitivity, positive
from crowdproof.mechanisms.sampling import bernoulli

_DRAWN_AT_ONCE = 2**62
"""Denominators up to this size fit the generator's own unbiased draw of a whole number."""


def coin(probability: Fraction, rng: np.random.Generator) -> bool:
    """True with exactly that probability."""
    if probability.denominator <= _DRAWN_AT_ONCE:
        return bool(rng.integers(probability.denominator) < probability.numerator)
    return bool(bernoulli(probability, rng, 1)[0])


def exponential_coin(gamma: Fraction, rng: np.random.Generator) -> bool:
    """True with probability exactly e^(-gamma), for any rational gamma >= 0.

    Of coins with probabilities gamma/1, gamma/2, ... the first false one comes at an odd place with probability
    1 - gamma + gamma^2/2 - ... = e^(-gamma), for gamma <= 1; a larger one is cut into parts.
    """
    whole_parts, rest = divmod(gamma, 1)
    if any(not exponential_coin(Fraction(1), rng) for _ in range(whole_parts if rest else whole_parts - 1)):
        return False
    last = rest or min(gamma, Fraction(1))
    place = 1
    while coin(last / place, rng):
        place += 1
    return place % 2 == 1


def two_sided(epsilon: Epsilon, rng: np.random.Generator) -> int:
    """A whole number z with probability proportional to e^(-epsilon |z|), exactly (discrete Laplace)."""
    if epsilon.logarithm:
        return _geometric(1 / epsilon.value, rng) - _geometric(1 / epsilon.value, rng)
    return discrete_laplace(1 / epsilon.value, rng)


def _geometric(ratio: Fraction, rng: np.random.Generator) -> int:
    count = 0
    while coin(ratio, rng):
        count += 1
    return count


def discrete_laplace(scale: Fraction, rng: np.random.Generator) -> int:
    """A whole number z with probability proportional to e^(-|z|/scale), exactly.

    For scale t/s the number (u + t v) // s has the law of |z|, where u < t has probability proportional to e^(-u/t) and
    v is geometric with ratio 1/e. Zero with a minus is drawn again, or zero would count twice.
    """
    t, s = scale.numerator, scale.denominator
    while True:
        below = int(rng.integers(t)) if t <= _DRAWN_AT_ONCE else _below(t, rng)
        if not exponential_coin(Fraction(below, t), rng):
            continue
        rounds = 0
        while exponential_coin(Fraction(1), rng):
            rounds += 1
        size, negative = (below + t * rounds) // s, coin(Fraction(1, 2), rng)
        if size or not negative:
            return -size if negative else size


def _below(number: int, rng: np.random.Generator) -> int:
    """A whole number below a very large one, each equally likely."""
    length = number.bit_length()
    while True:
        found = int.from_bytes(rng.bytes(length // 8 + 1), "big") >> (8 - length % 8)
        if found < number:
            return found


def discrete_gaussian(variance: Fraction, rng: np.random.Generator) -> int:
    """A whole number z with probability proportional to e^(-z^2 / (2 variance)), exactly.

    A draw of discrete Laplace noise of scale t is kept with probability e^(-(|z| - variance/t)^2 / (2 variance)).
    """
    t = math.isqrt(variance.numerator // variance.denominator) + 1  # any t gives the law; this one keeps most draws
    while True:
        z = discrete_laplace(Fraction(t), rng)
        if exponential_coin((abs(z) - variance / t) ** 2 / (2 * variance), rng):
            return z


def itself(data: Any) -> Any:
    """The query for data that is already a whole number or a vector of them."""
    return data


def _rho(written: Number) -> Fraction:
    return positive(written, "rho")


@frozen
class DiscreteGaussian:
    """query(D) + Z, Z a whole number with probability proportional to e^(-z^2 / (2 sigma^2)), in each coordinate.

    rho-zCDP with rho = sensitivity^2 / (2 sigma^2), for a query of whole numbers that changes by at most `sensitivity`
    in Euclidean distance: the Renyi divergence of order alpha between the noise and its shift by a whole number m is at
    most alpha m^2 / (2 sigma^2), with equality for no m but in the limit (Canonne, Kamath and Steinke 2020, Theorem 4).
    The parameter is rho; sigma^2 = sensitivity^2 / (2 rho) is rational, and the draw is exact.
    """

    rho: Fraction = field(converter=_rho)
    sensitivity: Fraction = field(default=Fraction(1), converter=as_sensitivity)
    query: Callable[[Any], Any] = itself

    @property
    def variance(self) -> Fraction:
        """sigma^2, a little above the variance of the noise itself."""
        return self.sensitivity**2 / (2 * self.rho)

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """The noisy answer: a whole number, or an array for a vector."""
        result = self.batch(data, rng, 1)[0]
        return int(result) if np.ndim(result) == 0 else result

    def batch(self, data: Any, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """`size` independent noisy answers."""
        answer = whole_numbers(self.query(data))
        noise = [discrete_gaussian(self.variance, rng) for _ in range(size * answer.size)]
        return answer + np.array(noise, dtype=np.int64).reshape(size, *answer.shape)


def whole_numbers(answer: Any) -> NDArray[np.int64]:
    """The answer of a query, which must be whole numbers."""
    found = np.asarray(answer)
    if found.dtype.kind not in "iub" or (found.dtype.kind == "u" and found.max(initial=0) >= _DRAWN_AT_ONCE):
        raise DataError("the query's answer is not of whole numbers of 62 bits: round it, or take Gaussian noise.")
    return found.astype(np.int64)
