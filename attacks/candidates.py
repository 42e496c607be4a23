"""Which rows of a release could be a person's: those whose every known cell covers what the adversary knows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import define, field
from numpy.typing import NDArray

from crowdproof.cells import STAR, Cell, parse_cell, suppressed
from crowdproof.errors import DataError

Row = Mapping[str, Any]
"""A person's values by column."""
Guess = Callable[[Row], object]
"""What the adversary says of a person, having seen a release."""
Bools = NDArray[np.bool_]


@define(eq=False)
class Reading:
    """A release, read once in the columns that an adversary knows.

    >>> release = pl.DataFrame({"age": ["[20, 40)", "[40, 60)", "*"], "sex": ["f", "f", "m"]})
    >>> Reading.of(release, ["age", "sex"]).could_be({"age": 31, "sex": "f"}).tolist()
    [True, False, False]
    """

    rows: int
    columns: dict[str, tuple[NDArray[np.integer], list[Cell]]]
    _known: dict[tuple[str, str | None], Bools] = field(factory=dict)

    @classmethod
    def of(cls, release: pl.DataFrame, columns: Sequence[str]) -> "Reading":
        """The release, with equal cells of a column read once."""
        require(release, columns, "the release")
        return cls(release.height, {name: _coded(release[name]) for name in columns})

    def could_be(self, person: Row) -> Bools:
        """For each row of the release whether it could be the person's."""
        mask = np.ones(self.rows, dtype=np.bool_)
        for name in self.columns:
            mask &= self._covering(name, person[name])
        return mask

    def _covering(self, name: str, value: Any) -> Bools:
        key = None if value is None else str(value)
        if (name, key) not in self._known:
            codes, cells = self.columns[name]
            wanted = parse_cell(value)
            verdicts = np.array([cell.covers(wanted) for cell in cells], dtype=np.bool_)
            self._known[name, key] = verdicts[codes]
        return self._known[name, key]


def _coded(column: pl.Series) -> tuple[NDArray[np.integer], list[Cell]]:
    texts = column.cast(pl.String).fill_null(STAR)
    distinct = texts.unique()
    return texts.cast(pl.Enum(distinct)).to_physical().to_numpy(), [parse_cell(each) for each in distinct]


def require(table: pl.DataFrame, columns: Sequence[str], name: str = "the data") -> None:
    """The table has each of the columns, or it is an error."""
    for each in columns:
        if each not in table.columns:
            raise DataError(f"{name} has no column {each!r}: it has {', '.join(table.columns) or 'none at all'}.")


def columns_of(written: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names of columns, from a list or from a text with commas between them.

    >>> columns_of("age, home town"), columns_of(None)
    (('age', 'home town'), ())
    """
    if isinstance(written, str):
        return tuple(name.strip() for name in written.split(","))
    return tuple(written or ())


def commonest(values: pl.Series, mask: Bools | None = None) -> str | None:
    """The most frequent text that is not suppressed, the first of several by the alphabet; None where there is none."""
    texts = values.cast(pl.String)
    chosen = texts if mask is None else texts.filter(pl.Series(mask))
    shown = chosen.to_frame().filter(~suppressed(pl.col(chosen.name))).to_series()
    counts = shown.value_counts()
    return None if counts.is_empty() else str(counts.sort("count", values.name, descending=[True, False])[0, 0])
