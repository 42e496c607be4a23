"""What a shuffle of the rows within their blocks does to a statistic: its mean, its variance and its tail."""

import math

import numpy as np
from attrs import frozen

DRAWS = 100_000
"""Shuffles that confirm an alarm: enough for sixty tests. Of more, only those that the bound confirms are alarms."""


@frozen
class Statistic:
    """A number that is worked out from the scores of the rows in their order, with its law after a shuffle."""

    column: str
    what: str
    scores: np.ndarray
    kind: str
    """trend, alike or neighbours."""
    is_usual: bool = True
    """Whether it is one of the usual tests, which have the larger part of the error."""

    def deviations(self, blocks: np.ndarray) -> float | None:
        """How many standard deviations it is from its mean; None where a shuffle within the blocks changes nothing."""
        centred = _centred(self.scores, blocks)
        if not centred.any():
            return None
        mean, variance = self.moments(centred, blocks)
        if variance <= 0:
            return 0.0
        return (self._value(centred, blocks) - mean) / math.sqrt(variance)

    def _value(self, centred: np.ndarray, blocks: np.ndarray) -> float:
        if self.kind == "trend":
            return float(centred @ np.arange(len(centred), dtype=float))
        same = np.diff(blocks) == 0
        if self.kind == "alike":
            return float(np.count_nonzero((self.scores[1:] == self.scores[:-1]) & same))
        return float((centred[1:] * centred[:-1])[same].sum())

    def moments(self, centred: np.ndarray, blocks: np.ndarray) -> tuple[float, float]:
        """Mean and variance after a shuffle, with the scores less the mean of their block."""
        return _moments_of_alike(self.scores, blocks) if self.kind == "alike" else _moments(self.kind, centred, blocks)

    def tail(self, deviations: float, blocks: np.ndarray) -> float:
        """How often a shuffle is as far from the mean, at most.

        By Bernstein's inequality, 2 exp(-d^2 / 2 (V + b d / 3)) with d the distance, V the variance and b the largest
        step. Two rare cells that meet are many standard deviations from the mean and not unlikely: b is large then. A
        trend is a sum over random places, whose tail is below that of the normal law: b is 0.
        """
        centred = _centred(self.scores, blocks)
        _, variance = self.moments(centred, blocks)
        largest = {"trend": 0.0, "alike": 1.0, "neighbours": float((centred**2).max())}[self.kind]
        spread = 1 + largest * abs(deviations) / (3 * math.sqrt(variance))
        return min(1.0, 2 * math.exp(-(deviations**2) / (2 * spread)))


def _centred(scores: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """The scores less the mean of their block."""
    if blocks[-1] == 0:
        return np.asarray(scores - scores.mean())
    sizes = np.bincount(blocks)
    means = np.bincount(blocks, weights=scores) / sizes
    found: np.ndarray = scores - means[blocks]
    return found


def value(kind: str, scores: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """The statistic of each row of scores."""
    same = np.diff(blocks) == 0
    found: np.ndarray
    if kind == "alike":
        found = ((scores[:, 1:] == scores[:, :-1]) & same).sum(axis=1).astype(float)
        return found
    if kind == "trend":
        found = scores @ _centred(np.arange(len(blocks), dtype=float), blocks)
        return found
    sizes = np.bincount(blocks)
    means = np.bincount(blocks, weights=scores[0]) / sizes
    centred = scores - means[blocks]
    found = (centred[:, 1:] * centred[:, :-1] * same).sum(axis=1)
    return found


def _moments(kind: str, centred: np.ndarray, blocks: np.ndarray) -> tuple[float, float]:
    """Mean and variance after a shuffle within the blocks; of `neighbours` the variance for large blocks."""
    n = np.bincount(blocks).astype(float)
    squares = np.bincount(blocks, weights=centred**2)
    wide = n > 1
    if kind == "trend":
        places = (n**3 - n) / 12
        return 0.0, float((squares[wide] * places[wide] / (n[wide] - 1)).sum())
    pairs = (n == 2)[blocks]
    fourth = float((centred[pairs] ** 4).sum())
    return float(-(squares[wide] / n[wide]).sum()), float((squares[wide] ** 2 / n[wide]).sum()) + fourth


def _moments_of_alike(codes: np.ndarray, blocks: np.ndarray) -> tuple[float, float]:
    """The exact mean and variance of the number of neighbours that are alike, summed over the blocks.

    With I_i = [rows i and i+1 are alike], A = sum n_g (n_g - 1), B = sum n_g (n_g - 1)(n_g - 2) and N rows in a block:
    E[I_i] = A / (N (N-1)), E[I_i I_(i+1)] = B / (N (N-1)(N-2)), and for |i - j| > 1
    E[I_i I_j] = (A^2 - 4 B - 2 A) / (N (N-1)(N-2)(N-3)): ordered pairs of pairs without a common row.
    """
    width = int(codes.max()) + 1
    pairs, sizes = np.unique(blocks * width + codes.astype(np.int64), return_counts=True)
    owners, sizes = pairs // width, sizes.astype(float)
    n = np.bincount(blocks).astype(float)
    a = np.bincount(owners, weights=sizes * (sizes - 1), minlength=len(n))
    b = np.bincount(owners, weights=sizes * (sizes - 1) * (sizes - 2), minlength=len(n))
    mean = a / n
    second = mean.copy()
    three, four = n > 2, n > 3
    second[three] += 2 * b[three] / (n[three] * (n[three] - 1))
    second[four] += (a[four] ** 2 - 4 * b[four] - 2 * a[four]) / (n[four] * (n[four] - 1))
    return float(mean.sum()), float((second - mean**2).sum())


def adjacent_alike(sizes: np.ndarray) -> tuple[float, float]:
    """Mean and variance of the number of neighbours of the same group after a shuffle of all rows.

    >>> mean, variance = adjacent_alike(np.array([2, 1]))  # of AAB, ABA, BAA two have one such place
    >>> round(mean, 6), round(variance, 6)
    (0.666667, 0.222222)
    """
    codes = np.repeat(np.arange(len(sizes)), sizes).astype(float)
    return _moments_of_alike(codes, np.zeros(len(codes), dtype=np.int64))


def shuffled(test: Statistic, blocks: np.ndarray, z: float) -> float:
    """How often shuffles within the blocks are as far from the mean, the release itself counted."""
    mean, variance = test.moments(_centred(test.scores, blocks), blocks)
    distance = abs(z) * math.sqrt(variance) * (1 - 1e-9)
    rng, far, step = np.random.default_rng(0), 0, max(1, 2_000_000 // len(blocks))
    for start in range(0, DRAWS, step):
        draws = min(step, DRAWS - start)
        order = np.argsort(blocks + rng.random((draws, len(blocks))) * 0.999, axis=1)
        far += int((np.abs(value(test.kind, test.scores[order], blocks) - mean) >= distance).sum())
    return (1 + far) / (1 + DRAWS)
