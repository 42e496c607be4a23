"""The mechanisms on which auditors of differential privacy are compared, right and wrong, with what is true of them.

`a` is the vector of query answers, e = 0.1, Lap(b) is Laplace noise of scale b and Exp(b) exponential noise of mean b.
Noisy numbers are released on a grid of 2**-20: a naive sum of doubles has holes that tell more than the noise allows,
which our auditor finds and the others do not look for.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.audit.request import Pair
from crowdproof.claims import Neighbours

Floats: TypeAlias = NDArray[np.float64]
Rng: TypeAlias = np.random.Generator
E = 0.1
GRID = 2.0**20
BELOW, STOPPED = -np.inf, np.nan
"""What a sparse-vector mechanism that releases numbers says below the threshold, and after it has stopped."""


@frozen
class Standard:
    """A mechanism given by its vectorised form."""

    name: str
    run: Callable[[Floats, Rng, int], Any]

    def batch(self, data: Floats, rng: Rng, size: int) -> Any:
        """Many runs."""
        return self.run(data, rng, size)

    def __call__(self, data: Floats, rng: Rng) -> Any:
        """One run."""
        return self.run(data, rng, 1)[0]


def _grid(values: Floats) -> Floats:
    return np.asarray(np.round(values * GRID) / GRID)


def laplace(scale: float) -> Callable[[Floats, Rng, int], Floats]:
    """a0 + Lap(scale)."""
    return lambda a, rng, size: _grid(a[0] + rng.laplace(0, scale, size))


def truncated_geometric(a: Floats, rng: Rng, size: int) -> Floats:
    """a0 plus two-sided geometric noise of ratio 1 + 2**-3, clamped to 0..5: e rounded up to a power of two."""
    noise = rng.geometric(1 / 9, size) - rng.geometric(1 / 9, size)
    return np.clip(a[0] + noise, 0, 5)


def noisy_hist(scale: float) -> Callable[[Floats, Rng, int], Floats]:
    """A + Lap(scale) for each cell."""
    return lambda a, rng, size: _grid(a + rng.laplace(0, scale, (size, len(a))))


def _noise(kind: str, scale: float, rng: Rng, shape: tuple[int, int]) -> Floats:
    return rng.laplace(0, scale, shape) if kind == "laplace" else rng.exponential(scale, shape)


def noisy_arg_max(kind: str) -> Callable[[Floats, Rng, int], Any]:
    """The place of the largest of a + noise of scale 2/e."""
    return lambda a, rng, size: (a + _noise(kind, 2 / E, rng, (size, len(a)))).argmax(1)


def noisy_max(kind: str) -> Callable[[Floats, Rng, int], Floats]:
    """The largest of a + noise of scale 2/e itself: wrong."""
    return lambda a, rng, size: _grid((a + _noise(kind, 2 / E, rng, (size, len(a)))).max(1))


@frozen
class Sparse:
    """The sparse vector technique: is a_i + Lap(noise) >= threshold + Lap(rho)? Stops after `stop` positives."""

    threshold: float
    rho: float
    noise: float
    stop: int | None = 1
    numbers: bool = False
    """Release the noisy answer itself when it is above: wrong."""
    renew: bool = False
    """Draw the threshold's noise anew after each positive."""

    def __call__(self, a: Floats, rng: Rng, size: int) -> Floats:
        """1 above, 0 below, -1 after the stop; or numbers."""
        rho = rng.laplace(0, self.rho, size)
        noisy = a + (rng.laplace(0, self.noise, (size, len(a))) if self.noise else np.zeros((size, len(a))))
        above = self._renewed(noisy, rho, rng) if self.renew else noisy >= (self.threshold + rho)[:, None]
        released = np.where(above, _grid(noisy), BELOW) if self.numbers else above.astype(float)
        if self.stop is None:
            return released
        before = np.cumsum(above, axis=1) - above
        return np.where(before >= self.stop, STOPPED if self.numbers else -1.0, released)

    def _renewed(self, noisy: Floats, rho: Floats, rng: Rng) -> NDArray[np.bool_]:
        above = np.zeros(noisy.shape, bool)
        for place in range(noisy.shape[1]):
            above[:, place] = noisy[:, place] >= self.threshold + rho
            rho = np.where(above[:, place], rng.laplace(0, self.rho, len(rho)), rho)
        return above


def prefix_sum(a: Floats, rng: Rng, size: int) -> Floats:
    """Cumulative sums of a_i + Lap(1/e)."""
    return _grid(np.cumsum(a + rng.laplace(0, 1 / E, (size, len(a))), axis=1))


BLOOM = {0: (0, 3, 7, 12), 1: (0, 5, 9, 17), 2: (1, 5, 9, 14)}
"""The bits that 4 hashes set in a filter of 20, for each value: 0 and 1 differ in six."""
FLIP = 0.95


def one_time_rappor(a: Floats, rng: Rng, size: int) -> Floats:
    """The Bloom filter of a0, each bit replaced by a fair coin with probability 0.95."""
    bits = np.zeros(20)
    bits[list(BLOOM[int(a[0])])] = 1
    chance = FLIP / 2 + (1 - FLIP) * bits
    return (rng.random((size, 20)) < chance).astype(float)


def _pair(left: list[float], right: list[float], origin: str) -> Pair:
    return Pair(np.array(left, float), np.array(right, float), Neighbours.REPLACE, origin)


