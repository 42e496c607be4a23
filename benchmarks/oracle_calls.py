"""Calls to refute a claim that is 30% too good, on thirteen mechanisms, as a ratio to an oracle's.

The oracle knows the best pair and the best event, and runs the likelihood-ratio test of that event at the size at which
it refutes in half of all cases. `python -m benchmarks oracle_calls 100` makes 100 audits of each mechanism.
"""

import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import rel_entr
from scipy.stats import norm

from benchmarks import laws
from benchmarks.standard import Rng, Sparse, Standard, all_may_differ, laplace, one_differs
from crowdproof.audit.compare.betting import sequential_audit
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.runners.cores import Cores
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import Neighbours, Point

Floats: TypeAlias = NDArray[np.float64]

ERROR = Fraction(1, 10**6)
EXCESS = 0.3
AUDITS = 25
DELTA = 1e-3
MOST_CALLS = 60
"""An audit is given up at so many times the oracle's calls."""


@frozen(eq=False)
class Case:
    """A mechanism, its pairs, and its exact law on the cells of its output."""

    mechanism: Standard
    pairs: Sequence[Pair]
    law: Callable[[Floats], Floats]
    delta: float = 0.0

    @property
    def sides(self) -> list[tuple[Floats, Floats]]:
        """The laws of both datasets of each pair, in both orders."""
        found = [(self.law(pair.left), self.law(pair.right)) for pair in self.pairs]
        return [*found, *(side[::-1] for side in found)]

    def epsilon(self) -> float:
        """The smallest epsilon that holds at this delta on these pairs."""
        if self.delta == 0:
            return max(float(np.log(heavy / light).max()) for heavy, light in self.sides)
        return max(
            float(brentq(lambda e, p=p, q=q: np.maximum(p - math.exp(e) * q, 0).sum() - self.delta, 0, 50))
            for p, q in self.sides
        )


def oracle(case: Case, claim: float) -> float:
    """Calls of the best fixed-size test of the best event over all pairs."""
    x = math.exp(claim)
    events = (event for heavy, light in case.sides for event in _events(heavy, light))
    return min(_calls(p, q, x, case.delta) for p, q in events)


def _events(heavy: Floats, light: Floats) -> list[tuple[float, float]]:
    """Probabilities on both sides of the events that a likelihood-ratio test may choose from."""
    place = np.unique(np.round(np.log(light / heavy), 6), return_inverse=True)[1]
    p, q = np.cumsum(np.bincount(place, heavy)), np.cumsum(np.bincount(place, light))
    chosen = np.unique(np.linspace(0, len(p) - 2, 400).astype(int)) if len(p) > 1 else []
    return [(float(p[each]), float(q[each])) for each in chosen]


def _calls(p: float, q: float, x: float, delta: float) -> float:
    """Both sides together; see `benchmarks.power`."""
    if p <= x * q + delta:
        return math.inf

    def distance(edge: float) -> float:
        return _kl(p, x * edge + delta) + _kl(q, edge)

    bounds = (q, (min(p, 1 - 1e-12) - delta) / x)
    nearest = minimize_scalar(distance, bounds=bounds, method="bounded", options={"xatol": 1e-12})
    return float(norm.isf(float(ERROR))) ** 2 / float(nearest.fun)


def _kl(p: float, q: float) -> float:
    return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


def _pair(left: Sequence[float], right: Sequence[float]) -> Pair:
    return Pair(np.array(left, float), np.array(right, float), Neighbours.REPLACE, "neighbours")


def _choice(weights: Callable[[Floats], Floats]) -> tuple[Callable[[Floats, Rng, int], Any], laws.Law]:
    """A mechanism that chooses one of finitely many, and its law."""

    def run(data: Floats, rng: Rng, size: int) -> Any:
        chance = weights(data)
        return rng.choice(len(chance), size, p=chance / chance.sum())

    return run, lambda data: weights(data) / weights(data).sum()


