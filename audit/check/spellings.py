"""The same thing written in two ways within a column: which rows have which may tell who wrote them."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

import polars as pl

from crowdproof.audit.check.text_orders import is_date
from crowdproof.cells import number

MOST_DIFFERENT = 2000
"""Different texts up to which a column is looked at. A guess: more are remarks or names, and the look takes long."""
ALL_DIFFERENT = 0.95
"""The share of different texts from which each names a row: there 1.1 and 1.10 may be two sections. A guess."""
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe00-\ufe0f\U000e0000-\U000e007f]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LOOKALIKE = re.compile("[\u0370-\u03ff\u0400-\u052f]")
"""Letters of Greek and Cyrillic, some of which look like Latin ones."""


def spellings(table: pl.DataFrame, names: list[str]) -> Iterator[str]:
    """A sentence for each column in which the same thing is written in two ways."""
    for key, name in zip(table.columns, names, strict=True):
        if table[key].dtype != pl.String:
            continue
        texts = table[key].drop_nulls().unique().sort().to_list()
        if 0 < len(texts) <= MOST_DIFFERENT:
            is_own = len(texts) >= ALL_DIFFERENT * table.height
            for what in _found(texts, () if is_own else (str.casefold, _value)):
                yield f"The column {name} has {what}, which marks rows."


def _found(texts: list[str], readings: tuple[Callable[[str], object], ...]) -> Iterator[str]:
    strange = [text for text in texts if _INVISIBLE.search(text)]
    if strange:
        yield f"signs that cannot be seen, as in {strange[0]!a}"
    mixed = [word for text in texts for word in text.split() if _LATIN.search(word) and _LOOKALIKE.search(word)]
    if mixed:
        yield f"letters of two alphabets in one word, as in {mixed[0]!a}"
    if _alike(texts, str.strip):
        yield "the same text with blanks around it and without"
    for read in readings:
        two = _alike(texts, read)
        if two:
            yield f"the same written as {two[0]!r} and as {two[1]!r}"
    forms = {re.sub(r"[A-Za-z]+", "a", re.sub(r"[0-9]+", "9", text)) for text in texts}
    if len(forms) > 1 and all(is_date(text) for text in texts):
        yield f"dates in {len(forms)} notations"


def _value(text: str) -> object:
    found = number(text)
    return text if found is None or (found == 0 and text.startswith("-")) else found  # -0.0 comes of rounding


def _alike(texts: list[str], read: Callable[[str], object]) -> list[str]:
    """The first texts that are the same thing by that reading; none where there are no such."""
    groups: dict[object, list[str]] = defaultdict(list)
    for text in texts:
        groups[read(text)].append(text)
    return next((group for group in groups.values() if len(group) > 1), [])
