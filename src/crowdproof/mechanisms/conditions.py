"""What a group of a release must be like in its secret column: l-diverse, or t-close to the whole table."""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

import numpy as np
import polars as pl
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.errors import ParameterError
from crowdproof.exact import Number, rational, show, whole
from crowdproof.mechanisms.tables import code

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Meets = Callable[[Ints, Ints, int], Bools]
"""By the rows, the group of each and how many groups there are: whether each group is as it must be."""


class Condition(Protocol):
    """What a group must be like."""

    @property
    def secret(self) -> str:
        """The column that it speaks of."""

    def of(self, column: pl.Series, /) -> Meets:
        """The condition for groups of the rows of that column."""


def _l(written: Number) -> int:
    return whole(written, "l")


def _t(written: Number) -> Fraction:
    t = rational(written, "t")
    if not 0 <= t <= 1:
        raise ParameterError(f"t is {show(t)}: a distance of two distributions lies between 0 and 1.")
    return t


@frozen
class Diverse:
    """Of no value does a group have more than one in l rows: the frequency form of l-diversity, as `check` has it.

    It implies l different values in each group (distinct l-diversity). A null is a value of its own.
    """

    secret: str
    l: int = field(converter=_l)  # noqa: E741

    def of(self, column: pl.Series) -> Meets:
        """The condition for groups of the rows of that column."""
        values = code(column)
        codes = values.codes.astype(np.int64)

        def meets(rows: Ints, group: Ints, groups: int) -> Bools:
            counts = _counts(codes[rows], group, groups, values.count)
            most: Bools = counts.max(axis=1) * self.l <= counts.sum(axis=1)
            return most

        return meets


@frozen
class Close:
    """The secrets of a group are distributed as in the whole table, up to a distance of t (Li, Li, Venkatasubramanian).

    The distance is the earth mover's: for text all values are equally far apart, so that it is half the sum of the
    differences of the shares; for numbers neighbouring values of m are 1/(m - 1) apart.
    """

    secret: str
    t: Fraction = field(converter=_t)

    def of(self, column: pl.Series) -> Meets:
        """The condition for groups of the rows of that column."""
        values = code(column)
        codes = values.codes.astype(np.int64)
        whole_counts = np.bincount(codes, minlength=values.count)
        limit = float(self.t) + 1e-12  # shares are floats, a few of them added up; a tie is met

        def meets(rows: Ints, group: Ints, groups: int) -> Bools:
            counts = _counts(codes[rows], group, groups, values.count)
            sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
            apart = counts / sizes - whole_counts / max(whole_counts.sum(), 1)
            if values.number:
                distance = abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(values.count - 1, 1)
            else:
                distance = abs(apart).sum(axis=1) / 2
            near: Bools = distance <= limit
            return near

        return meets


def _counts(codes: Ints, group: Ints, groups: int, values: int) -> Ints:
    """Group x value: how many rows."""
    found: Ints = np.bincount(group * values + codes, minlength=groups * values).reshape(groups, values)
    return found
