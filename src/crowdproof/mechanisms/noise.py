"""Additive noise and the exponential mechanism.

Floating-point noise has holes: which doubles can come out of `x + Laplace` depends on x. So the answer and the noise
are whole multiples of a step, far smaller than the noise, and every multiple can come out for every x.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Epsilon, Number, rational
from crowdproof.mechanisms.counting import Counting, Ints
from crowdproof.mechanisms.parameters import as_delta, as_epsilon, as_loss, as_sensitivity
from crowdproof.mechanisms.predicates import Contains
from crowdproof.mechanisms.selection import exact_choice

Floats = NDArray[np.float64]
Query = Callable[[Any], Any]

_FINENESS = 20
"""The step is at least this many binary places below the noise."""
_CHARGE = 7
"""Rounding adds at most the sensitivity over two to this power: the noise is within 1.01 of its scale."""
_COARSE = 2.0**-22
"""Geometric draws with a smaller parameter are put together from a coarse one and from binary digits."""


def itself(data: Any) -> Any:
    """The query for data that is already a number or a vector of numbers."""
    return data


def lattice_step(scale: float, sensitivity: float, rounded: float) -> float:
    """A power of two, far below the noise's scale, and below the sensitivity even when `rounded` steps are added."""
    if not (1e-280 < scale < 1e280 and 1e-280 < sensitivity < 1e280):
        raise ParameterError(f"the noise has scale {scale:g}, beyond floats: give epsilon and sensitivity nearer to 1.")
    below_noise = math.floor(math.log2(scale)) - _FINENESS
    below_sensitivity = math.floor(math.log2(sensitivity / max(rounded, 1.0))) - _CHARGE
    return 2.0 ** min(below_noise, below_sensitivity)


def geometric(rate: float, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.int64]:
    """Whole numbers g >= 0 with Pr[g] proportional to e^(-rate g).

    A float cannot reach every whole number by one draw where the rate is tiny. The binary digits of g are independent,
    and that of 2^i is 1 with probability 1/(1 + e^(rate 2^i)): so the lowest are drawn one by one, each to the float's
    resolution, and the rest, which has a coarser rate, by one draw.
    """
    digits = max(0, math.ceil(math.log2(_COARSE / rate)))
    rest = rng.geometric(-math.expm1(-math.ldexp(rate, digits)), shape) - 1
    for place in reversed(range(digits)):
        odd = rng.random(shape) < 1 / (1 + math.exp(math.ldexp(rate, place)))
        rest = 2 * rest + odd
    found: NDArray[np.int64] = rest
    return found


def on_lattice(answer: Floats, step: float) -> NDArray[np.int64]:
    """The nearest multiples of the step, as numbers of steps."""
    if not np.isfinite(answer).all():
        raise DataError("the query's answer is NaN or infinite: give a query with a finite answer for every table.")
    if np.abs(answer).max(initial=0) >= 2.0**62 * step:
        raise DataError("the query's answer is too large for noise so small: give a sensitivity that fits the query.")
    return np.rint(answer / step).astype(np.int64)


def with_normal_noise(
    exact: Floats, scale: float, sensitivity: float, *, size: int, rng: np.random.Generator
) -> Floats:
    """`size` times the answer with normal noise on a lattice; the scale grows by what rounding adds to sensitivity."""
    step = lattice_step(scale, sensitivity, math.sqrt(exact.size))
    answer = on_lattice(exact, step)
    rounding = 1 + math.sqrt(answer.size) * step / sensitivity
    noise = np.rint(rng.normal(0.0, rounding * scale / step, (size, *answer.shape))).astype(np.int64)
    return _multiples(answer + noise, step)


def _multiples(counts: NDArray[np.int64], step: float) -> Floats:
    return counts.astype(np.float64) * step


