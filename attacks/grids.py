"""Several fixed grids over one table: each shows crowds, and their borders cut out single years."""

import time
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.attacks.extreme import numeric_column
from crowdproof.attacks.interface import Attack, Measure, Outcome, Severity, Story
from crowdproof.attacks.measure import ERROR, confidence, no_more, proportion
from crowdproof.attacks.measure import rows as counted
from crowdproof.cells import Range, parse_cell
from crowdproof.data import adult
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Number, rate, show, whole
from crowdproof.findings import Reproduce, Table
from crowdproof.mechanisms import Grid, Scheme, StronglySafe, poisson_sample

ATTACK = Attack(
    id="grids",
    title="One table, several grids",
    knows="How common each value is in the country, among people who are not in the table.",
    sees="One column of a table in several fixed grids, each moved on by a step; no release shows a cell below k.",
    infers="The counts of the cells are sums of the counts of single steps. Linear programming looks for counts that "
    "have these sums and are near to those of the country; small counts are read off.",
    claim="Releases of one table by fixed grids, none of which shows a group below k, show no count below k together: "
    "no more of them than one release does.",
    remedy="Draw a fresh sample for each release: then the counts of two grids do not fit each other, and their "
    "guarantees add up.",
    source="Dinur and Nissim 2003, revealing information while preserving privacy (linear programming); Li, Qardaji "
    "and Su, section 2.7 (fresh samples)",
    severity=Severity.PRESENCE,
)
YARDSTICK = no_more(Measure.COUNT)
_STEPS = 60
"""Steps that the column is cut into at most: single years for ages."""
_NEAR = 1e-3
"""The weight of being near to the country: it decides only between counts that fit the releases alike."""
Floats = NDArray[np.float64]


def run(
    *,
    data: pl.DataFrame | None = None,
    column: str | None = None,
    k: Number = 10,
    grids: Number = 5,
    beta: Number = "2/3",
    rows: Number = 800,
    trials: Number = 120,
    seed: int = 0,
) -> Story:
    """Again and again `rows` people are drawn, and their table is released in so many grids, each so many steps wide.

    One count between 1 and k - 1 of a single step, drawn at random, is looked for. The twin takes a fresh sample for
    each grid.
    """
    start = time.monotonic()
    people = adult(complete=True) if data is None else data
    name = numeric_column(people, column)
    values = people[name].drop_nulls()
    size, many, count, runs = (
        whole(k, "k", 2),
        whole(grids, "grids", 2),
        whole(rows, "rows", 2),
        whole(trials, "trials", 2),
    )
    sample_rate = rate(beta)
    if len(values) < 2 * count:
        raise DataError(f"{len(values)} rows have a {name}: give rows of at most {len(values) // 2}.")
    draw, twins = np.random.default_rng(seed).spawn(2)
    counting = Counting.of(values, name, many, size)
    found = counting.repeated(values, count, runs, Fraction(1), draw)
    twin = counting.repeated(values, count, runs, sample_rate, twins)
    if not len(found.right):
        raise ParameterError(f"no step of {name} has a count between 1 and {size - 1}: give other --set k= or rows=.")
    return Story(
        ATTACK,
        found.outcome(f"{many} grids of one table, k = {size}"),
        defended=twin.outcome(f"{many} grids, each of a fresh sample at {show(sample_rate)}"),
        learned=(found.learned(counting),),
        evidence=(_utility({"of one table": found, "of fresh samples": twin}),),
        reproduce=Reproduce(
            seed=seed,
            parameters={
                "column": name,
                "k": size,
                "grids": many,
                "beta": show(sample_rate),
                "rows": count,
                "trials": runs,
            },
        ),
        seconds=time.monotonic() - start,
    )


@frozen(eq=False)
class Found:
    """For each trial a small count that was looked for: whether all grids told it, and one alone."""

    right: list[bool]
    alone: list[bool]
    example: tuple[int, int, int]
    """The step, its count, and what was worked out, of the first trial in which that is right, or of the first."""
    heights: list[int]
    given: int
    off: float
    """By how much the count of a cell, scaled up from its sample, differs from the table's, in the mean."""

    def outcome(self, name: str) -> Outcome:
        """Each trial has a table of its own."""
        success, baseline = (proportion(sum(each), len(each), ERROR / 2) for each in (self.right, self.alone))
        shown = counted(self.heights, self.given)
        return Outcome(name, success, baseline, confidence(), yardstick=YARDSTICK, rows=shown, trials=len(self.right))

    def learned(self, counting: "Counting") -> str:
        """The numbers in a sentence."""
        step, true, told = self.example
        low = step * counting.unit
        where = f"{low:g}" if counting.unit == 1 else f"{low:g} to {low + counting.unit:g}"
        return (
            f"Of {len(self.right):,} counts below {counting.k}, one from each table, {sum(self.right):,} are recovered "
            f"exactly from all grids, and {sum(self.alone):,} from the first grid alone. In one table {told} people "
            f"have the {counting.name} {where} by the grids; in truth {true} do."
        )


