"""An adversary who reads the groups of a release and points at people: how often what is said of them is true."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.attacks.candidates import Reading, require
from crowdproof.attacks.interface import Outcome, Rows, Yardstick
from crowdproof.attacks.measure import ERROR, confidence, proportion
from crowdproof.cells import STAR
from crowdproof.errors import DataError
from crowdproof.findings import Estimate

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
UNKNOWN = Estimate(Fraction(0), Fraction(1))
"""What is known of a share of nobody."""


@frozen(eq=False)
class Seen:
    """What a release shows of each person: of the rows that could be theirs, how many have each value."""

    values: tuple[str, ...]
    counts: Ints
    """Person x value."""
    truth: Ints
    """The place of each person's own value, or -1 where the release does not have it."""

    @classmethod
    def of(cls, release: pl.DataFrame, people: pl.DataFrame, known: Sequence[str], secret: str) -> "Seen":
        """The people are looked up by their public values; rows that are alike are looked at once.

        >>> release = pl.DataFrame({"age": ["[20, 40)"] * 3, "ill": ["flu", "flu", "gout"]})
        >>> Seen.of(release, pl.DataFrame({"age": [31, 50], "ill": ["gout", "flu"]}), ["age"], "ill").counts.tolist()
        [[2, 1], [0, 0]]
        """
        require(release, [*known, secret], "the release")
        shown = release.filter(pl.col(secret).is_not_null()).with_columns(pl.col(secret).cast(pl.String))
        shown = shown.filter(pl.col(secret) != STAR)
        values = tuple(shown[secret].unique().sort())
        groups = shown.group_by(known, maintain_order=True).agg(pl.col(secret))
        place = {value: i for i, value in enumerate(values)}
        inside = np.zeros((groups.height, len(values)), dtype=np.int64)
        for number, members in enumerate(groups[secret]):
            inside[number] = np.bincount([place[each] for each in members], minlength=len(values))
        reading = Reading.of(groups, known)
        found = [inside[reading.could_be(person)].sum(axis=0) for person in people.select(known).iter_rows(named=True)]
        counts = np.array(found, dtype=np.int64).reshape(people.height, len(values))
        truth = np.array([place.get(str(each), -1) for each in people[secret]], dtype=np.int64)
        return cls(values, counts, truth)

    @property
    def shares(self) -> Floats:
        """Person x value: the share among the rows that could be theirs; 0 where there are none."""
        shares: Floats = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        return shares

    @property
    def somewhere(self) -> NDArray[np.bool_]:
        """For each person whether any row could be theirs."""
        found: NDArray[np.bool_] = self.counts.sum(axis=1) > 0
        return found


@frozen(eq=False)
class Said:
    """For each person the place of the value that is said to be theirs, and how sure the adversary is of it.

    Below 0 is who cannot be in the release: nothing is said of them.
    """

    value: Ints
    sure: Floats


Rule = Callable[[Seen], Said]
"""What is made of what is seen; it does not look at the truth."""
POINTED = 0.05
"""The share of people that are pointed at: those that the adversary is surest of, and whoever ties with them."""


def commonest_of_group(seen: Seen) -> Said:
    """The commonest value of a person's group, by its share."""
    shares = seen.shares
    return Said(shares.argmax(axis=1), np.where(seen.somewhere, shares.max(axis=1), -1.0))


@frozen(eq=False)
class Pointed:
    """What is said of the people in the release, and of people outside by the same rule."""

    seen: Seen
    said: Ints
    """For each person of the release the place of the value that is said to be theirs, or -1 where nothing is said."""
    right: list[bool]
    outside: list[bool]

    @property
    def people(self) -> int:
        """How many people something is said of."""
        return len(self.right)

    def outcome(self, name: str, yardstick: Yardstick, shown: Rows, known: Fraction | None = None) -> Outcome:
        """Success and baseline; `known` is a share that everybody knows, where the claim grants it.

        Of a release that does not depend on them, people in it and people outside are right alike, one by one: then the
        intervals hold. Within groups of a release that does, the count varies less than that.
        """
        success, anyway = (
            proportion(sum(each), len(each), ERROR / 2) if each else UNKNOWN for each in (self.right, self.outside)
        )
        if known is not None:
            anyway = Estimate(max(anyway.low, known), max(anyway.high, known))
        return Outcome(name, success, anyway, confidence(), yardstick=yardstick, rows=shown, trials=1)


def point(release: pl.DataFrame, tables: "Divided", known: Sequence[str], secret: str, rule: Rule) -> Pointed:
    """Point at the people of the release that the rule is surest of, and at people outside that it is as sure of."""
    inside, outside = (Seen.of(release, people, known, secret) for people in (tables.inside, tables.outside))
    if not inside.values:
        return Pointed(inside, np.full(tables.inside.height, -1), [], [])
    first, second = rule(inside), rule(outside)
    least = max(float(np.quantile(first.sure, 1 - POINTED, method="higher")), 0.0)
    said = [np.where(each.sure >= least, each.value, -1) for each in (first, second)]
    right = [(each == seen.truth)[each >= 0].tolist() for each, seen in zip(said, (inside, outside), strict=True)]
    return Pointed(inside, said[0], *right)


@frozen(eq=False)
class Divided:
    """People whose table is published, and people outside who are drawn alike."""

    inside: pl.DataFrame
    outside: pl.DataFrame

    @classmethod
    def of(cls, people: pl.DataFrame, rows: int, rng: np.random.Generator) -> "Divided":
        """So many people drawn at random, at most half of all, and as many others at most."""
        if people.height < 4:
            raise DataError(f"the data has {people.height} rows without nulls: give at least four people.")
        mixed = people[rng.permutation(people.height)]
        count = min(rows, people.height // 2)
        return cls(mixed.head(count), mixed.slice(count, count))