def _noisy_max_law(data: Floats, scale: float) -> Floats:
    edges = np.linspace(-12 * scale, 16 * scale, 4001)
    below = laws.below(edges - data[:, None], scale).prod(0)
    return np.diff(below, prepend=0.0, append=1.0)


def _exponential_arg_max_law(data: Floats, scale: float) -> Floats:
    """Permute-and-flip, which is the place of the largest of a + Exp(scale)."""
    at = np.linspace(data.min(), data.max() + 40 * scale, 200_001)
    above = np.clip(at - data[:, None], 0, None) / scale
    below, density = -np.expm1(-above), np.exp(-above) / scale * (at >= data[:, None])
    others = [np.delete(below, place, axis=0).prod(0) for place in range(len(data))]
    found = np.array([np.trapezoid(one * rest, at) for one, rest in zip(density, others, strict=True)])
    return np.asarray(found / found.sum())


def _median_weights(data: Floats) -> Floats:
    """The exponential mechanism for a median of numbers 0..20, by how many numbers would have to change."""
    at = np.arange(21)
    low, high = (data[:, None] < at).sum(0), (data[:, None] <= at).sum(0)
    off = np.maximum(np.maximum(low - len(data) / 2, len(data) / 2 - high), 0)
    return np.exp(-off / 2)


THETA = 0.5
"""How strongly the two numbers of the correlated leak depend on one another: epsilon is ln 3."""


def _correlated(data: Floats, rng: Rng, size: int) -> Floats:
    """Two uniform numbers of density 1 + theta (1 - 2u)(1 - 2v), with the sign of theta by the data."""
    theta = THETA * (1 if data[0] > 0 else -1)
    u, v, w = rng.random((3, size))
    slope = theta * (1 - 2 * u)
    root = np.sqrt((1 + slope) ** 2 - 4 * slope * w)
    return np.stack([u, np.where(np.abs(slope) < 1e-9, v, 2 * w / (1 + slope + root))], axis=1)


def _correlated_law(data: Floats) -> Floats:
    at = (np.arange(300) + 0.5) / 300
    theta = THETA * (1 if data[0] > 0 else -1)
    return np.asarray((1 + theta * np.outer(1 - 2 * at, 1 - 2 * at)).ravel() / 300**2)


GAUSS = np.arange(-60, 61)


def _gauss_weights(data: Floats, sigma: float) -> Floats:
    return np.asarray(np.exp(-((GAUSS - data[0]) ** 2) / (2 * sigma**2)))


def _subsampled(data: Floats, rng: Rng, size: int) -> Floats:
    """A count of rows sampled at 1/5 plus Gaussian noise of deviation 1: with the row it may be one more."""
    return (rng.random(size) < 0.2) * data[0] + rng.normal(0, 1, size)


def _subsampled_law(data: Floats) -> Floats:
    edges = np.linspace(-8, 9, 4001)
    below = 0.8 * norm.cdf(edges) + 0.2 * norm.cdf(edges - data[0])
    return np.maximum(np.diff(below, prepend=0.0, append=1.0), 1e-300)


def _histogram(data: Floats, rng: Rng, size: int) -> Any:
    noise = rng.geometric(1 - math.exp(-1), (2, size, len(data)))
    return data + noise[0] - noise[1]


def _histogram_law(data: Floats) -> Floats:
    """The first cell, since the others are alike on both sides."""
    noise = np.arange(-40, 41)
    chance = np.exp(-np.abs(noise - data[0]))
    return np.asarray(chance / chance.sum())


