"""A synthetic table that is too near to the people it was learned from: whoever is very near to a row was in it."""

import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.attacks.candidates import columns_of, require
from crowdproof.attacks.interface import Attack, Outcome, Rows, Severity, Story, Yardstick
from crowdproof.attacks.measure import ERROR, confidence, private, proportion, times
from crowdproof.attacks.people import name_of
from crowdproof.attacks.published import published
from crowdproof.data import adult
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Epsilon, Number, rational, show, whole
from crowdproof.findings import Chart, Reproduce, Series, Table
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms import Laplace

ATTACK = Attack(
    id="membership",
    title="Was she in the training data?",
    knows="A person's row, and the rows of other people like those in the data, who were not in it.",
    sees="A synthetic table, made by a model that was learned from the data.",
    infers="A synthetic row that agrees with a person in rare values speaks for them. The person was in the data if "
    "the row that agrees with them best does so better than for all but a few of the other people; how much better, "
    "is settled on these others, so that few people outside are taken for members.",
    claim="A synthetic table holds no real person's row, so that it hardly shows who was in the data: no more than "
    "epsilon-differential privacy allows.",
    remedy="Learn from noisy counts: differentially private statistics, from which any number of rows can be drawn.",
    source="Stadler, Oprisanu and Troncoso 2022, synthetic data: anonymisation groundhog day; Carlini et al. 2022, "
    "membership inference attacks from first principles (true positives at few false positives)",
    severity=Severity.PRESENCE,
)
COLUMNS = ("age", "workclass", "education_num", "marital_status", "occupation", "race", "sex", "hours_per_week")
Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


@frozen
class Mixing:
    """The victim: each synthetic row takes its cells from two people, a few of them drawn from the whole column.

    That is what an overfitted model does: combinations that only one person has come out again.
    """

    fresh: float
    """The share of the cells that are drawn from the column."""
    name: str = "rows mixed from two people each"

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        """As many rows as the table has."""
        height = table.height
        donors = rng.integers(height, size=height)
        second = rng.integers(height, size=height)
        cells = {}
        for name in table.columns:
            kind = rng.random(height)
            place = np.where(kind < self.fresh, rng.integers(height, size=height), donors)
            place = np.where(kind > 1 - self.fresh, second, place)
            cells[name] = table[name].gather(place)
        return pl.DataFrame(cells)


@frozen
class Marginals:
    """The twin: each column drawn by itself from noisy counts of its public values; epsilon-DP in all.

    One person more or less moves one count of each column, so that with Laplace noise of scale (columns / epsilon) the
    counts of all columns together are epsilon-DP. Drawing from them adds nothing. The number of rows is public.
    """

    epsilon: Epsilon
    values: dict[str, pl.Series]
    """The values that a column can have: known without the data."""
    rows: int

    @property
    def name(self) -> str:
        """What it is called."""
        return f"columns drawn from noisy counts, epsilon = {self.epsilon}"

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        """So many rows."""
        noise = Laplace(self.epsilon, len(self.values))
        cells = {}
        for name, values in self.values.items():
            counts = dict(table[name].value_counts().rows())
            noisy = np.maximum(noise.perturb(np.array([float(counts.get(each, 0)) for each in values]), rng), 0.0)
            weights = noisy / noisy.sum() if noisy.sum() > 0 else np.full(len(values), 1 / len(values))
            cells[name] = values.gather(rng.choice(len(values), size=self.rows, p=weights))
        return pl.DataFrame(cells)


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    epsilon: Number = 1,
    false_positives: Number = "0.01",
    rows: Number = 400,
    others: Number = 200,
    trials: Number = 250,
    seed: int = 0,
) -> Story:
    """Again and again: `rows` people are drawn, a synthetic table is made, and one of them and one outsider are tried.

    `others` people settle the agreement for the share `false_positives` of people outside. A target is a function from
    a table to a synthetic table with the same columns.
    """
    start = time.monotonic()
    people = adult(complete=True) if data is None else data
    names = columns_of(known) or (COLUMNS if data is None else tuple(people.columns))
    require(people, names)
    people = people.select(names).drop_nulls()
    loss, rate = Epsilon.of(epsilon), rational(false_positives, "false_positives")
    count, reference, runs = whole(rows, "rows", 2), whole(others, "others", 2), whole(trials, "trials", 2)
    if not 0 < rate < 1:
        raise ParameterError(f"false_positives is {show(rate)}: give a share between 0 and 1.")
    if people.height < count + reference + 1:
        raise DataError(
            f"the data has {people.height} rows without nulls: {count} rows and {reference} others are drawn from "
            "them, so give smaller --set rows= and others=."
        )
    victim: Mechanism = Mixing(0.05) if target is None else target
    twin = Marginals(loss, {name: people[name].unique().sort() for name in names}, count)
    yardstick = private(times(loss), Fraction(0), f"epsilon = {loss}")
    trial = Trial(people, count, reference, rate)
    streams = np.random.default_rng(seed).spawn(2)
    found, defended = (
        trial.repeated(mechanism, runs, rng) for mechanism, rng in zip((victim, twin), streams, strict=True)
    )
    outcome = found.outcome(name_of(victim), yardstick)
    return Story(
        ATTACK,
        outcome,
        defended=defended.outcome(twin.name, yardstick),
        learned=(found.learned(names),),
        evidence=(_utility({outcome.against: found, twin.name: defended}), _curve(found)),
        reproduce=Reproduce(
            seed=seed,
            parameters={
                "epsilon": str(loss),
                "false_positives": show(rate),
                "rows": count,
                "others": reference,
                "trials": runs,
                "known": list(names),
            },
        ),
        seconds=time.monotonic() - start,
    )


