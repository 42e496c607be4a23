"""A strongly safe release with one thing added that it should not have, and its exact law."""

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.cells import STAR
from crowdproof.mechanisms import Grid, Keep, Scheme, StronglySafe

_SCHEME = Scheme({"age": Grid(20), "illness": Keep()})


@frozen
class Leaky:
    """A strongly safe release of a table, with one thing added that it should not have.

    `order`: the rows stay in the order of the source. `index`: so they do, with their numbers. `stars`: what is dropped
    stays as a row of stars. `size`: a column tells how many rows the source has, of which the table is a sample. `none`
    adds nothing: the defended twin.
    """

    deterministic: ClassVar[bool] = True
    k: int
    channel: str
    source: int = 0
    """How many rows the source has."""

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:
        """The release of the table."""
        if self.channel == "none":
            return StronglySafe(_SCHEME, self.k)(table, rng)
        cells = _SCHEME(table).with_row_index("row")
        kept = pl.len().over(_SCHEME.names) >= self.k
        release = _CHANNELS[self.channel](cells, kept)
        return release.with_columns(rows=pl.lit(self.source)) if self.channel == "size" else release


def _stars(cells: pl.DataFrame, kept: pl.Expr) -> pl.DataFrame:
    starred = cells.select(
        pl.when(kept).then(pl.col(name)).otherwise(pl.lit(STAR)).alias(name) for name in _SCHEME.names
    )
    return starred.sort(_SCHEME.names)


_CHANNELS: dict[str, Callable[[pl.DataFrame, pl.Expr], pl.DataFrame]] = {
    "order": lambda cells, kept: cells.filter(kept).drop("row"),
    "index": lambda cells, kept: cells.filter(kept),
    "stars": _stars,
    "size": lambda cells, kept: cells.filter(kept).drop("row").sort(_SCHEME.names),
}
CHANNELS = tuple(_CHANNELS)

Law = dict[tuple[tuple[object, ...], ...], Fraction]


def law(mechanism: Leaky, table: pl.DataFrame, beta: Fraction) -> Law:
    """The probability of each release of a Poisson sample, by running the mechanism on every subset of the rows."""
    found: Law = {}
    for chosen in range(2**table.height):
        mask = [bool(chosen >> place & 1) for place in range(table.height)]
        drawn = sum(mask)
        key = tuple(mechanism(table.filter(pl.Series(mask))).rows())
        found[key] = found.get(key, Fraction(0)) + beta**drawn * (1 - beta) ** (table.height - drawn)
    return found


def town(others: int) -> tuple[pl.DataFrame, int]:
    """People sorted by illness, as the source is, and the place of the person: among those with flu, with gout."""
    flu = (others + 1) // 2
    ages, illnesses = [31] * others, ["flu"] * flu + ["gout"] * (others - flu)
    place = 1
    ages.insert(place, 33)
    illnesses.insert(place, "gout")
    return pl.DataFrame({"age": ages, "illness": illnesses}), place


def lonely(others: int) -> tuple[pl.DataFrame, int]:
    """People who are all alike, and in their middle one who is not."""
    ages = [31] * others
    ages.insert(others // 2, 91)
    return pl.DataFrame({"age": ages, "illness": ["flu"] * (others + 1)}), others // 2
