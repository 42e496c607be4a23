"""A release that is coarse only where it has to be says so: why a group was not published finely is itself a leak."""

import time
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.interface import Attack, Outcome, Severity, Story
from crowdproof.attacks.measure import confidence, proportion
from crowdproof.attacks.people import town_of
from crowdproof.data import adult
from crowdproof.errors import DataError
from crowdproof.exact import Number, whole
from crowdproof.findings import Estimate, Note, Reproduce, Table
from crowdproof.mechanisms import Grid, Keep, Scheme
from crowdproof.mechanisms.tables import canonical

ATTACK = Attack(
    id="minimality",
    title="Why was this group made coarser?",
    knows="A register of everybody's public values, and the anonymizer: it publishes finely where that is l-diverse.",
    sees="An l-diverse table: in no group does more than one in l people have the secret value.",
    infers="A group that was published coarsely had a part in which more than one in l have the value. Counting the "
    "worlds in which that is so moves the probability to that part.",
    claim="In an l-diverse release nobody has the secret value with a probability above 1/l.",
    remedy="Fix the level of each group before the data is seen; drop what is too small instead of generalizing it.",
    source="Wong, Fu, Wang and Pei 2007, minimality attack in privacy preserving data publishing",
    severity=Severity.ATTRIBUTE,
)
CHOSEN = Note(
    "How the columns were chosen",
    "After looking: 80 settings were tried on this data (two sizes, five sets of columns with a secret value, four "
    "pairs of age steps, l = 2 and 3), and this one, with many suspects and a high share, was taken. In 77 of the 80 "
    "the suspects had the value more often than their groups publish, in 72 more often than 1/l, in 2 there were none. "
    "The interval is that of this setting alone and does not allow for the choice.",
)
_REST = {"sex": Keep(), "race": Keep(), "workclass": Keep(), "education": Keep()}
FINE, COARSE = (Scheme({"age": Grid(years), **_REST}) for years in (1, 2))


@frozen
class MinimalDiverse:
    """Publishes each coarse group finely if every part is l-diverse in `value`, coarsely if only the whole is.

    A group is l-diverse if at most one in l has the value; one that is so at neither level is dropped. With
    `adaptive=False`, the defended twin, every group is published coarsely, whatever its secrets.
    """

    deterministic: ClassVar[bool] = True
    fine: Scheme
    coarse: Scheme
    secret: str
    value: str
    l: int  # noqa: E741
    adaptive: bool = True

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:  # noqa: ARG002
        """The release of the table."""
        has = (table[self.secret].cast(pl.String) == self.value).alias("has")
        fine, coarse = self.fine(table), self.coarse(table)
        parts = pl.DataFrame({"fine": _keys(fine), "coarse": _keys(coarse), "has": has}).with_columns(
            diverse=self._diverse(pl.col("has"), "fine", "coarse"), whole=self._diverse(pl.col("has"), "coarse")
        )
        ready = parts.select(pl.col("diverse").all().over("coarse")).to_series() & self.adaptive
        kept = ready | parts["whole"] | (not self.adaptive)
        cells = {
            name: pl.select(pl.when(ready).then(fine[name]).otherwise(coarse[name])).to_series()
            for name in fine.columns
        }
        return canonical(pl.DataFrame({**cells, self.secret: table[self.secret].cast(pl.String)}).filter(kept))

    def _diverse(self, has: pl.Expr, *columns: str) -> pl.Expr:
        return (has.sum() * self.l <= pl.len()).over(columns)


def _keys(cells: pl.DataFrame) -> pl.Series:
    return cells.select(pl.concat_str(pl.all(), separator="|")).to_series()


def posterior(sizes: list[int], having: int, l: int) -> list[Fraction]:  # noqa: E741
    """For each part of a coarse group the probability that a person of it has the value, all worlds equally likely.

    The parts have these sizes, `having` people have the value, and in some part more than one in l do.

    >>> posterior([2, 4], 2, 2)
    [Fraction(1, 1), Fraction(0, 1)]
    """
    total = comb(sum(sizes), having)
    allowed = [[comb(size, j) if j * l <= size else 0 for j in range(size + 1)] for size in sizes]
    harmless = _coefficient(allowed, having)
    chances = []
    for place, size in enumerate(sizes):
        weighed = [[j * ways for j, ways in enumerate(part)] if i == place else part for i, part in enumerate(allowed)]
        everywhere = Fraction(total * having * size, sum(sizes))  # the sum of the part's count over all worlds
        left = everywhere - _coefficient(weighed, having)
        chances.append(left / size / (total - harmless) if total > harmless else Fraction(having, sum(sizes)))
    return chances


