"""Exact parameters: what the user writes is what is meant. `0.1` is 1/10, `"ln 3"` has e^eps = 3."""

import math
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import total_ordering

from attrs import frozen

from crowdproof.errors import ParameterError

Number = str | Decimal | Fraction | int | float
"""Anything that a parameter may be written as."""

_LN = re.compile(r"\s*(-?)\s*ln\s*(?:\(\s*([^()]+?)\s*\)|\s([^()]+?))\s*", re.IGNORECASE)

_LONG = 14_000
"""Bits from which on a number is not written in base 10."""
_FAR = 100_000
"""Places before or after the point; a few letters, such as 1e-99999999, would else take minutes to read."""
_SHOWN = 100
"""Characters of what was written that an error shows: far more than a number takes."""
LONGEST_RUN = 1_000_000
"""Seconds that one run of a target may be given: the system's clocks refuse to wait for about twice that."""


def rational(value: Number, name: str = "value", *, remedy: str = "write it like 0.1, 1e-8 or 1/3") -> Fraction:
    """The number that was written, exactly; a float is read by its shortest repr.

    What is no number is an error, which ends with the `remedy`.

    >>> rational(0.1), rational("1e-8"), rational("2/3")
    (Fraction(1, 10), Fraction(1, 100000000), Fraction(2, 3))
    """
    if isinstance(value, bool):
        raise ParameterError(f"{name} is {value!r}: give a number, not a truth value.")
    if isinstance(value, Fraction):
        return value
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    text = repr(value) if isinstance(value, float) else str(value).strip()
    numerator, _, denominator = text.partition("/")
    try:
        return _part(numerator) / _part(denominator or "1")
    except ParameterError as error:
        raise ParameterError(f"{name} is {error}") from None
    except (InvalidOperation, ValueError, OverflowError, ZeroDivisionError):
        raise ParameterError(f"{name} is {_cut(text)!r}, which is not a number: {remedy}.") from None


def _part(text: str) -> Fraction:
    if "0x" in text:
        return Fraction(int(text, 16))
    number = Decimal(text)
    if abs(number.adjusted()) > _FAR:
        raise ParameterError(f"{_cut(text)}, which is too extreme: write a number of at most {_FAR:,} digits.")
    return Fraction(number)


