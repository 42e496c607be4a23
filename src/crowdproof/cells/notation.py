"""How cells are written: stars, numbers, the ends of a range, the members of a set. The table is in `crowdproof.cells`.

A cell may come from a hostile target, so no pattern here takes more than one pass over its text.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from attrs import frozen

from crowdproof.exact import rational

STAR = "*"
"""What a suppressed cell is written as."""
MISSING = "?"
"""What our mechanisms write for a missing value; in a release it is a value like any other."""
WORDS = frozenset({"-", MISSING, "na", "n/a", "nan", "none", "null", "suppressed"})
"""Texts, in small letters, that may stand for a suppressed cell: what databases, spreadsheets and anonymizers write."""
BLANKS = " \t\r\n\f\v\u00a0"
"""What may stand around a cell. They are named one by one, since Python and polars differ on what else is blank."""
FAR = 4000
"""A text with more letters, or an exponent beyond, is no number: the fraction of `1e-99999999` would fill the memory,
and Python reads no whole number of more than 4300 digits."""
SHORT = 200
"""Letters of a cell that is remembered: longer ones are rare and would fill the memory."""
REMEMBERED = 1 << 16
"""How many cells are remembered: more than most releases have different ones, and some tens of megabytes at most."""

_EXPONENT = r"[eE][-+]?[0-9]{1,6}"
_DECIMAL = re.compile(rf"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)({_EXPONENT})?")
"""A number in any of its spellings, with its exponent apart."""
_FRACTION = re.compile(r"-?[1-9][0-9]*/[1-9][0-9]*")
_CODE = re.compile(r"\+.*|-?0[0-9].*|.*/.*|-?[0-9]+[eE][0-9]+")
"""Of the numbers, those with a plus sign, a leading zero or a stroke, and `1E2`, which programs write as `100` or
`1e+02` where it is a number."""
_BARE = rf"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:{_EXPONENT})?"
"""A number without a leading zero, which a date or a telephone number may have."""
_BETWEEN = re.compile(rf"({_BARE})[{BLANKS}]*(?:-|–|\.\.)[{BLANKS}]*({_BARE})")
_LIMIT = re.compile(rf"(<=|>=|<|>|≤|≥)[{BLANKS}]*({_BARE})")
_FROM_ON = re.compile(rf"({_BARE})\+")
_INFINITE = re.compile(r"([-+]?)(?:inf|infinity|∞)", re.IGNORECASE)
_BRACKETS = re.compile(r"[\[\](){}]")
_SIGNS = frozenset("<>≤≥")
_BEGINNINGS = frozenset("[](<>≤≥-0123456789")
"""What a range can begin with."""
_OPENING = {"[": False, "(": True, "]": True}
"""Whether a range that begins so leaves its lower end out. A turned bracket does: ARX writes `[20, 40[`."""
_CLOSING = {"]": False, ")": True, "[": True}
"""Whether a range that ends so leaves its upper end out."""
_APART = frozenset(',{}"')
"""What a member of a set can have only between quotes."""


def text_of(value: Any) -> str:
    """The text of a cell that is not missing, as polars writes it, without the blanks around it."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text.strip(BLANKS)


def is_suppressed(value: Any) -> bool:
    """Whether the cell is missing, blank or of stars.

    >>> [is_suppressed(each) for each in (None, " ", "**", "NA", "2*")]
    [True, True, True, False, False]
    """
    return value is None or (isinstance(value, str) and not value.strip(BLANKS).strip(STAR))


def may_be_suppressed(value: Any) -> bool:
    """Whether the cell is suppressed, or a word that may say so.

    >>> [may_be_suppressed(each) for each in ("*", "n/a", "?", "Nairobi")]
    [True, True, True, False]
    """
    return is_suppressed(value) or text_of(value).casefold() in WORDS


def number(text: str) -> Fraction | None:
    """The decimal number that is written there, without rounding; None where there is none.

    >>> number("20.0") == number("2e1"), number("12345678901234567890") == number("12345678901234567891")
    (True, False)
    >>> number("1_000"), number("nan"), number("20,5")
    (None, None, None)
    """
    text = text.strip(BLANKS)
    return Fraction(Decimal(text)) if _is_decimal(text) else None


def _is_decimal(text: str) -> bool:
    match = _DECIMAL.fullmatch(text)
    if match is None or len(text) > FAR:
        return False
    exponent = match[1]
    return exponent is None or abs(int(exponent[1:])) <= FAR


def number_or_fraction(text: str) -> Fraction | None:
    """The number that is written there as our mechanisms write one: a fraction where that is shorter."""
    if len(text) <= FAR and _FRACTION.fullmatch(text):
        return rational(text)
    return number(text)


def is_code(text: str) -> bool:
    """Whether a number is written as codes are: `007`, `+5`, `1/3`, `1E2`."""
    return _CODE.fullmatch(text) is not None


@frozen
class Ends:
    """A range as it is written."""

    low: str
    high: str
    """The texts of the ends; empty where there is none."""
    opened: tuple[bool, bool] = (False, False)
    """Whether the lower and the upper end are left out."""
    is_of_numbers: bool = True
    is_clear: bool = False
    """It has numbers between brackets, or a sign, so it can be nothing but a range."""

    @property
    def numbers(self) -> tuple[Fraction | None, Fraction | None]:
        """The numbers at the ends; None for an end that is infinite or not there."""
        return number_or_fraction(self.low), number_or_fraction(self.high)