@frozen(eq=False)
class Counting:
    """A column in steps, the grids over it, and what everybody knows of the country."""

    name: str
    unit: int
    first: int
    steps: int
    grids: int
    k: int

    @classmethod
    def of(cls, values: pl.Series, name: str, grids: int, k: int) -> "Counting":
        """Steps of one, or of so many that there are few."""
        low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
        unit = max(1, round((high - low) / _STEPS))
        if high - low < 2 * grids * unit:
            raise DataError(f"{name} lies between {low:g} and {high:g}: too few steps for {grids} grids; give fewer.")
        first = int(low // unit)
        return cls(name, unit, first, int(high // unit) - first + 1, grids, k)

    def histogram(self, values: pl.Series) -> NDArray[np.int64]:
        """The counts of the single steps."""
        places = np.floor(values.cast(pl.Float64).to_numpy() / self.unit).astype(np.int64) - self.first
        return np.bincount(places, minlength=self.steps)

    def release(self, values: pl.Series, offset: int) -> pl.DataFrame:
        """The column in a grid that is moved on by so many steps; cells below k are left out."""
        grid = Grid(self.grids * self.unit, (self.first + offset) * self.unit)
        return StronglySafe(Scheme({self.name: grid}), self.k)(values.to_frame(self.name))

    def cells(self, release: pl.DataFrame, offset: int) -> list[tuple[slice, int | None]]:
        """For each cell of the grid its steps, and the count that was published, None where none was."""
        shown: dict[int, int] = {}
        for cell, count in release[self.name].value_counts().rows():
            match parse_cell(cell):
                case Range(Fraction() as low, _):
                    shown[int(low / self.unit) - self.first] = int(count)
        starts = range(offset - self.grids if offset else 0, self.steps, self.grids)
        return [(slice(max(at, 0), min(at + self.grids, self.steps)), shown.get(at)) for at in starts]

    def solve(self, releases: list[pl.DataFrame], share: Fraction, prior: Floats) -> NDArray[np.int64]:
        """The counts of the steps, to the nearest number, that fit the releases best."""
        cells = [each for offset, release in enumerate(releases) for each in self.cells(release, offset)]
        return np.rint(_fit(cells, self.steps, float(share), prior, self.k)).astype(np.int64)

    def repeated(self, values: pl.Series, rows: int, trials: int, share: Fraction, rng: np.random.Generator) -> Found:
        """Tables are drawn again and again; of each, every grid shows a sample of its own, or all of it."""
        right, alone, heights, off = [], [], list[int](), []
        examples: list[tuple[int, int, int]] = []
        for _ in range(trials):
            mixed = values[rng.permutation(len(values))]
            table, country = mixed[:rows], self.histogram(mixed[rows:])
            truth, prior = self.histogram(table), country * rows / max(country.sum(), 1)
            small = np.flatnonzero((truth > 0) & (truth < self.k))
            if not len(small):
                continue
            step = int(rng.choice(small))
            frame = table.to_frame(self.name)
            samples = [poisson_sample(frame, share, rng)[self.name] if share < 1 else table for _ in range(self.grids)]
            releases = [self.release(each, offset) for offset, each in enumerate(samples)]
            told = self.solve(releases, share, prior)
            right.append(bool(told[step] == truth[step]))
            alone.append(bool(self.solve(releases[:1], share, prior)[step] == truth[step]))
            heights.append(sum(each.height for each in releases))
            examples.append((step + self.first, int(truth[step]), int(told[step])))
            off.append(self._off(releases, truth, float(share)))
        first = examples[right.index(True) if True in right else 0] if examples else (0, 0, 0)
        return Found(right, alone, first, heights, given=self.grids * rows, off=float(np.mean(off or [0.0])))

    def _off(self, releases: list[pl.DataFrame], truth: NDArray[np.int64], share: float) -> float:
        found = [
            abs((shown or 0) / share - truth[steps].sum())
            for offset, release in enumerate(releases)
            for steps, shown in self.cells(release, offset)
        ]
        return float(np.sum(found)) / (len(releases) * max(int(truth.sum()), 1))


def _fit(cells: list[tuple[slice, int | None]], steps: int, share: float, prior: Floats, k: int) -> Floats:
    """Counts of at least 0 that miss the cells, and then the country, by as little as can be: a linear program.

    The variables are the counts, how far each cell is missed, and how far the country is.
    """
    from scipy.optimize import linprog  # noqa: PLC0415  (slow to import: only this attack solves)

    sums = np.zeros((len(cells), steps))
    for row, (which, _) in enumerate(cells):
        sums[row, which] = 1.0
    low = np.array([0.0 if shown is None else shown / share for _, shown in cells])
    high = np.array([(k - 1) / share if shown is None else shown / share for _, shown in cells])
    missed, away, none = np.eye(len(cells)), np.eye(steps), np.zeros((steps, len(cells)))
    above = np.block(
        [
            [sums, -missed, np.zeros((len(cells), steps))],
            [-sums, -missed, np.zeros((len(cells), steps))],
            [np.eye(steps), none, -away],
            [-np.eye(steps), none, -away],
        ]
    )
    cost = np.concatenate([np.zeros(steps), np.ones(len(cells)), np.full(steps, _NEAR)])
    solved = linprog(cost, A_ub=above, b_ub=np.concatenate([high, -low, prior, -prior]), method="highs")
    found: Floats = prior if solved.x is None else solved.x[:steps]
    return found


def _utility(found: dict[str, Found]) -> Table:
    rows = tuple((name, f"{each.off:.1%}") for name, each in found.items())
    return Table("How useful the grids are", ("releases", "people in the wrong cell or none, scaled up"), rows)
