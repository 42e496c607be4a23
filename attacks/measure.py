"""How often an attack is right: exact where the law is known, else an interval at a stated error."""

from fractions import Fraction

from crowdproof.findings import Confidence, Estimate

ERROR = Fraction(1, 1000)
"""The probability that an interval of an attack's numbers misses: 99.9% confidence."""


def proportion(right: int, trials: int, error: Fraction = ERROR) -> Estimate:
    """The Clopper-Pearson interval of a probability, from `right` successes in independent `trials`.

    >>> print(proportion(990, 1000))
    [0.9749, 0.9973]
    """
    from crowdproof.audit.proportion import clopper_pearson  # noqa: PLC0415  (slow to import: only some attacks measure)

    return clopper_pearson(right, trials, error)


def confidence(error: Fraction = ERROR) -> Confidence:
    """The certainty of a finding that rests on such an interval."""
    return Confidence(error)
