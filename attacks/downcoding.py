"""Undoing a recoding that is no coarser than it must be: that it could not be finer tells what is inside."""

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.interface import Attack, Measure, Outcome, Rows, Severity, Story, Yardstick
from crowdproof.attacks.measure import ERROR, confidence, proportion
from crowdproof.attacks.minimal_hierarchical import (
    CENSUS,
    Group,
    Ints,
    Levels,
    MinimalHierarchical,
    Texts,
    fixed_groups,
    hierarchies,
)
from crowdproof.data import adult
from crowdproof.errors import DataError
from crowdproof.exact import Number, whole
from crowdproof.findings import Chart, Estimate, Reproduce, Series, Table

ATTACK = Attack(
    id="downcoding",
    title="It could not be finer",
    knows="The hierarchies, that the recoding is minimal, and the people of the country who are not in the release.",
    sees="A k-anonymous table, recoded by hierarchies, in which no k rows of a group could be published any finer.",
    infers="In a group of fewer than 2k rows the rows differ in every generalized column, or it would have been "
    "published finer. Among the sets of complete records for which that is so, the likeliest one is named.",
    claim="A generalized cell says no more of the rows than that they lie below it in the hierarchy.",
    remedy="Fix the level of each column before the data is seen, and drop groups below k (strongly safe).",
    source="Cohen 2022, attacks on deidentification's defenses; there on data made for it, of which 3/8 of the records "
    "are recovered; here on census rows",
    severity=Severity.ATTRIBUTE,
)
YARDSTICK = Yardstick(
    Measure.RECORDS,
    "what the same adversary recovers of the same groups without knowing that the release is minimal",
    lambda baseline: baseline,
)
POSSIBILITIES = 3000
"""Sets of records that are weighed for a group: of more possible records the commonest are taken. A matter of time."""
Record = tuple[str, ...]
Records = tuple[Record, ...]
Finer = tuple[str, ...]
"""For each generalized column a record's text one level below the published one."""


@frozen(eq=False)
class Country:
    """What everybody knows: the people who are not in the release."""

    texts: Texts

    def records(self, group: Group, texts: Texts, most: int) -> dict[Record, tuple[int, Finer]]:
        """The commonest complete records that fit a published group: how many have each, and its finer texts."""
        first = int(group.rows[0])
        fits = np.logical_and.reduce(
            [
                column[level] == str(shown[level][first])
                for column, shown, level in zip(self.texts, texts, group.levels, strict=True)
            ]
        )
        which = np.flatnonzero(fits)
        found = Counter(zip(complete(self.texts, which), finer(self.texts, which, group.levels), strict=True))
        ranked = sorted(found.items(), key=lambda each: (-each[1], each[0]))
        return {record: (count, below) for (record, below), count in ranked[:most]}


def complete(texts: Texts, rows: Ints) -> list[Record]:
    """The records at the finest level."""
    return [tuple(map(str, each)) for each in zip(*(column[0][rows] for column in texts), strict=True)]


def finer(texts: Texts, rows: Ints, levels: Sequence[int]) -> list[Finer]:
    """For each row its texts one level below, in the generalized columns."""
    below = [column[level - 1][rows] for column, level in zip(texts, levels, strict=True) if level]
    return [tuple(map(str, each)) for each in zip(*below, strict=True)]


def likeliest(records: dict[Record, tuple[int, Finer]], size: int, *, minimal: bool) -> Records | None:
    """The likeliest set of that many records; None where none is possible.

    With `minimal`, given that no generalized column is the same in all of them.

    >>> records = {("f",): (3, ("f",)), ("m",): (7, ("m",))}
    >>> likeliest(records, 2, minimal=True), likeliest(records, 2, minimal=False)
    ((('f',), ('m',)), (('m',), ('m',)))
    """
    weighed = _weighed(records, size, minimal=minimal)
    return max(weighed, key=lambda each: (each[1], each[0]), default=(None, 0.0))[0]


def _weighed(records: dict[Record, tuple[int, Finer]], size: int, *, minimal: bool) -> Iterator[tuple[Records, float]]:
    for chosen in combinations_with_replacement(sorted(records), size):
        columns = zip(*(records[each][1] for each in chosen), strict=True)
        if minimal and any(len(set(each)) == 1 for each in columns):
            continue
        times = Counter(chosen)
        ways = math.factorial(size) / math.prod(math.factorial(count) for count in times.values())
        yield chosen, ways * math.prod(records[each][0] ** count for each, count in times.items())


def most_records(size: int) -> int:
    """How many records have so many sets of that size as can be weighed, at most.

    >>> most_records(2)
    76
    """
    count = 1
    while math.comb(count + size, size) <= POSSIBILITIES:
        count += 1
    return count


