"""Columns that number the rows: whole numbers, all different because somebody made them so."""

import math
import re
from collections.abc import Sequence

import polars as pl
from attrs import frozen

from crowdproof.audit.check.groups import column
from crowdproof.audit.check.order import ERROR, UNUSUAL, USUAL
from crowdproof.audit.check.subjects import about_people, is_of_things

_START = 1000
"""Rows that are looked at first. A guess: of so many rows nearly every column has two that are equal, and fewer would
let more columns pass on to the slow look at all rows."""
MANY = 400
"""Rows from which a numbering needs no telling name: a table with one row for each day of a year has 366."""
_OF_ROWS = r"(unnamed.*|\(unnamed\)|_*index(_level_[0-9]+)?_*|#|)|(.*[^a-z])?(row|rownum)|row.?(number|id|nr|no)?"
"""How a column is called that numbers rows."""
_OF_PEOPLE = (
    r"(.*[^a-z])?(uid|pid|mrn)|(patient|person|subject|customer|user|member|client|record)[^a-z]?(id|nr|no|number)?"
)
_OF_ANYTHING = r"(.*[^a-z])?(id|ids|idx|rec|record|record_?id|seq)"
"""How one is called that numbers people, where some column is about people, or else perhaps places."""
NAMES = re.compile(
    rf"{_OF_ROWS}|{_OF_PEOPLE}|{_OF_ANYTHING}"
    r"|(.*[^a-z])?(id|ids|idx|nr|no|num|number|case|key|serial|account)([^a-z].*)?",
    re.IGNORECASE,
)
"""The same, or how one may be called that counts something or answers yes or no."""
_FEW = 5
"""Rows below which nothing is certain: two of them may well have the numbers 1 and 2. A guess."""
_MORE = 20
"""The same for numbers that are not called those of rows: a table of provinces may number them."""


@frozen
class RowNumbers:
    """A column that looks like a numbering of the rows."""

    column: str
    first: int
    last: int
    missing: int
    """Numbers left out between the first and the last: rows of the source that were suppressed."""
    is_certain: bool
    """Whether the name says so too. Other numbers may be codes of places, scores or percents, in a table with one row
    for each of them; then they are only suspicious."""


def row_numbers(table: pl.LazyFrame, columns: Sequence[str], rows: int) -> list[RowNumbers]:
    """Columns of whole numbers that are all different, though by chance some would be equal.

    Of n numbers that are drawn independently from a range of N, all are different with probability at most
    exp(-n (n-1) / 2N), whatever the law: equally likely numbers repeat least. The months of a year are all different
    too, so that a column needs a telling name, or many rows.
    """
    number = {place: _whole(column(table, name)) for place, name in enumerate(columns)}
    start = table.select(each.alias(str(place)) for place, each in number.items()).head(_START).collect()
    number = {
        place: each for place, each in number.items() if start[str(place)].drop_nulls().n_unique() == start.height
    }
    found = []
    level = float((1 - USUAL - UNUSUAL) * ERROR) / max(1, len(columns))
    for place, each in number.items():
        facts = (each.min().alias("low"), each.max().alias("high"), each.count().alias("count"))
        low, high, count = table.select(facts).collect(engine="streaming").row(0)
        if count != rows or rows < 2 or not _is_made(rows, int(high) - int(low) + 1, columns[place], level):
            continue
        if table.select(each.n_unique()).collect(engine="streaming").item() == rows:
            missing = int(high) - int(low) + 1 - rows
            is_certain = _is_certain(columns[place], columns, rows)
            found.append(RowNumbers(columns[place], low, high, missing=missing, is_certain=is_certain))
    return found


def _is_certain(name: str, columns: Sequence[str], rows: int) -> bool:
    """Whether the name says that rows or people are numbered."""
    if re.fullmatch(_OF_ROWS, name, re.IGNORECASE):
        return rows >= _FEW
    if re.fullmatch(_OF_PEOPLE, name, re.IGNORECASE):
        return rows >= _MORE
    is_of_anything = re.fullmatch(_OF_ANYTHING, name, re.IGNORECASE) is not None and not is_of_things(name)
    return rows >= _MORE and is_of_anything and about_people(list(columns), without=name)


def _is_made(rows: int, span: int, name: str, level: float) -> bool:
    """Whether so many different numbers in a range so wide are no chance, and no months of a year."""
    if NAMES.fullmatch(name):
        return span < 2 * rows or math.exp(-rows * (rows - 1) / (2 * span)) <= level
    return rows >= MANY and math.exp(-rows * (rows - 1) / (2 * span)) <= level


def _whole(cells: pl.Expr) -> pl.Expr:
    """The whole numbers of the column, `2.0` among them; null where there is none."""
    return cells.cast(pl.String, strict=False).str.replace(r"\.0*$", "").cast(pl.Int64, strict=False)
