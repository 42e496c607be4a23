"""Sparse records are fingerprints: a few things that somebody once said of films find all the rest."""

import time

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.attacks.interface import Attack, Outcome, Rows, Severity, Story
from crowdproof.attacks.measure import ERROR, confidence, no_more, of_nobody, proportion, rows
from crowdproof.attacks.people import certified_gain
from crowdproof.errors import ParameterError
from crowdproof.exact import Number, rate, whole
from crowdproof.findings import Chart, Reproduce, Series, Table
from crowdproof.mechanisms import Keep, Sampled, Scheme, StronglySafe

ATTACK = Attack(
    id="fingerprint",
    title="The films of a colleague",
    knows="A few films that a person has rated, the stars give or take one, the day give or take two weeks.",
    sees="Everybody's ratings under random numbers instead of names.",
    infers="Ratings are so sparse that few records fit: the best by far is the person's, and with it every other film.",
    claim="Records under random numbers cannot be traced to a person.",
    remedy="One value for each person, fixed beforehand how, of a sample, and only values that k people share.",
    source="Narayanan and Shmatikov 2008, robust de-anonymization of large sparse datasets",
    severity=Severity.IDENTITY,
)
DAYS = 2000
"""Days over which the ratings are spread."""
NEAR_DAYS, NEAR_STARS, ECCENTRIC = 14, 1, 1.5
YARDSTICK = no_more()
Ints = NDArray[np.int64]


@frozen(eq=False)
class Ratings:
    """For each person and film the stars, 0 where there is no rating, and the day."""

    stars: Ints
    days: Ints

    @property
    def people(self) -> int:
        """How many people there are."""
        return len(self.stars)

    @property
    def seen(self) -> Ints:
        """For each film how many have rated it."""
        seen: Ints = np.count_nonzero(self.stars, axis=0)
        return seen


