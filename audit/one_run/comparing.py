"""Each canary compared with a release: what of it is there to be seen, as numbers that a guess can go by.

A feature is a column of numbers, one for each canary. Nothing here knows which canaries are in the data.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.audit.one_run.canaries import Canaries, is_ordered
from crowdproof.audit.releases import Refusal
from crowdproof.cells import members, named_numbers

Floats = NDArray[np.float64]
_LONGEST_SET = 1_000_000
"""Cells of one column whose sets are taken apart: a release of more different cells is hardly generalized."""


@frozen(eq=False)
class Compared:
    """The features of all canaries by name; of pairs of twins, those of the first less those of the second."""

    names: tuple[str, ...]
    matrix: Floats
    """By feature and canary."""
    kinds: tuple[str, ...]
    """Of each canary."""


def compare_with(canaries: Canaries, release: Any) -> Compared:
    """The features of the canaries in a canonical release; those that are alike for all canaries are left out."""
    found = dict(_features(canaries.rows, release))
    if canaries.twins is not None:
        of_twins = dict(_features(canaries.twins, release))
        found = {name: values - of_twins.get(name, 0.0) for name, values in found.items()}
    varied = {name: values for name, values in found.items() if len(values) and np.ptp(values) > 0}
    matrix = np.array(list(varied.values())) if varied else np.zeros((0, len(canaries)))
    return Compared(tuple(varied), matrix, canaries.kinds)


def _features(rows: pl.DataFrame, release: Any) -> Iterator[tuple[str, Floats]]:
    if isinstance(release, Refusal):
        return
    if isinstance(release, pl.DataFrame):
        yield from _in_table(rows, release)
        return
    numbers = _vector(release)
    if numbers is not None and len(numbers) == rows.width and all(kind.is_numeric() for kind in rows.dtypes):
        yield "direction of a released vector", rows.fill_null(0).to_numpy().astype(float) @ numbers
    yield from _among_values(rows, set(_leaves(release)))


# --- tables -----------------------------------------------------------------------------------------------------


def _in_table(rows: pl.DataFrame, release: pl.DataFrame) -> Iterator[tuple[str, Floats]]:
    """Which of its values are named by a cell, in how many columns, and whether its row is there."""
    shared = [name for name in rows.columns if name in release.columns]
    named = {name: _is_named(rows[name], release[name]) for name in shared}
    for name, values in named.items():
        yield f"value named in {name}", values
    marked = [values for name, values in named.items() if is_ordered(rows[name].dtype)]
    if len(marked) > 1:
        yield "columns that name its number", np.sum(marked, axis=0)
        yield "some column names its number", np.max(marked, axis=0)
    if shared:
        yield from _same_row(rows, release, shared)
    for name in shared:
        if rows[name].dtype.is_numeric() and release[name].dtype.is_numeric():
            yield f"nearest value in {name}", _nearest(rows[name], release[name])


def _is_named(values: pl.Series, cells: pl.Series) -> Floats:
    """1 for a value that a cell of the column is, ends with or holds."""
    different = cells.unique().drop_nulls()
    if values.dtype.is_numeric() or values.dtype == pl.Date:
        return _is_named_number(values.to_physical(), different)
    return _is_in(values.cast(pl.String), _texts(different.cast(pl.String)))


def _is_named_number(values: pl.Series, cells: pl.Series) -> Floats:
    if cells.dtype.is_numeric() or cells.dtype.is_temporal():
        numbers = cells.to_physical().cast(pl.Float64)
    else:
        texts = cells.cast(pl.String)
        read = named_numbers(texts)
        inside = [each for text in _sets(texts) for each in members(text) or ()]
        of_sets = named_numbers(pl.Series("cell", inside, dtype=pl.String))
        numbers = pl.concat([read["low"], read["high"], of_sets["low"]]).drop_nulls()
    return _is_in(values.cast(pl.Float64), numbers)


def _texts(cells: pl.Series) -> pl.Series:
    inside = [each for text in _sets(cells) for each in members(text) or ()]
    return pl.concat([cells.rename("cell"), pl.Series("cell", inside, dtype=pl.String)])


def _sets(texts: pl.Series) -> list[str]:
    return texts.filter(texts.str.starts_with("{")).head(_LONGEST_SET).to_list()


def _is_in(values: pl.Series, among: pl.Series) -> Floats:
    found: Floats = values.is_in(among.unique().implode()).fill_null(value=False).cast(pl.Float64).to_numpy()
    return found


def _same_row(rows: pl.DataFrame, release: pl.DataFrame, shared: list[str]) -> Iterator[tuple[str, Floats]]:
    """How many released rows have its values in all shared columns, and what these say in the other columns."""
    texts = [pl.col(name).cast(pl.String) for name in shared]
    others = [name for name in release.columns if name not in shared and release[name].dtype.is_numeric()]
    sums = [pl.col(name).cast(pl.Float64).fill_null(0).sum().alias(f"__of {name}") for name in others]
    grouped = release.select(*texts, *others).group_by(shared).agg(pl.len().alias("__rows"), *sums)
    joined = rows.select(texts).join(grouped, on=shared, how="left", maintain_order="left", nulls_equal=True)
    yield "rows like it", joined["__rows"].fill_null(0).cast(pl.Float64).to_numpy()
    for name in others:
        yield f"{name} of rows like it", joined[f"__of {name}"].fill_null(0).to_numpy()


def _nearest(values: pl.Series, cells: pl.Series) -> Floats:
    """The negative distance to the nearest released number, so that more says that it is in."""
    present = cells.drop_nulls().cast(pl.Float64)
    numbers = present.filter(present.is_finite()).unique().sort().to_numpy()
    own = values.cast(pl.Float64).fill_nan(None).fill_null(0.0).to_numpy()
    if not len(numbers):
        return np.zeros(len(own))
    place = np.searchsorted(numbers, own)
    below = np.abs(own - numbers[np.maximum(place - 1, 0)])
    above = np.abs(own - numbers[np.minimum(place, len(numbers) - 1)])
    distance: Floats = np.minimum(below, above)
    return -distance


# --- other releases ---------------------------------------------------------------------------------------------


def _vector(release: Any) -> Floats | None:
    """The release as a vector of finite numbers, if it is one."""
    if not isinstance(release, tuple) or not all(isinstance(each, int | float) for each in release):
        return None
    numbers = np.array([float(each) for each in release])
    return numbers if np.isfinite(numbers).all() else None


def _leaves(release: Any) -> Iterator[Any]:
    """The numbers and texts that a nested release is made of."""
    if isinstance(release, dict):
        for name, value in release.items():
            yield from _leaves(name)
            yield from _leaves(value)
    elif isinstance(release, tuple | frozenset):
        for each in release:
            yield from _leaves(each)
    elif isinstance(release, pl.DataFrame):
        for column in release.iter_columns():
            yield from column.to_list()
    elif isinstance(release, int | float | str):
        yield release


def _among_values(rows: pl.DataFrame, values: set[Any]) -> Iterator[tuple[str, Floats]]:
    """Which of its values are anywhere in the release."""
    for column in rows.iter_columns():
        there = [each is not None and each in values for each in column.to_list()]
        yield f"value of {column.name} in the release", np.array(there, dtype=float)
