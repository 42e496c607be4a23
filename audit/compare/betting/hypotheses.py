"""The null hypotheses `Pr[M(D) in E] <= x Pr[M(D') in E] + delta`, and how fast the best bet against one can grow."""

from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = tuple[Ints, Ints]
"""How many releases of the left and of the right fell into each cell, or into each bin, of a score."""
LARGEST = 1e15
"""The largest e^epsilon that runs are bet against: above, stakes would be lost in the rounding of floats, which have
about 16 digits."""
FIXED_POINT_STEPS = 2
"""Steps of the fixed point that finds the nearest point on the edge of a claim. Its start is the solution for rare
events; that two steps are enough is a guess, which tests compare with the bets that are chosen."""


@frozen(eq=False)
class Nulls:
    """Null hypotheses (x, delta), x = e^epsilon, that are tested side by side on the same trials.

    Both numbers are rounded up, which makes each hypothesis weaker and so never refutes a claim that is true.
    """

    x: Floats
    delta: Floats

    @classmethod
    def of(cls, x: Any, delta: Any) -> "Nulls":
        """One claim or many; x and delta are broadcast against each other."""
        pair = np.broadcast_arrays(np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(delta, float)))
        exact_zero = pair[1] == 0
        return cls(np.nextafter(pair[0], np.inf), np.where(exact_zero, 0.0, np.nextafter(pair[1], np.inf)))

    def __getitem__(self, chosen: Any) -> "Nulls":
        return Nulls(self.x[chosen], self.delta[chosen])

    def easier(self, share: float) -> "Nulls":
        """Claims of this share of epsilon and delta, which are easier to refute."""
        return Nulls(self.x**share, self.delta * share)


def growth_rate(p: Floats, q: Floats, x: Floats, delta: Floats) -> Floats:
    """KL distance of (p, q) from the claim p <= x q + delta: what the best bet on one event earns in each trial.

    Where the claim holds, minus the distance from its edge. The nearest (p0, q0) on the edge solves
    p - p0 = u p0 (1 - p0), q0 - q = u x q0 (1 - q0). A few steps of that fixed point start from its solution for
    rare events.
    """
    with np.errstate(all="ignore"):
        margin = p - x * q - delta
        q0 = np.clip((p + q - delta) / (1 + x), 1e-300, None)
        p0 = np.minimum(x * q0 + delta, (1 + p) / 2)
        for _ in range(FIXED_POINT_STEPS):
            v, w = p0 * (1 - p0), x * q0 * (1 - q0)
            step = margin / (v + x * w)
            p0, q0 = p - step * v, q + step * w
        growth = _kl(p, p0) + _kl(q, q0)
    growth = np.where(np.isfinite(growth), growth, np.where(margin > 0, 0.0, np.inf))
    return np.asarray(np.where(margin > 0, growth, -growth))


def _kl(p: Floats, q: Floats) -> Floats:
    return np.asarray(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))
