"""How often an adversary is right about a person: with the person in the data, and with the person left out of it."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import numpy as np
import polars as pl

from crowdproof.attacks.candidates import Guess, Row
from crowdproof.attacks.interface import Outcome, Yardstick
from crowdproof.attacks.measure import ERROR, confidence, proportion, rows
from crowdproof.errors import DataError
from crowdproof.exact import Epsilon, rational
from crowdproof.findings import Estimate
from crowdproof.mechanisms import Grid, Keep, Scheme, Suppress
from crowdproof.proofs.bounds import tight

Publish = Callable[[pl.DataFrame, np.random.Generator], Any]
Item = TypeVar("Item")
Result = TypeVar("Result")
Adversary = Callable[[Any], Guess]
"""Sees what is published, and then says something of each person."""

_EPSILONS = tuple(map(Epsilon.of, ("0.1", "0.25", "0.5", "ln 2", "1", "2")))


def measure(
    name: str,
    publish: Publish,
    table: pl.DataFrame,
    adversary: Adversary,
    secret: str,
    *,
    yardstick: Yardstick,
    trials: int,
    rng: np.random.Generator,
    deterministic: bool = False,
    bound: Callable[[Fraction], Fraction] | None = None,
) -> Outcome:
    """People are drawn at random; the adversary says their `secret`, from a release with them and from one without.

    The second is the baseline: what could be said of the person had they not taken part. Each person meets two releases
    of their own: people who share a random release are right or wrong together, and no interval would hold. Where the
    release is known to be `deterministic`, there is only one with everybody, and the success on it is exact.
    """
    places = rng.integers(table.height, size=trials).tolist()
    heights: list[int] = []

    def is_right(release_of: pl.DataFrame, place: int) -> bool:
        person, release = table.row(place, named=True), publish(release_of, rng)
        heights.append(height(release))
        return says(adversary(release), person, secret)

    if deterministic:
        lucky = sum(is_right(leave_out(table, place), place) for place in places)
        success, baseline = share_right(adversary(publish(table, rng)), table, secret), proportion(lucky, trials)
    else:
        found = [
            in_random_order(partial(is_right, place=place), (table, leave_out(table, place)), rng) for place in places
        ]
        success, baseline = (proportion(sum(each), trials, ERROR / 2) for each in zip(*found, strict=True))
    limit = None if bound is None else bound(baseline.high)
    return Outcome(
        name,
        success,
        baseline=baseline,
        certainty=confidence(),
        yardstick=yardstick,
        rows=rows(heights, table.height),
        trials=trials + (1 if deterministic else trials),
        bound=limit,
    )


def says(guess: Guess, person: Row, secret: str) -> bool:
    """Whether the adversary says the person's secret; one that the data does not have cannot be said."""
    return person[secret] is not None and guess(person) == str(person[secret])


def height(release: Any) -> int:
    """How many rows are published: in one table, or in several."""
    return sum(map(height, release)) if isinstance(release, list) else int(release.height)


def share_right(guess: Guess, table: pl.DataFrame, secret: str) -> Estimate:
    """The exact share of the people of a table of whom the adversary says the truth."""
    right = sum(says(guess, person, secret) for person in table.iter_rows(named=True))
    return Estimate.exactly(Fraction(right, max(table.height, 1)))


def in_random_order(run: Callable[[Item], Result], items: Sequence[Item], rng: np.random.Generator) -> list[Result]:
    """The results in the order of the items, which are run in any order: a count of calls then tells nothing of them.

    >>> in_random_order(abs, [-1, 2, -3], np.random.default_rng(0))
    [1, 2, 3]
    """
    found = {place: run(items[place]) for place in rng.permutation(len(items)).tolist()}
    return [found[place] for place in range(len(items))]


def leave_out(table: pl.DataFrame, place: int) -> pl.DataFrame:
    """The table without one row."""
    return pl.concat([table.head(place), table.tail(table.height - place - 1)])


def certified_gain(k: int, beta: Fraction, times: int = 1) -> Callable[[Fraction], Fraction]:
    """What `times` strongly safe releases of fresh samples can add to a baseline: (e^eps - 1) baseline + delta.

    Pr[right, with the person] <= e^eps Pr[right, without] + delta holds for every epsilon with its certified delta;
    the least of a few is taken. Over several releases epsilons and deltas add up.

    >>> float(certified_gain(20, Fraction(1, 10))(Fraction(0))) < 1e-10
    True
    """

    def gain(baseline: Fraction) -> Fraction:
        return min(
            rational(epsilon.exp() ** times * (1 + 1e-12) - 1) * baseline + times * tight(k, beta, epsilon).high
            for epsilon in _EPSILONS
        )

    return gain


def fixed_scheme(table: pl.DataFrame, known: Sequence[str], secret: str, crowds: int) -> Scheme:
    """A recoding from public facts about the columns: their ranges cut into a few cells, and their lists of values.

    The secret is kept, if it is text. The known columns are taken in their order as long as there are no more cells in
    all than crowds: numbers in four cells or in two, short lists of texts as they are, and else `*`.
    """
    kept = 1 if table[secret].dtype.is_numeric() else table[secret].n_unique()
    recodings: dict[str, Grid | Keep | Suppress] = {}
    for name in known:
        recodings[name], cells = _coarse(table[name], crowds // max(kept, 1))
        kept *= cells
    recodings[secret] = _coarse(table[secret], _FEW)[0] if table[secret].dtype.is_numeric() else Keep()
    return Scheme(recodings)


def crowds(table: pl.DataFrame, beta: Fraction, k: int) -> int:
    """How many cells twice the size of a crowd there are in a sample: most of so many cells are then published."""
    return int(table.height * beta / (2 * k))


_FEW = 4
"""Cells of a number; five values of a text and fewer are a short list. Guesses that leave crowds in the cells."""


def _coarse(column: pl.Series, most: int) -> tuple[Grid | Keep | Suppress, int]:
    """The finest of the recodings with at most so many cells, and how many it has."""
    if column.dtype.is_numeric():
        filled = column.drop_nulls()
        spread = float(filled.max()) - float(filled.min()) if len(filled) else 0.0  # type: ignore[arg-type]
        for cells in (_FEW, 2):
            if cells <= most and spread > 0:
                return Grid(max(1, round(spread / cells))), cells
    elif column.n_unique() <= min(most, _FEW + 1):
        return Keep(), column.n_unique()
    return Suppress(), 1


def town_of(data: pl.DataFrame, rows: int, rng: np.random.Generator) -> pl.DataFrame:
    """That many rows of the data, drawn without replacement, or all where there are fewer."""
    if data.height < 2:
        raise DataError(f"the data has {data.height} rows: give at least two people.")
    return data[np.sort(rng.permutation(data.height)[:rows])]


def name_of(mechanism: object) -> str:
    """What a mechanism is called: its own name, or that of its function or class."""
    return str(getattr(mechanism, "name", None) or getattr(mechanism, "__name__", None) or type(mechanism).__name__)
