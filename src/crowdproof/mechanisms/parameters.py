"""How the mechanisms read their parameters: named converters, one for each notion."""

from collections.abc import Iterable
from fractions import Fraction

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, probability, rate, rational, show, whole


def as_k(written: Number) -> int:
    """A whole number of at least 1."""
    return whole(written, "k")


def as_level(written: Number) -> int:
    """A whole number of at least 0."""
    return whole(written, "level", at_least=0)


def as_size(written: Number) -> int:
    """A number of rows, at least 0."""
    return whole(written, "at_least", at_least=0)


def as_beta(written: Number) -> Fraction:
    """A sampling rate strictly between 0 and 1."""
    return rate(written, "beta")


def as_delta(written: Number) -> Fraction:
    """A probability below 1."""
    return probability(written, "delta")


def as_epsilon(written: Number | Epsilon) -> Epsilon:
    """A privacy loss of at least 0."""
    return Epsilon.of(written)


def as_loss(written: Number | Epsilon) -> Epsilon:
    """A privacy loss above 0, for noise that must be finite."""
    epsilon = Epsilon.of(written)
    if float(epsilon) <= 0:
        raise ParameterError("epsilon is 0, which takes infinite noise: give an epsilon above 0.")
    return epsilon


def as_names(written: Iterable[str] | None) -> tuple[str, ...] | None:
    """Names of columns; None means all."""
    if isinstance(written, str):
        raise ParameterError(f"columns is the text {written!r}: give a list of names, such as [{written!r}].")
    return None if written is None else tuple(written)


def positive(written: Number, name: str) -> Fraction:
    """A number above 0."""
    number = rational(written, name)
    if number <= 0:
        raise ParameterError(f"{name} is {show(number)}: it must be above 0.")
    return number


def as_sensitivity(written: Number) -> Fraction:
    """The most that a query changes between neighbours, above 0."""
    return positive(written, "sensitivity")
