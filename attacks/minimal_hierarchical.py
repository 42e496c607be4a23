"""The victim of downcoding: hierarchies, applied as finely as k allows in every part of every group."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.mechanisms import Grid, Hierarchy, Keep, Suppress
from crowdproof.mechanisms.recoding import Recoding
from crowdproof.mechanisms.tables import canonical, require_columns, require_rows

Levels = Mapping[str, Sequence[Recoding]]
"""Column -> its recodings from the finest to the coarsest, each a function of the one before."""
Ints = NDArray[np.int64]
Texts = list[list[NDArray[np.str_]]]
"""For each column and level the texts of all rows."""

_MARITAL = {
    "Married-civ-spouse": "Married",
    "Married-AF-spouse": "Married",
    "Never-married": "Single",
    "Divorced": "Was-married",
    "Separated": "Was-married",
    "Widowed": "Was-married",
    "Married-spouse-absent": "Was-married",
}
CENSUS: Levels = {
    "age": (Keep(), Grid(5), Grid(20), Suppress()),
    "education_num": (Keep(), Grid(4), Suppress()),
    "marital_status": (Keep(), Hierarchy({value: [group] for value, group in _MARITAL.items()}), Suppress()),
    "race": (Keep(), Suppress()),
    "sex": (Keep(), Suppress()),
}
"""Hierarchies for census rows."""


@frozen(eq=False)
class Group:
    """Rows that are published alike, and the level of each column."""

    rows: Ints
    levels: tuple[int, ...]


@frozen
class MinimalHierarchical:
    """Start with every column at its top; publish part of a group finer in a column as long as all parts keep k rows.

    Columns are tried in their order, again and again, until no k rows of a group can be published finer with k rows or
    none left behind.
    """

    deterministic: ClassVar[bool] = True
    columns: tuple[tuple[str, tuple[Recoding, ...]], ...]
    k: int

    @classmethod
    def of(cls, levels: Levels, k: int) -> "MinimalHierarchical":
        """With these hierarchies."""
        return cls(tuple((name, tuple(each)) for name, each in levels.items()), k)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:  # noqa: ARG002
        """The release of the table."""
        texts = self.texts(table)
        cells = [pl.DataFrame(self._cells(group, texts)) for group in self.groups(texts)]
        return canonical(pl.concat(cells))

    def texts(self, table: pl.DataFrame) -> Texts:
        """For each column and level the texts of all rows."""
        require_columns(table, [name for name, _ in self.columns])
        require_rows(table, self.k)
        return [[each(table[name]).to_numpy().astype(str) for each in levels] for name, levels in self.columns]

    def groups(self, texts: Texts) -> list[Group]:
        """The rows that are published alike."""
        codes = [[np.unique(level, return_inverse=True)[1] for level in levels] for levels in texts]
        waiting = [Group(np.arange(len(texts[0][0])), tuple(len(levels) - 1 for levels in texts))]
        done = []
        while waiting:
            group = waiting.pop()
            parts = self._finer(group, codes)
            waiting.extend(parts)
            if not parts:
                done.append(group)
        return done

    def _finer(self, group: Group, codes: list[list[Ints]]) -> list[Group]:
        """A part that can be published finer, and the rest; nothing where there is none."""
        for column, level in enumerate(group.levels):
            if level == 0:
                continue
            finer = codes[column][level - 1][group.rows]
            values, counts = np.unique(finer, return_counts=True)
            for value, count in zip(values.tolist(), counts.tolist(), strict=True):
                taken = self._taken(count, len(group.rows))
                if taken:
                    alike = np.flatnonzero(finer == value)[:taken]
                    levels = (*group.levels[:column], level - 1, *group.levels[column + 1 :])
                    rest = np.delete(group.rows, alike)
                    left = [Group(rest, group.levels)] if len(rest) else []
                    return [Group(group.rows[alike], levels), *left]
        return []

    def _taken(self, count: int, size: int) -> int:
        """How many of so many equal rows can leave a group of that size; 0 where they must stay."""
        if count == size:
            return count
        return min(count, size - self.k) if min(count, size - self.k) >= self.k else 0

    def _cells(self, group: Group, texts: Texts) -> dict[str, list[str]]:
        first, count = int(group.rows[0]), len(group.rows)
        levels = zip(self.columns, texts, group.levels, strict=True)
        return {name: [str(column[level][first])] * count for (name, _), column, level in levels}


def fixed_groups(texts: Texts, k: int) -> list[Group]:
    """The defended twin: each column at a level fixed beforehand, whatever the data; groups below k are dropped.

    The levels are fine, so that there are small groups, which the adversary can try: one step up, or none where that
    would suppress the column.
    """
    levels = tuple(min(1, len(each) - 2) for each in texts)
    keys = pl.DataFrame({str(i): each[level] for i, (each, level) in enumerate(zip(texts, levels, strict=True))})
    rows = keys.with_row_index("row").group_by(keys.columns).agg("row").sort(keys.columns)["row"]
    return [Group(each.to_numpy().astype(np.int64), levels) for each in rows if len(each) >= k]


def hierarchies(table: pl.DataFrame) -> Levels:
    """For any table: numbers in two grids below `*`, texts directly below it."""

    def levels(column: pl.Series) -> tuple[Recoding, ...]:
        if not column.dtype.is_numeric():
            return (Keep(), Suppress())
        spread = float(column.max()) - float(column.min())  # type: ignore[arg-type]
        width = max(1, round(spread / 16))
        return (Keep(), Grid(width), Grid(4 * width), Suppress())

    return {name: levels(table[name]) for name in table.columns}
