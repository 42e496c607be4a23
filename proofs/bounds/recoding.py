"""Theorem 6 of Li, Qardaji and Su: a recoding chosen by an eps1-DP step, in its repaired form and as printed.

Repaired: the choice is made on data that is independent of the sample it is applied to (another sample, or the full
data). Then it composes with Theorem 5, or with the tight delta, at epsilon - eps1.

As printed, choice and release use the same sample. For a released count j of n the samples 't in, j - 1 others' and
't out, j others' are two edits apart, which gives, with x1 = e^eps1 and q = 1 - beta,

    Pr[j | D] <= q n/(n - j) (1 + (j/n)(x1^2 - 1)) Pr[j | D'],

which exceeds x only for j > g n with g = (x - q)/(x - q + q x1^2). Given the chosen recoding each row is in the sample
with odds at most x1 beta/q, whatever the others, so the count is at most a binomial with that rate beta1. Nothing shown
costs at most q + beta x1, and in the other direction the ratio is at most 1/q. Hence for x >= max(1/q, q + beta x1)

    delta <= max over n of Pr[Bin(n, beta1) > g n, at least k],

and never more than beta. That is sound for the printed form, but larger than the printed number.
"""

from enum import Enum
from fractions import Fraction

from attrs import frozen

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, rate, whole
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.amplification import amplify
from crowdproof.proofs.bounds.balls import Ball, Quantity, Setting, floor, settle
from crowdproof.proofs.bounds.certificate import Certified
from crowdproof.proofs.bounds.profile import tight
from crowdproof.proofs.bounds.tails import Tail
from crowdproof.proofs.bounds.theorem5 import theorem5

LARGEST = 11
"""Rows up to which the exact linear program that looks for a counterexample ends within seconds."""
_FINE = 100
"""Parts of 1 in which an irrational e^eps is given to that program, rounded to the side that finds less."""


class Reliance(Enum):
    """Whether the number of the printed Theorem 6 can be relied on."""

    SOUND = "sound: a bound for the same sample is no larger"
    FALSE = "false: an eps1-safe choice exceeds it"
    OPEN = "open: neither a proof nor a counterexample is at hand"


@frozen
class Repaired:
    """Theorem 6 with independent data for the choice."""

    theorem5: Certified
    tight: Certified
    amplified: Certified
    """The tight delta when the choice is made on another sample at rate beta, which makes its eps1 smaller."""


@frozen
class Printed:
    """Theorem 6 as printed: its number, what is certain for the same sample, and what an eps1-safe choice reaches."""

    claimed: Certified
    sound: Fraction
    reached: Fraction
    reached_with: int
    """Rows in the cell for which `reached` was found."""
    reliance: Reliance


def theorem6_repaired(k: Number, beta: Number, epsilon: Number | Epsilon, choice: Number | Epsilon) -> Repaired:
    """The delta at epsilon when the recoding is `choice`-DP and chosen on data independent of the released sample.

    >>> found = theorem6_repaired(20, 0.1, 1, 0.5)
    >>> print(found.theorem5, found.tight, found.amplified)
    1.607e-9 2.632e-11 6.608e-15
    """
    level, first = Epsilon.of(epsilon), Epsilon.of(choice, "choice")
    rest = difference(level, first)
    small = amplify(beta, first) if first.value else None
    better = rest if small is None else _less_amplified(level, small.epsilon, small.exactly)
    return Repaired(theorem5(k, beta, rest), tight(k, beta, rest), tight(k, beta, better))


def theorem6_printed(
    k: Number, beta: Number, epsilon: Number | Epsilon, choice: Number | Epsilon, rows: Number | None = None
) -> Printed:
    """Whether the printed number holds when the recoding is chosen on the released sample itself.

    A counterexample is looked for in one cell of `rows` rows, or of the n that attains the printed number
    if that is at most `LARGEST`.

    >>> found = theorem6_printed(3, "1/4", "ln 12", "ln 4", rows=4)
    >>> found.claimed.high, found.reached > Fraction(23, 1000), found.reliance.name
    (Fraction(1, 64), True, 'FALSE')
    """
    level, first = Epsilon.of(epsilon), Epsilon.of(choice, "choice")
    claimed = theorem5(k, beta, difference(level, first))
    sound = same_sample(k, beta, level, first)
    n = claimed.n if rows is None else whole(rows, "rows")
    searched = rows is not None or n <= LARGEST
    reached = _reached(n, whole(k, "k"), rate(beta), level, first) if searched else Fraction(0)
    if reached > claimed.high:
        return Printed(claimed, sound, reached, n, Reliance.FALSE)
    return Printed(claimed, sound, reached, n, Reliance.SOUND if sound <= claimed.low else Reliance.OPEN)