def generate(people: int, films: int, each: int, rng: np.random.Generator) -> Ratings:
    """Ratings as they are: few films are seen by many, most by few; a person rates about `each` films."""
    popularity = 1 / np.arange(3, films + 3)
    chance = np.clip(each * popularity / popularity.sum(), 0, 0.6)
    taste = rng.gamma(2.0, 0.5, (people, 1))
    rated = rng.random((people, films)) < np.clip(chance * taste, 0, 0.9)
    stars = np.where(rated, np.clip(np.rint(rng.normal(3.6, 1.1, rated.shape)), 1, 5), 0).astype(np.int64)
    joined = rng.integers(0, DAYS, (people, 1))
    days = np.where(rated, rng.integers(0, DAYS, rated.shape) * (DAYS - joined) // DAYS + joined, -1)
    return Ratings(stars, days)


@frozen(eq=False)
class Clue:
    """What the adversary heard: films with about so many stars, on about that day."""

    films: Ints
    stars: Ints
    days: Ints


def overhear(ratings: Ratings, person: int, count: int, rng: np.random.Generator) -> Clue:
    """So many films of the person, with the stars and the day misremembered within the limits."""
    films = rng.permutation(np.flatnonzero(ratings.stars[person]))[:count]
    stars = ratings.stars[person, films] + rng.integers(-NEAR_STARS, NEAR_STARS + 1, len(films))
    days = ratings.days[person, films] + rng.integers(-NEAR_DAYS, NEAR_DAYS + 1, len(films))
    return Clue(films, stars, days)


def find(published: Ratings, clue: Clue) -> int | None:
    """The record that fits best, if it stands out: rare films count more, and the second best must be far behind."""
    stars, days = published.stars[:, clue.films], published.days[:, clue.films]
    fits = (stars > 0) & (abs(stars - clue.stars) <= NEAR_STARS) & (abs(days - clue.days) <= NEAR_DAYS)
    weight = 1 / np.log(1.5 + np.count_nonzero(published.stars[:, clue.films], axis=0))
    scores = fits @ weight
    best, second = np.argsort(-scores, kind="stable")[:2]
    spread = float(scores.std())
    return int(best) if spread > 0 and scores[best] - scores[second] > ECCENTRIC * spread else None


def name_film(published: Ratings, clue: Clue) -> int:
    """A film of the person that was not overheard: the rarest of their record, or the most popular of all."""
    seen = published.seen
    record = find(published, clue)
    films = (
        np.zeros(0, np.int64) if record is None else np.setdiff1d(np.flatnonzero(published.stars[record]), clue.films)
    )
    return int(films[np.argmin(seen[films])]) if len(films) else most_popular(seen, clue)


def most_popular(seen: Ints, clue: Clue) -> int:
    """The film that most have seen, those that were overheard left out."""
    others = seen.copy()
    others[clue.films] = -1
    return int(np.argmax(others))


def run(
    *,
    people: Number = 2000,
    films: Number = 600,
    each: Number = 25,
    known: Number = 4,
    k: Number = 10,
    beta: Number = "2/3",
    trials: Number = 300,
    seed: int = 0,
) -> Story:
    """Generated ratings; the adversary names a film that the person has rated and that was not overheard.

    `people` rate about `each` of `films` films, and `known` of a person's films are overheard.
    """
    start = time.monotonic()
    size, sample_rate, runs = whole(k, "k"), rate(beta), whole(trials, "trials")
    make, victims, twins = np.random.default_rng(seed).spawn(3)
    ratings = generate(whole(people, "people", 10), whole(films, "films", 10), whole(each, "each"), make)
    heard = whole(known, "known")
    listed = np.flatnonzero(np.count_nonzero(ratings.stars, axis=1) > heard)
    if not len(listed):
        raise ParameterError(f"known is {heard}: nobody has rated more films than that; give less, or more for each.")
    chosen = listed[victims.integers(len(listed), size=runs)]
    victim, found = _pseudonyms(ratings, chosen, heard, victims)
    twin = _favourites(ratings, chosen, heard, k=size, beta=sample_rate, rng=twins)
    return Story(
        ATTACK,
        victim,
        defended=twin,
        learned=(_learned(ratings, heard, found),),
        evidence=(
            of_nobody(f"The ratings of {ratings.people:,} people were generated; nobody is real."),
            _table(ratings),
            _by_known(ratings, listed, np.random.default_rng(seed)),
        ),
        reproduce=Reproduce(seed=seed, parameters={"people": ratings.people, "known": heard, "trials": runs}),
        seconds=time.monotonic() - start,
    )


def _pseudonyms(
    ratings: Ratings, chosen: Ints, known: int, rng: np.random.Generator
) -> tuple[Outcome, list[tuple[int, int]]]:
    """Over the chosen people, and for each whose record was found, the film that was named.

    The baseline is the best that others' records allow: the film most popular among them.
    """
    right = lucky = 0
    found = []
    for person in chosen.tolist():
        clue = overhear(ratings, person, known, rng)
        film = name_film(ratings, clue)
        right += ratings.stars[person, film] > 0
        lucky += ratings.stars[person, most_popular(ratings.seen - (ratings.stars[person] > 0), clue)] > 0
        if find(ratings, clue) == person:
            found.append((person, film))
    success, baseline = (proportion(int(each), len(chosen), ERROR / 2) for each in (right, lucky))
    told = Outcome(
        "names replaced by numbers",
        success,
        baseline=baseline,
        certainty=confidence(),
        yardstick=YARDSTICK,
        rows=Rows(ratings.people, ratings.people),
        trials=1,
    )
    return told, found


def _favourites(
    ratings: Ratings, chosen: Ints, known: int, *, k: int, beta: object, rng: np.random.Generator
) -> Outcome:
    """Each person's best-rated film, the most popular of several, where k of the sample share it."""
    safe = Sampled(beta, StronglySafe(Scheme({"favourite": Keep()}), k))  # type: ignore[arg-type]
    table = pl.DataFrame({"favourite": [str(film) for film in np.argmax(ratings.stars, axis=1)]})
    right = lucky = 0
    heights: list[int] = []
    for person in chosen.tolist():
        clue = overhear(ratings, person, known, rng)
        for inside in (True, False):
            inside_or_not = table if inside else pl.concat([table.head(person), table.tail(table.height - person - 1)])
            release = safe(inside_or_not, rng)["favourite"].cast(pl.Int64).to_numpy()
            heights.append(len(release))
            shown = np.bincount(release, minlength=ratings.stars.shape[1])
            is_right = bool(ratings.stars[person, most_popular(shown, clue)] > 0)
            right, lucky = right + (is_right and inside), lucky + (is_right and not inside)
    success, baseline = (proportion(each, len(chosen), ERROR / 2) for each in (right, lucky))
    limit = certified_gain(k, safe.beta)(baseline.high)
    return Outcome(
        f"favourites that {k} share, of a sample",
        success,
        baseline=baseline,
        certainty=confidence(),
        yardstick=YARDSTICK,
        rows=rows(heights, table.height),
        trials=2 * len(chosen),
        bound=limit,
    )


def _learned(ratings: Ratings, known: int, found: list[tuple[int, int]]) -> str:
    if not found:
        return f"With {known} films overheard, no record stands out."
    seen = ratings.seen
    person, film = min(found, key=lambda each: (seen[each[1]], each))
    others = int(np.count_nonzero(ratings.stars[person])) - known
    return (
        f"{known} films that person {person} mentioned find their record among {ratings.people:,}, and {others} other "
        f"films with it, among them film {film}, which only {seen[film]} of all have rated."
    )


def _table(ratings: Ratings) -> Table:
    counts = np.count_nonzero(ratings.stars, axis=1)
    seen = ratings.seen
    rows = (
        ("people", f"{ratings.people:,}"),
        ("films", f"{len(seen):,}"),
        ("films of a person, median", f"{int(np.median(counts))}"),
        ("people of a film, median", f"{int(np.median(seen))}"),
        ("share of the table that is filled", f"{counts.sum() / ratings.stars.size:.2%}"),
    )
    return Table("How sparse the ratings are", ("", "number"), rows)


def _by_known(ratings: Ratings, listed: Ints, rng: np.random.Generator) -> Chart:
    counts, lookups = (1, 2, 3, 4, 6), 100
    shares = []
    for known in counts:
        chosen = listed[rng.integers(len(listed), size=lookups)].tolist()
        shares.append(sum(find(ratings, overhear(ratings, each, known, rng)) == each for each in chosen) / lookups)
    return Chart(
        f"People whose record is found, of {lookups}",
        "films overheard",
        "share",
        (Series("found", tuple(map(float, counts)), tuple(shares)),),
    )
