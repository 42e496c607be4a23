"""A predicate that is true of exactly one person in the data, and that hardly anybody could have hit by chance."""

import time
from collections.abc import Sequence
from fractions import Fraction
from hashlib import blake2b
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.attacks.candidates import columns_of, require
from crowdproof.attacks.interface import Attack, Outcome, Severity, Story
from crowdproof.attacks.measure import ERROR, confidence, no_more, of_nobody, proportion
from crowdproof.attacks.measure import rows as counted
from crowdproof.attacks.people import crowds, fixed_scheme, name_of
from crowdproof.attacks.premise import unmet
from crowdproof.attacks.published import published
from crowdproof.cells import STAR, Anything, Cell, Masked, Range, Values, parse_cell
from crowdproof.data import census
from crowdproof.errors import DataError
from crowdproof.exact import Number, rate, whole
from crowdproof.findings import Reproduce, Table
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms import Mondrian, Sampled, Scheme, StronglySafe, for_samples

ATTACK = Attack(
    id="singling-out",
    title="There is exactly one such person",
    knows="Nothing of the people, only that published ranges end where the data does.",
    sees="A k-anonymous table.",
    infers="'Within the ranges of a published group, and at the low end of the widest': true of exactly one person, "
    "the one whose value the range ends with, and of hardly anybody among as many other people.",
    claim="A k-anonymous release lets nobody be singled out, as the law on personal data has it.",
    remedy="A recoding fixed beforehand, of a sample, without groups below k: its cells hold as many of any people.",
    source="Cohen and Nissim 2020, towards formalizing the GDPR's notion of singling out",
    severity=Severity.IDENTITY,
)
YARDSTICK = no_more()
GENERATED = of_nobody("The people were generated after a census; nobody is real.")
_NOBODYS = "\0nobody's secret"
Bools = NDArray[np.bool_]


@frozen
class Predicate:
    """A row lies within the cells; in the column `at`, if there is one, it has that value; else its hash is chosen."""

    cells: tuple[tuple[str, Cell], ...]
    at: tuple[str, float] | None
    one_in: int
    salt: int

    def __call__(self, table: pl.DataFrame) -> Bools:
        """For each row whether it is true."""
        true: Bools = np.logical_and.reduce([_inside(table[name], cell) for name, cell in self.cells])
        if self.at is not None:
            column, value = self.at
            true &= _inside(table[column], Range(Fraction(value), Fraction(value)))
            return true
        rows = np.flatnonzero(true)
        chosen = [_hash(row, self.salt) % self.one_in == 0 for row in table[rows].rows()]
        true[rows] = chosen
        return true

    def __str__(self) -> str:
        within = " and ".join(
            f"{name} in {_words(cell)}" for name, cell in self.cells if not isinstance(cell, Anything)
        )
        return (
            f"{within} and {self.at[0]} = {self.at[1]:g}" if self.at else f"{within} and 1 in {self.one_in} by a hash"
        )


def _inside(column: pl.Series, cell: Cell) -> Bools:
    """For each value of the column whether it is among what the cell says; of texts each different one is read once."""
    if isinstance(cell, Range) and column.dtype.is_numeric():
        return _between(column.to_numpy(), cell)
    texts = column.cast(pl.String).fill_null(STAR)
    different = texts.unique()
    verdicts = np.array([cell.covers(parse_cell(each)) for each in different], dtype=np.bool_)
    inside: Bools = verdicts[texts.cast(pl.Enum(different)).to_physical().to_numpy()]
    return inside


def _between(values: NDArray[Any], cell: Range) -> Bools:
    true = np.ones(len(values), dtype=np.bool_)
    if cell.low is not None:
        low = float(cell.low)
        true &= values > low if cell.low_open else values >= low
    if cell.high is not None:
        high = float(cell.high)
        true &= values < high if cell.high_open else values <= high
    return true


def _words(cell: Cell) -> str:
    match cell:
        case Range(low, high, low_open, high_open):
            first = "(-inf" if low is None else f"{'(' if low_open else '['}{float(low):g}"
            last = "inf)" if high is None else f"{float(high):g}{')' if high_open else ']'}"
            return f"{first}, {last}"
        case Values():
            return " or ".join(sorted(cell.texts))
        case Masked():
            return f"{cell.start}{STAR}"
        case Anything():
            return STAR


def _hash(row: tuple[Any, ...], salt: int) -> int:
    return int.from_bytes(blake2b(repr(row).encode(), digest_size=8, salt=salt.to_bytes(8, "big")).digest(), "big")


def choose(release: pl.DataFrame, form: str, share: Fraction, rng: np.random.Generator) -> Predicate | None:
    """A predicate from a row of the release drawn at random; None where nothing is published.

    `share` is how much of the data the release stands for: a hash is true of one in as many as the group then has.
    """
    if release.is_empty():
        return None
    row = release.row(int(rng.integers(release.height)))
    count = int(
        release.select(
            pl.all_horizontal(
                pl.col(name).eq_missing(cell) for name, cell in zip(release.columns, row, strict=True)
            ).sum()
        ).item()
    )
    cells = tuple((name, parse_cell(cell)) for name, cell in zip(release.columns, row, strict=True))
    ranges = {name: ends for name, cell in cells if (ends := _ends(cell)) is not None}
    salt = int(rng.integers(2**62))
    if form == "hash" or not ranges:
        return Predicate(cells, None, max(2, round(count / share)), salt)
    widest = max(ranges, key=lambda name: ranges[name][1] - ranges[name][0])
    return Predicate(cells, (widest, float(ranges[widest][0])), 0, salt)


