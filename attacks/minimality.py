"""A release that is coarse only where it has to be says so: why a group was not published finely is itself a leak."""

import time
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.interface import Attack, Outcome, Rows, Severity, Story, Yardstick
from crowdproof.attacks.measure import ERROR, at_most, confidence, proportion
from crowdproof.attacks.minimal_diverse import MinimalDiverse, keys, posterior
from crowdproof.data import adult
from crowdproof.errors import DataError
from crowdproof.exact import Number, rate, whole
from crowdproof.findings import Estimate, Note, Reproduce, Table
from crowdproof.mechanisms import Grid, Keep, Scheme, StronglySafe, poisson_sample

ATTACK = Attack(
    id="minimality",
    title="Why was this group made coarser?",
    knows="A register of everybody's public values, and the anonymizer: it publishes finely where that is l-diverse.",
    sees="An l-diverse table: in no group does more than one in l people have the secret value.",
    infers="A group that was published coarsely had a part in which more than one in l have the value. Counting the "
    "worlds in which that is so moves the probability to that part.",
    claim="Nobody is shown by an l-diverse release to have the secret value with a probability above 1/l, unless as "
    "many have it of people outside with the same public values.",
    remedy="Fix the level before the data is seen, and publish groups of k of a sample. That promises no 1/l: it shows "
    "rates, and a rate is what it is of people outside, too.",
    source="Wong, Fu, Wang and Pei 2007, minimality attack in privacy preserving data publishing",
    severity=Severity.ATTRIBUTE,
)
CHOICES = 80
"""Settings that were tried on the census rows before one was taken: 2 sizes, 5 sets of columns, 4 pairs of age steps,
l = 2 and 3. Each interval on these rows allows for all of them."""
LOOKED_UP = 400
"""People pointed at whose secrets are looked up, at most: a few per cent either way in an interval."""
_REST = {"sex": Keep(), "race": Keep(), "workclass": Keep(), "education": Keep()}
FINE, COARSE = (Scheme({"age": Grid(years), **_REST}) for years in (1, 2))
FIXED = Scheme({"age": Grid(10), "sex": Keep(), "education": Keep()})
"""The twin's: few enough cells that most rows are in crowds."""


@frozen
class Suspects:
    """The people of one part: how likely the adversary holds each to have the value, and how many do."""

    where: str
    people: int
    having: int
    posterior: Fraction
    published: Fraction
    """The share in the coarse group, as published."""
    coarse: str
    """The coarse group."""


def suspects(mechanism: MinimalDiverse, town: pl.DataFrame) -> list[Suspects]:
    """The parts, of all groups published coarsely, whose people the adversary holds likelier than 1/l to have it.

    They reckon with a minimal recoding, whether it is one or not.
    """
    shown = set(keys(mechanism(town).drop(mechanism.secret)))
    register = pl.DataFrame(
        {
            "coarse": keys(mechanism.coarse(town)),
            "fine": keys(mechanism.fine(town)),
            "has": town[mechanism.secret].cast(pl.String) == mechanism.value,
        }
    )
    parts = (
        register.group_by("coarse", "fine").agg(pl.len().alias("people"), pl.col("has").sum()).sort("coarse", "fine")
    )
    found: list[Suspects] = []
    for (coarse,), group in parts.group_by("coarse", maintain_order=True):
        if coarse in shown and group.height > 1:
            found += _parts(str(coarse), group, mechanism)
    return [each for each in found if each.posterior * mechanism.l > 1]


def _parts(coarse: str, group: pl.DataFrame, mechanism: MinimalDiverse) -> list[Suspects]:
    sizes, having = group["people"].to_list(), int(group["has"].sum())
    share = Fraction(having, sum(sizes))
    chances = posterior(sizes, having, mechanism.l)
    return [
        Suspects(where, people, has, chance, share, coarse)
        for (_, where, people, has), chance in zip(group.iter_rows(), chances, strict=True)
    ]


@frozen(eq=False)
class Pointed:
    """Whether the people have the value whom the adversary points at, and people outside in the same groups."""

    inside: list[bool]
    outside: list[bool]

    def outcome(self, name: str, yardstick: Yardstick, shown: Rows, choices: int) -> Outcome:
        """Which part of a group somebody is in is taken as random, as the claim has it: then the interval holds, since
        drawing without replacement varies less than independent draws do.
        """
        success, anyway = (
            proportion(sum(each), len(each), ERROR / (2 * choices)) if each else UNKNOWN
            for each in (self.inside, self.outside)
        )
        return Outcome(name, success, anyway, confidence(), yardstick=yardstick, rows=shown, trials=1)


UNKNOWN = Estimate(Fraction(0), Fraction(1))


def pointed(named: list[str], register: Sequence[pl.DataFrame], rng: np.random.Generator) -> Pointed:
    """The people of the first table with these keys, and of the second those in the same groups; some, of many.

    Both tables have the columns `key`, `alike` and `has`.
    """
    inside, outside = register
    chosen = inside.filter(pl.col("key").is_in(named))
    others = outside.filter(pl.col("alike").is_in(chosen["alike"].implode()))
    found = [each[rng.permutation(each.height)[:LOOKED_UP]]["has"].to_list() for each in (chosen, others)]
    return Pointed(*found)


