"""Clustering and local recoding leaks extreme values: the end of a published range is somebody's own number."""

import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
from attrs import evolve

from crowdproof.attacks.candidates import columns_of
from crowdproof.attacks.extreme import Adversary, numbers, numeric_column, plant, roomy, width
from crowdproof.attacks.interface import Attack, Outcome, Severity, Story, Yardstick
from crowdproof.attacks.measure import ERROR, certified, confidence, of_nobody, private, proportion, rows, times
from crowdproof.attacks.people import name_of
from crowdproof.attacks.premise import unmet
from crowdproof.attacks.published import published
from crowdproof.cells import is_clear
from crowdproof.claims import Assertion
from crowdproof.data import town
from crowdproof.errors import NoReleaseError
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


def run(
    *,
    target: Mechanism | None = None,
    data: pl.DataFrame | None = None,
    column: str | None = None,
    k: Number = 20,
    beta: Number = "1/2",
    known: str | Sequence[str] | None = None,
    value: Number | None = None,
    above: Number | None = None,
    trials: Number = 1000,
    seed: int = 0,
) -> Story:
    """Plant one extreme person in the data, sample at rate beta, anonymize, and read the value off the release.

    Without arguments: the town with one net worth of 35 million, anonymized by Mondrian. `data` is a table without the
    person; their row is that of the largest value in `column`, with `value` in its place. The release of a target has
    to be k-anonymous, for some k, in the columns `known`, or in `column` where none are named.
    """
    start = time.monotonic()
    table = town(rich=False) if data is None else data
    name = numeric_column(table, column)
    table = roomy(table, name)
    extreme, adversary = plant(table, name, value, above)
    size, sample_rate, runs = whole(k, "k"), rate(beta), whole(trials, "trials")
    victim: Mechanism = Mondrian(size, (name,)) if target is None else target
    twin = StronglySafe(Scheme({name: Grid(width(table, name, round(sample_rate * table.height / size)))}), size)
    yardstick = private(
        times(1), tight(size, sample_rate, 1).high, "epsilon 1 and the delta of groups of k in a sample"
    )
    rngs = np.random.default_rng(seed).spawn(2)
    release = published(for_samples(victim), table.vstack(extreme), np.random.default_rng(seed))
    attacked = _measure(
        victim, table, extreme, adversary, beta=sample_rate, trials=runs, rng=rngs[0], yardstick=yardstick
    )
    defended = _measure(
        twin, table, extreme, adversary, beta=sample_rate, trials=runs, rng=rngs[1], yardstick=yardstick
    )
    defended = _never(twin, table.vstack(extreme), adversary, defended) or defended
    return Story(
        ATTACK,
        attacked,
        defended=certified(defended),
        learned=_learned(release, adversary, extreme[name].item(), table.height),
        evidence=(
            of_nobody(
                f"{'The town is made up' if data is None else 'The data is yours'}; one person with {name} "
                f"{float(extreme[name].item()):,.12g} was planted in it."
            ),
            *([_picture(numbers(release, name), adversary)] if release.height else []),
        ),
        reproduce=Reproduce(seed=seed, parameters={"beta": show(sample_rate), "k": size, "column": name}),
        seconds=time.monotonic() - start,
        unmet=unmet(release, columns_of(known) or (name,)),
    )


def _measure(
    mechanism: Mechanism,
    table: pl.DataFrame,
    person: pl.DataFrame,
    adversary: Adversary,
    *,
    beta: Fraction,
    trials: int,
    rng: np.random.Generator,
    yardstick: Yardstick,
) -> Outcome:
    """Stratified over whether the person was drawn, which happens with probability exactly beta."""
    total, value = for_samples(mechanism), float(person[adversary.column].item())
    heights: list[int] = []

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
            heights.append(release.height)
        return proportion(hits, runs, ERROR / 2)

    few = max(1, trials // 2)  # the absence of the person is the easy half: their value never shows
    drawn, not_drawn = right(trials, present=True), right(few, present=False)
    success = Estimate(beta * drawn.low + (1 - beta) * not_drawn.low, beta * drawn.high + (1 - beta) * not_drawn.high)
    return Outcome(
        name_of(mechanism),
        success,
        baseline=not_drawn,
        certainty=confidence(),
        yardstick=yardstick,
        rows=rows(heights, table.height + 1),
        trials=trials + few,
    )


def _never(safe: StronglySafe, everybody: pl.DataFrame, adversary: Adversary, measured: Outcome) -> Outcome | None:
    """The exact outcome where no cell beyond the adversary's number ever holds k rows; None where one may.

    The recoding is fixed, so a sample has no more rows in a cell than the whole data has.
    """
    recoded = safe.scheme(everybody)
    beyond = numbers(recoded, adversary.column).filter(pl.col("high") > adversary.above)
    if not beyond.is_empty() and beyond["cell"].value_counts()["count"].max() >= safe.k:  # type: ignore[operator]
        return None
    nothing = Estimate.exactly(Fraction(0))
    return evolve(measured, success=nothing, baseline=nothing, certainty=Exact())


def _learned(release: pl.DataFrame, adversary: Adversary, value: float, others: int) -> tuple[str, ...]:
    inferred = adversary.infer(release)
    if inferred is None:
        return ("On the whole data nothing in the release shows the person.",)
    cell, count = _extreme_cell(numbers(release, adversary.column))
    truth = "which is their exact value" if inferred == value else f"their true value is {value:,.12g}"
    told = (
        f"{count} rows of the release show {cell}: the person is in the data, their row is one of these {count}, and "
        f"their {adversary.column} is {inferred:,.12g}, {truth}. The other {others} people hide nothing of it."
    )
    return (told,)


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
    named = numbers(release, column).with_columns(own.alias("high"))
    claim = Assertion(ATTACK.id, ATTACK.claim)
    ends = named["high"].drop_nulls().unique().sort(descending=True)
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
    cell, count = _extreme_cell(named)
    meant = "" if is_clear(cell) else f"{cell} stands for numbers up to {inferred:,.12g}, that one included, and "
    words = (
        f"{count} rows show {cell}. If {meant}at most one person is beyond {above}, they are in the data, in this "
        f"group, and their {column} is {inferred:,.12g}."
    )
    values = {"cell": cell, "rows": str(count), "value": f"{inferred:.12g}"}
    return Finding("the release", claim, Refuted(Counterexample(words, values)), Exact(), (_picture(named, adversary),))
