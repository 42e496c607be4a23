"""Two k-anonymous releases about the same person: what both allow is often one value."""

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from attrs import evolve, frozen

from crowdproof.attacks.candidates import Guess, Reading, Row, require
from crowdproof.attacks.interface import Attack, Outcome, Severity, Story
from crowdproof.attacks.linkage import columns
from crowdproof.attacks.people import certified_gain, fixed_scheme, measure, name_of, town_of
from crowdproof.data import adult
from crowdproof.errors import DataError
from crowdproof.exact import Number, rate, whole
from crowdproof.findings import Chart, Reproduce, Series, Table
from crowdproof.mechanism import Mechanism, is_deterministic
from crowdproof.mechanisms import Mondrian, Sampled, StronglySafe

ATTACK = Attack(
    id="intersection",
    title="Treated in two hospitals",
    knows="The public values of a person who was in both hospitals.",
    sees="A k-anonymous table from each hospital, made without knowing of the other's.",
    infers="In each table the secret is one of those of the person's group; where only one value is in both groups, "
    "that is it; of several, the likeliest is named.",
    claim="Releases that are each k-anonymous hide a person among k together too.",
    remedy="Strongly safe releases, each of a fresh sample: their guarantees add up, whoever makes them.",
    source="Ganta, Kasiviswanathan and Smith 2008, composition attacks",
    severity=Severity.ATTRIBUTE,
)


Publishers = tuple[Mechanism, Mechanism]


@frozen
class Hospitals:
    """Two tables about the same people: `shared` were in both, `first` and `second` in one only."""

    shared: pl.DataFrame
    first: pl.DataFrame
    second: pl.DataFrame

    def publish(self, how: Publishers, people: pl.DataFrame, rng: np.random.Generator) -> list[pl.DataFrame]:
        """Each hospital's release, with these people in both."""
        tables = (pl.concat([people, self.first]), pl.concat([people, self.second]))
        return [mechanism(table, rng) for mechanism, table in zip(how, tables, strict=True)]


@frozen
class Intersecting:
    """Names the value that all releases leave; of several the likeliest, by its shares in the person's groups."""

    known: tuple[str, ...]
    secret: str

    def __call__(self, releases: Sequence[pl.DataFrame]) -> Guess:
        """The adversary who has seen these releases."""
        possible = [self.values(release) for release in releases]

        def guess(person: Row) -> str | None:
            left = shared([values(person) for values in possible])
            return max(sorted(left), key=left.__getitem__) if left else None

        return guess

    def values(self, release: pl.DataFrame) -> "Values":
        """For a person, the secrets that a release leaves possible."""
        require(release, [self.secret], "the release")
        return Values(Reading.of(release, self.known), release[self.secret].cast(pl.String).to_numpy())


@frozen(eq=False)
class Values:
    """The secrets of the rows that could be a person's."""

    reading: Reading
    secrets: np.ndarray

    def __call__(self, person: Row) -> dict[str, float]:
        """The different ones, with their shares."""
        found = Counter(self.secrets[self.reading.could_be(person)].tolist())
        return {value: count / found.total() for value, count in found.items()}


