"""Numbers cut into steps at their quantiles, and how clearly two samples of steps differ."""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]
Numbers: TypeAlias = NDArray[np.float64] | NDArray[np.int64]


def step_edges(values: Floats, *, fine: bool) -> Floats:
    """Edges at the quantiles, closer together towards both tails; a frequent value has a step of its own."""
    values = np.sort(values[~np.isnan(values)])
    if not len(values) or values[0] == values[-1]:
        return np.array([])
    atoms = _frequent(values, len(values) // 40 + 1)
    rest = values[~np.isin(values, atoms)] if len(atoms) else values
    places = (quantiles(len(rest), 48 if fine else 16) * (len(rest) - 1)).astype(np.intp)
    with np.errstate(over="ignore"):  # the next number after the largest is infinity
        after = np.nextafter(atoms, np.inf)
    edges = np.unique(np.concatenate([rest[places] if len(rest) else rest, atoms, after]))
    return np.asarray(edges[(edges > values[0]) & (edges <= values[-1])])


def _frequent(ordered: Floats, least: int) -> Floats:
    """Values that come at least so often: such a run must cover one of every `least` places."""
    seen = np.unique(ordered[::least])
    runs = np.searchsorted(ordered, seen, side="right") - np.searchsorted(ordered, seen, side="left")
    return np.asarray(seen[runs >= least])


def quantiles(size: int, inner: int) -> Floats:
    """Evenly spread probabilities, and powers of one half in both tails as far as `size` outputs can tell."""
    deepest = max(int(np.log2(max(size / 8, 1))), 1)
    tail = 0.5 ** np.arange(1, deepest + 1)
    return np.unique(np.concatenate([np.linspace(0, 1, inner + 1), tail, 1 - tail]))


def clarity(excess: Numbers, runs: Numbers, spread: float) -> float:
    """How far from chance the excesses of steps are: over all steps, or as a trend, in standard errors.

    `excess` sums, for each of `runs` outputs on a step, a number with mean 0 and variance `spread` under chance.
    """
    used = runs > 0
    free = int(used.sum()) - 1
    if free < 1:
        return -math.inf
    excess, runs = excess[used], runs[used]
    over_all = (float((excess**2 / runs).sum()) / spread - free) / math.sqrt(2 * free)
    middle = np.cumsum(runs) - runs / 2
    middle = middle - (runs * middle).sum() / runs.sum()
    trend = float(excess @ middle) ** 2 / (spread * float(runs @ middle**2))
    return max(over_all, (trend - 1) / math.sqrt(2))
