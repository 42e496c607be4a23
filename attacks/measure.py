"""How often an attack is right: exact where the law is known, else an interval at a stated error."""

from collections.abc import Sequence
from fractions import Fraction
from statistics import median_low

from attrs import evolve

from crowdproof.attacks.interface import Measure, Outcome, Rows, Yardstick, show_short
from crowdproof.exact import Epsilon, Number, rational
from crowdproof.findings import Confidence, Estimate, Note

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


def no_more(measure: Measure = Measure.PERSON) -> Yardstick:
    """A claim that nothing is learned: no more than without the release."""
    return Yardstick(measure, "what the same adversary reaches without the release", lambda baseline: baseline)


def at_most(number: Fraction, words: str, measure: Measure = Measure.PERSON) -> Yardstick:
    """A claim with a number of its own; what is reached without the release does not count against it."""
    return Yardstick(
        measure,
        f"{words}, or what is reached without the release where that is more",
        lambda baseline: max(number, baseline),
    )


def private(factor: Fraction, delta: Fraction, words: str) -> Yardstick:
    """A claim of (epsilon, delta)-privacy: `factor`, which is at least e^epsilon, times the false positives + delta."""
    times = "" if factor == 1 else f"{show_short(factor)} times "
    return Yardstick(
        Measure.EVENT,
        f"{times}the false positives + {show_short(delta)}: {words}",
        lambda baseline: factor * baseline + delta,
    )


def times(epsilon: Epsilon | Number) -> Fraction:
    """e^epsilon, or a rational a little above it.

    >>> times("ln 3"), float(times(1)) >= 2.718281828
    (Fraction(3, 1), True)
    """
    loss = Epsilon.of(epsilon)
    exact = loss.exp_exact
    return rational(loss.exp() * (1 + 1e-12)) if exact is None else exact  # a float is within 1e-15 of itself


def of_nobody(words: str) -> Note:
    """What a reader is told where the people are not real, or one was planted among them."""
    return Note("The data", words)


def certified(outcome: Outcome) -> Outcome:
    """The outcome of a mechanism that its yardstick is a theorem of: the rule's number is then a certified bound."""
    return evolve(outcome, bound=outcome.allowed - outcome.baseline.high)


def rows(published: Sequence[int], given: int) -> Rows:
    """The median of the heights of the releases.

    >>> print(rows([10, 0, 30], 100))
    10 of 100
    """
    return Rows(median_low(published) if published else 0, given)
