"""Balls: numbers with a certain error, by python-flint's `arb`, at a precision that is raised until enough is known.

Nothing here depends on a rounded comparison. Where a question about whole numbers could fall exactly on a tie, either
everything is rational and is decided in integers, or the quantity is irrational (Lindemann: e^r is transcendental for
rational r != 0) so that some precision decides.
"""

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any, Literal, TypeAlias, TypeVar

from attrs import frozen
from flint import arb, ctx, fmpq, fmpz

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, rate, show
from crowdproof.findings import Estimate

Ball: TypeAlias = Any
"""A `flint.arb`, which has no type stubs."""
T = TypeVar("T")

START = 96
"""Bits to start with: enough for almost every input."""
ACCURACY = 60
"""Bits of relative accuracy that a certified number has at least: its interval is narrower than 1e-17 of it."""
LIMIT = 1 << 17
"""Bits at which to give up; no input within reach of memory comes near it."""


def ball(number: Fraction | int) -> Ball:
    """The number, rounded to the current precision with its error."""
    return arb(number) if isinstance(number, int) else arb(fmpq(number.numerator, number.denominator))


def point(number: Ball) -> Fraction:
    """The midpoint of a ball, exactly."""
    mantissa, exponent = number.mid().man_exp()
    mantissa, exponent = int(mantissa), int(exponent)
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def estimate(number: Ball) -> Estimate:
    """The interval of a ball, as exact ends."""
    return Estimate(point(number.lower()), point(number.upper()))


def accurate(number: Ball) -> bool:
    """Whether the ball is as narrow as a certified number has to be."""
    return bool(number.rel_accuracy_bits() >= ACCURACY) or bool(number.is_zero() and number.is_exact())


def settle(attempt: Callable[[], T | None], start: int = START) -> T:
    """The first answer that is not None, with the precision doubled after every None."""
    precision = start
    while precision <= LIMIT:
        with ctx.workprec(precision):
            try:
                answer = attempt()
            except OverflowError:  # a number that no computer can write down
                break
        if answer is not None:
            return answer
        precision *= 2
    raise ParameterError(
        f"the numbers are too extreme: {LIMIT} bits do not settle the answer. Give a smaller epsilon, or a rate, a "
        "delta and a k that people use."
    )


def certified(compute: Callable[[], Ball]) -> Estimate:
    """The number, to `ACCURACY` bits.

    >>> third = certified(lambda: ball(Fraction(1, 3)))
    >>> third.low < Fraction(1, 3) < third.high, float(third.high - third.low) < 1e-18
    (True, True)
    """

    def attempt() -> Estimate | None:
        result = compute()
        return estimate(result) if accurate(result) else None

    return settle(attempt)


def floor(exact: Fraction | None, number: Callable[[], Ball]) -> int:
    """The whole part of a number that is given exactly, or else is irrational and given by balls."""
    if exact is not None:
        return exact.numerator // exact.denominator
    return settle(lambda: _whole(number().floor().unique_fmpz()))


def _whole(number: Any) -> int | None:
    return None if number is None else int(number)


Rate: TypeAlias = Number | Literal["max"]
"""A sampling rate; "max" is 1 - e^-eps, the largest that Theorem 5 allows at that epsilon."""


