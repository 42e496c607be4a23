"""Columns that name people or rows: by how their cells are written, and by how many of them are different."""

import re

import polars as pl
from attrs import frozen

from crowdproof.audit.check.calendars import is_calendar
from crowdproof.audit.check.column_parts import FILLED, parts
from crowdproof.audit.check.numbering import NAMES
from crowdproof.audit.check.subjects import about_people, is_keyed, is_list_of_things, is_of_things
from crowdproof.audit.check.text_orders import amount_unit, is_date, plain_number
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
_PERSONAL = frozenset(
    ["e-mail addresses", "payment cards", "UUIDs", "hashes or tokens", "bank accounts", "social security numbers"]
)
"""Kinds that only people, or records of them, have. The others may be of an office, a device or a place."""
_TIMES = r"^[0-9]{4}-?[0-9]{2}-?[0-9]{2}[T ][0-9]{2}:?[0-9]{2}.*$|^[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4} [0-9]{1,2}:.*$"
_LONG = r"^-?[0-9]*\.[0-9]*$"
_CODES = r"^[0-9]{7,}$"
_TWO_NUMBERS = r"^[0-9]+-[0-9]+$"
_BAND = re.compile(
    r"[0-9][^A-Za-z]*( to |and (over|more|above|older)|or (over|more|above|older|less|fewer))"
    r"|^(under|over|less than|more than|up to|at least|below|above) [^A-Za-z]*[0-9]",
    re.IGNORECASE,
)
"""A range in words, such as `$10,000 to $14,999`."""
_LATITUDES = re.compile(r"(.*[^a-z])?(lat|lon|lng|long|latitude|longitude)([^a-z].*)?", re.IGNORECASE)
"""How a column of places on a map is called."""
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
LONG_CODE = 9
"""Digits from which whole numbers of one length that are nearly all different are codes: sums of money that are nearly
all different have different lengths, or fewer digits. A guess."""
MANY_DIGITS = 7
"""Significant digits from which a number may be a fingerprint: a place to the metre has so many. So have means,
rates and sums of money in cents, so that it is never certain."""


@frozen
class Identifier:
    """A column that names rows or people."""

    column: str
    kind: str
    different: int
    rows: int
    is_certain: bool
    """Whether it can hardly be anything else; otherwise it is only suspicious."""


@frozen
class _Context:
    """What is known of the table besides the column that is looked at."""

    of_people: bool
    """Some other column is about one person."""
    of_things: bool
    """The rows are places, times or things."""
    is_keyed: bool
    """The first columns name the rows."""


def identifiers(table: pl.DataFrame, names: list[str]) -> list[Identifier]:
    """The columns of the table that look like identifiers; `names` are what they are called in the release."""
    of_things, keyed = is_list_of_things(table, names), is_keyed(table)
    found = []
    for key, name in zip(table.columns, names, strict=True):
        of_people = about_people(names, without=name)
        cells = parts(table[key]).get(f"{key}{FILLED}", table[key])
        found.append(_of(cells, name, _Context(of_people, of_things, keyed)))
    return [each for each in found if each is not None]


def _of(cells: pl.Series, name: str, context: _Context) -> Identifier | None:
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
        is_personal = kind in _PERSONAL and not context.of_things
        is_certain = not is_shared and (is_personal or context.of_people)
        return None if different == 1 else Identifier(name, kind, different, len(known), is_certain=is_certain)
    if is_own:
        return _of_different(cells, texts, name, context)
    is_few = different >= LEAST and len(known) <= FEW_VISITS * different
    if is_few and (_PERSON.fullmatch(name) or _are_short_hashes(texts)):
        kind = "numbers of people with several rows each"
        return Identifier(name, kind, different, len(known), is_certain=False)
    return None


def _are_short_hashes(texts: pl.Series) -> bool:
    return all(_written(texts, form) for form in (r"^([0-9a-f]{8,}|[0-9A-F]{8,})$", "[0-9]", "[A-Fa-f]"))


