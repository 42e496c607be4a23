"""The group that is farthest from the whole, decided in fractions where floats come near to what is claimed."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from crowdproof.audit.check.diversity import CLOSE, Measured
from crowdproof.audit.check.groups import COUNT, GROUP, VALUE, Spread

Law = dict[Any, Fraction]
"""The share of each value."""


def worst(spread: Spread, distances: np.ndarray, t: Fraction, exact: Callable[[Law, Law], Fraction]) -> Measured:
    """The largest distance; whatever floats cannot tell from t is worked out exactly, and the largest by floats."""
    near = np.abs(distances - float(t)) < CLOSE
    near[np.argmax(distances)] = True
    close = spread.table.filter(pl.col(GROUP).is_in(np.flatnonzero(near)))
    whole = _law(*spread.table.group_by(VALUE).agg(pl.col(COUNT).sum()).get_columns())
    found = close.group_by(GROUP).agg(VALUE, COUNT).iter_rows()
    value, group = max((exact(_law(values, counts), whole), -place) for place, values, counts in found)
    return Measured(value, f"distance {float(value):.6g}", group=-group, holds=value <= t)


def _law(values: Iterable[Any], counts: Iterable[int]) -> Law:
    counted = list(zip(values, counts, strict=True))
    total = sum(count for _, count in counted)
    return {value: Fraction(count, total) for value, count in counted}
