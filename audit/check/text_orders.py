"""The orders by which a program may sort a column of texts: by letters, by numbers, by dates."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import datetime

import polars as pl

from crowdproof.cells import named_numbers

_DATES = (
    *("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y"),
    *("%d %B %Y", "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%B %d, %Y", "%b %d, %Y", "%B %Y", "%b %Y", "%b-%y", "%m/%Y"),
    *("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S"),
)
"""Dates whose order is not that of their texts."""
_SORTED_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%Y-%m")
_SORTED_TIMES = ("%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ")
"""Points in time whose order is that of their texts."""
_NUMBER = re.compile(r"[^0-9]*?(?P<sign>-?)[^0-9-]{0,2}(?P<digits>[0-9](?:[0-9.,'\u2019 \u00a0\u202f]*[0-9])?)[^0-9]*")
"""A text with one number, such as `$1,200` or `12,5 %`."""
_WHOLE = re.compile(r"[0-9]{1,30}")
_BELOW = re.compile(r"[^0-9A-Za-z]*(<|≤|under|below|less|up to|fewer)", re.IGNORECASE)
_ROMANS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ROMAN = re.compile(r"(C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))(?![A-Za-z])")
_AMOUNT = re.compile(r"[^0-9A-Za-z]{0,2}([A-Z]{3} )?-?[0-9][0-9.,'\u2019 \u00a0\u202f]*(?P<unit> ?[^0-9]{1,3})?")
"""A number with a sign of money, a percent sign or a unit."""
_LONGEST = 30
"""Digits to which numbers in a text are filled up by zeros, so that their order as texts is that of numbers."""


def text_orders(column: pl.Series) -> Iterator[pl.Series]:
    """The column under each of these orders that reads all of its cells, as a series that sorts so."""
    yield column.str.to_lowercase()
    named = named_numbers(column)
    if named["low"].null_count() < len(column):
        yield named["low"]
    texts = column.drop_nulls().unique().to_list()
    readings = (
        _apart,
        _folded,
        _natural,
        _with_points,
        _with_commas,
        _from_the_last_number,
        _by_the_first_number,
        _roman,
    )
    for read in readings:
        yield _by(column, texts, read)
    for form in _DATES:
        if texts and day_of(texts[0], form) is not None:
            yield _by(column, texts, lambda text, form=form: day_of(text, form))  # type: ignore[misc]


def meant_order(column: pl.Series) -> pl.Series:
    """The column by the order that its cells most likely have: of dates, of numbers, of texts with numbers in them."""
    texts = column.drop_nulls().unique().to_list()
    forms = [form for form in _DATES if texts and day_of(texts[0], form) is not None]
    for form in forms:
        read = _by(column, texts, lambda text, form=form: day_of(text, form))  # type: ignore[misc]
        if read is not column:
            return read
    named = named_numbers(column)["low"]
    if named.null_count() == column.null_count():
        return named
    for each in (_with_points, _with_commas, _natural):
        read = _by(column, texts, each)
        if read is not column:
            return read
    return column


def _by(column: pl.Series, texts: list[str], read: Callable[[str], object]) -> pl.Series:
    """The column with each text as what it is read as; as it is where some text cannot be read."""
    keys = [read(text) for text in texts]
    if not texts or any(key is None for key in keys):
        return column
    places = {key: place for place, key in enumerate(sorted(set(keys)))}  # type: ignore[type-var]
    return column.replace_strict(texts, [places[key] for key in keys], default=None, return_dtype=pl.Int64)


def is_date(text: str) -> bool:
    """Whether the text is a date in one of the usual forms.

    >>> is_date("3 March 2020"), is_date("2020-03-03"), is_date("Bonn")
    (True, True, False)
    """
    return any(day_of(text, form) is not None for form in (*_SORTED_DATES, *_DATES))


def read_dates(texts: list[str]) -> list[datetime] | None:
    """The points in time by the form that fits all of the texts; None where no form does."""
    for form in (*_SORTED_DATES, *_SORTED_TIMES, *_DATES):
        if texts and day_of(texts[0], form) is not None:
            read = [day_of(text, form) for text in texts]
            if None not in read:
                return [each for each in read if each is not None]
    return None


def day_of(text: str, form: str) -> datetime | None:
    """The point in time that is written in that form."""
    try:
        return datetime.strptime(text.strip(), form)
    except ValueError:
        return None


def plain_number(text: str, decimal: str) -> float | None:
    """The number in a text that holds one, with the given decimal separator.

    >>> plain_number("$1,200.50", "."), plain_number("12,5 %", ","), plain_number("3 of 4", ".")
    (1200.5, 12.5, None)
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    digits = re.sub(rf"[^0-9{re.escape(decimal)}]", "", found["digits"])
    if digits.count(decimal) > 1:
        return None
    return float(found["sign"] + digits.replace(decimal, "."))


def amount_unit(text: str) -> str | None:
    """The unit of an amount, empty where it has none; None where the text is no amount.

    >>> [amount_unit(text) for text in ("$1,200", "12,5 %", "-7", "ward 2", "B07")]
    ['', '%', '', None, None]
    """
    found = _AMOUNT.fullmatch(text)
    return None if found is None else found["unit"] or ""


def _with_points(text: str) -> float | None:
    return plain_number(text, ".")


def _with_commas(text: str) -> float | None:
    return plain_number(text, ",")


def _apart(text: str) -> str:
    """Letters before their accents, so that `ä` comes after `a` and before `b`."""
    return unicodedata.normalize("NFKD", text)


def _folded(text: str) -> str:
    """Letters without their accents, as dictionaries sort."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _from_the_last_number(text: str) -> tuple[int, ...] | None:
    """The whole numbers in the text from the last to the first, as `Q1 2020` and `week 5 of 2021` are meant."""
    return tuple(int(each) for each in reversed(_WHOLE.findall(text))) or None


def _by_the_first_number(text: str) -> float | None:
    """The first number in the text; `under 5` comes before 5."""
    found = _WHOLE.search(text)
    if found is None:
        return None
    return int(found[0]) - 0.5 if _BELOW.match(text) else int(found[0])


def _roman(text: str) -> int | None:
    """The Roman number at the beginning of the text, as chapters have it.

    >>> _roman("IX. Circulation"), _roman("XL"), _roman("India"), _roman("IIX")
    (9, 40, None, None)
    """
    found = _ROMAN.match(text)
    digits = found[1] if found else ""
    if not digits:
        return None
    values = [_ROMANS[digit] for digit in digits]
    signed = [-one if one < other else one for one, other in zip(values, [*values[1:], 0], strict=True)]
    return sum(signed)


def _natural(text: str) -> str:
    """The numbers within the text by their value: `ward 2` comes before `ward 10`."""
    return re.sub(r"[0-9]+", lambda found: found[0].zfill(_LONGEST), _folded(text))


_WAYS_OF_NUMBERS = (_with_points, _with_commas, _from_the_last_number, _by_the_first_number, _roman)
"""The ways in which a program or a person may sort texts by numbers in them."""
