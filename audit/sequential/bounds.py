"""Lower bounds that hold at all times at once, by testing a whole ladder of claims on the same trials.

A ladder is a fixed sequence of claims, each weaker than the one before, so that they are false up to some rung and true
from there on. The bound is the last rung before the first that was never rejected: it is wrong only if the first true
rung was rejected, and that is a single test.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import define, frozen

from crowdproof.audit.sequential.arms import Block
from crowdproof.audit.sequential.betting import BOUND, PRIOR, Bools, Floats, Horizon, Ints, Nulls, choose
from crowdproof.audit.sequential.learning import Counts
from crowdproof.audit.sequential.wealth import Wealth

EPSILONS = np.concatenate([np.linspace(0, 0.0049, 8), 0.005 * 1.005 ** np.arange(1680)])
"""Rungs for epsilon: 0 to 21, half a per cent apart."""
DELTAS = 0.9995 * 1.03 ** -np.arange(700, -1, -1.0)
"""Rungs for delta: 1e-9 to 1, three per cent apart."""


@frozen
class ProfilePoint:
    """At this epsilon, delta is above `delta` (0 where nothing was shown)."""

    epsilon: float
    delta: float


@define(eq=False)
class Ladder:
    """E-processes for a sequence of claims; `rejected` counts the rungs from the first on that were rejected by now."""

    nulls: Nulls
    wealth: Wealth
    log_error: float
    rejected: int = 0

    @classmethod
    def of(cls, nulls: Nulls, log_error: float) -> "Ladder":
        """A ladder on which nothing was bet yet."""
        return cls(nulls, Wealth.start(BOUND, len(nulls.x)), log_error)

    def climb(self, block: Block) -> None:
        """Bet on every rung that the past counts may contradict and that is not yet rejected."""
        rungs = np.flatnonzero(_doubtful(block.seen, self.nulls))
        rungs = rungs[rungs >= self.rejected]
        if not len(rungs):
            return
        horizon = Horizon(-self.log_error, block.horizon)
        self.wealth.gain(choose(*block.seen, self.nulls[rungs], horizon).pay(block.left, block.right), rungs)
        held = np.flatnonzero(self.wealth.peak[self.rejected :] < -self.log_error)
        self.rejected = self.rejected + int(held[0]) if len(held) else len(self.nulls.x)

    def next_rung(self) -> Nulls:
        """The first claim that still stands."""
        at = min(self.rejected, len(self.nulls.x) - 1)
        return self.nulls[at : at + 1]


def _doubtful(seen: Counts, nulls: Nulls) -> Bools:
    """Which claims some threshold event violates, or comes within one standard error of violating."""
    left, right = seen
    above, below = _margins(left[::-1], right[::-1], nulls), _margins(right, left, nulls)
    return np.asarray((above > 0) | (below > 0))


def _margins(heavy: Ints, light: Ints, nulls: Nulls) -> Floats:
    trials = int(heavy.sum())
    p, q, x = np.cumsum(heavy)[:-1], np.cumsum(light)[:-1], nulls.x[:, None]
    if not len(p):
        return np.zeros(len(nulls.x))
    spread = np.sqrt(p + PRIOR + x * x * (q + PRIOR / (1 + x)))
    return np.asarray((p - x * q - nulls.delta[:, None] * trials + spread).max(1))


def epsilon_ladder(delta: float, log_error: float) -> Ladder:
    """Claims of ever larger epsilon at one delta."""
    return Ladder.of(Nulls.of(np.exp(EPSILONS), delta), log_error)


def delta_ladder(x: float, log_error: float) -> Ladder:
    """Claims of ever larger delta at one epsilon, x = e^epsilon."""
    return Ladder.of(Nulls.of(x, DELTAS), log_error)


def climb(ladder: Ladder, blocks: Iterable[Block]) -> int:
    """Replay an audit; how many rungs it rejected."""
    for block in blocks:
        ladder.climb(block)
    return ladder.rejected


def epsilon_low(blocks: Sequence[Block], delta: float, log_error: float) -> float:
    """Epsilon at this delta is above the returned value (0 where nothing was shown), except with the given error."""
    rejected = climb(epsilon_ladder(delta, log_error), blocks)
    return float(EPSILONS[rejected - 1]) if rejected else 0.0


def delta_low(blocks: Sequence[Block], x: float, log_error: float) -> float:
    """Delta at epsilon = ln x is above the returned value (0 where nothing was shown), except with the given error."""
    rejected = climb(delta_ladder(x, log_error), blocks)
    return float(DELTAS[rejected - 1]) if rejected else 0.0


def profile(blocks: Sequence[Block], epsilons: Sequence[float], log_error: float) -> tuple[ProfilePoint, ...]:
    """Lower bounds of delta at each of the epsilons; each holds except with the given error."""
    return tuple(ProfilePoint(each, delta_low(blocks, float(np.exp(each)), log_error)) for each in epsilons)