def cases() -> list[Case]:
    """The thirteen of them."""
    response = _choice(lambda data: np.where(np.arange(10) == data[0], math.e, 1.0))
    exponential = _choice(lambda data: np.exp(data / 2))
    median, gauss = _choice(_median_weights), _choice(partial(_gauss_weights, sigma=2.0))
    flip = partial(_exponential_arg_max_law, scale=2.0)
    ten, five = all_may_differ(10), all_may_differ(5)
    middle = [_pair([3, 5, 8, 10, 12, 15, 18], [3, 5, 8, other, 12, 15, 18]) for other in (0, 20)]
    return [
        Case(Standard("Laplace", laplace(1.0)), one_differs(1), laws.laplace_law(1.0)),
        Case(Standard("ReportNoisyMax1", _arg_max("laplace", 2.0)), five, partial(laws.noisy_arg_max, scale=2.0)),
        Case(Standard("SVT1", Sparse(0.5, 2.0, 4.0)), ten, laws.sparse_law(0.5, 2.0, 4.0)),
        Case(Standard("SVT4, e = 0.5", Sparse(1.0, 8.0, 8 / 3)), ten, laws.sparse_law(1.0, 8.0, 8 / 3)),
        Case(Standard("ReportNoisyMax3, e = 0.5", _largest(4.0)), five, partial(_noisy_max_law, scale=4.0)),
        Case(Standard("response of ten", response[0]), [_pair([0], [1])], response[1]),
        Case(Standard("exponential mechanism", exponential[0]), ten, exponential[1]),
        Case(Standard("permute and flip", _arg_max("exponential", 2.0)), ten, flip),
        Case(Standard("private median", median[0]), middle, median[1]),
        Case(Standard("noisy histogram", _histogram), one_differs(6), _histogram_law),
        Case(Standard("correlated numbers", _correlated), [_pair([1], [0])], _correlated_law),
        Case(Standard("discrete Gaussian", gauss[0]), [_pair([0], [1])], gauss[1], DELTA),
        Case(Standard("subsampled Gaussian", _subsampled), [_pair([1], [0])], _subsampled_law, DELTA),
    ]


def _arg_max(kind: str, scale: float) -> Callable[[Floats, Rng, int], Any]:
    def run(a: Floats, rng: Rng, size: int) -> Any:
        shape = (size, len(a))
        noise = rng.laplace(0, scale, shape) if kind == "laplace" else rng.exponential(scale, shape)
        return (a + noise).argmax(1)

    return run


def _largest(scale: float) -> Callable[[Floats, Rng, int], Floats]:
    return lambda a, rng, size: np.round((a + rng.laplace(0, scale, (size, len(a)))).max(1) * 2**20) / 2**20


@frozen
class Refute:
    """Calls until one case is refuted; a value that can be sent to another process."""

    place: int
    claim: float
    best: float

    def __call__(self, seed: int) -> float:
        """With this seed; infinite where it was not refuted."""
        case = cases()[self.place]
        result = sequential_audit(
            case.pairs,
            case.mechanism,
            [Point(round(self.claim, 6), Fraction(case.delta).limit_denominator(10**9))],
            error=ERROR,
            budget=Budget(runs=int(max(MOST_CALLS * self.best, 1e5))),
            seed=np.random.SeedSequence(seed),
            runner=Inline(),
            bounds=False,
        )
        return float(result.trials) if result.refuted else math.inf


def main(audits: int = AUDITS) -> None:
    """Print one line for each mechanism, and the geometric mean of the medians."""
    print(f"{'mechanism':26}{'epsilon':>8}{'oracle':>10}{'median':>9}{'95th':>8}{'worst':>8}{'us a call':>11}")
    medians = []
    with Cores() as cores:
        for place, case in enumerate(cases()):
            epsilon = case.epsilon()
            claim = epsilon / (1 + EXCESS)
            best, start = oracle(case, claim), time.monotonic()
            ratios = sorted(each / best for each in cores.map(Refute(place, claim, best), range(audits)))
            spent = (time.monotonic() - start) * cores.workers / (sum(ratios) * best) * 1e6
            medians.append(statistics.median(ratios))
            tail = ratios[math.ceil(0.95 * audits) - 1]
            row = f"{medians[-1]:9.2f}{tail:8.2f}{ratios[-1]:8.2f}{spent:11.2f}"
            print(f"{case.mechanism.name:26}{epsilon:8.4f}{best:10.0f}{row}", flush=True)
    print(f"geometric mean of the medians {statistics.geometric_mean(medians):.2f}, worst {max(medians):.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
