"""Canaries: rows made for the data, each recognisable in a release that tells more than it should.

| kind | what is special about it | what it finds |
| --- | --- | --- |
| extreme | beyond the largest value of every numeric column, in an order of its own in each | ends of ranges, sums |
| inside | a value between two that occur, in every numeric column | ranges and means that follow the data |
| combination | values that occur, in a combination that does not | cells and groups that are counted exactly |

Values come from the columns of the user's data, so that a pipeline takes canaries for rows like all others.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.errors import DataError, ParameterError

KINDS = ("extreme", "inside", "combination")
SHARES = {"extreme": 8, "inside": 1, "combination": 1}
"""How many canaries are of each kind, in proportion. A guess: most recodings of numbers give extreme values away."""
TRIES = 20
"""Draws after which a combination that occurs is taken: in a table of few columns every one does."""


@frozen(eq=False)
class Canaries:
    """The canaries, and where a coin chooses between two rows, their twins in the same order."""

    rows: pl.DataFrame
    kinds: tuple[str, ...]
    twins: pl.DataFrame | None = None

    def __len__(self) -> int:
        return self.rows.height

    def planted(self, data: pl.DataFrame, coins: NDArray[np.bool_], rng: np.random.Generator) -> pl.DataFrame:
        """The data with the canaries whose coin came up, and the twins of the others.

        Each has a random place among the rows of the data, which keep their order. The places do not depend on coins.
        """
        places = rng.uniform(0, data.height, size=len(self))
        parts, keys = [data, self.rows.filter(pl.Series(coins))], [np.arange(data.height), places[coins]]
        if self.twins is not None:
            parts.append(self.twins.filter(pl.Series(~coins)))
            keys.append(places[~coins])
        return pl.concat(parts)[np.argsort(np.concatenate(keys), kind="stable")]


def design(
    data: pl.DataFrame, count: int, rng: np.random.Generator, *, kinds: Sequence[str] | None = None, twins: bool = False
) -> Canaries:
    """So many canaries for this data; with `twins`, pairs of them, of which a coin chooses one.

    >>> ages = pl.DataFrame({"age": [30, 41, 58], "sex": ["f", "m", "f"]})
    >>> sorted(design(ages, 3, np.random.default_rng(1), kinds=["extreme"]).rows["age"].to_list())
    [59, 60, 61]
    """
    if data.is_empty() or not data.columns:
        raise DataError("the table is empty: canaries are made from the rows and values of the data.")
    unknown = [each for each in kinds or () if each not in KINDS]
    if unknown:
        raise ParameterError(f"{unknown[0]!r} is no kind of canary: choose from {', '.join(KINDS)}.")
    total = 2 * count if twins else count
    names = _kinds(data, total, list(kinds or KINDS))
    base = data[rng.integers(data.height, size=total)]
    marked = _marked(data, base, np.array(names), rng)
    places = rng.permutation(total)
    rows, names = marked[places], [names[place] for place in places]
    if not twins:
        return Canaries(rows, tuple(names))
    return Canaries(rows[:count], tuple(names[:count]), rows[count:])


def _kinds(data: pl.DataFrame, count: int, wanted: list[str]) -> list[str]:
    """The kind of each canary; without numbers in the data there are combinations only."""
    if not any(is_ordered(kind) for kind in data.dtypes):
        wanted = ["combination"]
    shares = np.array([SHARES[each] for each in wanted], dtype=float)
    ends = np.ceil(np.cumsum(shares) / shares.sum() * count).astype(int)
    return [wanted[int(np.searchsorted(ends, place, side="right"))] for place in range(count)]


def is_ordered(kind: Any) -> bool:
    """Whether a column holds numbers, or dates, which are numbers of days."""
    return bool(kind.is_integer() or kind.is_float() or kind == pl.Date)


def _marked(data: pl.DataFrame, base: pl.DataFrame, kinds: Any, rng: np.random.Generator) -> pl.DataFrame:
    """The base rows, with the values that make each of them a canary."""
    combined = _combinations(data, base, rng)
    columns = []
    for name, kind in data.schema.items():
        if not is_ordered(kind):
            columns.append(_where(kinds == "combination", combined[name], base[name]))
            continue
        column = _where(kinds == "combination", combined[name], base[name])
        column = _where(kinds == "extreme", _extremes(data[name], base[name], kinds == "extreme", rng), column)
        columns.append(_where(kinds == "inside", _between(data[name], base[name], rng), column))
    return pl.DataFrame(columns)


def _where(here: Any, values: pl.Series, others: pl.Series) -> pl.Series:
    frame = pl.DataFrame([pl.Series("here", here), values.alias("values"), others.alias("others")])
    chosen = frame.select(pl.when("here").then("values").otherwise("others")).to_series()
    return chosen.cast(others.dtype).alias(others.name)


def _extremes(column: pl.Series, base: pl.Series, here: Any, rng: np.random.Generator) -> pl.Series:
    """For the canaries `here`, values above all that occur, each of another one, in random order."""
    present = _present(column)
    if not len(present):
        return base
    numbers, greatest = present.to_physical(), present.to_physical().max()
    ranks = np.zeros(len(here), dtype=np.int64)
    ranks[here] = 1 + rng.permutation(int(here.sum()))
    if column.dtype.is_float():
        step = (float(greatest) - float(numbers.min())) / len(here) or 1.0  # type: ignore[arg-type]
        return pl.Series(column.name, float(greatest) + step * ranks).cast(column.dtype)  # type: ignore[arg-type]
    room = _largest(column.dtype) - int(greatest)  # type: ignore[arg-type]
    if room < len(here):
        return _between(column, base, rng)
    return pl.Series(column.name, int(greatest) + ranks).cast(column.dtype)  # type: ignore[arg-type]


def _largest(kind: Any) -> int:
    """The largest value of a type of whole numbers; of dates, the last day of the year 9999."""
    if kind == pl.Date:
        return 2_932_896
    greatest: int = pl.select(kind.max()).item()
    return greatest


def _between(column: pl.Series, base: pl.Series, rng: np.random.Generator) -> pl.Series:
    """For each canary a value between two neighbouring ones that occur; of whole numbers there may be none."""
    present = _present(column).unique().sort()
    numbers = present.to_physical().to_numpy()
    if len(numbers) < 2:
        return base
    if column.dtype.is_float():
        places = rng.integers(len(numbers) - 1, size=len(base))
        low, high = numbers[places].astype(float), numbers[places + 1].astype(float)
        return pl.Series(column.name, low + (high - low) * rng.uniform(0.2, 0.8, len(base))).cast(column.dtype)
    free = np.flatnonzero(np.diff(numbers) > 1)
    if not len(free):
        return base
    places = free[rng.integers(len(free), size=len(base))]
    return pl.Series(column.name, rng.integers(numbers[places] + 1, numbers[places + 1])).cast(column.dtype)


def _present(column: pl.Series) -> pl.Series:
    present = column.drop_nulls()
    return present.filter(present.is_finite()) if column.dtype.is_float() else present


def _combinations(data: pl.DataFrame, base: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """For each canary a row of values that occur, together as they do not occur where that is to be had."""
    made = _mixed(data, base.height, rng)
    for _ in range(TRIES):
        known = made.with_row_index("__place").join(data.unique(), on=data.columns, how="semi", nulls_equal=True)
        places = known["__place"].to_numpy()
        if not len(places):
            break
        fresh = _mixed(data, len(places), rng)
        kept = np.setdiff1d(np.arange(made.height), places)
        made = pl.concat([made[kept], fresh])
    return made


def _mixed(data: pl.DataFrame, count: int, rng: np.random.Generator) -> pl.DataFrame:
    return pl.DataFrame([column[rng.integers(data.height, size=count)] for column in data.iter_columns()])
