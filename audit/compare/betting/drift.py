"""Signs that runs are not what a test by betting takes them for: they drift, or they share their noise.

Where a coin decides on which dataset each run is, a drift of the target favours neither. Where the runs on a dataset
were made together, a drift would look like a difference between the datasets. So there the first half of the releases
of each dataset is compared with the second half, and each release with the next: of independent runs the halves differ
by chance only, and a release says nothing of the next.

With coins a target may drift as it likes, but the claim has to hold for each run given those before. It does not where
runs that are made close together share their noise, since it is seeded by the clock or kept for a time: the first of
them shows what the others will be. Then a release is nearly always the same as the one before on the same dataset, and
far less often the same as one long ago.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from crowdproof.audit.releases import Numbers, Releases, reader_for

Floats: TypeAlias = NDArray[np.float64]

DRIFT = (
    "The releases of one dataset changed in the course of the audit, though its runs were declared to be independent. "
    "So a difference between the datasets may be one between earlier and later runs. Audit the target without a method "
    "batch, so that a coin decides on which dataset each run is, or give outputs that were made in random order."
)
"""What a finding says where a drift was seen."""
SHARED = (
    "Runs that were made one after the other nearly always gave the same release, and runs that were further apart did "
    "not: it looks as if they share their noise, which is seeded by the clock or kept for a time. What is learned from "
    "one run then tells the next, whatever the claim. Let each run draw noise of its own, and audit it again."
)
"""What a finding says where runs seem to share their noise."""
SPLIT = 8
"""Runs share their noise where releases next to each other differ in one part in so many, or less, of the cases in
which releases far apart do. Bets are chosen before blocks of 16 runs on either side or more, so noise that is shared by
fewer runs than that is not learned in time; half of it leaves a margin."""
ERROR = 1e-4
"""An audit of runs that are independent is left undecided with at most this probability.

It is larger than the error of a refutation: a drift that is missed may refute a true claim, and one that is imagined
only asks for other runs. The number is a guess between the two.
"""
LEAST = 64
"""Releases of a dataset below which no drift is looked for: the p-values are those of large samples, and halves of
fewer than some thirty releases are small ones."""
MOST = 20_000
"""Releases of a dataset that are looked at, the first and the last of those that were kept. A guess: more take time,
and with fewer a slow drift is missed."""
TRAITS = 16
"""Features that are compared. A guess: the error is divided among them, so that more leave too little for each, and
with fewer the one that drifts may not be among them."""


def drifts(sides: Sequence[Releases]) -> bool:
    """Whether the releases of some dataset, in the order of their runs, show a drift."""
    chances = [chance for releases in sides for chance in _chances(releases)]
    return bool(chances) and min(chances) * len(chances) < ERROR


def shared_noise(sides: Sequence[NDArray[np.intp]]) -> bool:
    """Whether releases of some dataset are like their neighbours as only runs with one noise are.

    Each side is the bins of its releases in the order of their runs: what the bets look at, and nothing else.
    """
    return any(_shared(each) for each in sides)


def _shared(bins: NDArray[np.intp]) -> bool:
    """The same of one dataset.

    That so few neighbours differ must not be chance: for independent runs their number is about binomial.
    """
    if len(bins) < LEAST:
        return False
    _, counts = np.unique(bins, return_counts=True)
    shares = counts / len(bins)
    far = 1 - float(shares @ shares)
    pairs, differing = len(bins) - 1, int(np.count_nonzero(bins[1:] != bins[:-1]))
    surprise = (differing - pairs * far) / max((pairs * far * (1 - far)) ** 0.5, 1.0)
    return differing * SPLIT < pairs * far and float(ndtr(surprise)) < ERROR


def _chances(releases: Releases) -> Iterator[float]:
    """The probability of so clear a sign of drift by chance, feature by feature and test by test."""
    if len(releases) < LEAST:
        return
    size = min(len(releases), MOST)
    both = Releases.joined([releases[: size // 2], releases[len(releases) - (size - size // 2) :]])
    reader = reader_for(both)
    features = [feature for feature in reader.candidates(both) if feature[0] not in {"bit", "grain"}][:TRAITS]
    for column in reader.columns(both, features):
        yield from _differences(column, size // 2)
    if isinstance(reader, Numbers) and both.others:
        yield from _differences(np.array([place in both.others for place in range(size)], float), size // 2)


def _differences(column: Floats, half: int) -> Iterator[float]:
    """How likely by chance the two halves of a column differ so much, and neighbours are so much alike."""
    from scipy.stats import ks_2samp, mannwhitneyu  # noqa: PLC0415  (slow to load, and most audits need none of it)

    first, second = (part[~np.isnan(part)] for part in (column[:half], column[half:]))
    if min(len(first), len(second)) < LEAST // 4 or min(first.min(), second.min()) == max(first.max(), second.max()):
        return
    yield float(mannwhitneyu(first, second, method="asymptotic").pvalue)
    yield float(ks_2samp(first, second, method="asymp").pvalue)
    yield _alike(np.concatenate([first, second]))


def _alike(values: Floats) -> float:
    """The probability that ranks of independent numbers go along with those of their neighbours so much.

    Their correlation is about normal with variance one over the number of pairs.
    """
    from scipy.stats import rankdata  # noqa: PLC0415  (slow to load, and most audits need none of it)

    ranks = rankdata(values)
    ranks = ranks - ranks.mean()
    correlation = float(ranks[1:] @ ranks[:-1]) / float(ranks @ ranks)
    return float(2 * ndtr(-abs(correlation) * len(ranks) ** 0.5))