def _ends(cell: Cell) -> tuple[Fraction, Fraction] | None:
    """Both ends of a range, which may be the values of people; None where it has no two."""
    match cell:
        case Range(Fraction() as low, Fraction() as high):
            return low, high
    return None


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    k: Number = 10,
    beta: Number = "2/3",
    known: str | Sequence[str] | None = None,
    rows: Number = 500,
    trials: Number = 200,
    seed: int = 0,
) -> Story:
    """Again and again: `rows` people are drawn, their table is anonymized, and one predicate is named.

    Success: it is true of exactly one of them. The baseline: it is true of exactly one of as many other people, drawn
    alike, who have nothing to do with the release. The release of a target has to be k-anonymous, for some k, in the
    columns `known`, or in all of them where none are named.
    """
    start = time.monotonic()
    names = columns_of(known)
    size, sample_rate, count, runs = whole(k, "k"), rate(beta), whole(rows, "rows"), whole(trials, "trials", 2)
    people = census(20_000, seed).cast({pl.Enum: pl.String}) if data is None else data
    if people.height < 2 * count:
        raise DataError(f"the data has {people.height} rows: give rows of at most {people.height // 2}.")
    anonymizer: Mechanism = Mondrian(size) if target is None else target
    everywhere = people.with_columns(pl.lit(STAR).alias(_NOBODYS))  # no column is a secret here
    scheme = fixed_scheme(everywhere, people.columns, _NOBODYS, crowds(people.head(count), sample_rate, size))
    scheme = Scheme(scheme.columns[:-1])
    releases = (
        Release(name_of(anonymizer), for_samples(anonymizer), Fraction(1)),
        Release(
            f"strongly safe, k = {size}, of a sample at {sample_rate}",
            Sampled(sample_rate, StronglySafe(scheme, size)),
            sample_rate,
        ),
    )
    streams = iter(np.random.default_rng(seed).spawn(4))
    (victim, example), (twin, _) = (
        _measure(each, people, "end", rows=count, trials=runs, rng=next(streams)) for each in releases
    )
    trivial = [_measure(each, people, "hash", rows=count, trials=runs // 2, rng=next(streams))[0] for each in releases]
    return Story(
        ATTACK,
        victim,
        defended=twin,
        learned=(_learned(victim, example, count),),
        evidence=(*([GENERATED] if data is None else []), _table((victim, twin), trivial)),
        reproduce=Reproduce(seed=seed, parameters={"k": size, "rows": count, "trials": runs}),
        seconds=time.monotonic() - start,
        unmet=_unmet(releases[0], people.head(count), names, streams_of=seed),
    )


def _unmet(victim: "Release", people: pl.DataFrame, known: Sequence[str], *, streams_of: int) -> str:
    """Why the claim says nothing of this anonymizer: its release of the first people is not k-anonymous, say."""
    release = published(victim.publish, people, np.random.default_rng(streams_of))
    return unmet(release, known or release.columns)


@frozen
class Release:
    """How a table is published, and how much of the data is then in it."""

    name: str
    publish: Mechanism
    share: Fraction


def _measure(
    release: Release, people: pl.DataFrame, form: str, *, rows: int, trials: int, rng: np.random.Generator
) -> tuple[Outcome, str]:
    """The outcome, and a predicate that was true of exactly one."""
    singled = lucky = 0
    example = ""
    heights: list[int] = []
    for _ in range(trials):
        drawn = people[rng.permutation(people.height)[: 2 * rows]]
        inside, outside = drawn.head(rows), drawn.tail(rows)
        seen = published(release.publish, inside, rng)
        require(inside, seen.columns)
        heights.append(seen.height)
        predicate = choose(seen, form, release.share, rng)
        if predicate is None:
            continue
        hit = np.count_nonzero(predicate(inside)) == 1
        example = example or (str(predicate) if hit else "")
        singled, lucky = singled + hit, lucky + (np.count_nonzero(predicate(outside)) == 1)
    success, baseline = (proportion(int(each), trials, ERROR / 2) for each in (singled, lucky))
    shown = counted(heights, rows)
    told = Outcome(release.name, success, baseline, confidence(), yardstick=YARDSTICK, rows=shown, trials=trials)
    return told, example


def _learned(victim: Outcome, example: str, rows: int) -> str:
    often = float((victim.success.low + victim.success.high) / 2)
    return (
        f"In about {often:.0%} of the releases the predicate is true of exactly one of the {rows} people, such as: "
        f"{example or 'none'}."
    )


def _table(ends: Sequence[Outcome], trivial: Sequence[Outcome]) -> Table:
    words = ("the low end of the widest range", "one in as many as the group has, by a hash")
    rows = tuple(
        (each.against, name, str(each.success), str(each.baseline))
        for name, outcomes in zip(words, (ends, trivial), strict=True)
        for each in outcomes
    )
    return Table(
        "True of exactly one: a range end, and a hash, which has about 37% (1/e) with or without a release",
        ("release", "within a group", "of the people", "of as many others"),
        rows,
    )