def one_differs(width: int) -> list[Pair]:
    """Ones, against one answer that is smaller or larger by 1."""
    rest = [1.0] * (width - 1)
    return [_pair([1.0, *rest], [first, *rest], f"first answer 1 against {first:g}") for first in (0.0, 2.0)]


def all_may_differ(width: int) -> list[Pair]:
    """The eight usual patterns of answers that each differ by at most 1."""
    ones, half = [1.0] * width, width // 2
    rest = width - 1
    against = {
        "one below": [0.0] + [1.0] * rest,
        "one above": [2.0] + [1.0] * rest,
        "one above, rest below": [2.0] + [0.0] * rest,
        "one below, rest above": [0.0] + [2.0] * rest,
        "half above, half below": [2.0] * half + [0.0] * (width - half),
        "all above": [2.0] * width,
        "all below": [0.0] * width,
    }
    crossed = _pair([1.0] * half + [0.0] * (width - half), [0.0] * half + [1.0] * (width - half), "crossed")
    return [*(_pair(ones, other, name) for name, other in against.items()), crossed]


@frozen
class Subject:
    """A mechanism, the pairs to search, the supremum of epsilon over them, and what the peers measured."""

    mechanism: Standard
    pairs: list[Pair]
    truth: float
    sniper: tuple[float, float] | None
    """DP-Sniper's bound at 90% confidence and its calls."""
    statdp: tuple[float, float] | None
    """StatDP's bound at 95% confidence and its calls."""

    @property
    def name(self) -> str:
        """The mechanism's."""
        return self.mechanism.name


def _subject(
    name: str,
    run: Callable[[Floats, Rng, int], Any],
    pairs: list[Pair],
    truth: float,
    **peers: tuple[float, float] | None,
) -> Subject:
    return Subject(Standard(name, run), pairs, truth, peers.get("sniper"), peers.get("statdp"))


SUBJECTS = (
    _subject("Laplace", laplace(1 / E), one_differs(1), E, sniper=(0.0967, 4e7), statdp=(0.0958, 1.0e7)),
    _subject(
        "TruncatedGeometric",
        truncated_geometric,
        one_differs(1),
        math.log(9 / 8),
        sniper=(0.1083, 4e7),
        statdp=(0.1136, 1.2e7),
    ),
    _subject("NoisyHist1", noisy_hist(1 / E), one_differs(5), E, sniper=(0.0817, 4e7), statdp=(0.0957, 1.0e7)),
    _subject("NoisyHist2", noisy_hist(E), one_differs(5), 1 / E, sniper=(4.5985, 4e7), statdp=(9.775, 1.9e7)),
    _subject(
        "ReportNoisyMax1",
        noisy_arg_max("laplace"),
        all_may_differ(5),
        0.0946,
        sniper=(0.0844, 1e8),
        statdp=(0.0857, 1.8e7),
    ),
    _subject("ReportNoisyMax2", noisy_arg_max("exponential"), all_may_differ(5), E),
    _subject(
        "ReportNoisyMax3", noisy_max("laplace"), all_may_differ(5), 0.25, sniper=(0.2423, 1e8), statdp=(0.1923, 2.0e7)
    ),
    _subject(
        "ReportNoisyMax4",
        noisy_max("exponential"),
        all_may_differ(5),
        math.inf,
        sniper=(0.3402, 1e8),
        statdp=(0.1908, 2.0e7),
    ),
    _subject(
        "SVT1",
        Sparse(0.5, 2 / E, 4 / E),
        all_may_differ(10),
        0.0885,
        sniper=(0.0350, 1e8),
        statdp=(0.0572, 1.8e7),
    ),
    _subject("SVT2", Sparse(0.5, 4 / E, 8 / E, stop=2, renew=True), all_may_differ(10), E),
    _subject(
        "SVT3",
        Sparse(1.0, 2 / E, 2 / E, numbers=True),
        all_may_differ(10),
        0.5,
        sniper=(0.1632, 3e7),
        statdp=(0.1412, 1.8e7),
    ),
    _subject(
        "SVT4",
        Sparse(1.0, 4 / E, 4 / (3 * E)),
        all_may_differ(10),
        0.1725,
        sniper=(0.0934, 3e7),
        statdp=(0.1364, 2.0e7),
    ),
    _subject(
        "SVT5",
        Sparse(1.0, 2 / E, 0.0, stop=None),
        all_may_differ(10),
        math.inf,
        sniper=(1.7459, 3e7),
        statdp=(9.486, 4.1e7),
    ),
    _subject(
        "SVT6",
        Sparse(1.0, 2 / E, 2 / E, stop=None),
        all_may_differ(10),
        0.42,
        sniper=(0.2546, 3e7),
        statdp=(0.2637, 2.0e7),
    ),
    _subject("PrefixSum", prefix_sum, all_may_differ(10), 1.0, sniper=(0.4616, 3e7)),
    _subject("OneTimeRAPPOR", one_time_rappor, one_differs(1), 6 * math.log(1.05 / 0.95), sniper=(0.5850, 1.2e7)),
)
"""All of them. SVT2 and ReportNoisyMax2 have no measured peers; for them e is an upper bound of the truth."""

HALF = _subject("Laplace, e = 0.5", laplace(2.0), one_differs(1)[:1], 0.5)
"""For peers that are given the pair."""


def main() -> None:
    """Print what is known of each."""
    for each in SUBJECTS:
        print(f"{each.name:20} {len(each.pairs)} pairs, epsilon at most {each.truth:.4g}")