@frozen
class Laplace(Counting):
    """query(D) + Z, Z of density proportional to e^(-|z| epsilon / sensitivity) in each coordinate: epsilon-DP.

    `sensitivity` is the most that the answer changes between neighbours, in the sum of absolute values. The answer is
    rounded to a multiple of a step h, at most 2^-20 of the noise's scale and at most 2^-7 of the sensitivity over the
    number c of coordinates. Z is h times the difference of two geometric variables with ratio
    e^(-h epsilon / (sensitivity + c h)), where c h is what rounding adds to the sensitivity: less than a hundredth, so
    that the noise is within 1.01 of its scale. That this is private is the row lattice-noise of the ledger. The draw is
    exact up to the float resolution of the geometric draws.
    """

    epsilon: Epsilon = field(converter=as_loss)
    sensitivity: Fraction = field(default=Fraction(1), converter=as_sensitivity)
    query: Query = itself

    @property
    def scale(self) -> float:
        """Sensitivity over epsilon: the mean of |Z|."""
        return float(self.sensitivity) / float(self.epsilon)

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """The noisy answer: a float, or an array for a vector."""
        result = self.batch(data, rng, 1)[0]
        return float(result) if np.ndim(result) == 0 else result

    def batch(self, data: Any, rng: np.random.Generator, size: int) -> Floats:
        """`size` independent noisy answers."""
        answer = np.asarray(self.query(data), dtype=np.float64)
        return self.perturb(np.broadcast_to(answer, (size, *answer.shape)), rng)

    def predicates(self) -> tuple[Contains, ...] | None:
        """Those of the query, if it is one of counts."""
        return self.query.predicates() if hasattr(self.query, "predicates") else None

    def of_counts(self, total: Ints, held: Sequence[Ints], rng: np.random.Generator) -> Floats:
        """The noisy answers on many tables."""
        return self.perturb(self.query.of_counts(total, held), rng)  # type: ignore[attr-defined]

    def perturb(self, answers: Floats, rng: np.random.Generator) -> Floats:
        """Each of the given answers with independent noise; the first axis counts the answers."""
        coordinates = math.prod(answers.shape[1:])
        step = lattice_step(self.scale, float(self.sensitivity), coordinates)
        rate = step / (self.scale + coordinates * step / float(self.epsilon))
        noise = geometric(rate, answers.shape, rng) - geometric(rate, answers.shape, rng)
        return _multiples(on_lattice(answers, step) + noise, step)


@frozen
class Gaussian:
    """query(D) + Z, Z normal with sigma = sensitivity sqrt(2 ln(1.25/delta)) / epsilon in each coordinate.

    (epsilon, delta)-DP for 0 < epsilon < 1 and a sensitivity in Euclidean distance (Dwork and Roth, Theorem A.1); the
    formula is refused elsewhere, since its proof needs epsilon < 1 and the guarantee fails for large epsilon. The
    answer and the result are rounded to multiples of a step h, at most 2^-20 of sigma, and sigma grows by what the
    former adds to the sensitivity, sqrt(c) h for c coordinates, less than a hundredth. delta is the delta of
    differential privacy: Odoh puts the adversary's guessing advantage in its place, which is another notion.
    """

    epsilon: Epsilon = field(converter=as_loss)
    delta: Fraction = field(converter=as_delta)
    sensitivity: Fraction = field(default=Fraction(1), converter=as_sensitivity)
    query: Query = itself

    def __attrs_post_init__(self) -> None:
        if self.epsilon >= Epsilon(Fraction(1)):
            raise ParameterError(
                f"epsilon is {self.epsilon}: the classical Gaussian formula holds only below 1, so give a smaller "
                "epsilon or take Laplace noise."
            )
        if self.delta == 0:
            raise ParameterError("delta is 0, which takes infinite Gaussian noise: give a delta above 0.")

    @property
    def scale(self) -> float:
        """The standard deviation."""
        return float(self.sensitivity) * math.sqrt(2 * math.log(1.25 / self.delta)) / float(self.epsilon)

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """The noisy answer: a float, or an array for a vector."""
        result = self.batch(data, rng, 1)[0]
        return float(result) if np.ndim(result) == 0 else result

    def batch(self, data: Any, rng: np.random.Generator, size: int) -> Floats:
        """`size` independent noisy answers."""
        exact = np.asarray(self.query(data), dtype=np.float64)
        return with_normal_noise(exact, self.scale, float(self.sensitivity), size=size, rng=rng)


@frozen
class Exponential:
    """The candidate r, drawn exactly, with probability proportional to e^(epsilon u(D, r) / (2 sensitivity)).

    It is epsilon-DP. `sensitivity` is the most that any u(., r) changes between neighbours. Utilities are read as exact
    numbers.
    """

    candidates: tuple[Any, ...] = field(converter=tuple)
    utility: Callable[[Any, Any], Number]
    epsilon: Epsilon = field(converter=as_epsilon)
    sensitivity: Fraction = field(default=Fraction(1), converter=as_sensitivity)

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """The chosen candidate."""
        return self.candidates[exact_choice(self.epsilon, self.exponents(data), rng)]

    def exponents(self, data: Any) -> list[Fraction]:
        """The u / (2 sensitivity): a candidate's probability is proportional to e to epsilon times that."""
        return [rational(self.utility(data, each), "utility") / (2 * self.sensitivity) for each in self.candidates]