@frozen(eq=False)
class Tried:
    """For each trial how much the best synthetic row agrees with the member, the outsider and each of the others."""

    member: Floats
    outsider: Floats
    others: Floats
    """Trial x person."""
    rate: Fraction
    rows: Rows
    off: float
    """By how much the share of a value in the synthetic table differs from that in the data, in the mean."""

    def hits(self, rate: float) -> tuple[int, int]:
        """Members and outsiders that are taken for members, where that share of the others is."""
        allowed = int(rate * self.others.shape[1])
        least = np.sort(self.others, axis=1)[
            :, -max(allowed, 1)
        ]  # an outsider is above it as rarely as that share says
        return int(np.count_nonzero(self.member > least)), int(np.count_nonzero(self.outsider > least))

    def outcome(self, name: str, yardstick: Yardstick) -> Outcome:
        """True and false positives, each trial with a table of its own."""
        trials = len(self.member)
        success, baseline = (proportion(each, trials, ERROR / 2) for each in self.hits(float(self.rate)))
        return Outcome(name, success, baseline, confidence(), yardstick=yardstick, rows=self.rows, trials=trials)

    def learned(self, names: Sequence[str]) -> str:
        """The numbers in a sentence."""
        hits, trials = self.hits(float(self.rate)), len(self.member)
        return (
            f"With {hits[0]:,} of {trials:,} members ({hits[0] / trials:.1%}) a synthetic row agrees better than with "
            f"all but {float(self.rate):.1%} of other people, and so it does with {hits[1]:,} of {trials:,} outsiders. "
            f"In {len(names)} columns the best row agrees with a member in values that one in "
            f"{float(np.exp(np.median(self.member))):,.0f} has (median), with an outsider in values that one in "
            f"{float(np.exp(np.median(self.outsider))):,.0f} has, were the columns independent."
        )


@frozen(eq=False)
class Trial:
    """Members, an outsider and others are drawn from the same people, again and again."""

    people: pl.DataFrame
    rows: int
    others: int
    rate: Fraction

    def repeated(self, mechanism: Mechanism, trials: int, rng: np.random.Generator) -> Tried:
        """The agreement, trial by trial; the member that is tried is any one of the members."""
        codes = {
            name: {value: i for i, value in enumerate(self.people[name].unique().sort())}
            for name in self.people.columns
        }
        everybody = _coded(self.people, codes)
        agreed, heights, off = [], [], []
        for _ in range(trials):
            chosen = rng.permutation(self.people.height)[: self.rows + self.others + 1]
            inside = self.people[chosen[: self.rows]]
            release = published(mechanism, inside, rng)
            require(release, self.people.columns, "the synthetic table")
            synthetic = _coded(release, codes)
            tried = everybody[chosen[self.rows - 1 :]]  # one member, then the outsider, then the others
            agreed.append(_agreement(tried, synthetic, tried[2:]))
            heights.append(release.height)
            off.append(_off(everybody[chosen[: self.rows]], synthetic))
        found = np.array(agreed)
        rows = Rows(int(np.median(heights)), self.rows)
        return Tried(found[:, 0], found[:, 1], found[:, 2:], self.rate, rows=rows, off=float(np.mean(off)))


def _coded(table: pl.DataFrame, codes: dict[str, dict[object, int]]) -> Codes:
    """Row x column; a value that nobody has is -1."""
    columns = [
        table[name].replace_strict(list(known), list(known.values()), default=-1, return_dtype=pl.Int64).to_numpy()
        for name, known in codes.items()
    ]
    return np.stack(columns, axis=1).astype(np.int64)


def _agreement(people: Codes, synthetic: Codes, others: Codes) -> Floats:
    """For each person how much the synthetic row that agrees best with them agrees: rare values count for more.

    A value that has a share p of the others counts -log p, as if the columns were independent.
    """
    if not len(synthetic):
        return np.zeros(len(people))
    found: NDArray[np.float32] = np.zeros((len(people), len(synthetic)), dtype=np.float32)
    for column in range(people.shape[1]):
        size = int(max(people[:, column].max(), synthetic[:, column].max())) + 1
        shares = (np.bincount(others[:, column], minlength=size) + 1) / (len(others) + size)
        weight = -np.log(shares[people[:, column]]).astype(np.float32)
        found += (people[:, column, None] == synthetic[None, :, column]) * weight[:, None]
    best: Floats = found.max(axis=1).astype(np.float64)
    return best


def _off(data: Codes, synthetic: Codes) -> float:
    """The mean over columns of half the sum of the differences of the shares: 0 where all are the same."""
    found = []
    for column in range(data.shape[1]):
        size = int(max(data[:, column].max(), synthetic[:, column].max(initial=0))) + 2
        ours, theirs = (
            np.bincount(each[:, column] + 1, minlength=size) / max(len(each), 1) for each in (data, synthetic)
        )
        found.append(abs(ours - theirs).sum() / 2)
    return float(np.mean(found))


def _utility(found: dict[str, Tried]) -> Table:
    rows = tuple((name, f"{each.rows}", f"{each.off:.1%}") for name, each in found.items())
    return Table(
        "How useful the synthetic tables are", ("table", "rows", "distance of a column's shares from the data's"), rows
    )


def _curve(found: Tried) -> Chart:
    rates = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    shares = [[each / len(found.member) for each in found.hits(rate)] for rate in rates]
    lines = zip(("members", "outsiders"), zip(*shares, strict=True), strict=True)
    return Chart(
        "Taken for members",
        "share of the others that is allowed",
        "share",
        tuple(Series(name, rates, tuple(line)) for name, line in lines),
        log_x=True,
    )