def _cut(text: str) -> str:
    """The text for an error to show: the beginning of a long one."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def whole(value: Number, name: str, at_least: int = 1) -> int:
    """A whole number of at least `at_least`.

    >>> whole("20", "k")
    20
    """
    remedy = f"give a whole number of at least {at_least}"
    number = rational(value, name, remedy=remedy)
    if number.denominator != 1 or number < at_least:
        raise ParameterError(f"{name} is {show(number)}: {remedy}.")
    return int(number)


def probability(value: Number, name: str) -> Fraction:
    """A number in [0, 1)."""
    number = rational(value, name)
    if not 0 <= number < 1:
        raise ParameterError(f"{name} is {show(number)}: it must be at least 0 and below 1.")
    return number


def rate(value: Number, name: str = "beta") -> Fraction:
    """A sampling rate: a number strictly between 0 and 1."""
    number = rational(value, name)
    if not 0 < number < 1:
        raise ParameterError(f"{name} is {show(number)}: a sampling rate lies strictly between 0 and 1.")
    return number


def show(number: Fraction) -> str:
    """The shortest exact text: a decimal where there is a short one, else a fraction. `rational` reads it back.

    A number of thousands of digits is a fraction in base 16: Python refuses to write it in base 10.

    >>> show(Fraction(1, 50)), show(Fraction(1, 10**8)), show(Fraction(1, 3))
    ('0.02', '1e-8', '1/3')
    """
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _LONG:
        return f"{number.numerator:#x}/{number.denominator:#x}"
    digits = _decimal_places(number.denominator)
    scaled = abs(number.numerator) * 10 ** (digits or 0) // number.denominator
    if digits is None or scaled.bit_length() > _LONG:
        return str(number)
    mantissa = str(scaled)
    sign = "-" if number < 0 else ""
    if abs(number) < Fraction(1, 1000) and digits > 4:
        point = f".{mantissa[1:]}" if len(mantissa) > 1 else ""
        text = f"{mantissa[0]}{point}e{len(mantissa) - 1 - digits}"
    else:
        padded = mantissa.zfill(digits + 1)
        text = f"{padded[:-digits]}.{padded[-digits:]}" if digits else mantissa
    return sign + text if len(text) <= len(str(number)) + 8 else str(number)


def _decimal_places(denominator: int) -> int | None:
    """How many decimal places a fraction with that denominator has, or None where they never end."""
    counts = {2: 0, 5: 0}
    for prime in counts:
        while denominator % prime == 0:
            denominator //= prime
            counts[prime] += 1
    return max(counts.values()) if denominator == 1 else None


@total_ordering
@frozen(eq=True, order=False, repr=False)
class Epsilon:
    """A privacy-loss bound, kept exactly: a rational, or the logarithm of a rational.

    >>> Epsilon.of("ln 3").exp_exact, Epsilon.of(0.5).exp_exact
    (Fraction(3, 1), None)
    >>> print(Epsilon.of("-ln 0.9"))
    ln(10/9)
    >>> Epsilon.of("ln 3") > Epsilon.of(1)
    True
    """

    value: Fraction
    """epsilon itself, or e^epsilon where `logarithm` is set."""
    logarithm: bool = False

    @classmethod
    def of(cls, written: "Number | Epsilon", name: str = "epsilon") -> "Epsilon":
        """Read an epsilon as a person writes it: a number, or `ln 3`, `ln(10/9)`, `-ln 0.9`."""
        if isinstance(written, Epsilon):
            return written
        match = _LN.fullmatch(" ".join(written.split())) if isinstance(written, str) else None
        if match is None:
            number = rational(written, name)
            if number < 0:
                raise ParameterError(f"{name} is {show(number)}: it must be at least 0.")
            return cls(number)
        argument = rational(match[2] or match[3], f"{name}'s logarithm")
        if argument > 0 and match[1]:
            argument = 1 / argument
        if argument < 1:
            raise ParameterError(f"{name} is {_cut(str(written))!r}: it must be at least 0.")
        return cls(argument, True) if argument > 1 else cls(Fraction(0))

    @property
    def exp_exact(self) -> Fraction | None:
        """e^epsilon where it is rational, else None (Lindemann: e^r is irrational for rational r != 0)."""
        if self.logarithm:
            return self.value
        return Fraction(1) if self.value == 0 else None

    def exp(self) -> float:
        """e^epsilon as the nearest float; infinite where a float cannot hold it."""
        try:
            return float(self.value) if self.logarithm else math.exp(self.value)
        except OverflowError:
            return math.inf

    def __float__(self) -> float:
        if not self.logarithm:
            return float(self.value)
        # log of the two integers apart: the fraction itself may be beyond the floats
        excess = self.value - 1
        if excess < Fraction(1, 2):
            return math.log1p(excess)
        return math.log(self.value.numerator) - math.log(self.value.denominator)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Epsilon):
            return NotImplemented
        if self.logarithm == other.logarithm:
            return self.value < other.value
        if self == other:
            return False
        return _less(self, other)

    def __str__(self) -> str:
        if not self.logarithm:
            return show(self.value)
        text = show(self.value)
        return f"ln({text})" if "/" in text else f"ln {text}"

    def __repr__(self) -> str:
        return f"Epsilon.of({str(self)!r})"


def _less(left: Epsilon, right: Epsilon) -> bool:
    """Compare a rational with the logarithm of a rational; they are never equal, so some precision decides."""
    from flint import arb, ctx  # noqa: PLC0415  (a heavy import that only mixed comparisons need)

    def ball(epsilon: Epsilon) -> object:
        quotient = arb(epsilon.value.numerator) / arb(epsilon.value.denominator)
        return quotient.log() if epsilon.logarithm else quotient

    precision = ctx.prec
    try:
        ctx.prec = 64
        while True:
            a, b = ball(left), ball(right)
            if a < b:  # type: ignore[operator]
                return True
            if b < a:  # type: ignore[operator]
                return False
            ctx.prec *= 2
    finally:
        ctx.prec = precision


def brief(value: float) -> str:
    """Four significant digits.

    >>> brief(0.0000000016125), brief(2.0), brief(12345.6)
    ('1.612e-9', '2', '12346')
    """
    if abs(value) >= 1e4 and abs(value) < 1e7:
        return f"{value:.0f}"
    text = f"{value:.4g}"
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else text
