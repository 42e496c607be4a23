"""Two hospitals that publish tables about the same people, and an adversary who reads both."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.attacks.candidates import Guess, Reading, Row, require
from crowdproof.attacks.people import town_of
from crowdproof.attacks.published import published
from crowdproof.errors import DataError
from crowdproof.mechanism import Mechanism

Publishers = tuple[Mechanism, Mechanism]


@frozen
class Hospitals:
    """Two tables about the same people: `shared` were in both, `first` and `second` in one only."""

    shared: pl.DataFrame
    first: pl.DataFrame
    second: pl.DataFrame

    @property
    def height(self) -> int:
        """How many rows there are to publish, those of people in both counted twice."""
        return 2 * self.shared.height + self.first.height + self.second.height

    def publish(self, how: Publishers, people: pl.DataFrame, rng: np.random.Generator) -> list[pl.DataFrame]:
        """Each hospital's release, with these people in both."""
        tables = (pl.concat([people, self.first]), pl.concat([people, self.second]))
        return [published(mechanism, table, rng) for mechanism, table in zip(how, tables, strict=True)]


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
        told = release.filter(pl.col(self.secret).is_not_null())
        return Values(Reading.of(told, self.known), told[self.secret].cast(pl.String).to_numpy())


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


def admit(people: pl.DataFrame, rows: int, rng: np.random.Generator) -> Hospitals:
    """Two hospitals with that many people each, half of them in both."""
    both = rows // 2
    admitted = town_of(people, 2 * rows - both, rng)
    if admitted.height < 2 * rows - both:
        raise DataError(f"the data has {people.height} rows: give rows of at most {people.height * 2 // 3}.")
    mixed = admitted[rng.permutation(admitted.height)]
    return Hospitals(mixed[:both], mixed[both:rows], mixed[rows:])
