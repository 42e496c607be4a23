"""Rows that may neither blend nor be ignored: each with the dataset in which it sticks out."""

from collections.abc import Iterator
from itertools import chain

from attrs import frozen

from crowdproof.audit.data.rows import GroupedPair, group
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.request import Pair, Request
from crowdproof.claims import CrowdBlending, Neighbours
from crowdproof.errors import DataError


@frozen(eq=False)
class Suspect:
    """A dataset and one kind of its rows."""

    rows: GroupedPair
    place: int
    origin: str

    def without(self) -> Pair:
        """The dataset against the dataset without the row."""
        return self._pair(None, "without the row")

    def exchanged(self, other: int) -> Pair:
        """The dataset against the dataset with another of its rows in place of the row."""
        return self._pair(other, "with another row in its place")

    def _pair(self, other: int | None, what: str) -> Pair:
        counts = list(self.rows.left)
        counts[self.place] -= 1
        if other is not None:
            counts[other] += 1
        relation = Neighbours.ADD_REMOVE if other is None else Neighbours.REPLACE
        left, right = self.rows.dataset(self.rows.left), self.rows.dataset(counts)
        return Pair(left, right, relation, f"{self.origin}: the dataset, against the same {what}")


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
    rows = group(pair.left, pair.right)
    if sum(rows.right) > sum(rows.left):
        rows = GroupedPair(rows.distinct, rows.right, rows.left)
    if not rows.neighbours(Neighbours.ADD_REMOVE):
        raise DataError(f"the datasets of the pair '{pair.origin}' do not differ by one row, as crowd-blending needs.")
    place = next(i for i, (a, b) in enumerate(zip(rows.left, rows.right, strict=True)) if a > b)
    return Suspect(rows, place, pair.origin.partition(", against")[0])


@frozen
class _WithK:
    """A target whose groups have that size, as far as the choice of datasets goes."""

    k: int
