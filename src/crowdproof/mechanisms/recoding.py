"""Recodings that are fixed before any data is seen: grids, value hierarchies, and schemes of one for each column.

>>> table = pl.DataFrame({"age": [23, 38, None], "city": ["Lyon", "Bonn", "Bonn"]})
>>> land = Hierarchy({"Lyon": ["France"], "Bonn": ["Germany"]})
>>> Scheme({"age": Grid(20), "city": land})(table).rows()
[('[20, 40)', 'France'), ('[20, 40)', 'Germany'), ('?', 'Germany')]
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Protocol

import numpy as np
import polars as pl
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.cells import MISSING, STAR, range_text
from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Number, rational, show
from crowdproof.mechanisms.parameters import as_level
from crowdproof.mechanisms.tables import as_numbers, as_text, is_number, require_columns

_SHORT = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
"""Whole numbers that 64 bits with a sign can hold."""


class Recoding(Protocol):
    """Maps each value of a column to a released text, by itself: no value's text depends on another value."""

    def __call__(self, column: pl.Series, /) -> pl.Series:
        """The texts of the values."""


def _width(written: Number) -> Fraction:
    width = rational(written, "width")
    if width <= 0:
        raise ParameterError(f"width is {show(width)}: a grid needs cells of a width above 0.")
    return width


def _origin(written: Number) -> Fraction:
    return rational(written, "origin")


@frozen
class Grid:
    """A number x becomes the half-open cell [origin + c width, origin + (c+1) width), c = floor((x - origin) / width).

    The floor is exact: a float is the decimal it is written as, so 0.3 lies in [0.3, 0.4) of a grid of width 0.1.
    A null becomes `?`.
    """

    width: Fraction = field(converter=_width)
    origin: Fraction = field(default=Fraction(0), converter=_origin)

    def __call__(self, column: pl.Series) -> pl.Series:
        """The cells of the values."""
        if column.dtype != pl.Null and not is_number(column):
            raise DataError(f"column {column.name!r} is text: a grid takes numbers, so give it a hierarchy instead.")
        cells, place = np.unique(self.cells(column.drop_nulls()), return_inverse=True)
        texts = pl.Series([*map(self._text, cells.tolist()), MISSING])
        every = np.full(len(column), len(cells))
        every[column.is_not_null().to_numpy()] = place
        return texts.gather(every).alias(column.name)

    def cells(self, values: pl.Series) -> NDArray[np.int64]:
        """The number c of each value's cell."""
        with np.errstate(over="ignore", divide="ignore"):  # a cell may be smaller than any float
            floats = values.cast(pl.Float64).to_numpy()
            estimate = (floats - float(self.origin)) / float(self.width)
            reach = (np.abs(floats) + abs(float(self.origin))) / float(self.width)
        if np.abs(estimate).max(initial=0) >= 2**62:
            raise DataError(f"column {values.name!r} has a value too far away for cells so small: give a larger width.")
        whole_grid = self.width.denominator == self.origin.denominator == 1
        if values.dtype in _SHORT and whole_grid and abs(self.origin) + np.abs(floats).max(initial=0) < 2**62:
            return (values.to_numpy().astype(np.int64) - int(self.origin)) // int(self.width)
        cells = np.floor(estimate).astype(np.int64)
        # only a value next to a border can be on its wrong side: decide those few exactly
        lost = 1e-9 * (1 + np.abs(estimate)) + 1e-15 * reach  # 1e-15: a few roundings of value, origin and difference
        near = np.abs(estimate - np.rint(estimate)) <= lost
        doubtful, place = np.unique(as_numbers(values)[near], return_inverse=True)
        cells[near] = np.array([self._cell(each) for each in doubtful.tolist()], dtype=np.int64)[place]
        return cells

    def _cell(self, value: float) -> int:
        return (rational(value) - self.origin) // self.width

    def middle(self, cell: int) -> Fraction:
        """The number in the middle of a cell."""
        return self.origin + (cell + Fraction(1, 2)) * self.width

    def _text(self, cell: int) -> str:
        low = self.origin + cell * self.width
        return range_text(show(low), show(low + self.width), "[)")


