"""Undoing a recoding that is no coarser than it must be: that it could not be finer tells what is inside."""

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.attacks.interface import Attack, Outcome, Severity, Story
from crowdproof.data import adult
from crowdproof.errors import DataError
from crowdproof.exact import Number, whole
from crowdproof.findings import Chart, Estimate, Exact, Reproduce, Series, Table
from crowdproof.mechanisms import Grid, Hierarchy, Keep, Suppress
from crowdproof.mechanisms.recoding import Recoding
from crowdproof.mechanisms.tables import canonical, require_columns, require_rows

ATTACK = Attack(
    id="downcoding",
    title="It could not be finer",
    knows="The hierarchies of the recoding, and how common values are in the country.",
    sees="A k-anonymous table, recoded by hierarchies, in which no group could be published any finer.",
    infers="A generalized cell hides more than one value, and one of these had fewer than k rows in the group; the "
    "likeliest values with that property are written in its place.",
    claim="A generalized cell says no more of the rows than that they lie below it in the hierarchy.",
    remedy="Fix the level of each column before the data is seen, and drop groups below k (strongly safe).",
    source="Cohen 2022, attacks on deidentification's defenses",
    severity=Severity.ATTRIBUTE,
)
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
    """Start with every column at its top; make a group finer in a column as long as all its parts keep k rows.

    Columns are tried in their order, again and again, until no column of the group can be made finer.
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
        for column, level in enumerate(group.levels):
            if level == 0:
                continue
            values, place, counts = np.unique(
                codes[column][level - 1][group.rows], return_inverse=True, return_counts=True
            )
            if counts.min() >= self.k:
                levels = (*group.levels[:column], level - 1, *group.levels[column + 1 :])
                return [Group(group.rows[place == i], levels) for i in range(len(values))]
        return []

    def _cells(self, group: Group, texts: Texts) -> dict[str, list[str]]:
        first, count = int(group.rows[0]), len(group.rows)
        levels = zip(self.columns, texts, group.levels, strict=True)
        return {name: [str(column[level][first])] * count for (name, _), column, level in levels}


Shares = Mapping[str, float]


@frozen(eq=False)
class Country:
    """What everybody knows: the people who are not in the release, at every level."""

    names: tuple[tuple[NDArray[np.str_], ...], ...]
    """For each column and level the different texts."""
    codes: tuple[tuple[Ints, ...], ...]
    """And which of them each person has."""

    @classmethod
    def of(cls, texts: Texts) -> "Country":
        """The people with these texts."""
        found = [[np.unique(level, return_inverse=True) for level in column] for column in texts]
        return cls(
            tuple(tuple(names for names, _ in column) for column in found),
            tuple(tuple(codes for _, codes in column) for column in found),
        )

    def below(self, published: Sequence[str], levels: Sequence[int]) -> dict[int, Shares]:
        """For each generalized column, how common the finer cells are among people who fit all published cells.

        One person more, spread over all who fit the column's own cell, keeps what is possible from being ruled out.
        """
        fits = [
            self._fits(column, level, cell) for column, (level, cell) in enumerate(zip(levels, published, strict=True))
        ]
        everywhere = np.logical_and.reduce(fits)
        return {
            column: self._shares(column, level, everywhere, fits[column])
            for column, level in enumerate(levels)
            if level
        }

    def _fits(self, column: int, level: int, cell: str) -> NDArray[np.bool_]:
        fits: NDArray[np.bool_] = self.codes[column][level] == np.searchsorted(self.names[column][level], cell)
        return fits

    def _shares(self, column: int, level: int, fit: NDArray[np.bool_], loosely: NDArray[np.bool_]) -> Shares:
        names, codes = self.names[column][level - 1], self.codes[column][level - 1]
        close, all_of_them = (np.bincount(codes[mask], minlength=len(names)) for mask in (fit, loosely))
        shares = (close + all_of_them / max(all_of_them.sum(), 1)) / (close.sum() + 1)
        return {str(name): float(share) for name, share in zip(names, shares, strict=True) if share > 0}


def likeliest(shares: Shares, rows: int, k: int | None) -> Counter[str]:
    """The likeliest values of that many rows, drawn with these shares; with k, given that some value has 1 to k-1 rows.

    The likeliest counts of a multinomial are found greedily: each row goes where share / (count + 1) is largest.

    >>> sorted(likeliest({"f": 0.3, "m": 0.7}, 2, None).items()), sorted(likeliest({"f": 0.3, "m": 0.7}, 2, 2).items())
    ([('m', 2)], [('f', 1), ('m', 1)])
    """
    free = _mode(shares, rows)
    if k is None or any(0 < count < k for count in free.values()):
        return free
    best, score = free, -math.inf
    for value in shares:
        rest = {other: share for other, share in shares.items() if other != value}
        for count in range(1, min(k, rows + 1)) if rest else ():
            counts = _mode(rest, rows - count)
            counts[value] = count
            if (found := _log_chance(shares, counts)) > score:
                best, score = counts, found
    return best


def _mode(shares: Shares, rows: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for _ in range(rows):
        counts[max(sorted(shares), key=lambda value: shares[value] / (counts[value] + 1))] += 1
    return counts


def _log_chance(shares: Shares, counts: Counter[str]) -> float:
    return sum(count * math.log(shares[value]) - math.lgamma(count + 1) for value, count in counts.items())


@frozen
class Recovered:
    """How many generalized cells there are, in how many rows, and how many of either were restored rightly."""

    cells: int
    right: int
    rows: int
    rows_right: int
    """Rows at least one of whose generalized cells was restored."""


def restore(groups: list[Group], texts: Texts, country: "Country", k: int | None) -> Recovered:
    """Write the likeliest finer values into every generalized cell; a group's column is right if all of it is.

    With k the adversary reckons that the recoding is minimal, without it only that the country is what it is.
    """
    cells = right = rows = rows_right = 0
    for group in groups:
        size, restored = len(group.rows), False
        published = [str(column[level][group.rows[0]]) for column, level in zip(texts, group.levels, strict=True)]
        for column, shares in country.below(published, group.levels).items():
            truth = Counter(texts[column][group.levels[column] - 1][group.rows].tolist())
            hit = likeliest(shares, size, k) == truth
            cells, right, restored = cells + size, right + size * hit, restored or hit
        rows, rows_right = rows + size * any(group.levels), rows_right + size * restored
    return Recovered(cells, right, rows, rows_right)


def _both(groups: list[Group], texts: Texts, country: Country, k: int) -> tuple[Recovered, Recovered]:
    return restore(groups, texts, country, k), restore(groups, texts, country, None)


def fixed_groups(texts: Texts, k: int) -> list[Group]:
    """The defended twin: each column at the middle of its levels, whatever the data; groups below k are dropped."""
    levels = tuple(len(each) // 2 for each in texts)
    keys = pl.DataFrame({str(i): each[level] for i, (each, level) in enumerate(zip(texts, levels, strict=True))})
    rows = keys.with_row_index("row").group_by(keys.columns).agg("row").sort(keys.columns)["row"]
    return [Group(each.to_numpy().astype(np.int64), levels) for each in rows if len(each) >= k]


def run(*, data: pl.DataFrame | None = None, k: Number = 2, rows: Number = 3000, seed: int = 0) -> Story:
    """Census rows (or data of your own) recoded minimally by hierarchies; all numbers are exact counts.

    `rows` people of the data are released, and the others are the country, which everybody knows: what it restores by
    itself is the baseline. The same adversary is run on levels fixed beforehand: there the reasoning misleads.
    """
    start = time.monotonic()
    people = adult(complete=True) if data is None else data
    levels = CENSUS if set(CENSUS) <= set(people.columns) else hierarchies(people)
    town, others = divided(people, whole(rows, "rows", 2), np.random.default_rng(seed))
    mechanism = MinimalHierarchical.of(levels, whole(k, "k", 2))
    texts, country = mechanism.texts(town), Country.of(mechanism.texts(others))
    minimal, prior = _both(mechanism.groups(texts), texts, country, mechanism.k)
    if not minimal.cells:
        raise DataError("nothing was generalized: give a larger k, or data with rarer values.")
    return Story(
        ATTACK,
        _outcome(f"minimal recoding, k = {mechanism.k}", minimal, prior),
        defended=_outcome(
            "recoding at fixed levels", *_both(fixed_groups(texts, mechanism.k), texts, country, mechanism.k)
        ),
        learned=(_learned(minimal, prior, mechanism.k),),
        evidence=(_table(minimal, prior), _by_k(levels, texts, country)),
        reproduce=Reproduce(seed=seed, parameters={"k": mechanism.k, "rows": town.height}),
        seconds=time.monotonic() - start,
    )


def divided(people: pl.DataFrame, rows: int, rng: np.random.Generator) -> tuple[pl.DataFrame, pl.DataFrame]:
    """So many people drawn at random, at most half of all, and the others."""
    if people.height < 4:
        raise DataError(f"the data has {people.height} rows: give at least four people.")
    mixed = people[rng.permutation(people.height)]
    count = min(rows, people.height // 2)
    return mixed.head(count), mixed.tail(people.height - count)


def hierarchies(table: pl.DataFrame) -> Levels:
    """For any table: numbers in two grids below `*`, texts directly below it."""

    def levels(column: pl.Series) -> tuple[Recoding, ...]:
        if not column.dtype.is_numeric():
            return (Keep(), Suppress())
        spread = float(column.max()) - float(column.min())  # type: ignore[arg-type]
        width = max(1, round(spread / 16))
        return (Keep(), Grid(width), Grid(4 * width), Suppress())

    return {name: levels(table[name]) for name in table.columns}


def _outcome(name: str, found: Recovered, prior: Recovered) -> Outcome:
    success, baseline = (Estimate.exactly(Fraction(each.right, max(each.cells, 1))) for each in (found, prior))
    return Outcome(name, success, baseline, Exact(), 1)


def _learned(found: Recovered, prior: Recovered, k: int) -> str:
    return (
        f"Of {found.cells:,} generalized cells {found.right:,} ({found.right / found.cells:.1%}) are restored rightly, "
        f"where the country alone restores {prior.right:,}; {found.rows_right:,} of {found.rows:,} rows "
        f"with generalized cells ({found.rows_right / found.rows:.1%}) have a value back that was hidden, at k = {k}."
    )


def _table(found: Recovered, prior: Recovered) -> Table:
    rows = tuple(
        (name, f"{each.right:,} of {each.cells:,}", f"{each.rows_right:,} of {each.rows:,}")
        for name, each in (("knowing that it is minimal", found), ("by the country alone", prior))
    )
    return Table("What is restored", ("", "cells", "rows with a cell restored"), rows)


def _by_k(levels: Levels, texts: Texts, country: Country) -> Chart:
    sizes = [size for size in (2, 3, 5, 10) if size <= len(texts[0][0])]
    found = [_both(MinimalHierarchical.of(levels, k).groups(texts), texts, country, k) for k in sizes]
    names = ("knowing that it is minimal", "by the country alone")
    return Chart(
        "Generalized cells that are restored",
        "k",
        "share",
        tuple(
            Series(name, tuple(map(float, sizes)), tuple(each.right / max(each.cells, 1) for each in line))
            for name, line in zip(names, zip(*found, strict=True), strict=True)
        ),
    )
