"""Odoh's calibration of epsilon from a guessing advantage (2024, equations 1 and 3 to 5), kept exact.

>>> calibrate(uniqueness(2, 3), "0.1", 60).epsilon   # the case study with the probability 2/3 that it prints
0.00827...
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from attrs import field, frozen

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, rational, show, whole
from crowdproof.mechanisms.gaussian import AnalyticGaussian
from crowdproof.mechanisms.noise import Exponential, Laplace, Query, itself
from crowdproof.mechanisms.parameters import positive


def uniqueness(k: Number, population: Number) -> Fraction:
    """pi(k, N) = N! / ((N - k)! N^k): k independent uniform draws from N values are all different (equation 1).

    >>> float(1 - uniqueness(23, 365)) > 0.5 > float(1 - uniqueness(22, 365))
    True
    """
    count, size = whole(k, "k"), whole(population, "N")
    if count > size:
        raise ParameterError(f"k is {count} and N {size}: at most N values can be different, so give k of at most N.")
    return Fraction(math.perm(size, count), size**count)


def nearness(value: Any, candidate: Any) -> Fraction:
    """The distance of two numbers, negative: a utility that changes by no more than the value does."""
    return -abs(rational(value, "value") - rational(candidate, "candidate"))


def _range(written: Number) -> Fraction:
    return positive(written, "R")


@frozen
class Calibration:
    """epsilon = ln(odds) / R, for metric differential privacy: values at distance d are epsilon d apart.

    `loss` = ln(odds) = epsilon R is then the privacy loss between the two most distant values, an exact number.
    """

    odds: Fraction
    range: Fraction = field(converter=_range)

    @property
    def loss(self) -> Epsilon:
        """Epsilon times R, as the logarithm of a rational."""
        return Epsilon(self.odds, logarithm=True)

    @property
    def epsilon(self) -> float:
        """The epsilon that the paper's equations give."""
        return float(self.loss) / float(self.range)

    def laplace(self, query: Query = itself) -> Laplace:
        """The Laplace mechanism that has this loss over the whole range: noise of scale R / loss = 1 / epsilon.

        The paper prints Lap(R / epsilon), but its epsilon already carries 1/R: that scales by R twice.
        """
        return Laplace(self.loss, self.range, query)

    def gaussian(self, delta: Number, query: Query = itself) -> AnalyticGaussian:
        """Normal noise with this loss over the whole range, save for delta.

        The paper prints sigma^2 = 2 R^2 log(1.25/delta) / epsilon^2 with its guessing advantage for delta and an
        epsilon that already carries 1/R. Its delta is no probability of that kind: here delta is that of differential
        privacy, a guess gains at most the advantage and delta more, and the loss needs not be below 1.
        """
        return AnalyticGaussian(self.loss, delta, self.range, query)

    def exponential(self, candidates: Sequence[Any], utility: Callable[[Any, Any], Number] = nearness) -> Exponential:
        """The exponential mechanism with this loss over the whole range.

        `utility` must change by no more than the distance of two values; that over the range is its sensitivity. The
        default is how near a candidate is to the value.
        """
        return Exponential(tuple(candidates), utility, self.loss, self.range)


def calibrate(prior: Number, advantage: Number, value_range: Number) -> Calibration:
    """Equation 3: the epsilon that lifts a guess from probability p to at most p + delta.

    By Bayes a posterior is at most p x / (p x + 1 - p) with x = e^(epsilon R), and this is p + delta exactly for x =
    (1 - p)(p + delta) / (p (1 - p - delta)). Needs 0 < p and p + delta < 1.
    """
    p, delta = rational(prior, "p"), positive(advantage, "advantage")
    if not (p > 0 and p + delta < 1):
        raise ParameterError(
            f"p is {show(p)} and the advantage {show(delta)}: equation 3 has no value there, so give 0 < p and "
            "p + advantage < 1."
        )
    return Calibration((1 - p) * (p + delta) / (p * (1 - p - delta)), value_range)


def calibrate_and(priors: Sequence[Number], advantage: Number, value_range: Number) -> Calibration:
    """Equation 4: the adversary has to guess in every group, so the prior is the product of the groups' ones."""
    return calibrate(math.prod(rational(each, "p") for each in _some(priors)), advantage, value_range)


def calibrate_or(priors: Sequence[Number], advantage: Number, value_range: Number) -> Calibration:
    """Equation 5: the adversary has to guess in some group, so the smallest epsilon of the groups counts."""
    return min((calibrate(each, advantage, value_range) for each in _some(priors)), key=lambda found: found.odds)


def _some(priors: Sequence[Number]) -> Sequence[Number]:
    if not priors:
        raise ParameterError("there are no groups: give the probability of at least one.")
    return priors
