"""A group is diverse, and yet far from the table: to be in it is news about a person."""

import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.grouped import Setting, group_sizes, name
from crowdproof.attacks.interface import Attack, Measure, Outcome, Rows, Severity, Story, Yardstick, show_short
from crowdproof.attacks.pointing import Pointed, Said, Seen, point
from crowdproof.attacks.premise import undiverse
from crowdproof.errors import ParameterError
from crowdproof.exact import Number, rational, whole
from crowdproof.findings import Reproduce
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms import Close, Diverse

ATTACK = Attack(
    id="skewness",
    title="Diverse, and far from the table",
    knows="A register of everybody's public values, and how common each secret is in the table as a whole.",
    sees="An l-diverse table: in no group has a secret more than one in l of the rows.",
    infers="Each group is compared with the whole table; of the people in it the secret is said whose share has grown "
    "most.",
    claim="An l-diverse release teaches little about a person: the probability of a secret grows by t at most over its "
    "share in the table, or over its rate among people outside with the same public values.",
    remedy="Demand of each group that its secrets are distributed as in the table, up to a distance of t "
    "(t-closeness).",
    source="Li, Li and Venkatasubramanian 2007, t-closeness: privacy beyond k-anonymity and l-diversity",
    severity=Severity.ATTRIBUTE,
)
KNOWN = ("age", "sex", "race", "marital_status", "education_num")


@frozen(eq=False)
class Excess:
    """By how much the share of a value in a person's group exceeds that in the whole table, for the value with most."""

    shares: dict[str, Fraction]

    @classmethod
    def over(cls, release: pl.DataFrame, secret: str) -> "Excess":
        """The shares are those of the release as a whole: it tells them everybody."""
        counts = release[secret].cast(pl.String).drop_nulls().value_counts()
        total = int(counts["count"].sum())
        return cls({str(value): Fraction(int(count), total) for value, count in counts.rows()})

    def __call__(self, seen: Seen) -> Said:
        """For each person the value, and the excess; below every excess where no row could be theirs."""
        overall = np.array([float(self.shares[each]) for each in seen.values])
        excess = np.where(seen.somewhere[:, None], seen.shares - overall, -1.0)
        return Said(excess.argmax(axis=1), excess.max(axis=1))

    def mean(self, found: Pointed) -> Fraction:
        """The mean share in the whole table of what was said of the people."""
        said = [self.shares[found.seen.values[each]] for each in found.said[found.said >= 0].tolist()]
        return sum(said, Fraction(0)) / max(len(said), 1)


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    secret: str | None = None,
    k: Number = 4,
    l: Number = 2,  # noqa: E741
    t: Number = "0.1",
    rows: Number = 8000,
    seed: int = 0,
) -> Story:
    """Groups of k that are l-diverse (or the target's), and groups of k that are t-close.

    `rows` people are drawn for the release, at most half of all; as many others are outside.
    """
    start = time.monotonic()
    size, least, most = whole(k, "k", 2), whole(l, "l", 2), rational(t, "t")
    if not 0 < most < 1:
        raise ParameterError(f"t is {show_short(most)}: give a number between 0 and 1.")
    draw, victims, twins = np.random.default_rng(seed).spawn(3)
    setting = Setting.of(data, known, secret, rows, usual=KNOWN, rng=draw)
    yardstick = Yardstick(
        Measure.PERSON,
        f"the share in the whole table, or the rate among people outside where that is more, + t = {show_short(most)}",
        lambda baseline: baseline + most,
    )
    victim: Mechanism = setting.mondrian(size, Diverse(setting.secret, least)) if target is None else target
    twin = setting.mondrian(size, Close(setting.secret, most))
    releases = [setting.published(victim, victims), setting.published(twin, twins)]
    names = [name(victim, f"Mondrian, k = {size}, l = {least}"), f"Mondrian, k = {size}, t = {show_short(most)}"]
    (found, outcome), (_, defended) = (
        _attacked(setting, release, each, yardstick) for release, each in zip(releases, names, strict=True)
    )
    return Story(
        ATTACK,
        outcome,
        defended=defended,
        learned=(_learned(found, Excess.over(releases[0], setting.secret)),),
        evidence=(group_sizes(dict(zip(names, releases, strict=True)), setting.known),),
        reproduce=Reproduce(
            seed=seed,
            parameters={
                "k": size,
                "l": least,
                "t": show_short(most),
                "known": list(setting.known),
                "secret": setting.secret,
            },
        ),
        seconds=time.monotonic() - start,
        unmet=undiverse(releases[0], setting.known, setting.secret),
    )


def _attacked(setting: Setting, release: pl.DataFrame, title: str, yardstick: Yardstick) -> tuple[Pointed, Outcome]:
    excess = Excess.over(release, setting.secret)
    found = point(release, setting.tables, setting.known, setting.secret, excess)
    shown = Rows(release.height, setting.tables.inside.height)
    return found, found.outcome(title, yardstick, shown, known=excess.mean(found))


def _learned(found: Pointed, excess: Excess) -> str:
    if not found.people:
        return "No row of the release could be anybody's."
    first = int(np.flatnonzero(found.said >= 0)[0])
    counts, place = found.seen.counts[first], int(found.said[first])
    said = found.seen.values[place]
    return (
        f"Of the {found.people:,} people whose group has grown most in one value, it is said rightly of "
        f"{sum(found.right):,}, {sum(found.right) / found.people:.1%}; in the table as a whole these values have "
        f"{float(excess.mean(found)):.1%} in the mean, and among people outside in the same groups they are true of "
        f"{sum(found.outside):,} of {len(found.outside):,}. In one group {counts[place]} of {counts.sum()} rows say "
        f"{said}, which has {float(excess.shares[said]):.1%} of the table."
    )
