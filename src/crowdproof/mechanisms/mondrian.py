"""Mondrian multidimensional k-anonymity (LeFevre, DeWitt, Ramakrishnan 2006), strict and relaxed.

All nodes of one level of the tree are cut together, by segmented numpy operations on integer-coded columns.

>>> people = pl.DataFrame({"age": [21, 25, 38, 41], "sex": ["f", "m", "f", "f"]})
>>> Mondrian(k=2)(people).rows()
[('[21, 25]', '{f, m}'), ('[21, 25]', '{f, m}'), ('[38, 41]', 'f'), ('[38, 41]', 'f')]
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import define, field, frozen
from numpy.typing import NDArray

from crowdproof.errors import DataError, ParameterError
from crowdproof.mechanisms.conditions import Condition, Meets
from crowdproof.mechanisms.local_recoding import nothing, recode
from crowdproof.mechanisms.parameters import as_k, as_names
from crowdproof.mechanisms.sampling import Fitted
from crowdproof.mechanisms.tables import Coded, Codes, canonical, chosen, code, require_columns, require_rows

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@frozen
class Mondrian(Fitted):
    """Cut the rows in two, again and again, as long as both sides keep k rows; then recode each part locally.

    The width of a part in a column is the distance between its extreme values over that of the whole table; text is
    ordered by its characters. A part is cut in its widest column that allows it, the first of equally wide ones.

    Strict: with m the lower median, the part is cut into {x <= m} and {x > m} or into {x < m} and {x >= m}, whichever
    is more balanced, the first when equal; the cut is allowed when both sides have at least k rows. Rows alike stay
    together. Relaxed: n rows are cut into floor(n/2) and the rest, rows with the median going to either side in the
    order of the whole row; allowed when n >= 2k.

    With a `condition` on a secret column (`Diverse`, `Close`) a cut is allowed only where both sides meet it; a table
    that does not meet it as a whole has no such release.

    Both depend on the rows only, not on their order. `columns` are recoded (None: all but the secret), the others are
    released as they are. Fewer than k rows are an error, or with `total` the empty release.
    """

    deterministic: ClassVar[bool] = True
    k: int = field(converter=as_k)
    columns: tuple[str, ...] | None = field(default=None, converter=as_names)
    relaxed: bool = False
    condition: Condition | None = None

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:  # noqa: ARG002
        """The release of the table."""
        names = self._names(table)
        if self.total and table.height < self.k:
            return nothing(table, names)
        require_rows(table, self.k)
        if self.relaxed:  # only here can it matter which of several rows alike is which
            table = canonical(table)
        meets = None if self.condition is None else self.condition.of(table[self.condition.secret])
        if meets is not None and not meets(np.arange(table.height), np.zeros(table.height, np.int64), 1).all():
            if self.total:
                return nothing(table, names)
            raise DataError(f"the table as a whole does not meet {self.condition}: no grouping of it can.")
        coded = [code(table[name]) for name in names]
        return recode(table, coded, clusters(coded, self.k, relaxed=self.relaxed, meets=meets))

    def _names(self, table: pl.DataFrame) -> tuple[str, ...]:
        """The columns that are recoded."""
        if self.condition is None:
            return chosen(table, self.columns)
        require_columns(table, [self.condition.secret])
        if self.columns is not None and self.condition.secret in self.columns:
            raise ParameterError(f"column {self.condition.secret!r} is the secret: leave it out of those recoded.")
        others = [name for name in table.columns if name != self.condition.secret]
        return chosen(table, others if self.columns is None else self.columns)


def clusters(columns: Sequence[Coded], k: int, *, relaxed: bool = False, meets: Meets | None = None) -> Ints:
    """The part of each row, numbered from 0."""
    level = _Level.of(columns)
    result = np.empty(len(level.rows), dtype=np.int64)
    parts = 0
    while len(level.rows):
        cuts = _cuts(level, columns, k, relaxed=relaxed, meets=meets)
        sizes = level.sizes
        done = ~cuts.cut
        rows_done = np.repeat(done, sizes)
        result[level.rows[rows_done]] = np.repeat(parts + np.arange(done.sum()), sizes[done])
        parts += int(done.sum())
        level = _split(level, cuts, ~done, ~rows_done)
    return result


@define
class _Level:
    """The open parts of one depth: rows and their codes, part after part; part i is starts[i] to starts[i+1]."""

    rows: Ints
    codes: Codes  # column x row
    starts: Ints

    @classmethod
    def of(cls, columns: Sequence[Coded]) -> "_Level":
        codes = np.stack([each.codes for each in columns])
        count = codes.shape[1]
        return cls(np.arange(count), codes, np.array([0, count]))

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)


@define
class _Cuts:
    """For each part whether it is cut, and for each row whether it then goes to the left."""

    cut: Bools
    left: Bools


def _cuts(level: _Level, columns: Sequence[Coded], k: int, *, relaxed: bool, meets: Meets | None) -> _Cuts:
    sizes, widths = level.sizes, _widths(level, columns)
    preference = np.argsort(-widths, axis=0, kind="stable")
    cuts = _Cuts(np.zeros(len(sizes), dtype=np.bool_), np.zeros(len(level.rows), dtype=np.bool_))
    open_parts = np.flatnonzero(sizes >= 2 * k)
    for column in preference:
        open_parts = open_parts[widths[column[open_parts], open_parts] > 0]
        if not len(open_parts):
            break
        allowed = _try(level, cuts, open_parts, column[open_parts], k, relaxed=relaxed, meets=meets)
        open_parts = open_parts[~allowed]
    return cuts


def _widths(level: _Level, columns: Sequence[Coded]) -> Floats:
    """Column x part: how wide the part is, relative to the whole table."""
    low = np.minimum.reduceat(level.codes, level.starts[:-1], axis=1)
    high = np.maximum.reduceat(level.codes, level.starts[:-1], axis=1)
    spans = [(each.positions[high[i]] - each.positions[low[i]]) / (each.span or 1.0) for i, each in enumerate(columns)]
    return np.stack(spans)


def _try(level: _Level, cuts: _Cuts, parts: Ints, column: Ints, k: int, *, relaxed: bool, meets: Meets | None) -> Bools:
    """Cut each of `parts` in its `column` where that is allowed; tell where it was."""
    sizes = level.sizes[parts]
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    part_of_row = np.repeat(np.arange(len(parts)), sizes)
    at = np.arange(len(part_of_row)) + np.repeat(level.starts[parts] - starts, sizes)
    values = level.codes[column[part_of_row], at].astype(np.int64)
    median = _medians(values, part_of_row, starts, sizes)
    below, equal = values < median[part_of_row], values == median[part_of_row]
    lower = np.add.reduceat(below, starts, dtype=np.int64)
    if relaxed:
        seen = np.cumsum(equal)
        ties_before = seen - 1 - np.repeat(seen[starts] - equal[starts], sizes)
        left = below | (equal & (ties_before < np.repeat(sizes // 2 - lower, sizes)))
        allowed = np.ones(len(parts), dtype=np.bool_)
    else:
        upto = lower + np.add.reduceat(equal, starts, dtype=np.int64)
        with_median, without = np.minimum(upto, sizes - upto), np.minimum(lower, sizes - lower)
        left = below | (equal & np.repeat(with_median >= without, sizes))
        allowed = np.maximum(with_median, without) >= k
    if meets is not None:
        sides = meets(level.rows[at], 2 * part_of_row + left, 2 * len(parts))
        allowed = allowed & sides.reshape(-1, 2).all(axis=1)
    cuts.cut[parts] = allowed
    cuts.left[at] = left
    return allowed


def _medians(values: Ints, part_of_row: Ints, starts: Ints, sizes: Ints) -> Ints:
    """The lower median of each part, by sorting (part, value) as one number."""
    base = int(values.max()) + 1
    ordered = np.sort(part_of_row * base + values)
    medians: Ints = ordered[starts + (sizes - 1) // 2] % base
    return medians


def _split(level: _Level, cuts: _Cuts, kept: Bools, rows_kept: Bools) -> _Level:
    """The next level: the left and the right side of each part that was cut, each in the order it had."""
    sizes, left = level.sizes[kept], cuts.left[rows_kept]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    lefts = np.concatenate([[0], np.cumsum(left)])
    before = lefts[starts]  # rows gone left in earlier parts
    count_left = np.diff(before)
    index = np.arange(len(left))
    to_left = np.repeat(starts[:-1] - before[:-1], sizes) + lefts[:-1]
    to_right = np.repeat(before[:-1] + count_left, sizes) + index - lefts[:-1]
    target = np.where(left, to_left, to_right)
    rows = np.empty_like(index)
    rows[target] = level.rows[rows_kept]
    codes = np.empty((len(level.codes), len(index)), dtype=level.codes.dtype)
    for i, each in enumerate(level.codes):
        codes[i, target] = each[rows_kept]
    borders = np.stack([starts[:-1], starts[:-1] + count_left], axis=1).ravel()
    return _Level(rows, codes, np.append(borders, starts[-1]))
