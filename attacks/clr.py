"""Clustering and local recoding leaks extreme values: the end of a published range is somebody's own number."""

import time
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import evolve, frozen

from crowdproof.attacks.candidates import require
from crowdproof.attacks.interface import Attack, Outcome, Severity, Story
from crowdproof.attacks.measure import ERROR, confidence, proportion
from crowdproof.attacks.people import name_of
from crowdproof.attacks.published import published
from crowdproof.cells import is_clear, named_numbers
from crowdproof.claims import Assertion
from crowdproof.data import town
from crowdproof.errors import DataError, NoReleaseError, ParameterError
from crowdproof.exact import Number, rate, show, whole
from crowdproof.findings import (
    Counterexample,
    Estimate,
    Exact,
    Finding,
    NotRefuted,
    Refuted,
    Reproduce,
    Table,
    Undecided,
)
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms import Grid, Mondrian, Scheme, StronglySafe, for_samples, poisson_sample
from crowdproof.proofs.bounds import tight

ATTACK = Attack(
    id="clr",
    title="The rich man of the town",
    knows="That at most one person has a value beyond a certain number; nothing about anybody else.",
    sees="A k-anonymous table made by clustering the rows and recoding each cluster to its own range.",
    infers="A range that ends beyond that number can only come from the one person: they are in the data, their row is "
    "in that group, and the end of the range is their exact value.",
    claim="A k-anonymous release hides each person among k.",
    remedy="Recode by a grid that is fixed before the data is seen, and drop groups below k (strongly safe).",
    source="Li, Qardaji and Su, section 3.1, Algorithm 1",
    severity=Severity.ATTRIBUTE,
)


@frozen
class Adversary:
    """Knows that at most one person is beyond `above` in `column`."""

    column: str
    above: float

    def infer(self, release: pl.DataFrame) -> float | None:
        """The person's value, or None where nothing shows them."""
        if release.is_empty():
            return None
        largest = _numbers(release, self.column)["high"].max()
        return float(largest) if isinstance(largest, float) and largest > self.above else None


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    column: str | None = None,
    k: Number = 20,
    beta: Number = "1/2",
    value: Number | None = None,
    above: Number | None = None,
    trials: Number = 1000,
    seed: int = 0,
) -> Story:
    """Plant one extreme person in the data, sample at rate beta, anonymize, and read the value off the release.

    Without arguments: the town with one net worth of 35 million, anonymized by Mondrian. `data` is a table without the
    person; their row is that of the largest value in `column`, with `value` in its place.
    """
    start = time.monotonic()
    table = town(rich=False) if data is None else data
    name = _numeric_column(table, column)
    extreme, adversary = _plant(table, name, value, above)
    size, sample_rate, runs = whole(k, "k"), rate(beta), whole(trials, "trials")
    victim = Mondrian(size, (name,)) if target is None else target
    twin = StronglySafe(Scheme({name: Grid(_width(table, name))}), size)
    rngs = np.random.default_rng(seed).spawn(2)
    release = published(for_samples(victim), table.vstack(extreme), np.random.default_rng(seed))
    attacked = _measure(victim, table, extreme, adversary, beta=sample_rate, trials=runs, rng=rngs[0])
    defended = _never(twin, table.vstack(extreme), adversary) or _measure(
        twin, table, extreme, adversary, beta=sample_rate, trials=runs, rng=rngs[1]
    )
    return Story(
        ATTACK,
        attacked,
        defended=evolve(defended, bound=tight(size, sample_rate, 1).high),
        learned=_learned(release, adversary, extreme[name].item(), table.height),
        evidence=(_picture(_numbers(release, name), adversary),) if release.height else (),
        reproduce=Reproduce(seed=seed, parameters={"beta": show(sample_rate), "k": size, "column": name}),
        seconds=time.monotonic() - start,
    )


def _numeric_column(table: pl.DataFrame, column: str | None) -> str:
    numeric = [name for name, kind in table.schema.items() if kind.is_numeric()]
    if column is None and not numeric:
        raise DataError("the data has no numeric column: this attack reads numbers off range ends.")
    name = column or numeric[0]
    if name not in numeric:
        raise ParameterError(f"column is {name!r}: choose a numeric one of {', '.join(numeric)}.")
    return name


def _plant(
    table: pl.DataFrame, name: str, value: Number | None, above: Number | None
) -> tuple[pl.DataFrame, Adversary]:
    largest = float(table[name].max())  # type: ignore[arg-type]
    chosen = float(value) if value is not None else (35e6 if name == "net_worth" else 25 * (abs(largest) + 1))
    limit = float(above) if above is not None else (largest + chosen) / 4
    if not largest <= limit < chosen:
        raise ParameterError(
            f"above is {limit:g}: it must lie between the largest value of the others, {largest:g}, and {chosen:g}."
        )
    row = table.sort(name).tail(1).with_columns(pl.lit(chosen).cast(_room_for(table.schema[name])).alias(name))
    return row.cast({name: table.schema[name]}), Adversary(name, limit)


def _room_for(kind: pl.DataType) -> pl.DataType:
    return pl.Float64() if kind.is_float() else kind


def _width(table: pl.DataFrame, name: str) -> Fraction:
    spread = float(table[name].max()) - float(table[name].min())  # type: ignore[arg-type]
    return Fraction(max(1, round(spread / 10)))


