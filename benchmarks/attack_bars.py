"""Every attack on three datasets: victims, twins and releases that have nothing to do with the people.

A number is how many seeds; `python -m benchmarks attack_bars 67` makes 200 runs of each twin and each null. For each
attack it prints in how many runs the victim was refuted, whether each of these intervals excluded the claim's own
number, in how many the twin and the null were refuted (each allowed one in a thousand), the median share of the
victim's rows that the twin publishes, and the CPU seconds. Attacks whose law is worked out exactly have no seed: each
is run once for each setting.
"""

import math
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import polars as pl
from attrs import define, field

from crowdproof.attacks import CATALOGUE, load
from crowdproof.attacks.interface import Story
from crowdproof.data import adult, census
from crowdproof.errors import CrowdproofError
from crowdproof.findings import Refuted
from crowdproof.mechanisms import Mondrian

Settings = dict[str, Any]
SEEDS = 67
"""On each of three datasets: 201 runs."""
STRANGERS = 3
"""With one seed in so many an attack that takes a target meets other people's table, too: a matter of time."""
FEWER = {
    **dict.fromkeys(("intersection", "downcoding", "grids", "membership"), 0.3),
    **dict.fromkeys(("homogeneity", "skewness", "similarity", "complementary"), 0.5),
}
"""The slow ones are run with this share of the seeds, so that the whole takes ten minutes of one core."""
PUBLIC = ["age", "sex", "race", "marital_status", "education_num", "hours_per_week"]


def _adult(secret: str) -> pl.DataFrame:
    known = [each for each in PUBLIC if not each.startswith(secret)]  # education_num tells education
    return adult(complete=True).select(*known, secret).sample(9000, seed=5)


def _census() -> pl.DataFrame:
    people = census(9000, 3).cast({pl.Enum: pl.String})
    return people.select("age", "sex", "race", "education_years", "hours_per_week", "marital_status")


def _sections() -> dict[str, pl.DataFrame]:
    """Three kinds of census rows, for attacks that need the columns of the census."""
    people = adult(complete=True)
    return {
        "men": people.filter(pl.col("sex") == "Male"),
        "below 40": people.filter(pl.col("age") < 40),
        "private sector": people.filter(pl.col("workclass") == "Private"),
    }


TABLES = {"occupation": _adult("occupation"), "education": _adult("education"), "census": _census()}
NUMBERS = {"age": {"column": "age"}, "hours": {"column": "hours_per_week"}, "years": {"column": "education_num"}}
KINDS = {
    "education": "school: Preschool, 1st-4th, 5th-6th, 7th-8th, 9th, 10th, 11th, 12th, HS-grad; "
    "college: Some-college, Assoc-voc, Assoc-acdm; degree: Bachelors, Masters, Doctorate, Prof-school",
    "census": "married: Married; single: Never-married; was: Divorced, Separated, Widowed",
}


def _on_tables(**settings: Any) -> dict[str, Settings]:
    return {name: {"data": table, **settings} for name, table in TABLES.items()}


def _similarity() -> dict[str, Settings]:
    found = _on_tables(rows=2500, l=2)
    return {name: {**each, **({"kinds": KINDS[name]} if name in KINDS else {})} for name, each in found.items()}


def _towns() -> dict[str, Settings]:
    people = adult(complete=True).sample(400, seed=6)
    found = {"town": {}, **{name: {"data": people.select(each["column"]), **each} for name, each in NUMBERS.items()}}
    del found["years"]
    return {name: {**each, "trials": 60} for name, each in found.items()}


DATASETS: dict[str, Callable[[], dict[str, Settings]]] = {
    "clr": _towns,
    "linkage": lambda: _on_tables(rows=300, trials=20),
    "intersection": lambda: _on_tables(rows=160, trials=20),
    "singling-out": lambda: _on_tables(rows=120, trials=16),
    "homogeneity": lambda: _on_tables(rows=2000),
    "background-knowledge": lambda: _on_tables(rows=1500),
    "skewness": lambda: _on_tables(rows=3000),
    "similarity": _similarity,
    "complementary": lambda: _on_tables(rows=1500),
    "reconstruction": lambda: _on_tables(known="age,sex,race,hours_per_week", blocks=24, people=12),
    "grids": lambda: {
        name: {"data": TABLES["occupation"], **each, "trials": 32, "rows": 400} for name, each in NUMBERS.items()
    },
    "differencing": lambda: _on_tables(rows=600, trials=100),
    "averaging": lambda: _on_tables(answers=1000, trials=300),
    "membership": lambda: _on_tables(rows=80, others=100, trials=60),
    "unicity": lambda: {
        str(people): {"people": people, "places": places, "each": 20, "trials": 40}
        for people, places in ((200, 10), (400, 20), (600, 40))
    },
    "fingerprint": lambda: {
        str(films): {"people": 500, "films": films, "each": each, "trials": 60, "k": 4}
        for films, each in ((80, 15), (150, 20), (250, 25))
    },
    "minimality": lambda: {name: {"data": table, "rows": 6000} for name, table in _sections().items()},
    "definetti": lambda: {
        name: {"data": table.head(3000), "outside": 800, "l": 3} for name, table in _sections().items()
    },
    "downcoding": lambda: {name: {"data": table.head(2500), "rows": 160} for name, table in _sections().items()},
}
EXACT: dict[str, list[Settings]] = {
    "xor": [{"epsilon": each} for each in ("0.1", "0.2", "0.5")],
    "dps-dp": [{"trials": 4000, "seed": each} for each in range(3)],
    "same-sample": [{}, {"n": 3, "k": 2, "beta": "1/3", "x1": 4, "x": 8}, {"x1": 4, "x": 10}],
    "degenerate": [{"form": "duplicate"}, {"form": "append"}, {"k": 3}],
    "reuse": [{}, {"k": 10}, {"beta": "1/3"}],
    "guessing": [{}, {"spread": 40}, {"prior": "1/2"}],
    "side-channels": [{"channel": each} for each in ("order", "index", "stars", "size")],
}
TARGETS = ("clr", "linkage", "intersection", "singling-out", "homogeneity", "skewness", "similarity", "membership")
"""Attacks that take a target; they are run on one that publishes other people's table, too."""