@frozen
class Recovered:
    """Groups whose records the adversary names; of how many all are right, knowing that it is minimal and without."""

    named: int
    right: int
    anyway: int
    records: int
    """The people in the groups that were recovered."""
    example: Records
    """The first group that was recovered."""
    rows: Rows

    def outcome(self, name: str) -> Outcome:
        """Groups are taken as drawn from many of their kind."""
        success, baseline = (
            proportion(each, self.named, ERROR / 2) if self.named else Estimate(Fraction(0), Fraction(1))
            for each in (self.right, self.anyway)
        )
        return Outcome(name, success, baseline, confidence(), yardstick=YARDSTICK, rows=self.rows, trials=1)


def recover(groups: list[Group], texts: Texts, country: Country, k: int) -> Recovered:
    """Name the likeliest complete records of each group of fewer than 2k rows that has a generalized cell."""
    named = right = anyway = records = 0
    example: Records = ()
    for group in groups:
        size = len(group.rows)
        if size >= 2 * k or not any(group.levels):
            continue
        possible = country.records(group, texts, most_records(size))
        found, plain = (likeliest(possible, size, minimal=each) for each in (True, False))
        truth = tuple(sorted(complete(texts, group.rows)))
        hit = found == truth
        named, right, records = named + 1, right + hit, records + size * hit
        anyway += plain == truth
        example = example or (truth if hit else ())
    shown = Rows(sum(len(each.rows) for each in groups), len(texts[0][0]))
    return Recovered(named, right, anyway, records=records, example=example, rows=shown)


def run(*, data: pl.DataFrame | None = None, k: Number = 2, rows: Number = 3000, seed: int = 0) -> Story:
    """Census rows (or data of your own) recoded minimally by hierarchies.

    `rows` people of the data are released, and the others are the country, which everybody knows. The same adversary is
    run on levels fixed beforehand: there the reasoning misleads.
    """
    start = time.monotonic()
    people = adult(complete=True) if data is None else data
    levels = CENSUS if set(CENSUS) <= set(people.columns) else hierarchies(people)
    town, others = divided(people.drop_nulls(list(levels)), whole(rows, "rows", 2), np.random.default_rng(seed))
    mechanism = MinimalHierarchical.of(levels, whole(k, "k", 2))
    texts, country = mechanism.texts(town), Country(mechanism.texts(others))
    groups = mechanism.groups(texts)
    found = recover(groups, texts, country, mechanism.k)
    if not found.named:
        raise DataError("no group can be named: give a larger k, data with rarer values, or more rows.")
    twin = recover(fixed_groups(texts, mechanism.k), texts, country, mechanism.k)
    return Story(
        ATTACK,
        found.outcome(f"minimal recoding, k = {mechanism.k}"),
        defended=twin.outcome("recoding at fixed levels"),
        learned=(_learned(found, mechanism),),
        evidence=(_table(groups, found, mechanism.k), _by_k(levels, texts, country)),
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


def _learned(found: Recovered, mechanism: MinimalHierarchical) -> str:
    names = ", ".join(name for name, _ in mechanism.columns)
    example = f" One of these groups has the records {_words(found.example)} ({names})." if found.example else ""
    return (
        f"Of {found.named:,} groups with a generalized cell and fewer than {2 * mechanism.k} rows, all complete "
        f"records of {found.right:,} "
        f"({found.right / found.named:.1%}) are recovered exactly, {found.records:,} people's in all; without knowing "
        f"that the release is minimal, {found.anyway:,} ({found.anyway / found.named:.1%}). Which of a group's records "
        f"is whose it does not tell.{example}"
    )


def _words(records: Records) -> str:
    return " and ".join(f"({', '.join(each)})" for each in records)


def _table(groups: list[Group], found: Recovered, k: int) -> Table:
    generalized = [each for each in groups if any(each.levels)]
    small = [each for each in generalized if len(each.rows) < 2 * k]
    counts = (
        ("groups", len(groups)),
        ("with a generalized cell", len(generalized)),
        (f"of these with fewer than {2 * k} rows", len(small)),
        ("of these recovered exactly", found.right),
    )
    return Table("How far the reasoning goes", ("", "groups"), tuple((name, f"{count:,}") for name, count in counts))


def _by_k(levels: Levels, texts: Texts, country: Country) -> Chart:
    sizes = [size for size in (2, 3, 4) if size <= len(texts[0][0])]
    found = [recover(MinimalHierarchical.of(levels, k).groups(texts), texts, country, k) for k in sizes]
    lines = {
        "knowing that it is minimal": [each.right / max(each.named, 1) for each in found],
        "without knowing it": [each.anyway / max(each.named, 1) for each in found],
    }
    x = tuple(map(float, sizes))
    return Chart(
        "Groups named whose records are recovered exactly",
        "k",
        "share",
        tuple(Series(name, x, tuple(line)) for name, line in lines.items()),
    )
