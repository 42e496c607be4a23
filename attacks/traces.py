"""Where people were and when: traces under random numbers, made on the spot or of the user's own."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.attacks.candidates import require
from crowdproof.errors import DataError

Ints = NDArray[np.int64]
COLUMNS = ("person", "hour", "place")
_AT_HOME, _AT_WORK = 0.45, 0.35
"""Of a person's calls, those from home and from work; the others come from anywhere. A guess."""


def generate(people: int, places: int, points: int, rng: np.random.Generator) -> pl.DataFrame:
    """Traces of two weeks, about `points` calls each: from home, from work, or from where many people go."""
    popularity = 1 / np.arange(2, places + 2)
    popularity /= popularity.sum()
    homes, work = (rng.choice(places, size=people, p=popularity) for _ in range(2))
    counts = 2 + rng.poisson(max(points - 2, 0), people)
    person = np.repeat(np.arange(people), counts)
    hour = rng.integers(24 * 14, size=len(person))
    kind = rng.random(len(person))
    anywhere = rng.choice(places, size=len(person), p=popularity)
    place = np.where(kind < _AT_HOME, homes[person], np.where(kind < _AT_HOME + _AT_WORK, work[person], anywhere))
    table = pl.DataFrame({"person": person, "hour": hour, "place": place})
    return table.unique(["person", "hour"], keep="first", maintain_order=True)


@frozen(eq=False)
class Traces:
    """Each person's points as numbers: when and where."""

    times: list[Ints]
    places: list[Ints]
    time_words: tuple[str, ...]
    place_words: tuple[str, ...]

    @classmethod
    def of(cls, table: pl.DataFrame, columns: Sequence[str]) -> "Traces":
        """From a table with a row for each point; of several at one time the first counts."""
        person, time, _ = columns
        require(table, columns)
        rows = table.select(columns).drop_nulls().unique([person, time], keep="first", maintain_order=True)
        if rows[person].n_unique() < 10:
            raise DataError(f"{rows[person].n_unique()} people have a trace: give at least ten.")
        coded = [np.unique(rows[name].cast(pl.String).to_numpy().astype(str), return_inverse=True) for name in columns]
        order = np.argsort(coded[0][1], kind="stable")
        starts = np.flatnonzero(np.diff(coded[0][1][order])) + 1
        times, places = (np.split(codes[order].astype(np.int64), starts) for _, codes in coded[1:])
        return cls(times, places, *(tuple(values.tolist()) for values, _ in coded[1:]))

    @property
    def people(self) -> int:
        """How many there are."""
        return len(self.times)

    def point(self, person: int, which: int) -> tuple[int, int]:
        """When and where."""
        return int(self.times[person][which]), int(self.places[person][which])


@frozen(eq=False)
class Index:
    """Who was where and when."""

    who: dict[tuple[int, int], frozenset[int]]
    at: list[dict[int, int]]
    """For each person the place by the time."""
    popular: dict[int, Ints]
    """For each time how many people were at each place."""

    @classmethod
    def of(cls, traces: Traces) -> "Index":
        """Of all traces."""
        who: dict[tuple[int, int], set[int]] = {}
        popular: dict[int, Ints] = {}
        at = []
        for person in range(traces.people):
            points = list(zip(traces.times[person].tolist(), traces.places[person].tolist(), strict=True))
            at.append(dict(points))
            for time, place in points:
                who.setdefault((time, place), set()).add(person)
                popular.setdefault(time, np.zeros(len(traces.place_words), np.int64))[place] += 1
        return cls({key: frozenset(people) for key, people in who.items()}, at, popular)

    def candidates(self, points: Sequence[tuple[int, int]]) -> frozenset[int]:
        """Those who have all of the points."""
        return frozenset.intersection(*(self.who.get(each, frozenset()) for each in points))

    def common(self, time: int, *, without: int | None = None) -> int:
        """The place where most people were at that time, one person left out or nobody."""
        counts = self.popular[time].copy()
        if without is not None and time in self.at[without]:
            counts[self.at[without][time]] -= 1
        return int(counts.argmax())
