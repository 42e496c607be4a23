"""Columns of points in time that are a calendar: one row for each hour, day, week or month, and so no people."""

from datetime import date, datetime

import numpy as np
import polars as pl

from crowdproof.audit.check.text_orders import read_dates

_DAY = 24 * 60 * 60
"""Seconds."""


def is_calendar(cells: pl.Series) -> bool:
    """Whether the points in time are as far apart as each other: in seconds, in working days or in months.

    >>> is_calendar(pl.Series(["2024-01", "2024-02", "2024-03"])), is_calendar(pl.Series(["3.1.2024", "9.1.2024"] * 2))
    (True, False)
    """
    points = _points(cells)
    if points is None or len(points) < 3:
        return False
    seconds = sorted((point - datetime(1970, 1, 1)).total_seconds() for point in points)
    steps = set(np.diff(seconds).tolist())
    if len(steps) == 1:
        return 0 not in steps
    return _are_working_days(points, steps) or _are_months(points)


def _are_working_days(points: list[datetime], steps: set[float]) -> bool:
    is_next = steps <= {_DAY, 3 * _DAY}
    return is_next and all(each.weekday() < 5 for each in points)


def _are_months(points: list[datetime]) -> bool:
    """Months, quarters or years by their first or last days."""
    months = sorted(each.year * 12 + each.month for each in points)
    return len({each.day for each in points if each.day < 28}) <= 1 and len(set(np.diff(months).tolist())) == 1


def _points(cells: pl.Series) -> list[datetime] | None:
    """The points in time; None where some cell is none."""
    known = cells.drop_nulls()
    if known.dtype in (pl.Date, pl.Datetime):
        return [_point(each) for each in known.to_list()]
    return read_dates(known.to_list()) if known.dtype == pl.String else None


def _point(value: date | datetime) -> datetime:
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return datetime(value.year, value.month, value.day)
