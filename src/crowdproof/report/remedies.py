"""What leaks, and what to do about it: one remedy for every kind of event that can refute a claim.

This is the catalogue that a person can read through. A test holds it to the words of `crowdproof.audit.releases`: for
each kind of event that they can tell, there is an entry here.
"""

import re
from collections.abc import Mapping, Sequence
from math import isclose
from typing import Any

from attrs import frozen

from crowdproof.personal import words_of


@frozen
class Remedy:
    """A kind of leak: how the words of its events are recognized, what it is, and what helps."""

    words: str
    """A regular expression that the words of its events match."""
    leak: str
    cure: str

    def __str__(self) -> str:
        return f"{self.leak} {self.cure}"


REMEDIES = (
    Remedy(
        r"there is (no|a) release\b",
        "What leaks is whether there is a release at all.",
        "Let it return a release of the same shape for all data, an empty one where there is too little.",
    ),
    Remedy(
        r"floating-point|last set bit|last digit",
        "What leaks is how the computer rounds noisy numbers: this is a floating-point leak.",
        "Draw noise in whole numbers, or round to a fixed grid by a library that is made for it, such as OpenDP.",
    ),
    Remedy(
        r"sorted|first row|last row|in the order|place of the largest|minus the one before",
        "What leaks is the order of the release.",
        "Sort it by what is released alone, or shuffle it, before it is published.",
    ),
    Remedy(
        r"number of (cells|rows) (with|equal)",
        "What leaks is an exact count: one person more or less changes how many rows or cells there are of a kind.",
        "Add noise to counts before they are published. Where a range or a value is taken from the data itself, recode "
        "it by a fixed grid as well.",
    ),
    Remedy(
        r"range that (starts|ends)|(smallest|largest) (number in|component)",
        "What leaks is that a range or an extreme value is taken from the data.",
        "Recode by a grid that is fixed before the data is seen, and drop groups below k.",
    ),
    Remedy(
        r"suppressed|smallest group",
        "What leaks is which cells or groups were suppressed.",
        "Drop whole groups, leave no trace of what was dropped, and decide it by a count with noise or on a sample.",
    ),
    Remedy(
        r"\ba column\b|it is (not )?a\b|number of columns",
        "What leaks is the shape of the release, which depends on the data.",
        "Release the same columns of the same types for all data.",
    ),
    Remedy(
        r"sum of|number at|date at|released (number|date)|rank correlation|component",
        "What leaks is a number that is worked out from the data with too little noise, or with none.",
        "Limit what one person can change, and add noise on that scale, such as a Laplace or Gaussian mechanism.",
    ),
    Remedy(
        r"the release (is|has) (?!the row|not the row)|one certain table",
        "What leaks is the release as a whole, or a part of it, which one person changes.",
        "See in the event above what changes: add noise to it, recode it by a rule fixed before, or leave it out.",
    ),
    Remedy(
        r"number of (rows|distinct|members|cells|wholly)|length of the (released )?text|rows? equal|table of",
        "What leaks is how many rows or members the release has.",
        "Add noise to the count before it is published, or release a fixed number of rows.",
    ),
    Remedy(
        r"cell|set that holds|the word|text that|an entry|its rows are|the release (is|has|contains)",
        "What leaks is a value that one person brings along.",
        "Recode values by a grid that is fixed before the data is seen, and drop those that fewer than k people share.",
    ),
)
"""The first entry that fits holds, so that the special ones come before the general ones."""

COUNTED = REMEDIES[3]
WORKED_OUT = REMEDIES[7]
COUNTS = frozenset(
    {"n", "count", "counts", "size", "number", "total", "freq", "frequency", "len", "patients", "people"}
)
"""Words of columns that hold how many there are."""
_NUMBER_IN_CELL = re.compile(
    r"the release contains (?:no )?(?:a )?cell (-?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?) in column (.+)"
)
DIGITS = 1e-5
"""How far a number in the words of an event may be from the cell that it was: six digits are shown."""

GENERAL = Remedy(
    "",
    "What leaks is something that one person changes in the release.",
    "Find it in the event above; hide it by noise, recode it by a fixed rule, or do not publish it.",
)


def remedy_for(words: str, rows: Sequence[Mapping[str, Any]] = ()) -> Remedy:
    """The remedy for a leak that these words of an event tell, where the datasets differ in these rows.

    A number in a cell which nobody brought along was worked out from the data, and no grid for values helps against it.

    >>> print(remedy_for("the release contains a range that ends at 35,000,000 in column net_worth").leak)
    What leaks is that a range or an extreme value is taken from the data.
    >>> print(remedy_for("the release contains a cell 26 in column n", [{"age": 26}]).leak)
    What leaks is an exact count: one person more or less changes how many rows or cells there are of a kind.
    """
    cell = _NUMBER_IN_CELL.fullmatch(words)
    if cell is not None and rows and not any(_brings(row, cell[2], float(cell[1].replace(",", ""))) for row in rows):
        return COUNTED if COUNTS & set(words_of(cell[2])) else WORKED_OUT
    for remedy in REMEDIES:
        if re.search(remedy.words, words):
            return remedy
    return GENERAL


def _brings(row: Mapping[str, Any], column: str, number: float) -> bool:
    """Whether a row has this number: in this column, or where it has no such column in any, unless it counts people."""
    if column in row:
        return _is(row[column], number)
    return not COUNTS & set(words_of(column)) and any(_is(cell, number) for cell in row.values())


def _is(cell: Any, number: float) -> bool:
    try:
        return cell is not None and isclose(float(cell), number, rel_tol=DIGITS)
    except (TypeError, ValueError):
        return False
