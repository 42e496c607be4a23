"""What attacks on the groups of one release share: the people, the columns, and how a mechanism fares."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.interface import Outcome, Rows, Yardstick
from crowdproof.attacks.linkage import HIDDEN, columns
from crowdproof.attacks.people import name_of
from crowdproof.attacks.pointing import Divided, Pointed, Rule, point
from crowdproof.attacks.published import published
from crowdproof.data import adult
from crowdproof.errors import DataError
from crowdproof.exact import Number, whole
from crowdproof.findings import Table
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms import Mondrian
from crowdproof.mechanisms.conditions import Condition


@frozen(eq=False)
class Setting:
    """Whose table is published, what the adversary knows of everybody, and what is secret."""

    tables: Divided
    known: tuple[str, ...]
    secret: str

    @classmethod
    def of(
        cls,
        data: pl.DataFrame | None,
        known: str | Sequence[str] | None,
        secret: str | None,
        rows: Number,
        *,
        usual: tuple[str, ...],
        rng: np.random.Generator,
    ) -> "Setting":
        """Census rows with the `usual` columns known, or data of the user's own."""
        people = adult(complete=True) if data is None else data
        given = usual if data is None and known is None else known
        names, hidden = columns(people, given, secret or (HIDDEN if data is None else None))
        if not people[hidden].count():
            raise DataError(f"nobody has a value in {hidden}: name another column, --set secret=COLUMN.")
        return cls(Divided.of(people.select(*names, hidden), whole(rows, "rows", 2), rng), names, hidden)

    def published(self, mechanism: Mechanism, rng: np.random.Generator) -> pl.DataFrame:
        """The release of the table."""
        return published(mechanism, self.tables.inside, rng)

    def attacked(self, release: pl.DataFrame, name: str, rule: Rule, yardstick: Yardstick) -> tuple[Pointed, Outcome]:
        """Who is pointed at, and how often what is said of them is true."""
        found = point(release, self.tables, self.known, self.secret, rule)
        return found, found.outcome(name, yardstick, Rows(release.height, self.tables.inside.height))

    def mondrian(self, k: int, condition: Condition | None = None) -> Mondrian:
        """Groups of k rows, each as the condition has it; an error names the remedy where the table cannot have it."""
        mechanism = Mondrian(k, self.known, condition=condition)
        if condition is not None and not self._can(condition):
            raise DataError(
                f"no group of rows like these is l-diverse: one value of {condition.secret} has more than one in l of "
                "all rows. Give another secret, or a smaller l."
            )
        return mechanism

    def _can(self, condition: Condition) -> bool:
        inside = self.tables.inside
        meets = condition.of(inside[condition.secret])
        return bool(meets(np.arange(inside.height), np.zeros(inside.height, np.int64), 1).all())


def name(mechanism: Any, words: str) -> str:
    """What the victim is called: a target by its own name."""
    return words if isinstance(mechanism, Mondrian) else name_of(mechanism)


def group_sizes(releases: dict[str, pl.DataFrame], known: Sequence[str]) -> Table:
    """How fine each release is: its utility, besides the rows that it publishes."""
    rows = []
    for title, release in releases.items():
        groups = release.n_unique(list(known)) if release.height else 0
        size = release.height / groups if groups else 0.0
        rows.append((title, f"{release.height:,}", f"{groups:,}", f"{size:.1f}"))
    return Table("How fine the releases are", ("release", "rows", "groups", "rows in a group, mean"), tuple(rows))
