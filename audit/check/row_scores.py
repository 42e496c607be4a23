"""The numbers whose order in a table is tested: of each column, of its commonest values, and of pairs of columns."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import polars as pl
from scipy import stats

from crowdproof.audit.check.shuffles import Statistic
from crowdproof.audit.check.sorting import Sorting
from crowdproof.audit.check.text_orders import meant_order

CATEGORIES = 8
"""The commonest values of a column whose places are tested one by one. A guess: each makes all levels stricter."""
ROUNDS = (2, 3, 4, 5, 6, 7, 8, 10, 12)
"""Rows after which a pattern may come again, as where sources take turns: small numbers, a week, a dozen."""
FEW_COLUMNS = 12
"""Columns up to which rounds and pairs are looked at. A guess: of more, the levels would be too strict."""
ROUND_ROWS = 20_000
"""Rows up to which rounds are looked at. A guess: some seconds, and of more rows a sort is mostly seen otherwise."""
_ZEROS = r"(0*)\.?0*$"


def statistics(sorting: Sorting) -> Iterator[Statistic]:
    """Each number that is tested, with its law after a shuffle."""
    table = sorting.table
    names = [name for name in table.columns if name not in sorting.keys]
    for name in names:
        yield from _usual(table[name], name)
        yield from _unusual(table[name], name)
    if len(table.columns) <= FEW_COLUMNS:
        yield from _pairs(table, names)
        if not sorting.keys and table.height <= ROUND_ROWS:
            for name in names:
                yield from _rounds(table[name], name)


def _usual(column: pl.Series, name: str) -> Iterator[Statistic]:
    codes = column.rank("dense").fill_null(0).to_numpy().astype(float)
    ranks = stats.rankdata(order_of(column))
    yield Statistic(name, "drifts from the first row to the last", ranks, "trend")
    yield Statistic(name, "is written with more or fewer signs early than late", _lengths(column), "trend")
    yield Statistic(name, "is like that of the row before", ranks, "neighbours")
    yield Statistic(name, "is the same as in the row before", codes, "alike")
    for value, is_value in _common(column):
        yield Statistic(name, f"is {value} early or late", is_value, "trend")


def _unusual(column: pl.Series, name: str) -> Iterator[Statistic]:
    """Spreads and zeros at the end that change on the way, and values that stand together somewhere."""
    numbers = _numbers(column)
    if numbers is not None:
        distances = np.abs(stats.rankdata(numbers) - (len(numbers) + 1) / 2)
        yield Statistic(name, "is spread wider early or late", distances, "trend", is_usual=False)
        zeros = column.cast(pl.String).str.extract(_ZEROS).fill_null("").str.len_chars()
        yield Statistic(
            name, "is rounded otherwise early than late", zeros.to_numpy().astype(float), "trend", is_usual=False
        )
    for value, is_value in _common(column):
        yield Statistic(name, f"is {value} in rows that stand together", is_value, "neighbours", is_usual=False)


def _pairs(table: pl.DataFrame, names: list[str]) -> Iterator[Statistic]:
    """How two columns of numbers go together, which may change on the way."""
    ranked = {name: numbers for name in names if (numbers := _numbers(table[name])) is not None}
    for one, other in combinations(ranked, 2):
        product = np.ones(table.height)
        for numbers in (ranked[one], ranked[other]):
            product *= stats.rankdata(numbers) - (len(numbers) + 1) / 2
        yield Statistic(one, "goes with another column early, and otherwise late", product, "trend", is_usual=False)


def _rounds(column: pl.Series, name: str) -> Iterator[Statistic]:
    """The rows in another order: first those at the first place of each round, then those at the second, and so on.

    After a shuffle every order of the rows is as likely as every other, this one too.
    """
    ranks = stats.rankdata(order_of(column))
    places = np.arange(len(column))
    for length in ROUNDS:
        rows = np.argsort(places % length, kind="stable")
        what = f"repeats after {length} rows"
        yield Statistic(name, what, ranks[rows], "neighbours", is_usual=False)
        for _, is_value in _common(column):
            yield Statistic(name, what, is_value[rows], "neighbours", is_usual=False)


def _common(column: pl.Series) -> Iterator[tuple[object, np.ndarray]]:
    """The commonest values of a column with more than two, and where they stand."""
    counts = column.value_counts(sort=True)
    if counts.height <= 2:
        return
    for value in counts[column.name].to_list()[:CATEGORIES]:
        is_value = column.is_null() if value is None else (column == value).fill_null(value=False)
        yield value, is_value.to_numpy().astype(float)


def _numbers(column: pl.Series) -> np.ndarray | None:
    """The places of the numbers in their order; None where the column has other cells, or hardly any different ones."""
    numbers = column.cast(pl.Float64, strict=False)
    if numbers.null_count() or numbers.n_unique() <= 2:
        return None
    return numbers.rank("dense").to_numpy().astype(float)


def order_of(column: pl.Series) -> np.ndarray:
    """A number for each cell by the order of its kind, missing ones first."""
    if column.dtype == pl.String:
        column = meant_order(column)
    return column.rank("dense").fill_null(0).to_numpy()


def _lengths(column: pl.Series) -> np.ndarray:
    """How many signs each cell has: of numbers, those after the point, which tell how a source rounds."""
    texts = column.cast(pl.String).fill_null("")
    if (column.dtype == pl.String and texts.str.contains(r"^-?[0-9]*\.?[0-9]*$").all()) or column.dtype.is_float():
        texts = texts.str.extract(r"\.([0-9]*)$").fill_null("")
    return texts.str.len_chars().to_numpy().astype(float)
