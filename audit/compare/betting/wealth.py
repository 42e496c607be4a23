"""Wealth split between strategies and pairs: averages and products of e-processes are e-processes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import define

from crowdproof.audit.compare.betting.hypotheses import Floats


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


def of_all_pairs(logs: Floats, together: float) -> float:
    """Log of the whole wealth: half was split among the pairs, half is staked on whichever pairs are played.

    What several pairs show adds up in the second half, `together`. In the first, what is lost while looking at all the
    others costs no more than the split.

    >>> of_all_pairs(np.array([3.0]), 3.0)
    3.0
    >>> round(of_all_pairs(np.array([9.0, -4.0]), 5.0), 2), round(of_all_pairs(np.array([9.0, 6.0]), 15.0), 2)
    (7.65, 14.31)
    """
    return float(np.logaddexp(together, np.logaddexp.reduce(logs) - np.log(len(logs))) - np.log(2))


def in_equal_parts(gained: Sequence[float]) -> float:
    """Log of what becomes of 1 that is staked in equal parts on blocks that gain so much.

    Blocks that share runs depend on each other, so their product may have a mean above 1; their average has not.

    >>> in_equal_parts([2.0]), in_equal_parts([2.0, 2.0]), in_equal_parts([])
    (2.0, 2.0, 0.0)
    """
    return float(np.logaddexp.reduce(gained) - np.log(len(gained))) if len(gained) else 0.0