def _reached(n: int, k: int, beta: Fraction, level: Epsilon, first: Epsilon) -> Fraction:
    """The delta of the worst eps1-safe choice that is found, at an x not below and an x1 not above the given ones."""
    from crowdproof.proofs.theorem6 import worst_first_step  # noqa: PLC0415  (which takes its numbers from here)

    x = level.exp_exact or Fraction(1 + floor(None, lambda: _FINE * Setting(beta, level).x()), _FINE)
    x1 = first.exp_exact or Fraction(floor(None, lambda: _FINE * Setting(beta, first).x()), _FINE)
    return worst_first_step(n, k, beta, x1, x).delta


def same_sample(k: Number, beta: Number, epsilon: Number | Epsilon, choice: Number | Epsilon) -> Fraction:
    """A delta that is certain for an eps1-safe choice on the released sample itself."""
    share, count = rate(beta), whole(k, "k")
    one, other = Setting(share, Epsilon.of(epsilon)), Setting(share, Epsilon.of(choice, "choice"))
    applies = one.compare_with_rate() >= 0 and _at_least(one, other)
    gamma, tilted = _gamma(one, other), _tilted(other)
    if not applies or not settle(lambda: _sign(gamma.ball() - tilted.ball())) > 0:
        return share
    return min(share, Tail(tilted, gamma).maximum(count).high)


def difference(level: Epsilon, part: Epsilon) -> Epsilon:
    """level - part, exactly."""
    if level < part:
        raise ParameterError(f"epsilon is {level} and choice {part}: the choice alone spends more than epsilon.")
    if part.value == 0:
        return level
    if level.logarithm != part.logarithm:
        raise ParameterError(
            f"epsilon is {level} and choice {part}: write both as numbers, or both as logarithms, to subtract exactly."
        )
    return Epsilon.of(f"ln({level.value / part.value})") if level.logarithm else Epsilon(level.value - part.value)


def _less_amplified(level: Epsilon, small: Estimate, exactly: Epsilon | None) -> Epsilon:
    """level - small: exactly where both are logarithms, otherwise a little less, which gives a larger delta."""
    if exactly is not None and (exactly.logarithm == level.logarithm or exactly.value == 0):
        return difference(level, exactly)
    if level.logarithm:
        raise ParameterError(f"epsilon is {level}: write it as a number where choice is one.")
    bits = 2**60
    return Epsilon(level.value - Fraction(-(-small.high.numerator * bits // small.high.denominator), bits))


def _gamma(one: Setting, other: Setting) -> Quantity:
    exact = None
    if one.exact is not None and other.exact is not None:
        (x, q), (x1, _) = one.exact, other.exact
        exact = (x - q) / (x - q + q * x1**2)

    def value() -> Ball:
        excess = one.x() - one.q()
        return excess / (excess + one.q() * other.x() ** 2)

    return Quantity(exact, value)


def _tilted(other: Setting) -> Quantity:
    """x1 beta/(q + x1 beta)."""
    exact = None
    if other.exact is not None:
        x1, q = other.exact
        exact = x1 * (1 - q) / (q + x1 * (1 - q))
    return Quantity(exact, lambda: other.x() * other.b() / (other.q() + other.x() * other.b()))


def _at_least(one: Setting, other: Setting) -> bool:
    """x >= q + beta x1."""
    if one.exact is not None and other.exact is not None:
        return one.exact[0] >= other.exact[1] + (1 - other.exact[1]) * other.exact[0]
    return settle(lambda: _sign(one.x() - other.q() - other.b() * other.x())) > 0


def _sign(number: Ball) -> int | None:
    """The sign, or None where the precision does not tell; irrational numbers are not 0."""
    if number > 0:
        return 1
    return -1 if number < 0 else (-1 if number.is_zero() else None)
