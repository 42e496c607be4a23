"""How often an attack is right: exact where the law is known, else an interval at a stated error."""

from fractions import Fraction

from crowdproof.exact import rational
from crowdproof.findings import Confidence, Estimate

ERROR = Fraction(1, 1000)
"""The probability that an interval of an attack's numbers misses: 99.9% confidence."""


def proportion(right: int, trials: int, error: Fraction = ERROR) -> Estimate:
    """The Clopper-Pearson interval of a probability, from `right` successes in independent `trials`.

    >>> proportion(0, 10).low, proportion(10, 10).high
    (Fraction(0, 1), Fraction(1, 1))
    >>> print(proportion(990, 1000))
    [0.9749, 0.9973]
    """
    from scipy.stats import beta  # noqa: PLC0415  (slow to import, and only measured attacks need it)

    half = float(error) / 2
    low = beta.ppf(half, right, trials - right + 1) if right else 0.0
    high = beta.isf(half, right + 1, trials - right) if right < trials else 1.0
    return Estimate(rational(float(low)), rational(float(high)))


def confidence(error: Fraction = ERROR) -> Confidence:
    """The certainty of a finding that rests on such an interval."""
    return Confidence(error)
