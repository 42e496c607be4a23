"""Dates and times that Python has no objects for, as texts: its own end at microseconds and at the year 9999."""

import polars as pl

from crowdproof.errors import pass_interrupts

_NANOSECONDS = 1000
"""In a microsecond."""


def tellable(table: pl.DataFrame) -> pl.DataFrame:
    """The table, with texts for the dates and times that Python would round or refuse."""
    beyond = [column for column in table.iter_columns() if column.dtype.is_temporal() and not _is_whole(column)]
    return table.with_columns(map(_texts, beyond)) if beyond else table


def _is_whole(column: pl.Series) -> bool:
    """Whether the cells are objects of Python without loss."""
    kind = column.dtype
    in_nanoseconds = kind == pl.Time or getattr(kind, "time_unit", "") == "ns"
    if in_nanoseconds and (column.to_physical() % _NANOSECONDS != 0).any():
        return False
    try:
        column.to_list()
    except BaseException as error:  # noqa: BLE001  (polars panics, which is no Exception)
        pass_interrupts(error)
        return False
    return True


def _texts(column: pl.Series) -> pl.Series:
    """Each cell by the whole number that it is stored as, with the unit that it counts."""
    kind = column.dtype
    unit = "ns" if kind == pl.Time else getattr(kind, "time_unit", "days")
    written = column.to_physical().cast(pl.String) + f" {unit}"
    origin = {pl.Time: " after midnight", pl.Duration: ""}.get(kind.base_type(), " after 1970")
    return (written + origin).alias(column.name)
