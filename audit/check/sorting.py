"""How the rows of a release are sorted or grouped: by which of its columns, and into which blocks of equal keys."""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import polars as pl
from attrs import define, field
from scipy import sparse, special

from crowdproof.audit.check.column_parts import FILLED, PART, parts
from crowdproof.audit.check.text_orders import text_orders

CHANCE = 1e-3
"""A grouping that comes by chance less often than this is taken for one that was made. Not to take one that was made
raises a false alarm where equal neighbours are rarer than the error of all tests of the order allows, so it is no
smaller than that; to take one that was not made only costs power."""
MOST_PAIRED = 12
"""Columns up to which groupings by two of them are looked for: a guess, since each pair takes a pass over the rows."""


ROUND = 7
"""Values from which rows that ascend but for one place go round, as months do: two that do are a cluster. A guess."""
START = 2000
"""Steps from row to row that are looked at first: of most columns they fit no order. A guess."""


@define(eq=False)
class Sorting:
    """Blocks of rows that are equal in every key, so that no key says in which order they stand."""

    table: pl.DataFrame
    blocks: np.ndarray
    """For each row the number of its block, ascending."""
    keys: list[str] = field(factory=list)
    """The columns by which the rows are sorted or grouped."""
    is_grouped: bool = False
    """Some key keeps equal rows together without being sorted."""

    _columns: dict[str, pl.Series] = field(factory=dict)
    """The columns and their parts."""
    _orders: dict[str, list[np.ndarray]] = field(factory=dict)
    """The orders of those columns whose first rows ascend by some order."""

    @classmethod
    def of(cls, table: pl.DataFrame, known: list[str]) -> "Sorting":
        """Find the keys one after another, each within the blocks of those before."""
        found = cls(table, np.zeros(table.height, dtype=np.int64))
        for name in table.columns:
            found._columns[name] = table[name]
            found._columns |= parts(table[name])
        codes = {name: _codes(cells) for name, cells in found._columns.items()}
        starts = {name: list(_orders(cells.head(START))) for name, cells in found._columns.items()}
        while (
            found._sort_key(codes, starts)
            or found._listed_key(codes)
            or found._group_key(codes, known)
            or found._size_key(codes, known)
        ):
            pass
        return found

    def _sort_key(self, codes: dict[str, np.ndarray], starts: dict[str, list[np.ndarray]]) -> bool:
        for name, variants in starts.items():
            if name in self.keys or self._is_constant(codes[name]) or not self._is_sorted(variants):
                continue
            if name not in self._orders:
                self._orders[name] = list(_orders(self._columns[name]))
            if self._is_sorted(self._orders[name]):
                self._add([name], codes[name])
                return True
        return False

    def _is_sorted(self, variants: list[np.ndarray]) -> bool:
        """Whether the rows, or the first of them, ascend or descend in each block by one of the orders."""
        blocks = self.blocks[: len(variants[0])]
        same = np.diff(blocks) == 0
        for order in variants:
            steps = np.diff(order)[same]
            if (steps >= 0).all() or (steps <= 0).all() or (blocks[-1] == 0 and _goes_round(order, steps)):
                return True
        return False

    def _listed_key(self, codes: dict[str, np.ndarray]) -> bool:
        """Find a column that has its values in the same order in each block, though that order has no name.

        So tables are laid out: the regions, or the days of the week, in the same order for each year.
        """
        for name, values in codes.items():
            if name not in self.keys and not self._is_constant(values) and self._is_listed(values):
                self._add([name], values)
                return True
        return False

    def _is_listed(self, codes: np.ndarray) -> bool:
        """Whether one order of the values fits all blocks, and shuffles of the blocks would hardly fit any order."""
        same = np.diff(self.blocks) == 0
        before, after = codes[:-1][same], codes[1:][same]
        if not (_fits_an_order(before[:START], after[:START]) and _fits_an_order(before, after)):
            return False
        values = np.unique(np.concatenate([before, after]))
        sizes = np.bincount(_joint([self.blocks, codes]))
        fitting = _log_factorials(sizes) + _log_factorials(np.array([len(values)]))
        return fitting - _log_factorials(np.bincount(self.blocks)) < math.log(CHANCE)

    def _group_key(self, codes: dict[str, np.ndarray], known: list[str]) -> bool:
        for names in self._sets(known):
            if not self._stand_together([codes[name][:START] for name in names]):
                continue
            joint = _joint([codes[name] for name in names])
            if not self._is_constant(joint) and self._are_grouped(joint):
                self._add(names, joint)
                self.is_grouped = True
                return True
        return False

    def _size_key(self, codes: dict[str, np.ndarray], known: list[str]) -> bool:
        """Find columns by which the rows are grouped, the larger groups first or last; equal sizes may be mixed."""
        for names in self._sets(known):
            key = f"{names[0]}{PART}size of {', '.join(names)}"
            sizes = _sizes([self.blocks, *(codes[name] for name in names)])
            is_key = self._is_sorted([sizes]) and not self._is_constant(sizes) and self._are_grouped(sizes)
            if is_key and key not in self.keys:
                self._add([key], sizes)
                return True
        return False

    def _sets(self, known: list[str]) -> Iterator[list[str]]:
        return _sets_of_columns([name for name in self.table.columns if name not in self.keys], known)

    def _is_constant(self, codes: np.ndarray) -> bool:
        return bool(((np.diff(codes) == 0) | (np.diff(self.blocks) != 0)).all())

    def _stand_together(self, codes: list[np.ndarray]) -> bool:
        """Whether equal rows of each block are neighbours."""
        pairs = _joint([self.blocks[: len(codes[0])], *codes])
        return bool(1 + np.count_nonzero(np.diff(pairs)) == 1 + pairs.max())

    def _are_grouped(self, codes: np.ndarray) -> bool:
        """Whether equal rows of each block are neighbours, and a shuffle would not have made them so."""
        if not self._stand_together([codes]):
            return False
        pairs = _joint([self.blocks, codes])
        sizes = np.bincount(pairs)
        owners = np.zeros(len(sizes), dtype=np.int64)
        owners[pairs] = self.blocks
        arranged = _log_factorials(sizes) + _log_factorials(np.bincount(owners))
        return arranged - _log_factorials(np.bincount(self.blocks)) < math.log(CHANCE)

    def _add(self, names: list[str], codes: np.ndarray) -> None:
        changes = (np.diff(self.blocks) != 0) | (np.diff(codes) != 0)
        self.blocks = np.concatenate([[0], np.cumsum(changes)])
        self.keys += [*names, *(name.removesuffix(FILLED) for name in names if name.endswith(FILLED))]