def run(
    *,
    data: pl.DataFrame | None = None,
    value: str = ">50K",
    l: Number = 2,  # noqa: E741
    rows: Number = 20_000,
    k: Number = 20,
    beta: Number = "2/3",
    seed: int = 0,
) -> Story:
    """Census rows: exact ages where that is l-diverse in `income`, else ages in steps of two years.

    The adversary points at everybody whom the release makes likelier than 1/l to have the value. `rows` people are
    drawn for the release, at most two thirds of all; the others are outside. The twin is recoded by a fixed scheme.
    """
    start = time.monotonic()
    people = adult(complete=True) if data is None else data
    for name in (*FINE.names, "income"):
        if name not in people.columns:
            raise DataError(f"the data has no column {name!r}, which this demonstration recodes: give census rows.")
    least, size, sample_rate = whole(l, "l", 2), whole(k, "k"), rate(beta)
    draw, finding, twins = np.random.default_rng(seed).spawn(3)
    town, outside = divided(people.drop_nulls([*FINE.names, "income"]), whole(rows, "rows", 2), draw)
    minimal = MinimalDiverse(FINE, COARSE, "income", value=value, l=least)
    found = suspects(minimal, town)
    if not found:
        raise DataError("no group makes anybody a suspect: give more rows, another value or another l.")
    tables = [_register(each, FINE, COARSE, value) for each in (town, outside)]
    victim = pointed([each.where for each in found], tables, rng=finding)
    yardstick = at_most(Fraction(1, least), f"1/l = 1/{least}")
    choices = CHOICES if data is None else 1
    return Story(
        ATTACK,
        victim.outcome(f"minimal {l}-diverse recoding", yardstick, Rows(minimal(town).height, town.height), choices),
        defended=_defended(town, outside, minimal, k=size, beta=sample_rate, yardstick=yardstick, rng=twins),
        learned=(_learned(found, least, value),),
        evidence=(_smallest(), _beyond(found, least), *([_chosen()] if data is None else [])),
        reproduce=Reproduce(seed=seed, parameters={"value": value, "l": least, "rows": town.height}),
        seconds=time.monotonic() - start,
    )


def divided(people: pl.DataFrame, rows: int, rng: np.random.Generator) -> tuple[pl.DataFrame, pl.DataFrame]:
    """So many people drawn at random, at most two thirds, and the others."""
    if people.height < 6:
        raise DataError(f"the data has {people.height} rows without nulls: give at least six people.")
    mixed = people[rng.permutation(people.height)]
    count = min(rows, people.height * 2 // 3)
    return mixed.head(count), mixed.tail(people.height - count)


def _register(people: pl.DataFrame, key: Scheme, alike: Scheme, value: str) -> pl.DataFrame:
    has = people["income"].cast(pl.String) == value
    return pl.DataFrame({"key": keys(key(people)), "alike": keys(alike(people)), "has": has})


def _defended(
    town: pl.DataFrame,
    outside: pl.DataFrame,
    minimal: MinimalDiverse,
    *,
    k: int,
    beta: Fraction,
    yardstick: Yardstick,
    rng: np.random.Generator,
) -> Outcome:
    """The adversary points at the people of each group of a strongly safe release that shows a share above 1/l."""
    safe = StronglySafe(Scheme({**dict(FIXED.columns), minimal.secret: Keep()}), k)
    release = safe(poisson_sample(town, beta, rng), rng)
    shown = pl.DataFrame({"key": keys(release.drop(minimal.secret)), "has": release[minimal.secret] == minimal.value})
    likely = shown.group_by("key").agg(pl.col("has").mean()).filter(pl.col("has") * minimal.l > 1)
    tables = [_register(each, FIXED, FIXED, minimal.value) for each in (town, outside)]
    found = pointed(likely["key"].sort().to_list(), tables, rng=rng)
    name = f"strongly safe, k = {k}, of a sample at {beta}"
    return found.outcome(name, yardstick, Rows(release.height, town.height), 1)


def _chosen() -> Note:
    return Note(
        "How the columns were chosen",
        f"After looking: {CHOICES} settings were tried on this data, and one with many suspects was taken. The "
        f"intervals of the victim are made for an error {CHOICES} times smaller, so that they hold for any of them.",
    )


def _learned(found: list[Suspects], l: int, value: str) -> str:  # noqa: E741
    people, having = sum(each.people for each in found), sum(each.having for each in found)
    expected = float(sum((each.people * each.posterior for each in found), Fraction(0)))
    told = float(sum((each.people * each.published for each in found), Fraction(0))) / people
    worst = max(found, key=lambda each: (each.posterior, each.people, each.where))
    return (
        f"{people} people are likelier than 1/{l} to have {value}: {expected:.0f} of them should, and {having} do. "
        f"Their groups show a share of {told:.0%} in the mean. Among them {worst.people} with "
        f"{worst.where.replace('|', ', ')}: their group shows a share of {worst.published}, and that it was not "
        f"published finely makes it {float(worst.posterior):.0%}; {worst.having} of the {worst.people} have it."
    )


def _smallest() -> Table:
    first, second = posterior([2, 4], 2, 2)
    return Table(
        "The smallest case: 2 of 6 people have the value, l = 2, published as one group",
        ("part", "as published", "knowing why"),
        (("2 people", "1/3", str(first)), ("4 people", "1/3", str(second))),
    )


def _beyond(found: list[Suspects], l: int) -> Table:  # noqa: E741
    rows = []
    edges = (Fraction(1, l), Fraction(3, 5), Fraction(4, 5), Fraction(99, 100), Fraction(1))
    for low, high in pairwise(edge for edge in edges if edge >= Fraction(1, l)):
        inside = [each for each in found if low < each.posterior <= high]
        people, having = sum(each.people for each in inside), sum(each.having for each in inside)
        rows.append((f"{float(low):.0%} to {float(high):.0%}", str(people), f"{having / people:.0%}" if people else ""))
    return Table("How likely the adversary holds it, and how often it is so", ("held", "people", "true"), tuple(rows))