@frozen
class Quantity:
    """A number that is rational and known, or else irrational and known by its balls."""

    exact: Fraction | None
    ball: Callable[[], Ball]

    def divides(self, m: int) -> int:
        """The smallest whole number that is at least m divided by this, for m > 0."""
        if self.exact is not None:
            return -(-m * self.exact.denominator // self.exact.numerator)
        return floor(None, lambda: m / self.ball()) + 1


@frozen
class Law:
    """A sampling rate, its complement and a likelihood-ratio level, as balls at the current precision."""

    b: Ball
    q: Ball
    x: Ball


@frozen
class Setting:
    """A sampling rate beta and an epsilon, both exact, and what follows from them.

    x = e^eps, q = 1 - beta, gamma = (x - q)/x: a count j of n is the likelier by more than x for one row more exactly
    when j > gamma n.
    """

    beta: Fraction | None
    """None where it is 1 - e^-eps and irrational."""
    epsilon: Epsilon

    @classmethod
    def of(cls, beta: Rate, epsilon: Number | Epsilon) -> "Setting":
        """Read both as a person writes them."""
        exact = Epsilon.of(epsilon)
        if beta != "max":
            return cls(rate(beta), exact)
        if exact.value == 0:
            raise ParameterError("beta is max and epsilon 0: no sampling rate is small enough for it, raise epsilon.")
        return cls(None if exact.exp_exact is None else 1 - 1 / exact.exp_exact, exact)

    @property
    def exact(self) -> tuple[Fraction, Fraction] | None:
        """(x, q), where both are rational."""
        x = self.epsilon.exp_exact
        return None if x is None or self.beta is None else (x, 1 - self.beta)

    def x(self) -> Ball:
        """e^eps."""
        value = ball(self.epsilon.value)
        return value if self.epsilon.logarithm else value.exp()

    def eps(self) -> Ball:
        """Epsilon itself."""
        value = ball(self.epsilon.value)
        return value.log() if self.epsilon.logarithm else value

    def q(self) -> Ball:
        """1 - beta."""
        return 1 / self.x() if self.beta is None else ball(1 - self.beta)

    def b(self) -> Ball:
        """The sampling rate."""
        return 1 - 1 / self.x() if self.beta is None else ball(self.beta)

    def law(self) -> Law:
        """The three balls at the current precision."""
        return Law(self.b(), self.q(), self.x())

    def compare_with_rate(self) -> int:
        """The sign of x (1 - beta) - 1: negative where eps < -ln(1 - beta), which Theorem 5 excludes."""
        if self.beta is None:
            return 0
        if self.exact is not None:
            x, q = self.exact
            return (x * q > 1) - (x * q < 1)

        def sign() -> int | None:
            excess = self.x() * self.q() - 1
            return None if excess.contains(0) else (1 if excess > 0 else -1)

        return settle(sign)

    @property
    def rate(self) -> Quantity:
        """The sampling rate as a quantity."""
        return Quantity(self.beta, self.b)

    @property
    def gamma(self) -> Quantity:
        """(x - q)/x."""
        exact = None if self.exact is None else 1 - self.exact[1] / self.exact[0]
        return Quantity(exact, lambda: 1 - self.q() / self.x())

    def name(self) -> str:
        """How messages call the sampling rate."""
        return "1 - e^-eps" if self.beta is None else show(self.beta)


def scientific(value: Fraction, digits: int = 4, rounding: Literal["nearest", "up", "down"] = "nearest") -> str:
    """The number in few digits, however small; rounded up it is still a bound.

    >>> scientific(Fraction(1, 3) ** 1000), scientific(Fraction(2, 3), 3, "up")
    ('7.564e-478', '0.667')
    """
    modes = {"nearest": ROUND_HALF_EVEN, "up": ROUND_CEILING, "down": ROUND_FLOOR}
    context = Context(prec=digits, rounding=modes[rounding], Emin=-(10**17), Emax=10**17)
    if value == 0:
        return "0"
    shift = _decimal_exponent(value) - digits - 2
    # not as fractions: their common divisors take minutes where a number has a million digits
    one, other = fmpz(value.numerator) * fmpz(10) ** max(-shift, 0), fmpz(value.denominator) * fmpz(10) ** max(shift, 0)
    whole = -(-one // other) if rounding == "up" else one // other
    rounded = context.create_decimal(Decimal(int(whole)).scaleb(shift, context=Context(Emin=-(10**17), Emax=10**17)))
    exponent = rounded.adjusted()
    if -4 <= exponent < 6:
        return f"{rounded.normalize(context):f}"
    sign, digit, _ = rounded.as_tuple()
    text = "".join(map(str, digit)).rstrip("0") or "0"
    return f"{'-' * sign}{text[0]}{'.' + text[1:] if len(text) > 1 else ''}e{exponent}"


def _decimal_exponent(value: Fraction) -> int:
    bits = abs(value.numerator).bit_length() - value.denominator.bit_length()
    return int(bits * 0.30103)
