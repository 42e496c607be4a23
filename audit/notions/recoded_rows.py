"""What two releases tell of a recoding that is seen only through them.

Whoever is shown in both releases is shown with one value, if the recoding is the same. Which rows are left out or
starred may depend on the data even then: suppression is no part of the recoding. So a change of the recoding is certain
only where more people must be shown in both releases than there are rows that agree.

Only columns that have the name of a column of the data are taken for recoded. Others are worked out from what is
published, such as the size of a group or a row's number: they change with one row although the recoding is fixed. So do
columns of the data whose values are replaced by numbers or pseudonyms (`numbered_rows`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, islice
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from crowdproof.audit.data.rows import group, is_rows, size
from crowdproof.audit.notions.numbered_rows import may_be_numbered
from crowdproof.audit.request import Pair
from crowdproof.cells import Anything, Cell, may_be_suppressed, parse_cell
from crowdproof.claims import Neighbours

Row = tuple[Cell, ...]

_COMPARED = 4_000_000
"""Pairs of rows that are looked at one by one; beyond, every row is taken to agree with every other, which refutes
nothing. A guess that bounds time and memory."""
_CHOICES = 256
"""Sets of columns that are tried: a guess, all sets of eight columns."""


@frozen(eq=False)
class Releases:
    """The releases of two datasets, as counts of equal rows in the columns that both have."""

    names: tuple[str, ...]
    recoded: tuple[int, ...]
    """The places of those columns that are taken for recoded columns of the data."""
    left: Counter[Row]
    right: Counter[Row]
    people: int | None
    """The rows of both datasets, those that they share counted once; None where a release is no row-by-row recoding."""
    same_columns: bool

    @classmethod
    def of(cls, pair: Pair, left: pl.DataFrame, right: pl.DataFrame) -> "Releases":
        """Read the releases of the pair; rows of nothing but stars are left out."""
        sides = [table for table in (left, right) if table.height] or [left]
        names = tuple(name for name in sides[0].columns if name in sides[-1].columns)
        columns = [_read(table, names) for table in (left, right)]
        first, second = map(_counted, columns)
        same = set(sides[0].columns) == set(sides[-1].columns)
        return cls(
            names,
            recoded=tuple(place for place, name in enumerate(names) if _is_recoded(name, place, pair, columns)),
            left=first,
            right=second,
            people=_people(pair, left, right),
            same_columns=same,
        )

    def moved(self) -> int:
        """How many people at least are shown in both releases with values that no one recoding gives.

        At least left + right - people are shown in both; at most as many rows as can be paired up agree.
        """
        if self.people is None or not self.recoded:
            return 0
        left, right = (_projected(side, self.recoded) for side in (self.left, self.right))
        shown_twice = left.total() + right.total() - self.people
        equal = Counter({row: count for row, count in (left & right).items() if not any(map(_hidden, row))})
        if shown_twice <= equal.total():
            return 0
        return max(0, shown_twice - equal.total() - _agreeing(left - equal, right - equal))

    def by_threshold(self, columns: Sequence[str], relation: Neighbours) -> bool:
        """Whether a fixed recoding whose small groups, by these columns, are suppressed can have made the change.

        Then the group of the one row changes (two of them when it is replaced): by that row, or it comes or goes whole.
        """
        places = [self.names.index(name) for name in columns]
        changes: defaultdict[Row, list[int]] = defaultdict(list)
        for row in self._changed:
            changes[_part(row, places)].append(self.left[row] - self.right[row])
        by_one_row = [[-1], [1]]
        if relation is Neighbours.REPLACE and len(changes) == 1:
            by_one_row.append([-1, 1])
        if not self.same_columns or len(changes) > (1 if relation is Neighbours.ADD_REMOVE else 2):
            return False
        unclear = {part for part, change in changes.items() if sorted(change) not in by_one_row}
        for side in (self.left, self.right):
            unclear &= {_part(row, places) for row in side} if unclear else set()
        return not unclear

    @property
    def _changed(self) -> set[Row]:
        return {row for row in self.left.keys() | self.right.keys() if self.left[row] != self.right[row]}


def one_threshold(seen: Sequence[Releases], relation: Neighbours) -> bool:
    """Whether suppression of small groups, by the same columns every time, explains all that changed."""
    shared = [name for name in seen[0].names if all(name in each.names for each in seen)] if seen else []
    choices = chain.from_iterable(combinations(shared, count) for count in range(len(shared), 0, -1))
    return not seen or any(
        all(each.by_threshold(columns, relation) for each in seen) for columns in islice(choices, _CHOICES)
    )


def _read(table: pl.DataFrame, names: Sequence[str]) -> list[list[Cell]]:
    """The columns of those names, cell by cell; a release without rows need not have them."""
    return [[_cell(value) for value in table[name]] if table.height else [] for name in names]


def _counted(columns: list[list[Cell]]) -> Counter[Row]:
    return Counter(row for row in zip(*columns, strict=True) if not all(map(_hidden, row)))


def _cell(value: Any) -> Cell:
    """What the cell says. A word that may stand for a suppressed cell does: it must not refute."""
    return Anything() if may_be_suppressed(value) else parse_cell(value)


def _people(pair: Pair, left: pl.DataFrame, right: pl.DataFrame) -> int | None:
    if not (is_rows(pair.left) and is_rows(pair.right)):
        return None
    if left.height > size(pair.left) or right.height > size(pair.right):
        return None
    both = group(pair.left, pair.right)
    return sum(map(max, both.left, both.right))


def _is_recoded(name: str, place: int, pair: Pair, releases: list[list[list[Cell]]]) -> bool:
    """Whether the column has the name of a column of the data, and is more than new numbers or names for its rows."""
    if not isinstance(pair.left, pl.DataFrame) or name not in pair.left.columns:
        return False
    return not may_be_numbered(releases, place, given=(pair.left[name], pair.right[name]))


def _projected(rows: Counter[Row], places: Sequence[int]) -> Counter[Row]:
    """The rows with these cells only."""
    counts = Counter[Row]()
    for row, count in rows.items():
        counts[_part(row, places)] += count
    return counts


def _hidden(cell: Cell) -> bool:
    return isinstance(cell, Anything)


def _part(row: Row, places: Iterable[int]) -> Row:
    return tuple(row[place] for place in places)


def _agreeing(left: Counter[Row], right: Counter[Row]) -> int:
    """How many rows can be paired up so that both say the same wherever neither is suppressed."""
    if not any(_hidden(cell) for row in chain(left, right) for cell in row):
        return 0  # equal rows were taken out before
    if left.total() * right.total() > _COMPARED:
        return min(left.total(), right.total())
    agree = np.ones((left.total(), right.total()), dtype=np.bool_)
    for first, second in _coded(left, right):
        agree &= (first[:, None] == second) | (first[:, None] < 0) | (second < 0)
    return int((maximum_bipartite_matching(csr_array(agree)) >= 0).sum())


def _coded(left: Counter[Row], right: Counter[Row]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Each column of both, the cells as numbers from 0 on, and -1 where suppressed."""
    rows = [list(left.elements()), list(right.elements())]
    for columns in zip(*(zip(*side, strict=True) for side in rows), strict=True):
        codes: dict[Cell, int] = {}
        first, second = (np.array([_code(cell, codes) for cell in column]) for column in columns)
        yield first, second


def _code(cell: Cell, codes: dict[Cell, int]) -> int:
    """The number of a cell, a new one where the cell has none yet; -1 where it is suppressed."""
    if _hidden(cell):
        return -1
    return codes.setdefault(cell, len(codes))