def shared(possible: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The values that all allow, with the products of their shares.

    >>> shared([{"flu": 0.5, "gout": 0.5}, {"gout": 0.25, "cold": 0.75}])
    {'gout': 0.125}
    """
    return {value: math.prod(each[value] for each in possible) for value in set.intersection(*map(set, possible))}


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    known: str | Sequence[str] | None = None,
    secret: str | None = None,
    k: Number = 5,
    beta: Number = "1/4",
    rows: Number = 1000,
    trials: Number = 100,
    seed: int = 0,
) -> Story:
    """Two hospitals with `rows` people each, half of them in both, publish by Mondrian (or by the target).

    A person in both is looked up in two releases of their own; where these are known to be deterministic, everybody is.
    """
    start = time.monotonic()
    size, sample_rate, runs = whole(k, "k"), rate(beta), whole(trials, "trials")
    people = adult(complete=True) if data is None else data
    names, hidden = columns(people, known, secret)
    draw, victims, twins = np.random.default_rng(seed).spawn(3)
    hospitals = admit(people.select(*names, hidden), whole(rows, "rows", 2), draw)
    anonymizer: Mechanism = Mondrian(size, names) if target is None else target
    adversary = Intersecting(names, hidden)
    safe = Sampled(sample_rate, StronglySafe(fixed_scheme(people, names, hidden), size))
    victim = _measured(
        f"{name_of(anonymizer)}, two releases", anonymizer, hospitals, adversary, trials=runs, rng=victims
    )
    twin = _measured(
        f"strongly safe, k = {size}, each of a fresh sample at {sample_rate}",
        safe,
        hospitals,
        adversary,
        trials=runs,
        rng=twins,
    )
    releases = hospitals.publish((anonymizer, anonymizer), hospitals.shared, np.random.default_rng(seed))
    counts = values_left(releases, hospitals.shared, adversary)
    return Story(
        ATTACK,
        victim,
        defended=evolve(twin, bound=certified_gain(size, sample_rate, times=2)(twin.baseline.high)),
        learned=(_learned(counts, size if target is None else None),),
        evidence=(_table(counts), *([_by_k(hospitals, adversary)] if target is None else [])),
        reproduce=Reproduce(seed=seed, parameters={"k": size, "known": list(names), "secret": hidden}),
        seconds=time.monotonic() - start,
    )


def admit(people: pl.DataFrame, rows: int, rng: np.random.Generator) -> Hospitals:
    """Two hospitals with that many people each, half of them in both."""
    both = rows // 2
    admitted = town_of(people, 2 * rows - both, rng)
    if admitted.height < 2 * rows - both:
        raise DataError(f"the data has {people.height} rows: give rows of at most {people.height * 2 // 3}.")
    mixed = admitted[rng.permutation(admitted.height)]
    return Hospitals(mixed[:both], mixed[both:rows], mixed[rows:])


def _measured(
    name: str, how: Mechanism, hospitals: Hospitals, adversary: Intersecting, *, trials: int, rng: np.random.Generator
) -> Outcome:
    """People in both, drawn at random, against the same people left out of both."""
    found = measure(
        name,
        lambda people, rng: hospitals.publish((how, how), people, rng),
        hospitals.shared,
        adversary,
        adversary.secret,
        trials=trials,
        rng=rng,
        deterministic=is_deterministic(how),
    )
    return evolve(found, trials=2 * found.trials)  # each time both hospitals publish


Left = list[tuple[int, int, bool]]
"""For each person how many values the first release leaves, how many both leave, and whether only the truth is left."""


def values_left(releases: Sequence[pl.DataFrame], people: pl.DataFrame, adversary: Intersecting) -> Left:
    """How many values are possible for each person."""
    seen = [adversary.values(release) for release in releases]
    found: Left = []
    for person in people.iter_rows(named=True):
        possible = [values(person) for values in seen]
        both = shared(possible)
        found.append((len(possible[0]), len(both), set(both) == {str(person[adversary.secret])}))
    return found


def _learned(counts: Left, k: int | None) -> str:
    alone, both = (sum(each[which] == 1 for each in counts) for which in (0, 1))
    true = sum(each[2] for each in counts)
    return (
        f"Of {len(counts)} people in both hospitals, one release leaves {alone} with a single possible secret, and the "
        f"two together {both}; for {true} of these it is the truth."
        f"{'' if k is None else f' Each release is {k}-anonymous.'}"
    )


def _table(counts: Left) -> Table:
    limits = ((0, 0, "none"), (1, 1, "one"), (2, 2, "two"), (3, 3, "three"), (4, 10**9, "four or more"))
    rows = tuple(
        (name, *(str(sum(low <= each[which] <= high for each in counts)) for which in (0, 1)))
        for low, high, name in limits
    )
    return Table("Values of the secret that are left for a person", ("values", "by one release", "by both"), rows)


def _by_k(hospitals: Hospitals, adversary: Intersecting) -> Chart:
    sizes = (2, 3, 5, 10)
    shares = []
    for k in sizes:
        mechanism = Mondrian(k, adversary.known)
        releases = hospitals.publish((mechanism, mechanism), hospitals.shared, np.random.default_rng(0))
        counts = values_left(releases, hospitals.shared, adversary)
        shares.append([sum(each[which] == 1 for each in counts) / len(counts) for which in (0, 1)])
    lines = zip(("by one release", "by both"), zip(*shares, strict=True), strict=True)
    return Chart(
        "People whose secret is determined beyond doubt",
        "k",
        "share",
        tuple(Series(name, tuple(map(float, sizes)), tuple(line)) for name, line in lines),
    )
