"""Greedy k-member clustering (Byun, Kamra, Bertino, Li 2007) with local recoding.

>>> people = pl.DataFrame({"age": [21, 25, 38, 41], "sex": ["f", "f", "m", "m"]})
>>> KMember(k=2)(people).rows()
[('[21, 25]', 'f'), ('[21, 25]', 'f'), ('[38, 41]', 'm'), ('[38, 41]', 'm')]
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.mechanisms.local_recoding import nothing, recode
from crowdproof.mechanisms.parameters import as_k, as_names
from crowdproof.mechanisms.sampling import Fitted
from crowdproof.mechanisms.tables import Coded, canonical, chosen, code, require_rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@frozen
class KMember(Fitted):
    """Grow clusters of k rows one after the other, each time by the row that costs least; then recode locally.

    The loss of a cluster is the sum over columns of its width: for a number the distance of its extremes over that of
    the table, for text 0 when all its values are equal and 1 otherwise. The first cluster starts at the first row in
    canonical order, every other at the row that is farthest from the last row added (sum over columns of the distance
    over that of the table; for text 0 or 1). It takes, k - 1 times, the row whose arrival makes its loss least. The
    fewer than k rows that remain go, in canonical order, to the cluster whose total loss, loss times size, grows least.
    The first row in canonical order wins a tie, so the result does not depend on row order.

    Time grows with the square of the number of rows. `columns` are recoded (None: all), the others are released as they
    are. Fewer than k rows are an error, or with `total` the empty release.
    """

    deterministic: ClassVar[bool] = True
    k: int = field(converter=as_k)
    columns: tuple[str, ...] | None = field(default=None, converter=as_names)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:  # noqa: ARG002
        """The release of the table."""
        names = chosen(table, self.columns)
        if self.total and table.height < self.k:
            return nothing(table, names)
        require_rows(table, self.k)
        table = canonical(table)
        coded = [code(table[name]) for name in names]
        return recode(table, coded, clusters(coded, self.k))


def clusters(columns: Sequence[Coded], k: int) -> Ints:
    """The cluster of each row, numbered from 0; `columns` are those of a table in canonical order."""
    places = np.stack([_places(each) for each in columns])
    number = np.array([each.number for each in columns])[:, None]
    result = np.full(places.shape[1], -1)
    free = np.arange(places.shape[1])
    bounds: list[tuple[Floats, Floats]] = []
    last = free[0]
    while len(free) >= k:
        seed = int(np.argmax(_losses(places, free, places[:, [last]], places[:, [last]], number))) if bounds else 0
        members, low, high = _grow(places, free, seed, k, number)
        last = free[members[-1]]
        result[free[members]] = len(bounds)
        bounds.append((low, high))
        free = np.delete(free, members)
    return _distribute(places, free, bounds, result, number)


def _places(column: Coded) -> Floats:
    """Where each row lies: a number on the scale from 0 to 1, a text at its rank."""
    scale = (column.span or 1.0) if column.number else 1.0
    places: Floats = (column.positions[column.codes] - column.positions[0]) / scale
    return places


def _losses(places: Floats, rows: Ints, low: Floats, high: Floats, number: NDArray[np.bool_]) -> Floats:
    """The loss of the cluster with these bounds after the arrival of each of `rows`."""
    at = places[:, rows]
    width = np.maximum(at, high) - np.minimum(at, low)
    total: Floats = np.where(number, width, width > 0).sum(axis=0)
    return total


def _grow(places: Floats, free: Ints, seed: int, k: int, number: NDArray[np.bool_]) -> tuple[list[int], Floats, Floats]:
    """A cluster around free[seed]: indices into `free`, and the cluster's bounds."""
    members = [seed]
    low = high = places[:, [free[seed]]]
    available = np.ones(len(free), dtype=np.bool_)
    available[seed] = False
    for _ in range(k - 1):
        losses = np.where(available, _losses(places, free, low, high, number), np.inf)
        best = int(np.argmin(losses))
        members.append(best)
        available[best] = False
        arrival = places[:, [free[best]]]
        low, high = np.minimum(low, arrival), np.maximum(high, arrival)
    return members, low, high


def _distribute(
    places: Floats, rest: Ints, bounds: list[tuple[Floats, Floats]], result: Ints, number: NDArray[np.bool_]
) -> Ints:
    low, high = (np.concatenate(side, axis=1) for side in zip(*bounds, strict=True))
    sizes = np.bincount(result[result >= 0])
    for row in rest:
        at = places[:, [row]]
        before, after = high - low, np.maximum(at, high) - np.minimum(at, low)
        loss_before, loss_after = (np.where(number, each, each > 0).sum(axis=0) for each in (before, after))
        best = int(np.argmin((sizes + 1) * loss_after - sizes * loss_before))
        result[row] = best
        sizes[best] += 1
        low[:, [best]], high[:, [best]] = np.minimum(low[:, [best]], at), np.maximum(high[:, [best]], at)
    return result