def _paths(
    written: "Mapping[str, Iterable[str]] | tuple[tuple[str, tuple[str, ...]], ...]",
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    pairs = written.items() if isinstance(written, Mapping) else written
    return tuple(
        (value, (ancestors,) if isinstance(ancestors, str) else tuple(ancestors)) for value, ancestors in pairs
    )


@frozen
class Hierarchy:
    """A text becomes its ancestor `level` steps up in a fixed tree; level 0 is the value itself.

    `paths` gives the ancestors of each value, nearest first, all paths equally long. Two values with a common ancestor
    share everything above it. A value that is not in the tree becomes `otherwise`; without one it is an error. A null
    becomes `?`.
    """

    paths: tuple[tuple[str, tuple[str, ...]], ...] = field(converter=_paths)
    level: int = field(default=1, converter=as_level)
    otherwise: str | None = None

    def __attrs_post_init__(self) -> None:
        if not self.paths:
            raise ParameterError("the hierarchy names no value: give at least one value and its ancestors.")
        if len({len(path) for _, path in self.paths}) != 1:
            raise ParameterError("the paths of a hierarchy differ in length: give every value equally many ancestors.")
        if self.level > self.height:
            raise ParameterError(f"level is {self.level}: this hierarchy has {self.height} levels above its values.")
        parents: dict[tuple[int, str], str] = {}
        for value, path in self.paths:
            for height, (node, parent) in enumerate(zip((value, *path), path, strict=False)):
                if parents.setdefault((height, node), parent) != parent:
                    raise ParameterError(
                        f"{node!r} lies under both {parents[height, node]!r} and {parent!r}: give it one ancestor."
                    )

    @property
    def height(self) -> int:
        """How many levels there are above the values."""
        return len(self.paths[0][1])

    def __call__(self, column: pl.Series) -> pl.Series:
        """The ancestors of the values."""
        known = {value: (value, *path)[self.level] for value, path in self.paths}
        texts = as_text(column)
        values = texts.unique()
        return _translate(texts, values, pl.Series([self._ancestor(each, known, column.name) for each in values]))

    def _ancestor(self, value: str, known: dict[str, str], name: str) -> str:
        if value == MISSING:
            return known.get(value, MISSING)
        ancestor = known.get(value, self.otherwise)
        if ancestor is None:
            raise DataError(
                f"column {name!r} holds {value!r}, which its hierarchy does not: add it, or set `otherwise` to the "
                "text that unknown values become."
            )
        return ancestor


@frozen
class Keep:
    """A value becomes its own text."""

    def __call__(self, column: pl.Series) -> pl.Series:
        """The plain texts."""
        return as_text(column)


@frozen
class Suppress:
    """Every value becomes `*`, null too."""

    def __call__(self, column: pl.Series) -> pl.Series:
        """As many stars as there are values."""
        return pl.repeat(STAR, len(column), dtype=pl.String, eager=True).alias(column.name)


def _columns(
    written: "Mapping[str, Recoding] | tuple[tuple[str, Recoding], ...]",
) -> tuple[tuple[str, Recoding], ...]:
    pairs = tuple(written.items() if isinstance(written, Mapping) else written)
    if not pairs:
        raise ParameterError("the scheme names no column: give at least one column and its recoding.")
    return pairs


@frozen
class Scheme:
    """A generalization scheme: g(t) = (r_1(t_1), ..., r_d(t_d)), one recoding for each released column.

    It is fixed before any data is seen, and it maps each row by itself. A column that it does not name is not released.
    """

    columns: tuple[tuple[str, Recoding], ...] = field(converter=_columns)

    def __call__(self, table: pl.DataFrame) -> pl.DataFrame:
        """The recoded rows, in the order of the given ones."""
        require_columns(table, self.names)
        return pl.DataFrame({name: recoding(table[name]) for name, recoding in self.columns})

    @property
    def names(self) -> tuple[str, ...]:
        """The released columns."""
        return tuple(name for name, _ in self.columns)


def suppress_all(columns: Iterable[str]) -> Scheme:
    """The degenerate scheme: every row becomes the same row of stars."""
    return Scheme({name: Suppress() for name in columns})


def _translate(column: pl.Series, values: pl.Series, texts: pl.Series) -> pl.Series:
    if column.dtype == pl.Null or values.is_empty():
        return pl.repeat(MISSING, len(column), dtype=pl.String, eager=True).alias(column.name)
    return column.replace_strict(values, texts, default=MISSING, return_dtype=pl.String)
