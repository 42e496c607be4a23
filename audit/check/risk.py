"""The risk of being found, worked out from the sizes of the groups."""

import numpy as np
import polars as pl

from crowdproof.audit.check.exact_findings import row_count
from crowdproof.audit.check.groups import COUNT, Groups
from crowdproof.audit.check.population import MODEL, population_risks
from crowdproof.findings import Chart, Evidence, Json, Note, Series, Table

BARS = 30
"""Group sizes that the histogram shows one by one; larger groups are in its last bar. A guess: more are not told apart
on a page."""


def measures(groups: Groups, k: int, people: int | None = None) -> dict[str, Json]:
    """The sizes of the groups as numbers, for programs."""
    found = groups.sizes
    numbers: dict[str, Json] = {
        "k": int(found.min()),
        "rows": groups.rows,
        "groups": len(found),
        "largest_group": int(found.max()),
        "rows_below_k": int(found[found < k].sum()),
        "unique_rows": int((found == 1).sum()),
        "prosecutor_risk": 1 / int(found.min()),
        "marketer_risk": len(found) / groups.rows,
    }
    if people is not None:
        risk = population_risks(groups, people)
        numbers["population"] = people
        numbers["journalist_risk"] = risk.journalist
        numbers["right_matches"] = risk.right_matches
        numbers["population_uniques"] = risk.uniques
    return numbers


def sizes(groups: Groups, k: int) -> Table:
    """How large the groups are, for people."""
    found = groups.sizes
    below = found < k
    rows = (
        ("rows", f"{groups.rows:,}"),
        ("groups", f"{len(found):,}"),
        ("smallest, median, largest group", f"{found.min():,}, {np.median(found):,.0f}, {found.max():,}"),
        (f"groups below {k}", f"{below.sum():,} with {row_count(int(found[below].sum()))}"),
        ("unique rows", f"{(found == 1).sum():,}"),
    )
    return Table("Groups of rows that look alike", ("measure", "value"), rows)


def histogram(groups: Groups) -> Chart:
    """How many rows are in groups of each size."""
    capped = np.minimum(groups.sizes, BARS)
    rows = np.bincount(capped, weights=groups.sizes, minlength=BARS + 1)
    seen = np.flatnonzero(rows)
    line = Series("rows", x=tuple(map(float, seen)), y=tuple(map(float, rows[seen])), points=True)
    return Chart("Rows by the size of their group", f"size of the group ({BARS}: so large or larger)", "rows", (line,))


def contributions(groups: Groups) -> Table:
    """How much each known column adds to what makes rows unique: make those coarser that add most."""
    unique, found = int((groups.sizes == 1).sum()), []
    for key, name in zip(groups.keys, groups.columns, strict=True):
        rest = [other for other in groups.keys if other != key]
        counts = groups.table.group_by(rest).agg(pl.col(COUNT).sum())[COUNT] if rest else groups.table[COUNT].sum()
        sizes_left = np.atleast_1d(np.asarray(counts))
        found.append((unique - int((sizes_left == 1).sum()), int(sizes_left.min()), name))
    found.sort(key=lambda each: (-each[0], -each[1]))
    rows = tuple((name, f"{fewer:,}", f"{least:,}") for fewer, least, name in found)
    return Table("Without a column", ("column", "unique rows fewer", "smallest group"), rows)


def risks(groups: Groups, people: int | None = None) -> tuple[Evidence, ...]:
    """The chance to pick the right row, by what the adversary is after; of a population, by its model."""
    rows = [
        ("of the easiest row to find (prosecutor)", f"{1 / groups.sizes.min():.4g}"),
        ("on average over the rows (marketer)", f"{len(groups.sizes) / groups.rows:.4g}"),
    ]
    if people is None:
        return (Table("Chance to pick the right row", ("chance", "value"), tuple(rows)),)
    risk = population_risks(groups, people)
    rows.append((f"of the easiest among {people:,} people (journalist)", f"{risk.journalist:.4g}"))
    rows.append(("of a unique row that matches one person", f"{risk.right_matches:.4g}"))
    rows.append(("unique people in the population, estimated", f"{risk.uniques:,.0f}"))
    return (Table("Chance to pick the right row", ("chance", "value"), tuple(rows)), Note("Model", MODEL))


def advice(groups: Groups, k: int) -> Note:
    """What to do about groups that are too small."""
    below = int(groups.sizes[groups.sizes < k].sum())
    first = contributions(groups).rows[0][0]
    words = (
        f"Make {first} coarser, which adds most to what makes rows unique, or leave out the {row_count(below)} "
        f"in groups below {k:,}; --rows-at-risk writes them to a file. Then check again."
    )
    return Note("What to do", words)
