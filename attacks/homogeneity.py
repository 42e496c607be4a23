"""Everybody in the group has the same secret: then it does not matter whose row is whose."""

import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl

from crowdproof.attacks.grouped import Setting, group_sizes, name
from crowdproof.attacks.interface import Attack, Severity, Story
from crowdproof.attacks.measure import at_most
from crowdproof.attacks.pointing import Pointed, commonest_of_group
from crowdproof.attacks.premise import unmet
from crowdproof.exact import Number, whole
from crowdproof.findings import Reproduce
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms import Diverse

ATTACK = Attack(
    id="homogeneity",
    title="They all have the same",
    knows="A register of everybody's public values.",
    sees="A k-anonymous table: each person's row is in a group of rows that are alike in the public values.",
    infers="In some groups most rows, or all of them, have one secret. It is said of everybody in the groups where its "
    "share is largest.",
    claim="Nobody who is hidden among k rows is shown to have a secret with a probability above 1/l, unless it is as "
    "probable for people outside with the same public values.",
    remedy="Demand of each group that no secret has more than one in l of its rows (l-diversity).",
    source="Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006, l-diversity: privacy beyond k-anonymity",
    severity=Severity.ATTRIBUTE,
)
KNOWN = ("age", "sex", "race", "marital_status", "education_num")


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    secret: str | None = None,
    k: Number = 3,
    l: Number = 2,  # noqa: E741
    rows: Number = 4000,
    seed: int = 0,
) -> Story:
    """Groups of k by Mondrian (or by the target), and groups of k that are l-diverse besides.

    `rows` people are drawn for the release, at most half of all; as many others are outside.
    """
    start = time.monotonic()
    size, least = whole(k, "k", 2), whole(l, "l", 2)
    draw, victims, twins = np.random.default_rng(seed).spawn(3)
    setting = Setting.of(data, known, secret, rows, usual=KNOWN, rng=draw)
    yardstick = at_most(Fraction(1, least), f"1/l = 1/{least}")
    victim: Mechanism = setting.mondrian(size) if target is None else target
    twin = setting.mondrian(size, Diverse(setting.secret, least))
    releases = [setting.published(victim, victims), setting.published(twin, twins)]
    names = [name(victim, f"Mondrian, k = {size}"), f"Mondrian, k = {size}, l = {least}"]
    (found, outcome), (_, defended) = (
        setting.attacked(release, each, commonest_of_group, yardstick)
        for release, each in zip(releases, names, strict=True)
    )
    return Story(
        ATTACK,
        outcome,
        defended=defended,
        learned=(_learned(found, setting),),
        evidence=(group_sizes(dict(zip(names, releases, strict=True)), setting.known),),
        reproduce=Reproduce(
            seed=seed,
            parameters={"k": size, "l": least, "known": list(setting.known), "secret": setting.secret},
        ),
        seconds=time.monotonic() - start,
        unmet=unmet(releases[0], setting.known),
    )


def _learned(found: Pointed, setting: Setting) -> str:
    if not found.people:
        return "No row of the release could be anybody's."
    alone = found.seen.counts.max(axis=1) == found.seen.counts.sum(axis=1)
    alike = int(np.count_nonzero(alone & (found.seen.counts.sum(axis=1) > 0)))
    first = int(np.flatnonzero(found.said >= 0)[0])
    person = setting.tables.inside.row(first, named=True)
    counts = found.seen.counts[first]
    said = found.seen.values[found.said[first]]
    return (
        f"Of {len(found.said):,} people {alike:,} are in groups where all rows have the same {setting.secret}. Of the "
        f"{found.people:,} people whose groups have the largest share of one value, it is said rightly of "
        f"{sum(found.right):,}; by the same groups it is true of {sum(found.outside):,} of {len(found.outside):,} "
        f"people outside. For a person with {', '.join(str(person[each]) for each in setting.known)} {counts.max()} of "
        f"{counts.sum()} rows say {said}; they have {person[setting.secret]}."
    )
