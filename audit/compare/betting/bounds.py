"""Lower bounds that hold at all times at once, by testing a whole ladder of claims on the same trials.

A ladder is a fixed sequence of claims, each weaker than the one before, so that they are false up to some rung and true
from there on. The bound is the last rung before the first that was never rejected: it is wrong only if the first true
rung was rejected, and that is a single test.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import define, frozen
from scipy.special import ndtri

from crowdproof.audit.compare.betting.bets import Goal, choose
from crowdproof.audit.compare.betting.blocks import Block
from crowdproof.audit.compare.betting.hypotheses import Bools, Counts, Floats, Ints, Nulls
from crowdproof.audit.compare.betting.thresholds import Events, three_cells, trials_of, violated
from crowdproof.audit.compare.betting.wealth import Wealth

EPSILONS = np.concatenate([np.linspace(0, 0.0049, 8), 0.005 * 1.001 ** np.arange(8400)])
"""Rungs for epsilon: 0 to 22, a tenth of a per cent apart from 0.005 on. A guess: finer rungs cost time, and no runs
show an epsilon above 22."""
DELTAS = 0.9995 * 1.03 ** -np.arange(700, -1, -1.0)
"""Rungs for delta: 1e-9 to 1, three per cent apart. A guess: finer rungs cost time, coarser ones lose up to a whole
step of the bound."""
CAUTION = 2.0
"""Standard errors that are taken off what an event has shown, besides those that the bound itself will lose. A guess:
of many events the best looks better than it is. With less the bound aims at a rung that it misses, with more it aims
too low."""
SLACK = 0.5
"""Standard errors by which a smaller event must be clearer than a larger one to be preferred. A guess: with less chance
chooses, with more a small event that tells clearly is passed over."""
Reach: TypeAlias = Callable[[Floats, Floats, int, float], Floats]
"""How far up a ladder events with these counts on the heavier and the lighter side reach, less so many errors."""


@frozen
class ProfilePoint:
    """At this epsilon, delta is above `delta` (0 where nothing was shown)."""

    epsilon: float
    delta: float


@define(eq=False)
class Ladder:
    """E-processes for a sequence of claims; `rejected` counts the rungs from the first on that were rejected by now.

    All rungs are bet on with the same two events: those with which the bound can be expected to end highest.
    """

    nulls: Nulls
    places: Floats
    """What each claim says, of the parameter that the ladder bounds."""
    reach: Reach
    wealth: Wealth
    log_error: float
    rejected: int = 0

    @property
    def low(self) -> float:
        """The bound: the last rung that was rejected; 0 where none was."""
        return float(self.places[self.rejected - 1]) if self.rejected else 0.0

    def climb(self, block: Block) -> None:
        """Bet on every rung that past counts contradict and that is not yet rejected."""
        left, right = block.seen
        if trials_of(left, right) == 0 or len(left) < 2:
            return
        events = self._events(block.known, block.remaining)
        rungs = self.rejected + np.flatnonzero(self._doubted(left, right, events))
        if not len(rungs):
            return
        goal = Goal(-self.log_error - self.wealth.parts[-1, rungs], block.remaining)
        bets = choose(left, right, nulls=self.nulls[rungs], events=events.repeated(len(rungs)), goal=goal)
        self.wealth.gain(bets.pay(block.left, block.right), rungs)
        held = np.flatnonzero(self.wealth.peak[self.rejected :] < -self.log_error)
        self.rejected = self.rejected + int(held[0]) if len(held) else len(self.nulls.x)

    def next_rung(self) -> Nulls:
        """The first claim that still stands."""
        return self.nulls[min(self.rejected, len(self.places) - 1) :][:1]

    def _events(self, known: Counts, remaining: int) -> Events:
        (up, high), (down, low) = self._best(known, remaining)
        bins = len(known[0])
        return Events.apart(np.array([bins - up]), np.array([down]), np.array([high]), np.array([low]), bins)

    def _best(self, known: Counts, remaining: int) -> tuple[tuple[int, float], tuple[int, float]]:
        """For either direction: of how many bins the best event is made, and the rung that it should end at."""
        left, right = known
        trials = trials_of(left, right)
        errors = CAUTION + -float(ndtri(np.exp(self.log_error))) * (trials / (trials + remaining)) ** 0.5
        return self._threshold(left[::-1], right[::-1], errors), self._threshold(right, left, errors)

    def _threshold(self, heavy: Ints, light: Ints, errors: float) -> tuple[int, float]:
        p, q = (np.asarray(np.cumsum(each)[:-1] + 0.5, float) for each in (heavy, light))
        q = q * (heavy.sum() / light.sum())  # as if both had had as many runs
        trials = int(heavy.sum()) + 1
        high = float(self.reach(p, q, trials, errors).max())
        nearly = np.flatnonzero(self.reach(p, q, trials, errors - SLACK) >= high)
        return int(nearly[-1]) + 1, high

    def _doubted(self, left: Ints, right: Ints, events: Events) -> Bools:
        """Which of the rungs that are not yet rejected the events violate."""
        seen = three_cells(left, events), three_cells(right, events)
        up, down = violated(*seen, self.nulls[self.rejected :])
        return np.asarray(up | down)


def epsilon_ladder(delta: float, log_error: float, shares: Floats) -> Ladder:
    """Claims of ever larger epsilon at one delta."""

    def reach(p: Floats, q: Floats, trials: int, errors: float) -> Floats:
        over = np.maximum(p - delta * trials, 1e-9)
        variance = p * (1 - p / trials) / over**2 + (1 - q / trials) / q
        return np.asarray(np.log(over / q) - errors * np.sqrt(variance))

    nulls = Nulls.of(np.exp(EPSILONS), delta)
    wealth = Wealth.start(shares, len(EPSILONS))
    return Ladder(nulls, EPSILONS, reach=reach, wealth=wealth, log_error=log_error)


def delta_ladder(x: float, log_error: float, shares: Floats) -> Ladder:
    """Claims of ever larger delta at one epsilon, x = e^epsilon."""

    def reach(p: Floats, q: Floats, trials: int, errors: float) -> Floats:
        variance = p * (1 - p / trials) + x * x * q * (1 - q / trials)
        return np.asarray((p - x * q - errors * np.sqrt(variance)) / trials)

    wealth = Wealth.start(shares, len(DELTAS))
    return Ladder(Nulls.of(x, DELTAS), DELTAS, reach=reach, wealth=wealth, log_error=log_error)


def climb(ladder: Ladder, blocks: Iterable[Block]) -> float:
    """The bound that the ladder reaches with bets on these blocks of an audit, one after the other."""
    for block in blocks:
        ladder.climb(block)
    return ladder.low


def epsilon_low(blocks: Sequence[Block], delta: float, log_error: float, shares: Floats) -> float:
    """Epsilon at this delta is above the returned value (0 where nothing was shown), except with the given error."""
    return climb(epsilon_ladder(delta, log_error, shares=shares), blocks)


def delta_low(blocks: Sequence[Block], x: float, log_error: float, shares: Floats) -> float:
    """Delta at epsilon = ln x is above the returned value (0 where nothing was shown), except with the given error."""
    return climb(delta_ladder(x, log_error, shares=shares), blocks)


def profile(
    blocks: Sequence[Block], epsilons: Sequence[float], log_error: float, shares: Floats
) -> tuple[ProfilePoint, ...]:
    """Lower bounds of delta at each of the epsilons; each holds except with the given error."""
    points = []
    for epsilon in epsilons:
        delta = delta_low(blocks, float(np.exp(epsilon)), log_error=log_error, shares=shares)
        points.append(ProfilePoint(epsilon, delta))
    return tuple(points)
