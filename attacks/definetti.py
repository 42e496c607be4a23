"""A published mixture teaches its own key: what goes with what is learned across buckets and applied within each."""

import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.bucketing import Ints, People, among_alike, anatomy, match
from crowdproof.attacks.interface import Attack, Outcome, Rows, Severity, Story, Yardstick
from crowdproof.attacks.linkage import columns
from crowdproof.attacks.measure import ERROR, at_most, confidence, proportion
from crowdproof.data import adult
from crowdproof.errors import DataError
from crowdproof.exact import Number, whole
from crowdproof.findings import Chart, Reproduce, Series, Table

ATTACK = Attack(
    id="definetti",
    title="The mixture teaches its own key",
    knows="The public values of the people, and which bucket of the release a person is in.",
    sees="Buckets of l people and of l different secrets, without which secret is whose (Anatomy).",
    infers="Over many buckets it shows which public values go with which secret; that decides who is who in each.",
    claim="In a bucket of l different secrets nobody's can be told with a probability above 1/l.",
    remedy="Put people into a bucket whose public values are equal, those that an adversary can know: then nothing "
    "that is learned tells them apart. Whoever knows more of them still can.",
    source="Kifer 2009, attacks on privacy and deFinetti's theorem",
    severity=Severity.ATTRIBUTE,
)


def run(
    *,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    secret: str | None = None,
    l: Number = 3,  # noqa: E741
    outside: Number = 4000,
    seed: int = 0,
) -> Story:
    """Census rows in buckets of l occupations, or data of the user's own in buckets of l secrets.

    `outside` people are not in the data, and show what is learned anyway. Success is that of one person from each
    bucket: who is who in one says nothing of the others, but the people of a bucket are right or wrong together.
    Without the release the adversary has no bucket: the learned model names the secret of people outside, of all
    secrets that there are. Victim and twin are buckets of the same size, with the same adversary.
    """
    start = time.monotonic()
    table = adult(complete=True) if data is None else data
    names, hidden = columns(table, known, secret)
    table = table.select(*names, hidden).drop_nulls()
    size, left_out = whole(l, "l", 2), whole(outside, "outside")
    if left_out >= table.height // 2:
        raise DataError(f"outside is {left_out}: give less than half of the {table.height} rows.")
    mix, bucketing, twins = np.random.default_rng(seed).spawn(3)
    everybody = People.of(table[mix.permutation(table.height)], names, hidden)
    apart, inside = everybody.rows(np.arange(left_out)), everybody.rows(np.arange(left_out, table.height))
    yardstick = at_most(Fraction(1, size), f"1/l = 1/{size}")
    buckets = anatomy(inside.secret, size, bucketing)
    if not len(buckets):
        raise DataError(f"l is {size}: there are not so many different secrets; give less.")
    found = attacked(inside, apart, buckets, bucketing)
    alike = among_alike(inside, size, twins)
    twin = (
        attacked(inside, apart, alike, twins).outcome("buckets of people who are alike", yardstick)
        if len(alike)
        else None
    )
    return Story(
        ATTACK,
        found.outcome(f"Anatomy, l = {size}", yardstick),
        defended=twin,
        learned=(found.learned(size),),
        evidence=(found.table(size), _by_l(inside, bucketing)),
        reproduce=Reproduce(
            seed=seed, parameters={"l": size, "outside": left_out, "known": list(names), "secret": hidden}
        ),
        seconds=time.monotonic() - start,
    )


@frozen
class Found:
    """How many buckets and people there are, and of how many the adversary is right."""

    people: int
    buckets: int
    in_buckets: int
    first_right: int
    """Buckets whose first person's secret is told."""
    right: int
    outside: int
    outside_right: int

    def outcome(self, name: str, yardstick: Yardstick) -> Outcome:
        """One person from each bucket, against people outside."""
        success = proportion(self.first_right, self.buckets, ERROR / 2)  # who is first in a bucket is random
        anyway = proportion(self.outside_right, self.outside, ERROR / 2)
        shown = Rows(self.in_buckets, self.people)
        return Outcome(name, success, anyway, confidence(), yardstick=yardstick, rows=shown, trials=1)

    def learned(self, l: int) -> str:  # noqa: E741
        """The numbers in a sentence."""
        return (
            f"Of {self.in_buckets:,} people in buckets of {l} the secret is told rightly for {self.right:,}, "
            f"{self.right / self.in_buckets:.1%}, where 1/{l} is {1 / l:.1%}. Of people outside, who are in no bucket, "
            f"the same model tells {self.outside_right / self.outside:.1%}."
        )

    def table(self, l: int) -> Table:  # noqa: E741
        """By what how many are right."""
        return Table(
            "How often the secret is told rightly",
            ("by", "right"),
            (
                ("the bucket alone", f"{1 / l:.1%}"),
                ("the learned model alone, of people outside", f"{self.outside_right / self.outside:.1%}"),
                ("the bucket and the learned model", f"{self.right / self.in_buckets:.1%}"),
            ),
        )


def attacked(people: People, apart: People, buckets: Ints, rng: np.random.Generator) -> Found:
    """Learn from the buckets, then name the secrets of the people in them and of people outside."""
    model, said = match(people, buckets, rng)
    hits = said == people.secret[buckets]
    guessed = np.count_nonzero(model.scores(apart).argmax(axis=1) == apart.secret)
    return Found(
        people=len(people.secret),
        buckets=len(buckets),
        in_buckets=buckets.size,
        first_right=int(np.count_nonzero(hits[:, 0])),
        right=int(np.count_nonzero(hits)),
        outside=len(apart.secret),
        outside_right=int(guessed),
    )


def _by_l(people: People, rng: np.random.Generator) -> Chart:
    sizes = (2, 3, 4, 6)
    shares = []
    for l in sizes:  # noqa: E741
        buckets = anatomy(people.secret, l, rng)
        said = match(people, buckets, rng)[1] if len(buckets) else buckets
        shares.append(float(np.mean(said == people.secret[buckets])) if len(buckets) else 0.0)
    x = tuple(map(float, sizes))
    return Chart(
        "Secrets told rightly",
        "l",
        "share",
        (Series("by the attack", x, tuple(shares)), Series("claimed: 1/l", x, tuple(1 / l for l in sizes))),  # noqa: E741
    )
