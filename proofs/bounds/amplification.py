"""Theorem 1 of Li, Qardaji and Su: a smaller sampling rate gives a smaller epsilon and delta; and basic composition."""

from collections.abc import Iterable
from fractions import Fraction

from attrs import frozen

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, probability, rate, rational, show
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.balls import Ball, ball, certified


@frozen
class Guarantee:
    """(epsilon, delta) as they are certain: the upper ends hold."""

    epsilon: Estimate
    delta: Fraction
    exactly: Epsilon | None = None
    """Epsilon itself, where it is a rational or the logarithm of one."""


def amplify(beta: Number, epsilon: Number | Epsilon, delta: Number = 0, base: Number = 1) -> Guarantee:
    """What a (base, epsilon, delta)-DPS mechanism gives at the smaller rate beta; base 1 is plain DP.

    >>> amplify(0.1, "ln 11", 1e-5)
    Guarantee(epsilon=..., delta=Fraction(1, 1000000), exactly=Epsilon.of('ln 2'))
    """
    start, before, error = Epsilon.of(epsilon), rational(base, "base"), probability(delta, "delta")
    after = rate(beta)
    if not after < before <= 1:
        raise ParameterError(f"beta is {show(after)} and base {show(before)}: amplification needs beta < base <= 1.")
    share = after / before
    if start.exp_exact is not None:
        exact = Epsilon.of(f"ln({1 + share * (start.exp_exact - 1)})")
        return Guarantee(value_of(exact), share * error, exact)

    def amplified() -> Ball:
        growth = ball(share) * ball(start.value).expm1()
        return growth.log1p()

    return Guarantee(certified(amplified), share * error)


def value_of(epsilon: Epsilon) -> Estimate:
    """Epsilon as a number between two fractions."""
    if not epsilon.logarithm:
        return Estimate.exactly(epsilon.value)
    return certified(lambda: ball(epsilon.value - 1).log1p())


def compose_basic(parts: Iterable[tuple[Number | Epsilon, Number]]) -> Guarantee:
    """Basic composition: epsilons and deltas add up.

    >>> compose_basic([(0.02, 0)] * 50).exactly
    Epsilon.of('1')
    """
    read = [(Epsilon.of(epsilon), probability(delta, "delta")) for epsilon, delta in parts]
    delta = sum((error for _, error in read), Fraction(0))
    if all(not each.logarithm for each, _ in read):
        exact = Epsilon(sum((each.value for each, _ in read), Fraction(0)))
        return Guarantee(value_of(exact), delta, exact)
    values = [value_of(each) for each, _ in read]
    return Guarantee(
        Estimate(sum((each.low for each in values), Fraction(0)), sum((each.high for each in values), Fraction(0))),
        delta,
    )
