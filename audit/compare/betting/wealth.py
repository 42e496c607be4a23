"""Wealth split between strategies and pairs: averages and products of e-processes are e-processes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import define

from crowdproof.audit.compare.betting.hypotheses import Floats

KEPT_EQUAL = 0.01
"""The share of wealth that is split in equal parts whatever was seen before: a guess, which costs next to nothing."""


@define(eq=False)
class Wealth:
    """Log-wealth by strategy and null, the log of the whole, and the highest that it has been."""

    parts: Floats
    total: Floats
    peak: Floats

    @classmethod
    def start(cls, shares: Sequence[float] | Floats, nulls: int) -> "Wealth":
        """One unit, in these shares, for each null.

        >>> Wealth.start((0.5, 0.5), 1).total
        array([0.])
        """
        parts = np.repeat(np.log(np.asarray(shares) / np.sum(shares))[:, None], nulls, axis=1)
        return cls(parts, np.zeros(nulls), np.zeros(nulls))

    def gain(self, gained: Floats, nulls: Any = slice(None)) -> None:
        """Multiply the wealth of each strategy on these nulls by what it gained."""
        self.parts[:, nulls] += gained
        self.total[nulls] = np.logaddexp.reduce(self.parts[:, nulls], axis=0)
        self.peak[nulls] = np.maximum(self.peak[nulls], self.total[nulls])


def of_all_pairs(logs: Floats, together: Floats) -> Floats:
    """Log of the whole wealth, for each null: half was split among the pairs, half is staked on those that are played.

    What several pairs show adds up in the second half, `together`. In the first, what is lost while looking at all the
    others costs no more than the split.

    >>> of_all_pairs(np.array([[3.0]]), np.array([3.0]))
    array([3.])
    >>> of_all_pairs(np.array([[9.0, 9.0], [-4.0, 6.0]]), np.array([5.0, 15.0])).round(2)
    array([ 7.65, 14.31])
    """
    return np.asarray(np.logaddexp(together, np.logaddexp.reduce(logs, axis=0) - np.log(len(logs))) - np.log(2))


def parts_of(points: int, held: Any = None) -> Floats:
    """Logs of the parts in which wealth is split among so many points: equal ones, or as an earlier test left them.

    Then what the tests win one after the other multiplies up point by point. Each point keeps a little in any case.

    >>> np.exp(parts_of(4)), np.exp(parts_of(2, [7.0, 5.0])).round(3)
    (array([0.25, 0.25, 0.25, 0.25]), array([0.877, 0.123]))
    """
    equal = np.full(points, -np.log(points))
    if not isinstance(held, list) or len(held) != points:
        return equal
    logs = np.array(held, float)
    logs = np.where(np.isfinite(logs), logs, -np.inf)
    if not np.isfinite(logs).any():
        return equal
    earlier = logs - np.logaddexp.reduce(logs)
    return np.asarray(np.logaddexp(np.log1p(-KEPT_EQUAL) + earlier, np.log(KEPT_EQUAL) + equal))


def in_equal_parts(gained: Sequence[Floats]) -> Floats:
    """Log of what becomes of 1 that is staked in equal parts on blocks that gain so much, for each null.

    Blocks that share runs depend on each other, so their product may have a mean above 1; their average has not.

    >>> in_equal_parts([np.array([2.0, -1.0]), np.array([2.0, -1.0])])
    array([ 2., -1.])
    """
    return np.asarray(np.logaddexp.reduce(gained, axis=0) - np.log(len(gained)))
