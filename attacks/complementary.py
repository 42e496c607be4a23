"""Two k-anonymous versions of one table, fine in different columns: laid on each other they are fine in all."""

import time
from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.grouped import Setting, group_sizes
from crowdproof.attacks.interface import Attack, Measure, Outcome, Rows, Severity, Story, Yardstick
from crowdproof.attacks.measure import ERROR, confidence, no_more, proportion
from crowdproof.attacks.pointing import Floats, Seen
from crowdproof.cells import STAR
from crowdproof.errors import ParameterError
from crowdproof.exact import Number, whole
from crowdproof.findings import Estimate, Reproduce, Table
from crowdproof.mechanisms import Mondrian

ATTACK = Attack(
    id="complementary",
    title="The second version of the table",
    knows="A register of everybody's public values.",
    sees="Two versions of one table, each k-anonymous: one is fine in some columns, the other in the other columns.",
    infers="A person's row is in a group of either version. Only secrets that are in both groups are possible; the one "
    "that is likeliest by both is said.",
    claim="Two versions of a table that are each k-anonymous tell no more of a person's secret than one of them does, "
    "or than both do of people outside.",
    remedy="Make every later version from the one that was published first, coarser in some columns: then it tells "
    "nothing that the first one did not.",
    source="Sweeney 2002, k-anonymity: a model for protecting privacy (complementary release attack)",
    severity=Severity.ATTRIBUTE,
)
KNOWN = ("age", "education_num", "sex", "race", "marital_status", "hours_per_week")
YARDSTICK = Yardstick(
    Measure.PERSON,
    "the better of one version alone and of both about people outside",
    no_more().allowed,
)


def run(
    *,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    secret: str | None = None,
    k: Number = 3,
    rows: Number = 4000,
    seed: int = 0,
) -> Story:
    """Two versions of one table by Mondrian: one recodes the columns at odd places, the other those at even places.

    The twin's second version is the first one with its finest column suppressed. `rows` people are drawn.
    """
    start = time.monotonic()
    size = whole(k, "k", 2)
    setting = Setting.of(data, known, secret, rows, usual=KNOWN, rng=np.random.default_rng(seed))
    if len(setting.known) < 2:
        raise ParameterError("two versions differ in their columns: name two or more, --set known=a,b.")
    places = range(len(setting.known))
    fine = [tuple(setting.known[each] for each in places if each % 2 == odd) for odd in (0, 1)]
    first, second = (version(setting, each, size) for each in fine)
    releases = [first, second, coarser(first, fine[0])]
    names = ("the first version", "the second version", "a second version made from the first")
    victim = Both.of(setting, releases[0], releases[1])
    twin = Both.of(setting, releases[0], releases[2])
    return Story(
        ATTACK,
        victim.outcome(f"two versions, each with k = {size}"),
        defended=twin.outcome("a second version made from the first"),
        learned=(victim.learned(setting),),
        evidence=(
            group_sizes(dict(zip(names, releases, strict=True)), setting.known),
            victim.table(),
        ),
        reproduce=Reproduce(seed=seed, parameters={"k": size, "known": list(setting.known), "secret": setting.secret}),
        seconds=time.monotonic() - start,
    )


def version(setting: Setting, fine: Sequence[str], k: int) -> pl.DataFrame:
    """Groups of k by Mondrian in the fine columns; the other known ones are suppressed."""
    release = Mondrian(k, fine)(setting.tables.inside)
    return release.with_columns(pl.lit(STAR).alias(name) for name in setting.known if name not in fine)


def coarser(release: pl.DataFrame, fine: Sequence[str]) -> pl.DataFrame:
    """The release with the one of its fine columns suppressed that has most different cells."""
    finest = max(fine, key=lambda name: (release[name].n_unique(), name))
    return release.with_columns(pl.lit(STAR).alias(finest))


@frozen(eq=False)
class Both:
    """What is said by two releases, and by either alone: of how many people it is right."""

    right: tuple[int, int, int]
    """By both, by the first, by the second."""
    left: tuple[int, int, int]
    """People of whom only one secret is possible."""
    people: int
    outside_right: int
    """People outside of whom both say the truth: what tables tell of anybody."""
    outside: int
    rows: Rows

    @classmethod
    def of(cls, setting: Setting, first: pl.DataFrame, second: pl.DataFrame) -> "Both":
        """The shares of both groups are multiplied; people outside are looked up in the same releases."""
        inside, outside = setting.tables.inside, setting.tables.outside
        values = _values(setting, (inside, outside, first, second))
        alone = [_shares(release, inside, setting, values) for release in (first, second)]
        others = [_shares(release, outside, setting, values) for release in (first, second)]
        told = (alone[0] * alone[1], *alone)
        right = [_right(each, inside[setting.secret], values) for each in told]
        left = [int(np.count_nonzero(np.count_nonzero(each, axis=1) == 1)) for each in told]
        return cls(
            (right[0], right[1], right[2]),
            (left[0], left[1], left[2]),
            inside.height,
            outside_right=_right(others[0] * others[1], outside[setting.secret], values),
            outside=outside.height,
            rows=Rows(first.height + second.height, 2 * inside.height),
        )

    def outcome(self, name: str) -> Outcome:
        """By both, against the best of either alone and of both about people outside; any interval may miss."""
        counts = [*((each, self.people) for each in self.right), (self.outside_right, self.outside)]
        success, *others = (proportion(right, of, ERROR / 4) for right, of in counts)
        best = Estimate(max(each.low for each in others), max(each.high for each in others))
        return Outcome(name, success, best, confidence(), yardstick=YARDSTICK, rows=self.rows, trials=2)

    def learned(self, setting: Setting) -> str:
        """The numbers in a sentence."""
        both, first, second = (f"{each:,}" for each in self.right)
        return (
            f"Of {self.people:,} people the {setting.secret} is told rightly for {both} by both versions, for {first} "
            f"by the first alone and for {second} by the second alone. Both leave a single possible value for "
            f"{self.left[0]:,} people, the first alone for {self.left[1]:,}, the second for {self.left[2]:,}. Of "
            f"{self.outside:,} people outside both say the truth for {self.outside_right:,}."
        )

    def table(self) -> Table:
        """The same numbers."""
        names = ("both versions", "the first alone", "the second alone")
        rows = zip(names, self.right, self.left, strict=True)
        return Table(
            "What the versions tell",
            ("by", "people told rightly", "people with one possible value"),
            tuple((name, f"{right:,}", f"{left:,}") for name, right, left in rows),
        )


def _values(setting: Setting, tables: Sequence[pl.DataFrame]) -> list[str]:
    """All secrets that there are."""
    return sorted({each for table in tables for each in table[setting.secret].cast(pl.String).drop_nulls().unique()})


def _right(shares: Floats, truth: pl.Series, values: Sequence[str]) -> int:
    """Of how many people the value with the largest share is the truth."""
    place = {value: i for i, value in enumerate(values)}
    own = np.array([place.get(str(each), -1) for each in truth])
    return int(np.count_nonzero((shares.argmax(axis=1) == own) & (shares.max(axis=1) > 0)))


def _shares(release: pl.DataFrame, people: pl.DataFrame, setting: Setting, values: Sequence[str]) -> Floats:
    """Person x value: the share in the person's group of the release."""
    seen = Seen.of(release, people, setting.known, setting.secret)
    found: Floats = np.zeros((people.height, len(values)))
    found[:, [values.index(each) for each in seen.values]] = seen.shares
    return found