def _measure(
    mechanism: Mechanism,
    table: pl.DataFrame,
    person: pl.DataFrame,
    adversary: Adversary,
    *,
    beta: Fraction,
    trials: int,
    rng: np.random.Generator,
) -> Outcome:
    """Stratified over whether the person was drawn, which happens with probability exactly beta."""
    total, value = for_samples(mechanism), float(person[adversary.column].item())

    def right(runs: int, *, present: bool) -> Estimate:
        hits = refused = 0
        for _ in range(runs):
            drawn = poisson_sample(table, beta, rng)
            try:
                release = published(total, drawn.vstack(person) if present else drawn, rng)
            except NoReleaseError:  # of a sample that it finds too small, say: that shows nothing of the person
                refused += 1
                if present and refused == runs:
                    raise
                continue
            hits += adversary.infer(release) == value
        return proportion(hits, runs, ERROR / 2)

    few = max(1, trials // 4)  # the person's absence is the easy half: their value never shows
    drawn, not_drawn = right(trials, present=True), right(few, present=False)
    success = Estimate(beta * drawn.low + (1 - beta) * not_drawn.low, beta * drawn.high + (1 - beta) * not_drawn.high)
    return Outcome(name_of(mechanism), success, not_drawn, confidence(), trials + few)


def _never(safe: StronglySafe, everybody: pl.DataFrame, adversary: Adversary) -> Outcome | None:
    """The exact outcome where no cell beyond the adversary's number ever holds k rows; None where one may.

    The recoding is fixed, so a sample has no more rows in a cell than the whole data has.
    """
    recoded = safe.scheme(everybody)
    beyond = _numbers(recoded, adversary.column).filter(pl.col("high") > adversary.above)
    if not beyond.is_empty() and beyond["cell"].value_counts()["count"].max() >= safe.k:  # type: ignore[operator]
        return None
    nothing = Estimate.exactly(Fraction(0))
    return Outcome(name_of(safe), nothing, nothing, Exact())


def _learned(release: pl.DataFrame, adversary: Adversary, value: float, others: int) -> tuple[str, ...]:
    inferred = adversary.infer(release)
    if inferred is None:
        return ("On the whole data nothing in the release shows the person.",)
    cell, count = _extreme_cell(_numbers(release, adversary.column))
    truth = "which is their exact value" if inferred == value else f"their true value is {value:,.12g}"
    told = (
        f"{count} rows of the release show {cell}: the person is in the data, their row is one of these {count}, and "
        f"their {adversary.column} is {inferred:,.12g}, {truth}. The other {others} people hide nothing of it."
    )
    return (told,)


def _numbers(release: pl.DataFrame, column: str) -> pl.DataFrame:
    """The numbers that the cells of the column name."""
    require(release, [column], "the release")
    return named_numbers(release[column])


def _extreme_cell(numbers: pl.DataFrame) -> tuple[str, int]:
    """The cell with the largest number, the first of several, and how many rows have it."""
    cell = numbers.filter(pl.col("high") == pl.col("high").max())["cell"].item(0)
    return cell, int((numbers["cell"] == cell).sum())


def _picture(numbers: pl.DataFrame, adversary: Adversary) -> Table:
    counts = numbers.group_by("cell", "low", "high").len().sort("high", "low")
    rows = tuple(
        (cell, str(count), "the person" if high is not None and high > adversary.above else "")
        for cell, _, high, count in counts.tail(6).rows()
    )
    return Table(f"The last groups of the release, by {adversary.column}", (adversary.column, "rows", "shows"), rows)


def read(release: pl.DataFrame, *, column: str, above: Number | None = None) -> Finding:
    """The attack on a bare release file: what the ends of its ranges say, given that at most one is beyond `above`.

    An open end is nobody's value: `[20, 40)` shows no 40.
    """
    own = pl.when("attained").then("high")
    numbers = _numbers(release, column).with_columns(own.alias("high"))
    claim = Assertion(ATTACK.id, ATTACK.claim)
    ends = numbers["high"].drop_nulls().unique().sort(descending=True)
    if ends.is_empty():
        reason = f"Column {column!r} names no number that could be a person's own, so there is no range end to read."
        return Finding("the release", claim, NotRefuted(reason), Exact())
    if above is None:
        return Finding(
            "the release",
            claim,
            Undecided(
                f"The largest number that the release names is {ends[0]:,.12g}. Whether it is one person's own "
                "depends on who else could have it: give --param above=NUMBER, beyond which at most one is."
            ),
        )
    adversary = Adversary(column, float(above))
    inferred = ends[0]
    if inferred <= adversary.above:
        return Finding("the release", claim, NotRefuted(f"No range ends beyond {above}."), Exact())
    cell, count = _extreme_cell(numbers)
    meant = "" if is_clear(cell) else f"{cell} stands for numbers up to {inferred:,.12g}, that one included, and "
    words = (
        f"{count} rows show {cell}. If {meant}at most one person is beyond {above}, they are in the data, in this "
        f"group, and their {column} is {inferred:,.12g}."
    )
    values = {"cell": cell, "rows": str(count), "value": f"{inferred:.12g}"}
    return Finding(
        "the release", claim, Refuted(Counterexample(words, values)), Exact(), (_picture(numbers, adversary),)
    )