def ends(text: str) -> tuple[str, str] | None:
    """The ends of a range as they are written, also texts: empty where there is no end, None where there is no range.

    >>> ends("[20, 40)"), ends("20-40"), ends("<30"), ends("[Bonn, Lyon]"), ends("2020-01-02")
    (('20', '40'), ('20', '40'), ('', '30'), ('Bonn', 'Lyon'), None)
    """
    found = find_ends(text.strip(BLANKS))
    return None if found is None else (found.low, found.high)


def find_ends(text: str) -> Ends | None:
    """The range that is written there; None where there is none, or where it would be empty."""
    if text[:1] not in _BEGINNINGS:
        return None
    return _remembered(text) if len(text) <= SHORT else _find_ends(text)


def _find_ends(text: str) -> Ends | None:
    if len(text) > 2 and text[0] in _OPENING and text[-1] in _CLOSING:
        return _bracketed(text)
    if text[:1] in _SIGNS or text[-1:] == "+":
        return _limit(text)
    return _between(text)


_remembered = lru_cache(maxsize=REMEMBERED)(_find_ends)


def _bracketed(text: str) -> Ends | None:
    inside, opened = text[1:-1], (_OPENING[text[0]], _CLOSING[text[-1]])
    if _BRACKETS.search(inside):
        return None
    parts = [part.strip(BLANKS) for part in inside.split(",")]
    if len(parts) == 1 and ";" not in inside:
        return _between(parts[0], opened)
    if len(parts) != 2 or not all(parts):
        return Ends("", "", is_of_numbers=False)
    low, high = parts
    first, last = _end(low, "-"), _end(high, "+")
    if first is not None and last is not None:
        return Ends(low, high, opened, is_clear=True) if _in_order(first, last, opened) else None
    is_turned = text[0] == "]" or text[-1] == "["
    return None if is_turned else Ends(low, high, is_of_numbers=False)


def _between(text: str, opened: tuple[bool, bool] = (False, False)) -> Ends | None:
    if "-" not in text[1:] and "–" not in text and ".." not in text:
        return None
    match = _BETWEEN.fullmatch(text)
    if match is None or not (_is_decimal(match[1]) and _is_decimal(match[2])):
        return None
    return Ends(match[1], match[2], opened) if _in_order(Decimal(match[1]), Decimal(match[2]), opened) else None


def _limit(text: str) -> Ends | None:
    from_on, limit = _FROM_ON.fullmatch(text), _LIMIT.fullmatch(text)
    if from_on and _is_decimal(from_on[1]):
        return Ends(from_on[1], "")
    if not limit or not _is_decimal(limit[2]):
        return None
    is_open = limit[1] in ("<", ">")
    if limit[1] in ("<", "<=", "≤"):
        return Ends("", limit[2], (False, is_open), is_clear=True)
    return Ends(limit[2], "", (is_open, False), is_clear=True)


def _end(text: str, side: str) -> Decimal | Fraction | None:
    """The number at the end of a range, or infinity on that side; a decimal where it is one, for speed."""
    if _is_decimal(text):
        return Decimal(text)
    infinite = _INFINITE.fullmatch(text)
    if infinite is None:
        return number_or_fraction(text)
    return Decimal(f"{side}inf") if (infinite[1] or "+") == side else None


def _in_order(low: Decimal | Fraction, high: Decimal | Fraction, opened: tuple[bool, bool]) -> bool:
    """Whether some number lies between the ends."""
    if isinstance(low, Fraction) or isinstance(high, Fraction):
        if any(isinstance(each, Decimal) and each.is_infinite() for each in (low, high)):
            return True
        low, high = Fraction(low), Fraction(high)
    return low < high or (low == high and not any(opened))


def members(text: str) -> tuple[str, ...] | None:
    """The members of a set as they are written, without their quotes; None where there are no braces.

    >>> members("{a, b}"), members('{Boston, "Washington, DC"}'), members("{}"), members("a")
    (('a', 'b'), ('Boston', 'Washington, DC'), (), None)
    """
    text = text.strip(BLANKS)
    if len(text) < 2 or text[0] != "{" or text[-1] != "}":
        return None
    parts = (part.strip(BLANKS) for part in _parts(text[1:-1]))
    return tuple(part[1:-1].replace('""', '"') if _is_quoted(part) else part for part in parts if part)


def _parts(inside: str) -> list[str]:
    """The text cut at its commas, but for those between quotes; quotes that do not end are letters like any other."""
    pieces = inside.split(",")
    found: list[str] = []
    held: list[str] = []
    quotes = 0
    for piece in pieces:
        held.append(piece)
        quotes += piece.count('"')
        is_complete = quotes % 2 == 0 or not held[0].lstrip(BLANKS).startswith('"')
        if is_complete:
            found.append(",".join(held))
            held, quotes = [], 0
    return pieces if held else found


def _is_quoted(part: str) -> bool:
    return len(part) > 1 and part[0] == part[-1] == '"' and '"' not in part[1:-1].replace('""', "")


def range_text(low: str, high: str, brackets: str = "[]") -> str:
    """A range with these ends, written so that it is clear.

    >>> range_text("20", "40", "[)")
    '[20, 40)'
    """
    return f"{brackets[0]}{low}, {high}{brackets[1]}"


def set_text(texts: Iterable[str]) -> str:
    """A set of these texts in their order, written so that `members` reads the same texts.

    >>> set_text(["Boston", "Washington, DC"])
    '{Boston, "Washington, DC"}'
    """
    return "{" + ", ".join(map(_quoted, texts)) + "}"


def _quoted(text: str) -> str:
    if text and text == text.strip(BLANKS) and not _APART.intersection(text):
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