def _of_different(cells: pl.Series, texts: pl.Series, name: str, context: _Context) -> Identifier | None:
    """The kind of a column whose cells are nearly all different."""
    rows, different = len(texts), texts.n_unique()
    if texts.cast(pl.Float64, strict=False).null_count() == 0:
        return _of_numbers(texts, name, context)
    if cells.dtype in (pl.Datetime, pl.Time, pl.Duration) or _written(texts, _TIMES):
        is_series = is_calendar(cells) or (not context.of_people and _is_sorted(texts))
        return None if is_series else Identifier(name, "points in time", different, rows, is_certain=context.of_people)
    if cells.dtype == pl.Date or all(is_date(text) for text in texts.head(_SOME)):
        return None if is_calendar(cells) else Identifier(name, "days", different, rows, is_certain=False)
    return _of_texts(texts, name, context)


def _is_sorted(texts: pl.Series) -> bool:
    return texts.is_sorted() or texts.is_sorted(descending=True)


def _of_texts(texts: pl.Series, name: str, context: _Context) -> Identifier | None:
    rows, different, some = len(texts), texts.n_unique(), texts.head(_SOME)
    if _written(texts, _TWO_NUMBERS) and rows >= _SOME:
        return Identifier(name, "codes of two numbers", different, rows, is_certain=False)
    if _are_vague(some) or _holds_numbers(some) or (is_of_things(name) and not context.of_people):
        return None
    is_own = is_identifier(name) and words_of(name) not in _OF_PLACES and not context.of_things
    return Identifier(name, "texts", different, rows, is_certain=is_own)


def _are_vague(texts: pl.Series) -> bool:
    """Whether more than a few of the cells are ranges, sets or masks."""
    vague = [
        text for text in texts if _BAND.search(text) or any(not isinstance(each, Values) for each in readings(text))
    ]
    sets = [text for text in texts if text.startswith("{")]
    return len(vague) + len(sets) > (1 - MOST) * len(texts)


def _holds_numbers(texts: pl.Series) -> bool:
    """Whether the cells are amounts in the notation of a country, such as `$1,200` or `12,5 %`."""
    units = [amount_unit(text) for text in texts]
    if None in units or len(set(units)) > _UNITS:
        return False
    return any(all(plain_number(text, decimal) is not None for text in texts) for decimal in ".,")


def _of_numbers(texts: pl.Series, name: str, context: _Context) -> Identifier | None:
    found = _kind_of_numbers(texts, name, context)
    if found is None:
        return None
    kind, is_certain = found
    return Identifier(name, kind, texts.n_unique(), len(texts), is_certain=is_certain)


def _kind_of_numbers(texts: pl.Series, name: str, context: _Context) -> tuple[str, bool] | None:
    """The kind, and whether it is certain."""
    digits = texts.str.replace_all(r"[^0-9]|[eE].*$", "").str.strip_chars_start("0").str.len_chars()
    usual = float(digits.median() or 0)  # type: ignore[arg-type]
    if context.of_people and _LATITUDES.fullmatch(name) and _written(texts, r"\.[0-9]{3,}$"):
        return "coordinates", False
    if _written(texts, _LONG) and usual >= MANY_DIGITS:  # means and rates of groups have so many digits
        return None if context.is_keyed else ("numbers with many digits", False)
    if is_of_things(name) and not context.of_people:
        return None
    is_long = usual >= LONG_CODE or is_identifier(name)
    if _are_codes(texts) and (is_long or context.of_people or not context.is_keyed):
        return "codes of one length", is_long and context.of_people
    is_whole = texts.str.contains(r"\.").sum() == 0
    is_named = bool(name) and NAMES.fullmatch(name) is not None and not context.of_things
    return ("numbers of people or records", False) if is_whole and is_named else None


def _are_codes(texts: pl.Series) -> bool:
    """Whether the whole numbers are of one length, and not rounded as sums of money are."""
    rounded = texts.str.ends_with("0").mean()
    is_rounded = isinstance(rounded, float) and rounded >= 0.25
    return _written(texts, _CODES) and texts.str.len_chars().n_unique() == 1 and not is_rounded


def _written(texts: pl.Series, form: str) -> bool:
    share = texts.str.contains(form).mean()
    return isinstance(share, float) and share >= MOST
