"""Columns that name people or rows: by how their cells are written, and by how many of them are different."""

import re

import polars as pl
from attrs import frozen

from crowdproof.audit.check.calendars import is_calendar
from crowdproof.audit.check.numbering import NAMES
from crowdproof.audit.check.text_orders import is_date, plain_number
from crowdproof.cells import Values, readings
from crowdproof.personal import is_identifier, words_of

LEAST = 20
"""Rows below which different texts prove nothing: of few rows, honest values are all different too."""
NEARLY_ALL = 0.95
"""The share of different cells from which a column names its rows. A guess: some of the rest may be repeated visits."""
MOST = 0.9
"""The share of cells that must be written alike."""
FEW_VISITS = 10
"""Rows for each different cell below which one that is written like a name of a person tells a few rows apart. A guess:
above that, it is rather the address of an office that many rows share."""
_FORMS = {
    "e-mail addresses": r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$",
    "payment cards": r"^[0-9]{4}([ -]?[0-9]{4}){3}$|^3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}$",
    "UUIDs": r"^\{?[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}\}?$",
    "hashes or tokens": r"^(0x)?([0-9a-f]{16,}|[0-9A-F]{16,}|[A-Za-z0-9+/]{20,}={0,2}|[A-Za-z0-9_-]{40,}={0,2})$",
    "network addresses": r"^([0-9]{1,3}\.){3}[0-9]{1,3}$|^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$"
    r"|^([0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{0,4}$",
    "bank accounts": r"^[A-Z]{2}[0-9]{2}([ ]?[A-Z0-9]{4}){3,7}[ ]?[A-Z0-9]{0,4}$",
    "social security numbers": r"^[0-9]{3}-[0-9]{2}-[0-9]{4}$",
    "telephone numbers": r"^(\+|00)[0-9][0-9 ()/.-]{6,}$|^\(?[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{4}$",
    "web addresses": r"^https?://\S+$",
    "coordinates": r"^\(?-?[0-9]{1,3}\.[0-9]{4,},? ?-?[0-9]{1,3}\.[0-9]{4,}\)?$"
    r"|^(POINT|LINESTRING|POLYGON) ?\(.*",
    "records with names of fields": r"""^[\[{].*"[^"]+" ?:.*""",
}
"""How identifiers are written that are such however often they repeat."""
_TIMES = r"^[0-9]{4}-?[0-9]{2}-?[0-9]{2}[T ][0-9]{2}:?[0-9]{2}.*$|^[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4} [0-9]{1,2}:.*$"
_LONG = r"^-?[0-9]*\.[0-9]*$"
_CODES = r"^[0-9]{7,}$"
_AMOUNT = re.compile(r"[^0-9A-Za-z]{0,2}([A-Z]{3} )?-?[0-9][0-9.,'\u2019 \u00a0\u202f]*(?P<unit> ?[^0-9]{1,3})?")
"""A number with a sign of money, a percent sign or a unit."""
_UNITS = 3
"""Units of the amounts in one column: more are letters of a code. A guess."""
_PERSON = re.compile(
    r"(.*[^a-z])?(uid|pid|mrn|ssn|(patient|person|subject|customer|user|member|client|account|participant|respondent"
    r"|student|pupil|employee|household|family|donor|voter|driver|passenger)[^a-z]?(id|nr|no|number|key|code|hash|token)?)",
    re.IGNORECASE,
)
"""How a column is called that names the person of each row, though a person may have several rows."""
_OF_PLACES = (["name"], ["account"], ["plate"], ["card"])
"""Names of columns that places, products or the titles of a budget may have, too."""
_SOME = 100
"""Cells that are looked at for how they are written, one by one. A guess: some milliseconds."""
DIGITS = 10
"""Significant digits from which a number is a fingerprint: no measurement of a person has so many."""
LONG_CODE = 9
"""Digits from which whole numbers of one length that are nearly all different are codes: sums of money that are nearly
all different have different lengths, or fewer digits. A guess."""
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
        is_few = different >= LEAST and len(known) <= FEW_VISITS * different and bool(_PERSON.fullmatch(name))
        kind = "numbers of people with several rows each"
        return Identifier(name, kind, different, len(known), is_certain=False) if is_few else None
    return _of_different(cells, texts, name, different)


def _of_different(cells: pl.Series, texts: pl.Series, name: str, different: int) -> Identifier | None:
    """The kind of a column whose cells are nearly all different."""
    rows = len(texts)
    if texts.cast(pl.Float64, strict=False).null_count() == 0:
        return _of_numbers(texts, name, different)
    if is_calendar(cells):
        return None
    if cells.dtype in (pl.Datetime, pl.Time, pl.Duration) or _written(texts, _TIMES):
        return Identifier(name, "points in time", different, rows, is_certain=True)
    if cells.dtype == pl.Date or all(is_date(text) for text in texts.head(_SOME)):
        return Identifier(name, "days", different, rows, is_certain=False)
    if _are_vague(texts.head(_SOME)) or _holds_numbers(texts.head(_SOME)):
        return None
    is_own = is_identifier(name) and words_of(name) not in _OF_PLACES
    return Identifier(name, "texts", different, rows, is_certain=is_own)


def _are_vague(texts: pl.Series) -> bool:
    """Whether more than a few of the cells are ranges, sets or masks."""
    vague = [text for text in texts if any(not isinstance(each, Values) for each in readings(text))]
    sets = [text for text in texts if text.startswith("{")]
    return len(vague) + len(sets) > (1 - MOST) * len(texts)


def _holds_numbers(texts: pl.Series) -> bool:
    """Whether the cells are amounts in the notation of a country, such as `$1,200` or `12,5 %`."""
    found = [_AMOUNT.fullmatch(text) for text in texts]
    if len({each["unit"] for each in found if each is not None}) > _UNITS:
        return False
    return any(all(each and plain_number(each.string, decimal) is not None for each in found) for decimal in ".,")


def _of_numbers(texts: pl.Series, name: str, different: int) -> Identifier | None:
    rows = len(texts)
    digits = texts.str.replace_all(r"[^0-9]|[eE].*$", "").str.strip_chars_start("0").str.len_chars()
    usual = float(digits.median() or 0)  # type: ignore[arg-type]
    if _written(texts, _LONG) and usual >= MANY_DIGITS:
        return Identifier(name, "numbers with many digits", different, rows, is_certain=usual >= DIGITS)
    is_code = _written(texts, _CODES) and texts.str.len_chars().n_unique() == 1
    rounded = texts.str.ends_with("0").mean()
    if is_code and isinstance(rounded, float) and rounded < 0.25:
        is_long = usual >= LONG_CODE or is_identifier(name)
        return Identifier(name, "codes of one length", different, rows, is_certain=is_long)
    is_whole = texts.str.contains(r"\.").sum() == 0
    if is_whole and NAMES.fullmatch(name) and name:
        return Identifier(name, "numbers of people or records", different, rows, is_certain=False)
    return None


def _written(texts: pl.Series, form: str) -> bool:
    share = texts.str.contains(form).mean()
    return isinstance(share, float) and share >= MOST