class Strangers:
    """Publishes the table of other people, in groups of 3, whatever it is given: a new one each time."""

    def __init__(self, people: pl.DataFrame, known: list[str], seed: int) -> None:
        self.people, self.known, self.seed = people, known, seed

    def __call__(self, table: pl.DataFrame, rng: Any) -> pl.DataFrame:
        """The release."""
        names = table.columns
        others = self.people.select(names)[rng.permutation(self.people.height)[: max(table.height, 3)]]
        return Mondrian(3, [each for each in self.known if each in names] or names)(others)


@define
class Count:
    """What came of the runs of an attack."""

    runs: int = 0
    victims: int = 0
    wrongly: int = 0
    """Refutations whose interval does not exclude the claim's number: there must be none."""
    twins: int = 0
    nulls: int = 0
    null_runs: int = 0
    undecided: int = 0
    refused: int = 0
    shares: list[float] = field(factory=list)

    def add(self, story: Story) -> None:
        """A run on a victim and its twin."""
        refuted = isinstance(story.finding().verdict, Refuted)
        self.runs += 1
        self.victims += refuted
        allowed = story.victim.yardstick.allowed(story.victim.baseline.high)
        self.wrongly += refuted and not story.victim.success.low > allowed
        if story.defended is not None:
            self.twins += story.defended.succeeds
            if story.victim.rows is not None and story.defended.rows is not None and story.victim.rows.published:
                self.shares.append(story.defended.rows.published / story.victim.rows.published)

    def add_null(self, story: Story) -> None:
        """A run on a target that has nothing to do with the people: success counts, with or without the premise."""
        self.null_runs += 1
        self.nulls += story.victim.succeeds
        self.undecided += bool(story.unmet)

    def line(self, name: str, seconds: float) -> str:
        """A row of the table."""
        share = f"{median(self.shares):.2f}" if self.shares else "see page"
        return (
            f"{name:<22}{self.runs:>6}{self.victims:>9}{self.wrongly:>9}{self.twins:>7}"
            f"{self.nulls:>7}/{self.null_runs:<5}{self.refused:>8}{share:>10}{seconds:>9.1f}"
        )


def main(seeds: int = SEEDS) -> None:
    """Print a row for each attack."""
    print(
        f"{'attack':<22}{'runs':>6}{'victims':>9}{'wrongly':>9}{'twins':>7}{'nulls':>7}{'':<6}{'refused':>8}"
        f"{'rows':>10}{'CPU s':>9}"
    )
    for name in CATALOGUE:
        start, count = time.process_time(), Count()
        for keywords in _runs(name, seeds):
            _try(count, name, keywords)
        print(count.line(name, time.process_time() - start), flush=True)


def _runs(name: str, seeds: int) -> Iterator[Settings]:
    if name in EXACT:
        yield from EXACT[name]
        return
    for settings in DATASETS[name]().values():
        for seed in range(math.ceil(seeds * FEWER.get(name, 1.0))):
            yield {**settings, "seed": seed}
            if name in TARGETS and "data" in settings and seed % STRANGERS == 0:
                known = settings["data"].columns[:-1] or settings["data"].columns
                strangers = settings["data"].sample(fraction=0.3, seed=99)
                yield {**settings, "seed": seed, "target": Strangers(strangers, known, seed)}


def _try(count: Count, name: str, keywords: Settings) -> None:
    run = load(name).run
    try:
        story = run(**keywords)  # type: ignore[call-arg]
    except CrowdproofError:  # such as data on which nobody can be named: no finding, and no pass
        count.refused += 1
        return
    count.add_null(story) if "target" in keywords else count.add(story)
