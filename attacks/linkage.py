"""Names were removed, and a public register puts them back: linking by what everybody knows of a person."""

import time
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.candidates import Guess, Reading, Row, columns_of, commonest, require
from crowdproof.attacks.interface import Attack, Severity, Story
from crowdproof.attacks.measure import no_more
from crowdproof.attacks.people import certified_gain, crowds, fixed_scheme, measure, name_of, town_of
from crowdproof.attacks.published import Tables, published
from crowdproof.data import adult
from crowdproof.errors import ParameterError
from crowdproof.exact import Number, rate, whole
from crowdproof.findings import Reproduce, Table
from crowdproof.mechanism import Mechanism, is_deterministic
from crowdproof.mechanisms import Sampled, StronglySafe
from crowdproof.mechanisms.tables import canonical

ATTACK = Attack(
    id="linkage",
    title="The governor's record",
    knows="A public register: names with what is no secret of a person, such as age, sex, race and education.",
    sees="A table of the same people without their names, with a column that is nobody's business.",
    infers="A person whose public values occur once in the table has their name back on their row, secret included.",
    claim="Without names, nobody can tell whose row is whose.",
    remedy="Release crowds, not rows: a fixed recoding of a sample, without groups below k (strongly safe).",
    source="Sweeney 2002, k-anonymity: a model for protecting privacy (the governor of Massachusetts)",
    severity=Severity.IDENTITY,
)
KNOWN = ("age", "sex", "race", "marital_status", "education", "native_country")
HIDDEN = "occupation"


@frozen
class WithoutNames:
    """The victim: the rows as they are, in an order that depends on their content only; there are no names in them."""

    deterministic: ClassVar[bool] = True
    name: ClassVar[str] = "names removed"

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:  # noqa: ARG002
        """The release of the table."""
        return canonical(table)


@frozen
class Linker:
    """Says of a person the commonest secret among the rows that could be theirs, or of all where there are none."""

    known: tuple[str, ...]
    secret: str

    def __call__(self, release: pl.DataFrame) -> Guess:
        """The adversary who has seen that release."""
        require(release, [self.secret], "the release")
        reading, secrets = Reading.of(release, self.known), release[self.secret]
        fallback = commonest(secrets)

        def guess(person: Row) -> str | None:
            return commonest(secrets, reading.could_be(person)) or fallback

        return guess


def columns(data: pl.DataFrame, known: str | Sequence[str] | None, secret: str | None) -> tuple[tuple[str, ...], str]:
    """What the adversary knows and what is secret: as given, those of Adult, or all others and the last column."""
    hidden = secret or (HIDDEN if HIDDEN in data.columns else data.columns[-1])
    given = columns_of(known)
    usual = KNOWN if set(KNOWN) <= set(data.columns) else tuple(each for each in data.columns if each != hidden)
    names = given or tuple(each for each in usual if each != hidden)
    require(data, [*names, hidden])
    if hidden in names or not names:
        raise ParameterError(f"secret is {hidden!r}: give --param known=... with other columns than that.")
    return names, hidden


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    secret: str | None = None,
    k: Number = 10,
    beta: Number = "2/3",
    rows: Number = 2000,
    trials: Number = 250,
    seed: int = 0,
) -> Story:
    """Link a register with a release about the same people; without arguments, census rows whose names were removed.

    `rows` people of the data live in the town of the register; `trials` of them, drawn at random, are looked up.
    """
    start = time.monotonic()
    size, sample_rate, runs = whole(k, "k"), rate(beta), whole(trials, "trials")
    people = adult(complete=True) if data is None else data
    names, hidden = columns(people, known, secret)
    draw, victims, twins = np.random.default_rng(seed).spawn(3)
    town = town_of(people.select(*names, hidden), whole(rows, "rows"), draw)
    adversary = Linker(names, hidden)
    publish: Mechanism = WithoutNames() if target is None else Tables(target)
    safe = Sampled(
        sample_rate, StronglySafe(fixed_scheme(people, names, hidden, crowds(town, sample_rate, size)), size)
    )
    yardstick = no_more()
    victim = measure(
        name_of(publish),
        publish,
        town,
        adversary,
        hidden,
        yardstick=yardstick,
        trials=runs,
        rng=victims,
        deterministic=is_deterministic(publish),
    )
    twin = measure(
        f"strongly safe, k = {size}, of a sample at {sample_rate}",
        safe,
        town,
        adversary,
        hidden,
        yardstick=yardstick,
        trials=runs,
        rng=twins,
        bound=certified_gain(size, sample_rate),
    )
    release = published(publish, town, np.random.default_rng(seed))
    fits = _fits(release, town, names, runs)
    return Story(
        ATTACK,
        victim,
        defended=twin,
        learned=(_learned(release, town, names, hidden, fits),),
        evidence=(_table(fits),),
        reproduce=Reproduce(seed=seed, parameters={"known": list(names), "secret": hidden, "rows": town.height}),
        seconds=time.monotonic() - start,
    )


def _fits(release: pl.DataFrame, town: pl.DataFrame, known: Sequence[str], count: int) -> list[int]:
    """For the first people of the town, how many rows of the release could be theirs."""
    reading = Reading.of(release, known)
    return [int(reading.could_be(person).sum()) for person in town.head(count).iter_rows(named=True)]


def _learned(release: pl.DataFrame, town: pl.DataFrame, known: Sequence[str], secret: str, fits: list[int]) -> str:
    alone = [place for place, count in enumerate(fits) if count == 1]
    reading = Reading.of(release, known)
    told = {place: release[secret].filter(pl.Series(reading.could_be(town.row(place, named=True)))) for place in alone}
    right = [place for place in alone if str(told[place].item()) == str(town[secret][place])]
    if not right:
        return "Nobody who was looked up has a single row in the release that fits and tells the truth."
    person = town.row(right[0], named=True)
    about = ", ".join(str(person[name]) for name in known)
    return (
        f"For a person with {about} one row of the release fits: it says that their {secret} is {person[secret]}, and "
        f"so it is. One row fits {len(alone)} of {len(fits)} people, and tells the truth of {len(right)} of them."
    )


def _table(fits: list[int]) -> Table:
    limits = ((0, 0, "none"), (1, 1, "one"), (2, 4, "2 to 4"), (5, 19, "5 to 19"), (20, 10**9, "20 or more"))
    rows = tuple((name, str(sum(low <= each <= high for each in fits))) for low, high, name in limits)
    return Table("Rows of the release that fit a person", ("rows", "people"), rows)