def _coefficient(parts: list[list[int]], degree: int) -> int:
    """The coefficient of z^degree in the product of the polynomials."""
    product = [1]
    for part in parts:
        longer = [0] * min(len(product) + len(part) - 1, degree + 1)
        for i, a in enumerate(product):
            for j, b in enumerate(part[: degree + 1 - i]):
                longer[i + j] += a * b
        product = longer
    return product[degree] if degree < len(product) else 0


@frozen
class Suspects:
    """The people of one part: how likely the adversary holds each to have the value, and how many do."""

    where: str
    people: int
    having: int
    posterior: Fraction
    published: Fraction
    """The share in the coarse group, as published."""


def suspects(mechanism: MinimalDiverse, town: pl.DataFrame) -> list[Suspects]:
    """The parts, of all groups published coarsely, whose people the adversary holds likelier than 1/l to have it.

    They reckon with a minimal recoding, whether it is one or not.
    """
    shown = set(_keys(mechanism(town).drop(mechanism.secret)))
    register = pl.DataFrame(
        {
            "coarse": _keys(mechanism.coarse(town)),
            "fine": _keys(mechanism.fine(town)),
            "has": town[mechanism.secret].cast(pl.String) == mechanism.value,
        }
    )
    parts = (
        register.group_by("coarse", "fine").agg(pl.len().alias("people"), pl.col("has").sum()).sort("coarse", "fine")
    )
    found: list[Suspects] = []
    for (coarse,), group in parts.group_by("coarse", maintain_order=True):
        if coarse in shown and group.height > 1:
            found += _parts(group, mechanism)
    return [each for each in found if each.posterior * mechanism.l > 1]


def _parts(group: pl.DataFrame, mechanism: MinimalDiverse) -> list[Suspects]:
    sizes, having = group["people"].to_list(), int(group["has"].sum())
    share = Fraction(having, sum(sizes))
    chances = posterior(sizes, having, mechanism.l)
    return [
        Suspects(where, people, has, chance, share)
        for (_, where, people, has), chance in zip(group.iter_rows(), chances, strict=True)
    ]


def run(
    *,
    data: pl.DataFrame | None = None,
    value: str = ">50K",
    l: Number = 2,  # noqa: E741
    rows: Number = 50_000,
    seed: int = 0,
) -> Story:
    """Census rows: exact ages where that is l-diverse in `income`, else ages in steps of two years.

    The adversary points at everybody who is likelier than 1/l to have the value. Counted on the data, of
    which `rows` people are drawn if there are more.
    """
    start = time.monotonic()
    people = adult(complete=True) if data is None else data
    for name in (*FINE.names, "income"):
        if name not in people.columns:
            raise DataError(f"the data has no column {name!r}, which this demonstration recodes: give census rows.")
    town = town_of(people, whole(rows, "rows", 2), np.random.default_rng(seed))
    minimal, fixed = (
        MinimalDiverse(FINE, COARSE, "income", value=value, l=whole(l, "l", 2), adaptive=each) for each in (True, False)
    )
    pointed, likewise = suspects(minimal, town), suspects(fixed, town)
    return Story(
        ATTACK,
        _outcome(f"minimal {l}-diverse recoding", pointed),
        defended=_outcome("recoding at a fixed level", likewise),
        learned=(_learned(pointed, minimal.l, value),),
        evidence=(_smallest(), _beyond(pointed, minimal.l), *([CHOSEN] if data is None else [])),
        reproduce=Reproduce(seed=seed, parameters={"value": value, "l": minimal.l, "rows": town.height}),
        seconds=time.monotonic() - start,
    )


def _outcome(name: str, found: list[Suspects]) -> Outcome:
    """Of the people pointed at, how many have the value, against the share that their groups publish.

    Which part of a group they are in is taken as random, as the claim has it: then the interval holds, since drawing
    without replacement varies less than independent draws do.
    """
    people = sum(each.people for each in found)
    if not people:
        raise DataError("no group makes anybody a suspect: give more rows, another value or another l.")
    right = proportion(sum(each.having for each in found), people)
    told = sum((each.people * each.published for each in found), Fraction(0)) / people
    return Outcome(name, right, Estimate.exactly(told), confidence(), 1)


def _learned(found: list[Suspects], l: int, value: str) -> str:  # noqa: E741
    people, having = sum(each.people for each in found), sum(each.having for each in found)
    expected = float(sum((each.people * each.posterior for each in found), Fraction(0)))
    worst = max(found, key=lambda each: (each.having == each.people, each.posterior, each.people, each.where))
    return (
        f"{people} people are likelier than 1/{l} to have {value}: {expected:.0f} of them should, and {having} do. "
        f"Among them {worst.people} with {worst.where.replace('|', ', ')}: their group shows a share of "
        f"{worst.published}, and that it was not published finely makes it {float(worst.posterior):.0%}."
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
