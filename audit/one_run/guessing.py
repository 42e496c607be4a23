"""What the coins revealed so far say about the next canary: several ways to expect it, weighed by how they did.

Each way (an expert) gives a probability that the canary is in, from its features and the coins of the canaries before
it. The mixture weighs each by the probability that it gave to all coins so far, so that in the logarithm of the wealth
it loses at most ln(number of experts) against the best of them, which nobody needs to know.
"""

from collections.abc import Iterator

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from crowdproof.audit.one_run.comparing import Compared, Floats

BINS = 8
"""Parts of equal size that the values of a feature are cut into: few enough to learn of each from a hundred
canaries."""
PRIOR = 0.25
"""What is counted for either side before the first coin. Measured: with a half, as Krichevsky and Trofimov have it, a
release that tells of 60 canaries gives about 2% less evidence."""
FAR = 700.0
"""Of a logarithm of odds: e^700 is still a float, and no odds are so large."""


def _cells(compared: Compared) -> Iterator[NDArray[np.int64]]:
    """For each expert the cell of each canary: canaries in one cell are expected to be alike.

    Canaries of two kinds are never in one cell: the same value in a release says something else of either.
    """
    kinds = np.unique(compared.kinds, return_inverse=True)[1].astype(np.int64)
    codes = [_binned(values) for values in compared.matrix]
    yield kinds
    for each in codes:
        yield kinds * BINS + each
    if len(codes) > 1:
        yield np.unique(np.array([kinds, *codes]), axis=1, return_inverse=True)[1].reshape(-1)


def _binned(values: Floats) -> NDArray[np.int64]:
    """The different values where they are few, and else parts of equal size."""
    different, codes = np.unique(values, return_inverse=True)
    if len(different) <= BINS:
        return codes.reshape(-1).astype(np.int64)
    cuts = np.unique(np.quantile(values, np.arange(1, BINS) / BINS))
    return np.searchsorted(cuts, values, side="right").astype(np.int64)


@define(eq=False)
class Learner:
    """Expects canaries one after the other; each coin is told after its canary was bet on.

    An expert expects a canary by what was seen of others in the same cell. That the cell tells nothing, and that it has
    a tendency, are taken to be equally likely at first. So a cell in which a few coins happened to be alike is hardly
    bet on.
    """

    cells: NDArray[np.int64]
    """By expert and canary; no two experts share a cell."""
    counts: Floats = field(init=False)
    """How many coins did not come up and did, by cell."""
    leaning: Floats = field(init=False)
    """ln of how much likelier the coins of a cell are by its tendency than by fair coins."""
    log_weights: Floats = field(init=False)
    """ln of the probability that each expert gave to all coins so far."""

    def __attrs_post_init__(self) -> None:
        size = int(self.cells.max(initial=0)) + 1
        self.counts, self.leaning = np.full((size, 2), PRIOR), np.zeros(size)
        self.log_weights = np.zeros(len(self.cells))

    @classmethod
    def of(cls, compared: Compared) -> "Learner":
        """One that goes by these features."""
        numbered, size = [], 0
        for cells in _cells(compared):
            numbered.append(size + cells)
            size += int(cells.max(initial=0)) + 1
        return cls(np.array(numbered))

    def expected(self, canary: int) -> float:
        """The probability that this canary is in, as far as the coins so far tell."""
        opinions, _ = self._opinions(canary)
        weights = np.exp(self.log_weights - self.log_weights.max())
        return float(weights @ opinions / weights.sum())

    def _opinions(self, canary: int) -> tuple[Floats, Floats]:
        """The probability that it is in, to each expert, and the same by the tendency of its cell."""
        cells = self.cells[:, canary]
        out, inside = self.counts[cells].T
        tendency = inside / (out + inside)
        trust = 1 / (1 + np.exp(-np.minimum(self.leaning[cells], FAR)))
        return trust * tendency + (1 - trust) / 2, tendency

    def told(self, canary: int, *, inside: bool) -> None:
        """Learn the coin of a canary."""
        opinions, tendency = self._opinions(canary)
        cells = self.cells[:, canary]
        self.log_weights += np.log(opinions if inside else 1 - opinions)
        self.leaning[cells] += np.log(2 * (tendency if inside else 1 - tendency))
        self.counts[cells, int(inside)] += 1
