"""Printed numbers: whether a value is what is printed, to the last digit, decided without rounding errors."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import floor
from typing import Any

from flint import arb

from crowdproof.findings import Estimate
from crowdproof.proofs.engines.finite import lift
from crowdproof.proofs.statement import Mutant, case


def last_digit(printed: str) -> Fraction:
    """One in the last place of a printed number.

    >>> last_digit("2.50e-14"), last_digit("0.159")
    (Fraction(1, 10000000000000000), Fraction(1, 1000))
    """
    digits, _, exponent = printed.partition("e")
    return Fraction(10) ** (int(exponent or 0) - len(digits.partition(".")[2]))


def against(value: Fraction | Estimate | Any, printed: str, moved: int = 0) -> dict[str, Any]:
    """`shown` and `printed`: the value and the printed number, both in units of the last digit, the value rounded.

    `value` is the number itself, for the record.

    >>> against(Fraction(2, 3), "0.667")
    {'shown': Fraction(667, 1), 'printed': Fraction(667, 1), 'value': Fraction(2, 3)}
    """
    unit = last_digit(printed)
    return {"shown": _nearest(value, unit), "printed": Fraction(printed) / unit + moved, "value": value}


def _nearest(value: Any, unit: Fraction) -> Any:
    if isinstance(value, Fraction):
        return Fraction(floor(value / unit + Fraction(1, 2)))
    rounded = (lift(value) / lift(unit) + lift(Fraction(1, 2))).floor()
    whole = rounded.unique_fmpz()
    return arb(rounded) if whole is None else Fraction(int(whole))


def off_by_one(cases: Iterable[Mapping[str, Any]]) -> tuple[Mutant, ...]:
    """For each case and direction the mutant in which the printed number's last digit is moved by one."""
    return tuple(
        case(f"the last digit of {each['printed']} moved by {moved}", **{**each, "moved": moved})
        for each in cases
        for moved in (1, -1)
    )
