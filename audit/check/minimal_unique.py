"""The smallest sets of columns that make rows unique: special uniques, as they are called in disclosure control."""

from itertools import combinations

import polars as pl

from crowdproof.audit.check.groups import COUNT, Groups
from crowdproof.findings import Table

MOST_COLUMNS = 3
"""Columns of the largest sets that are looked at: what somebody may easily know of a person. Uniques by more columns
are in the groups anyway."""
MOST_SETS = 200
"""Sets that are looked at, the smaller ones first. A guess: each takes a pass over the groups."""
MOST_GROUPS = 200_000
"""Groups beyond which only single columns are looked at. A guess: a pass over so many takes some milliseconds."""
SHOWN = 10
"""Sets that are shown, those that single out most rows."""


def minimal_uniques(groups: Groups) -> dict[tuple[str, ...], int]:
    """For each small set of columns, the rows that it makes unique and none of its parts does."""
    table, names = groups.table, dict(zip(groups.keys, groups.columns, strict=True))
    largest = MOST_COLUMNS if table.height <= MOST_GROUPS else 1
    alone: dict[tuple[str, ...], pl.Series] = {}
    found = {}
    sets = [each for size in range(1, largest + 1) for each in combinations(groups.keys, size)]
    for each in sets[:MOST_SETS]:
        unique = table.select((pl.col(COUNT).sum().over(*each) == 1).alias("unique"))["unique"]
        alone[each] = unique
        for part in combinations(each, len(each) - 1):
            if part:
                unique = unique & ~alone[part]
        rows = int(unique.sum())
        if rows:
            found[tuple(names[key] for key in each)] = rows
    return found


def minimal_table(groups: Groups) -> tuple[Table, ...]:
    """The sets that single out most rows; nothing where no row is unique by so few columns."""
    found = sorted(minimal_uniques(groups).items(), key=lambda each: (-each[1], each[0]))
    rows = tuple((", ".join(names), f"{count:,}") for names, count in found[:SHOWN])
    return (Table("Fewest columns that make a row unique", ("columns", "rows"), rows),) if rows else ()
