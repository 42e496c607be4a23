"""Exact laws of some of the standard mechanisms, on cells that keep all that the best test of a pair looks at."""

from collections.abc import Callable
from functools import reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.standard import BLOOM, FLIP, SUBJECTS, E, Subject

Floats: TypeAlias = NDArray[np.float64]
Law: TypeAlias = Callable[[Floats], Floats]

GRID = np.linspace(-1, 1, 400_001)
"""Points of an integral, in units of its range."""
RUNS = 1_000_000
"""Runs of a mechanism that its law is compared with."""


def below(noise: Floats, scale: float) -> Floats:
    """Probability that Laplace noise of this scale is below."""
    tail = 0.5 * np.exp(-np.abs(noise) / scale)
    return np.asarray(np.where(noise < 0, tail, 1 - tail))


def laplace_law(scale: float) -> Law:
    """The first number: the others of a histogram are alike on both sides."""
    edges = np.unique(np.concatenate([np.linspace(-12, 12, 241) * scale, np.arange(-1.0, 4.0)]).round(9))
    return lambda data: np.diff(below(edges - data[0], scale), prepend=0.0, append=1.0)


def _truncated_geometric(data: Floats) -> Floats:
    """Two-sided geometric noise of ratio 8/9, clamped to 0..5."""
    noise = np.arange(-2000, 2001)
    chance = (1 / 17) * (8 / 9) ** np.abs(noise)
    return np.bincount(np.clip(data[0] + noise, 0, 5).astype(np.intp), chance)


def noisy_arg_max(data: Floats, scale: float = 2 / E) -> Floats:
    """Laplace noise of this scale; an integral over where the largest is."""
    at = GRID * 40 * scale
    under = below(at - data[:, None], scale)
    density = np.exp(-np.abs(at - data[:, None]) / scale) / (2 * scale)
    others = [np.delete(under, place, axis=0).prod(0) for place in range(len(data))]
    return np.array([np.trapezoid(one * rest, at) for one, rest in zip(density, others, strict=True)])


def sparse_law(threshold: float, rho: float, noise: float) -> Law:
    """Where the first answer above is, or nowhere; an integral over the noise of the threshold."""

    def law(data: Floats) -> Floats:
        at = GRID * 40 * rho
        density = np.exp(-np.abs(at) / rho) / (2 * rho)
        under = below(threshold + at - data[:, None], noise)
        reached = np.cumprod(np.concatenate([np.ones((1, len(at))), under]), axis=0)
        stopped = np.concatenate([1 - under, np.ones((1, len(at)))])
        return np.asarray(np.trapezoid(density * reached * stopped, at, axis=1))

    return law


def _one_time_rappor(data: Floats) -> Floats:
    """All values of the filter."""
    bits = np.isin(np.arange(20), BLOOM[int(data[0])])
    chance = FLIP / 2 + (1 - FLIP) * bits
    return np.asarray(reduce(np.multiply.outer, np.stack([1 - chance, chance], axis=1)).ravel())


LAWS: dict[str, Law] = {
    "Laplace": laplace_law(1 / E),
    "TruncatedGeometric": _truncated_geometric,
    "NoisyHist1": laplace_law(1 / E),
    "NoisyHist2": laplace_law(E),
    "ReportNoisyMax1": noisy_arg_max,
    "SVT4": sparse_law(1.0, 4 / E, 4 / (3 * E)),
    "OneTimeRAPPOR": _one_time_rappor,
}


def _answer(outputs: Floats) -> Floats:
    """The cell of each output of those mechanisms whose outputs are few: a number, or how many answers were below."""
    return outputs if outputs.ndim == 1 else (outputs == 0).sum(1)


def main() -> None:
    """Print how far runs of the mechanisms are from their laws, by the worst cell over all pairs."""
    for subject in SUBJECTS:
        if subject.name in ("TruncatedGeometric", "ReportNoisyMax1", "SVT4"):
            worst = max(_off(subject, pair.right, place) for place, pair in enumerate(subject.pairs))
            print(f"{subject.name:20} {len(subject.pairs)} datasets, the worst cell is {worst:.1f} standard errors off")


def _off(subject: Subject, data: Floats, seed: int) -> float:
    law = LAWS[subject.name](data)
    cells = _answer(np.asarray(subject.mechanism.batch(data, np.random.default_rng(seed), RUNS)))
    seen = np.bincount(cells.astype(np.intp), minlength=len(law))
    return float(np.abs((seen - RUNS * law) / np.sqrt(RUNS * law * (1 - law))).max())
