"""Tables of counts of a few people, as a census publishes them, and the records that they allow."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray
from scipy.stats import binom

from crowdproof.errors import DataError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_BANDS = 14
"""Bands that a number is cut into: ages in steps of five years, as a census has them."""
_SECONDS = 2.0
"""For one block; what is found until then is taken. A guess: most blocks take a hundredth of it."""
_FITTING = 10
"""Rounds of proportional fitting; a guess, and more change nothing that is seen."""


@frozen(eq=False)
class Coded:
    """People as numbers, one column each; a number is known by its band."""

    names: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    """For each column what its numbers stand for."""
    records: Ints
    """Person x column."""

    @classmethod
    def of(cls, people: pl.DataFrame, names: Sequence[str]) -> "Coded":
        """The people without nulls in these columns."""
        whole = people.select(names).drop_nulls()
        if whole.is_empty():
            raise DataError(f"nobody has a value in all of {', '.join(names)}: name other columns.")
        coded = [_coded(whole[name]) for name in names]
        return cls(tuple(names), tuple(words for _, words in coded), np.stack([each for each, _ in coded], axis=1))

    def say(self, record: Sequence[int]) -> str:
        """A record in words."""
        return ", ".join(words[each] for each, words in zip(record, self.words, strict=True))


def _coded(column: pl.Series) -> tuple[Ints, tuple[str, ...]]:
    if not column.dtype.is_numeric():
        values, codes = np.unique(column.cast(pl.String).to_numpy().astype(str), return_inverse=True)
        return codes.astype(np.int64), tuple(values.tolist())
    numbers = column.cast(pl.Float64).to_numpy()
    width = max(1.0, float(np.round((numbers.max() - numbers.min()) / _BANDS)))
    values, codes = np.unique(np.floor(numbers / width), return_inverse=True)
    return codes.astype(np.int64), tuple(f"{each * width:g} to {(each + 1) * width:g}" for each in values)


def pairs(columns: int) -> list[tuple[int, int]]:
    """The tables that are published: of each two columns one."""
    return list(combinations(range(columns), 2))


Tables = list[Floats]
"""For each pair of columns the counts of each pair of values."""


def tabulate(records: Ints, sizes: Sequence[int]) -> Tables:
    """The exact tables.

    >>> [each.tolist() for each in tabulate(np.array([[0, 1], [1, 1]]), [2, 2])]
    [[[0.0, 1.0], [0.0, 1.0]]]
    """
    found = []
    for a, b in pairs(len(sizes)):
        counts = np.bincount(records[:, a] * sizes[b] + records[:, b], minlength=sizes[a] * sizes[b])
        found.append(counts.reshape(sizes[a], sizes[b]).astype(np.float64))
    return found


@frozen(eq=False)
class Country:
    """What everybody knows: which records there are among other people, and how common each is."""

    types: Ints
    """Record x column."""
    share: Floats
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, records: Ints, sizes: Sequence[int]) -> "Country":
        """By counting."""
        types, counts = np.unique(records, axis=0, return_counts=True)
        return cls(types, counts / counts.sum(), tuple(sizes))

    def likeliest(self, people: int) -> Counter[tuple[int, ...]]:
        """So many records, of which as many as possible are to be expected among so many people of the country.

        The j-th copy of a record is right if j people have it or more.
        """
        most = min(people, 40)
        gains = binom.sf(np.arange(most)[:, None], people, self.share[None, :])  # copy x record
        best = np.argsort(-gains, axis=None, kind="stable")[:people]
        return Counter(tuple(self.types[each % len(self.types)].tolist()) for each in best.tolist())

    def fitted(self, tables: Tables) -> "Country":
        """The shares that fit the tables, noisy as they may be: by proportional fitting."""
        share = self.share.copy()
        cells = [
            (self.types[:, a] * self.sizes[b] + self.types[:, b], np.maximum(each, 0.0).ravel())
            for (a, b), each in zip(pairs(len(self.sizes)), tables, strict=True)
        ]
        for _ in range(_FITTING):
            for cell, wanted in cells:
                have = np.bincount(cell, share, minlength=len(wanted))
                share = share * (wanted / max(wanted.sum(), 1e-300) / np.maximum(have, 1e-300))[cell]
                share /= max(share.sum(), 1e-300)
        return Country(self.types, share, self.sizes)

    def consistent(self, tables: Tables) -> Counter[tuple[int, ...]]:
        """Records that have exactly these tables, the likeliest in the country: by linear programming over integers."""
        return reconstruct(self._possible(tables), tables, self)

    def _possible(self, tables: Tables) -> Ints:
        """All records, of the country or not, each of whose cells somebody is in."""
        found: Ints = np.zeros((1, 0), dtype=np.int64)
        for column, size in enumerate(self.sizes):
            longer = np.hstack([np.repeat(found, size, axis=0), np.tile(np.arange(size), len(found))[:, None]])
            kept = np.ones(len(longer), dtype=np.bool_)
            for (a, b), each in zip(pairs(len(self.sizes)), tables, strict=True):
                if b == column:
                    kept &= each[longer[:, a], longer[:, b]] > 0
            found = longer[kept]
        return found

    def surprise(self, types: Ints) -> Floats:
        """For each record -log of its share; one that the country does not have is rarer than all others."""
        known = {tuple(each): share for each, share in zip(self.types.tolist(), self.share.tolist(), strict=True)}
        least = min(known.values()) / 2
        found: Floats = -np.log([known.get(tuple(each), least) for each in types.tolist()])
        return found


def reconstruct(types: Ints, tables: Tables, country: Country) -> Counter[tuple[int, ...]]:
    """How many people have each of the records, so that all tables come out; nothing where no solution was found."""
    from scipy.optimize import LinearConstraint, milp  # noqa: PLC0415  (slow to import: only this attack solves)
    from scipy.sparse import csr_array  # noqa: PLC0415

    rows, wanted = [], []
    for (a, b), each in zip(pairs(len(country.sizes)), tables, strict=True):
        for first, second in np.argwhere(each > 0):
            rows.append((types[:, a] == first) & (types[:, b] == second))
            wanted.append(each[first, second])
    if not len(types):
        return Counter()
    exactly = LinearConstraint(csr_array(np.array(rows, dtype=np.float64)), wanted, wanted)
    solved = milp(
        country.surprise(types),
        integrality=np.ones(len(types), dtype=np.int64),
        constraints=exactly,
        options={"time_limit": _SECONDS},
    )
    if solved.x is None:
        return Counter()
    counts = np.rint(solved.x).astype(int).tolist()
    return Counter({tuple(each): count for each, count in zip(types.tolist(), counts, strict=True) if count > 0})
