"""Columns that name people or rows: by how their cells are written, and by how many of them are different."""

import re

import polars as pl
from attrs import frozen

from crowdproof.audit.check.numbering import NAMES
from crowdproof.audit.check.text_orders import is_date, plain_number

LEAST = 20
"""Rows below which different texts prove nothing: of few rows, honest values are all different too."""
NEARLY_ALL = 0.95
"""The share of different cells from which a column names its rows. A guess: some of the rest may be repeated visits."""
MOST = 0.9
"""The share of cells that must be written alike."""
ALL = 0.99
"""The share of different cells from which texts do so that might else be codes of illnesses or places. A guess."""
FEW_VISITS = 10
"""Rows for each different cell below which one that is written like a name of a person tells a few rows apart. A guess:
above that, it is rather the address of an office that many rows share."""
SURE = 200
"""Rows from which texts that are nearly all different name their rows. A guess: of fewer, codes of illnesses or places
are all different by chance."""
_FORMS = {
    "e-mail addresses": r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$",
    "UUIDs": r"^\{?[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}\}?$",
    "hashes or tokens": r"^(0x)?([0-9a-f]{16,}|[0-9A-F]{16,}|[A-Za-z0-9+/_-]{20,}={0,2})$",
    "network addresses": r"^([0-9]{1,3}\.){3}[0-9]{1,3}$|^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$",
    "bank accounts": r"^[A-Z]{2}[0-9]{2}([ ]?[A-Z0-9]{4}){3,7}[ ]?[A-Z0-9]{0,4}$",
    "social security numbers": r"^[0-9]{3}-[0-9]{2}-[0-9]{4}$",
    "telephone numbers": r"^(\+|00)[0-9][0-9 ()/.-]{6,}$|^\(?[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{4}$",
    "web addresses": r"^https?://\S+$",
    "coordinates": r"^\(?-?[0-9]{1,3}\.[0-9]{4,},? ?-?[0-9]{1,3}\.[0-9]{4,}\)?$",
}
"""How identifiers are written that are such however often they repeat."""
_TIMES = r"^[0-9]{4}-?[0-9]{2}-?[0-9]{2}[T ][0-9]{2}:?[0-9]{2}.*$|^[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4} [0-9]{1,2}:.*$"
_LONG = r"^-?[0-9]*\.[0-9]*$"
_CODES = r"^[0-9]{7,}$"
_VAGUE = re.compile(r"[\[\](){}*<>≤≥]")
_AMOUNT = re.compile(r"[^0-9A-Za-z]{0,2}([A-Z]{3} )?-?[0-9][0-9.,'\u2019 \u00a0\u202f]*( ?[^0-9]{1,3})?")
"""A number with a sign of money, a percent sign or a unit."""
_SOME = 100
"""Cells that are looked at for how they are written, one by one. A guess: some milliseconds."""
DIGITS = 10
"""Significant digits from which a number is a fingerprint: no measurement of a person has so many."""
MANY_DIGITS = 7
"""Significant digits from which one may be: a place to the metre has so many, and a sum of money in cents, too."""


@frozen
class Identifier:
    """A column that names rows or people."""

    column: str
    kind: str
    different: int
    rows: int
    is_certain: bool
    """Whether it can hardly be anything else; otherwise it is only suspicious."""


def identifiers(table: pl.DataFrame, names: list[str]) -> list[Identifier]:
    """The columns of the table that look like identifiers; `names` are what they are called in the release."""
    found = (_of(table[key], name) for key, name in zip(table.columns, names, strict=True))
    return [each for each in found if each is not None]


def _of(cells: pl.Series, name: str) -> Identifier | None:
    known = cells.drop_nulls()
    if len(known) < LEAST:
        return None
    texts = known.cast(pl.String)
    different = texts.n_unique()
    is_own = different >= NEARLY_ALL * len(known)
    kind = next((kind for kind, form in _FORMS.items() if _written(texts, form)), None)
    if kind == "hashes or tokens" and not is_own:
        kind = None
    if kind is not None:
        is_shared = len(known) > FEW_VISITS * different
        return None if different == 1 else Identifier(name, kind, different, len(known), is_certain=not is_shared)
    if not is_own:
        return None
    return _of_different(cells, texts, name, different)


def _of_different(cells: pl.Series, texts: pl.Series, name: str, different: int) -> Identifier | None:
    """The kind of a column whose cells are nearly all different."""
    rows = len(texts)
    if cells.dtype in (pl.Datetime, pl.Time, pl.Duration) or _written(texts, _TIMES):
        return Identifier(name, "points in time", different, rows, is_certain=True)
    if texts.cast(pl.Float64, strict=False).null_count() == 0:
        return _of_numbers(texts, name, different)
    if cells.dtype == pl.Date or all(is_date(text) for text in texts.head(_SOME)):
        return None if _is_calendar(cells) else Identifier(name, "days", different, rows, is_certain=False)
    if _VAGUE.search("".join(texts.head(_SOME))) or _holds_numbers(texts.head(_SOME)):
        return None
    is_certain = rows >= SURE and different >= ALL * rows
    return Identifier(name, "texts", different, rows, is_certain=is_certain)


def _is_calendar(cells: pl.Series) -> bool:
    """Whether there is one row for each day of a time: a count of each day, and no people."""
    days = cells.cast(pl.Date, strict=False) if cells.dtype == pl.Date else cells.str.to_date("%Y-%m-%d", strict=False)
    if days.null_count():
        return False
    numbers = days.cast(pl.Int32)
    return int(numbers.max()) - int(numbers.min()) + 1 == len(numbers)  # type: ignore[arg-type]


def _holds_numbers(texts: pl.Series) -> bool:
    """Whether the cells are amounts in the notation of a country, such as `$1,200` or `12,5 %`."""
    return any(
        all(_AMOUNT.fullmatch(text) and plain_number(text, decimal) is not None for text in texts) for decimal in ".,"
    )


def _of_numbers(texts: pl.Series, name: str, different: int) -> Identifier | None:
    rows = len(texts)
    digits = texts.str.replace_all(r"[^0-9]|[eE].*$", "").str.strip_chars_start("0").str.len_chars()
    if _written(texts, _LONG) and float(digits.median() or 0) >= DIGITS:  # type: ignore[arg-type]
        return Identifier(name, "numbers with many digits", different, rows, is_certain=True)
    if _written(texts, _LONG) and float(digits.median() or 0) >= MANY_DIGITS:  # type: ignore[arg-type]
        return Identifier(name, "numbers with many digits", different, rows, is_certain=False)
    is_code = _written(texts, _CODES) and texts.str.len_chars().n_unique() == 1
    rounded = texts.str.ends_with("0").mean()
    if is_code and isinstance(rounded, float) and rounded < 0.25:
        return Identifier(name, "codes of one length", different, rows, is_certain=True)
    is_whole = texts.str.contains(r"\.").sum() == 0
    if is_whole and NAMES.fullmatch(name) and name:
        return Identifier(name, "numbers of people or records", different, rows, is_certain=False)
    return None


def _written(texts: pl.Series, form: str) -> bool:
    share = texts.str.contains(form).mean()
    return isinstance(share, float) and share >= MOST
