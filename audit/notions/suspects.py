"""Rows that may neither blend nor be ignored: each with the dataset in which it sticks out."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.audit.data.rows import kinds, size, take
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.request import Pair, Request
from crowdproof.claims import CrowdBlending, Neighbours
from crowdproof.errors import DataError


@frozen(eq=False)
class Suspect:
    """A dataset and one of its rows. All other rows keep their places, since a target may look at their order."""

    data: Any
    row: int
    kinds: NDArray[np.int64]
    """Equal numbers for equal rows of the dataset."""
    origin: str

    @property
    def kind(self) -> int:
        """The kind of the row."""
        return int(self.kinds[self.row])

    @property
    def counts(self) -> list[int]:
        """How many rows of each kind the dataset holds."""
        return [int(count) for count in np.bincount(self.kinds)]

    def without(self) -> Pair:
        """The dataset against the dataset without the row."""
        right = np.delete(np.arange(len(self.kinds)), self.row)
        return self._pair(right, Neighbours.ADD_REMOVE, "without the row")

    def exchanged(self, other: int) -> Pair:
        """The dataset against the dataset with a row of another kind in place of the row."""
        right = np.arange(len(self.kinds))
        right[self.row] = np.flatnonzero(self.kinds == other)[0]
        return self._pair(right, Neighbours.REPLACE, "with another row in its place")

    def _pair(self, right: NDArray[np.int64], relation: Neighbours, what: str) -> Pair:
        origin = f"{self.origin}: the dataset, against the same {what}"
        return Pair(self.data, take(self.data, right), relation, origin)


def suspects_of(request: Request, claim: CrowdBlending) -> Iterator[Suspect]:
    """Rows to look at: those of the pairs that are given, or else of the user's data and of hand-made datasets."""
    if request.pairs is not None:
        yield from map(_suspect, request.pairs)
        return
    below = _proposals(request, claim, k=max(claim.k - 1, 1))  # where a threshold that is too low shows
    at = _proposals(request, claim, k=claim.k)
    yield from map(_suspect, chain(below.worst_cases(), at.own_data(), at.worst_cases()))


def _proposals(request: Request, claim: CrowdBlending, *, k: int) -> Proposals:
    """Datasets to look at, as for a target whose groups have k rows."""
    return Proposals(request.data, _WithK(k), relation=Neighbours.ADD_REMOVE, epsilon=claim.epsilon, beta=None)


def _suspect(pair: Pair) -> Suspect:
    """The larger dataset of the pair, and the row that the other lacks."""
    numbers, middle = kinds(pair.left, pair.right), size(pair.left)
    whole, own, others = pair.left, numbers[:middle], numbers[middle:]
    if len(others) > len(own):
        whole, own, others = pair.right, others, own
    lacked = Counter(own.tolist()) - Counter(others.tolist())
    if lacked.total() != 1 or len(own) != len(others) + 1:
        raise DataError(f"the datasets of the pair '{pair.origin}' do not differ by one row, as crowd-blending needs.")
    kind = next(iter(lacked))
    differing = np.flatnonzero(own[:-1] != others)  # the first of these is the row, where the two are in one order
    row = differing[0] if len(differing) else len(own) - 1
    if own[row] != kind:
        row = np.flatnonzero(own == kind)[0]
    return Suspect(whole, int(row), own, pair.origin.partition(", against")[0])


@frozen
class _WithK:
    """A target whose groups have that size, as far as the choice of datasets goes."""

    k: int
