"""How sure a count makes us of a probability."""

from fractions import Fraction

from scipy.special import betainccinv, betaincinv

from crowdproof.exact import rational
from crowdproof.findings import Estimate

MARGIN = 1e-9
"""Each end is moved outwards by this part of itself: far more than the quantiles of scipy are wrong by."""


def clopper_pearson(hits: int, runs: int, error: float | Fraction) -> Estimate:
    """An interval that holds the probability of a hit, except with the given error; rounded outwards.

    At its low end so many hits or more, at its high end so few or less, have probability error / 2.

    >>> print(clopper_pearson(990, 1000, 0.001))
    [0.9749, 0.9973]
    >>> clopper_pearson(0, 10, 0.001).low, clopper_pearson(10, 10, 0.001).high
    (Fraction(0, 1), Fraction(1, 1))
    """
    half = float(error) / 2
    low = float(betaincinv(hits, runs - hits + 1, half)) if hits else 0.0
    high = float(betainccinv(hits + 1, runs - hits, half)) if hits < runs else 1.0
    return Estimate(rational(low * (1 - MARGIN)), rational(min(1.0, high * (1 + MARGIN))))
