"""How often an adversary is right about a person: with the person in the data, and with the person left out of it."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from crowdproof.attacks.candidates import Guess
from crowdproof.attacks.interface import Outcome
from crowdproof.attacks.measure import ERROR, confidence, proportion
from crowdproof.errors import DataError
from crowdproof.exact import Epsilon, rational
from crowdproof.findings import Estimate
from crowdproof.mechanisms import Grid, Keep, Scheme, Suppress
from crowdproof.proofs.bounds import tight

Publish = Callable[[pl.DataFrame, np.random.Generator], Any]
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
    trials: int,
    rng: np.random.Generator,
    fresh: bool = False,
    bound: Callable[[Fraction], Fraction] | None = None,
) -> Outcome:
    """People are drawn at random; the adversary says their `secret`, from a release with them and from one without.

    The second is the baseline: what could be said of the person had they not taken part. `fresh`: each person meets a
    release of their own, as a mechanism that draws a sample asks for; else there is one, which was published.
    """
    guess = adversary(publish(table, rng))
    right = lucky = 0
    for place in rng.integers(table.height, size=trials).tolist():
        person = table.row(place, named=True)
        truth = _text(person[secret])
        if fresh:
            guess = adversary(publish(table, rng))
        right += guess(person) == truth
        lucky += adversary(publish(leave_out(table, place), rng))(person) == truth
    success, baseline = (proportion(each, trials, ERROR / 2) for each in (right, lucky))
    limit = None if bound is None else bound(baseline.high)
    return Outcome(name, success, baseline, confidence(), trials * (1 + fresh) + (not fresh), limit)


def share_right(guess: Guess, table: pl.DataFrame, secret: str) -> Estimate:
    """The exact share of the people of a table of whom the adversary says the truth."""
    right = sum(guess(person) == _text(person[secret]) for person in table.iter_rows(named=True))
    return Estimate.exactly(Fraction(right, max(table.height, 1)))


def _text(value: Any) -> str:
    return str(value)


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


def fixed_scheme(table: pl.DataFrame, known: Sequence[str], secret: str, cells: int = 4) -> Scheme:
    """A recoding from public facts about the columns: their ranges, cut into a few cells, and their lists of values.

    The secret is kept, if it is text; a known text column of more than five values is suppressed.
    """

    def recoding(column: pl.Series) -> Grid | Keep | Suppress:
        if column.dtype.is_numeric():
            spread = float(column.max()) - float(column.min())  # type: ignore[arg-type]
            return Grid(max(1, round(spread / cells)))
        return Keep() if column.name == secret or column.n_unique() <= 5 else Suppress()

    return Scheme({name: recoding(table[name]) for name in (*known, secret)})


def town_of(data: pl.DataFrame, rows: int, rng: np.random.Generator) -> pl.DataFrame:
    """That many rows of the data, drawn without replacement, or all where there are fewer."""
    if data.height < 2:
        raise DataError(f"the data has {data.height} rows: give at least two people.")
    return data[np.sort(rng.permutation(data.height)[:rows])]


def name_of(mechanism: object) -> str:
    """What a mechanism is called: its own name, or that of its function or class."""
    return str(getattr(mechanism, "name", None) or getattr(mechanism, "__name__", None) or type(mechanism).__name__)