def _goes_round(order: np.ndarray, steps: np.ndarray) -> bool:
    """Whether the rows ascend but for one place, as the months of a year that begins in April do."""
    return bool(order[-1] <= order[0] and np.count_nonzero(steps < 0) == 1 and len(np.unique(order)) >= ROUND)


def _fits_an_order(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether no value stands both before another and, maybe by way of others, after it."""
    changes = before != after
    values, places = np.unique(np.concatenate([before[changes], after[changes]]), return_inverse=True)
    ends = np.split(places, 2)
    follows = sparse.coo_array((np.ones(len(ends[0])), (ends[0], ends[1])), shape=(len(values), len(values)))
    rounds, _ = sparse.csgraph.connected_components(follows, directed=True, connection="strong")
    return bool(rounds == len(values))


def _sets_of_columns(names: list[str], known: list[str]) -> Iterator[list[str]]:
    """Columns by which rows may be grouped: each alone, the known ones, all, all but one of these, and pairs."""
    wanted = [[name] for name in names]
    for whole in ([name for name in known if name in names], names):
        wanted += [whole, *([other for other in whole if other != name] for name in whole)]
    if len(names) <= MOST_PAIRED:
        wanted += [list(pair) for pair in combinations(names, 2)]
    seen = set()
    for each in wanted:
        if each and frozenset(each) not in seen:
            seen.add(frozenset(each))
            yield each


def _log_factorials(numbers: np.ndarray) -> float:
    return float(special.gammaln(numbers + 1).sum())


def _codes(column: pl.Series) -> np.ndarray:
    """A number for each different cell."""
    return column.rank("dense").fill_null(0).to_numpy().astype(np.int64)


def _joint(parts: list[np.ndarray]) -> np.ndarray:
    """A number for each different combination."""
    found = parts[0]
    for each in parts[1:]:
        _, found = np.unique(found * (each.max() + 1) + each, return_inverse=True)
    return np.unique(found, return_inverse=True)[1]


def _sizes(parts: list[np.ndarray]) -> np.ndarray:
    """For each row the number of rows that are alike."""
    widths = [int(each.max()) + 1 for each in parts]
    if math.prod(widths) > 2**24:  # more numbers than are counted in a moment
        joint = _joint(parts)
        return np.asarray(np.bincount(joint)[joint])
    joint = np.zeros(len(parts[0]), dtype=np.int64)
    for each, width in zip(parts, widths, strict=True):
        joint = joint * width + each
    return np.asarray(np.bincount(joint)[joint])


def _orders(column: pl.Series) -> Iterator[np.ndarray]:
    """The places of the cells in every order by which a program may sort them, missing ones first or last."""
    for each in _readings(column):
        places = each.rank("dense").cast(pl.Int64)
        yield places.fill_null(0).to_numpy()
        if places.null_count():
            yield places.fill_null(1 + len(column)).to_numpy()


def _readings(column: pl.Series) -> Iterator[pl.Series]:
    yield column
    if column.dtype == pl.String:
        yield from text_orders(column)
