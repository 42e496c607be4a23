"""Data as rows: what sampling and neighbouring data are about.

A dataset is a polars table, a numpy array (one row for each entry of its first axis) or a list. Its rows are grouped,
so that equal rows stand together. A sample is then fixed by how many copies of each distinct row it holds: equal
numbers of copies give equal tables, also to a target that looks at the order of the rows.
`group` puts all equal rows together, which may change the order; `in_order` keeps it and groups equal neighbours only.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.audit.data.copies import own_copy
from crowdproof.claims import Neighbours
from crowdproof.errors import DataError
from crowdproof.mechanism import Capabilities, Mechanism
from crowdproof.mechanisms.sampling import bernoulli

Counts = tuple[int, ...]
"""How often each distinct row occurs."""

_INDEX = "__crowdproof_index"


@frozen(eq=False)
class GroupedPair:
    """Two datasets: the distinct rows of both, and how many copies of each row either of them holds."""

    distinct: Any
    left: Counts
    right: Counts

    def dataset(self, counts: Sequence[int]) -> Any:
        """The dataset with that many copies of each distinct row.

        >>> group(pl.DataFrame({"a": [1, 2, 1]}), pl.DataFrame({"a": [1, 2]})).dataset((2, 1))["a"].to_list()
        [1, 1, 2]
        """
        return take(self.distinct, np.repeat(np.arange(len(counts)), counts))

    def neighbours(self, relation: Neighbours) -> bool:
        """Whether the two are neighbours in that relation."""
        steps = sorted(a - b for a, b in zip(self.left, self.right, strict=True) if a != b)
        return steps in ([[-1], [1]] if relation is Neighbours.ADD_REMOVE else [[-1, 1], []])


def group(left: Any, right: Any) -> GroupedPair:
    """The distinct rows of both, in order of first appearance, and how often each occurs on either side.

    Where one row is replaced by another these two stand next to each other, so that the grouped datasets, too, differ
    in one place only: a target that looks at the order of the rows may keep its claim for such datasets alone.

    >>> found = group(["a", "b", "c", "d"], ["a", "d", "c", "d"])
    >>> found.dataset(found.left), found.dataset(found.right)
    (['a', 'b', 'd', 'c'], ['a', 'd', 'd', 'c'])
    """
    numbers = kinds(left, right)
    _, first = np.unique(numbers, return_index=True)
    left_counts, right_counts = (
        np.bincount(part, minlength=len(first)) for part in (numbers[: size(left)], numbers[size(left) :])
    )
    order = np.arange(len(first))
    lost, gained = np.flatnonzero(left_counts > right_counts), np.flatnonzero(left_counts < right_counts)
    if len(lost) == len(gained) == 1:
        order = np.delete(order, gained)
        order = np.insert(order, np.flatnonzero(order == lost) + 1, gained)
    return GroupedPair(
        take(stack(left, right), first[order]), _counts(left_counts[order]), _counts(right_counts[order])
    )


def kinds(left: Any, right: Any) -> NDArray[np.int64]:
    """Equal numbers for equal rows: of the first dataset, then of the second, in order of first appearance.

    >>> kinds(["a", "b", "a"], ["b", "c"])
    array([0, 1, 0, 1, 2])
    """
    _require_one_schema(left, right)
    if isinstance(left, pl.DataFrame) and isinstance(right, pl.DataFrame):
        places = stack(left, right).with_row_index(_INDEX).group_by(left.columns, maintain_order=True).agg(_INDEX)
        found = places.select(pl.col(_INDEX)).with_row_index("__crowdproof_kind").explode(_INDEX).sort(_INDEX)
        return np.asarray(found["__crowdproof_kind"], dtype=np.int64)
    seen: dict[Any, int] = {}
    rows = [*_listed(left), *_listed(right)]
    return np.array([seen.setdefault(_row_key(row), len(seen)) for row in rows], dtype=np.int64)


def in_one_place(left: Any, right: Any) -> bool:
    """Whether the datasets, each in its own order, differ in one place at most: by a row more, or by another row.

    >>> in_one_place([1, 2, 3], [1, 3]), in_one_place([1, 2, 3], [1, 4, 3]), in_one_place([1, 2, 3], [3, 1])
    (True, True, False)
    """
    numbers = kinds(left, right)
    first, second = numbers[: size(left)].tolist(), numbers[size(left) :].tolist()
    before = _alike(first, second)
    after = _alike(first[before:][::-1], second[before:][::-1])
    return before + after >= max(len(first), len(second)) - 1


def in_order(left: Any, right: Any) -> GroupedPair:
    """The rows of both, each side in its own order: only equal rows that stand next to each other are grouped.

    >>> found = in_order(["a", "b", "a", "a"], ["a", "a", "a"])
    >>> found.distinct, found.left, found.right
    (['a', 'b', 'a'], (1, 1, 2), (1, 0, 2))
    """
    _require_one_schema(left, right)
    first, second = _row_keys(left), _row_keys(right)
    before = _alike(first, second)
    after = _alike(first[before:][::-1], second[before:][::-1])
    lefts, rights = range(before, len(first) - after), range(before, len(second) - after)
    keys = [*first[: lefts.stop], *second[before : rights.stop], *first[lefts.stop :]]
    places = [*range(lefts.stop), *(len(first) + place for place in rights), *range(lefts.stop, len(first))]
    starts = [place for place, key in enumerate(keys) if place == 0 or keys[place - 1] != key]
    on_left = np.array([place < len(first) for place in places], dtype=np.int64)
    on_right = np.array([place not in lefts for place in places], dtype=np.int64)
    tally = [np.add.reduceat(side, starts) if starts else side for side in (on_left, on_right)]
    distinct = take(stack(left, right), np.array([places[start] for start in starts], dtype=np.int64))
    return GroupedPair(distinct, _counts(tally[0]), _counts(tally[1]))


def _alike(left: list[Any], right: list[Any]) -> int:
    """The number of rows at the start that are equal on both sides."""
    return next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )


def take(data: Any, index: np.ndarray) -> Any:
    """The rows at those places, as the same kind of dataset."""
    if isinstance(data, pl.DataFrame | np.ndarray):
        return data[index]
    return [data[i] for i in index]


def stack(data: Any, more: Any) -> Any:
    """The rows of both, as the same kind of dataset; a table is in one piece, as one that was read is.

    >>> stack(np.rec.array([(41,)], names="age"), np.rec.array([(43,)], names="age")).age
    array([41, 43])
    """
    if isinstance(data, pl.DataFrame):
        return pl.concat([data, more], rechunk=True)
    if isinstance(data, np.ndarray):
        return np.concatenate([data, more]).view(type(data))
    return [*data, *more]


def size(data: Any) -> int:
    """How many rows there are."""
    return data.height if isinstance(data, pl.DataFrame) else len(data)


def is_rows(data: object) -> bool:
    """Whether the auditor knows how to take rows out of this."""
    return isinstance(data, pl.DataFrame | np.ndarray | list)


def _require_one_schema(left: Any, right: Any) -> None:
    if isinstance(left, pl.DataFrame) and isinstance(right, pl.DataFrame) and left.schema != right.schema:
        raise DataError("the two tables of a pair have different columns or types: give both the same schema.")


def _row_keys(data: Any) -> list[Any]:
    return [_row_key(row) for row in (data.rows() if isinstance(data, pl.DataFrame) else _listed(data))]


def _listed(data: Any) -> list[Any]:
    if not is_rows(data):
        raise DataError(f"a {type(data).__name__} has no rows to sample: give a polars table, a numpy array or a list.")
    return list(data)


def _row_key(row: Any) -> Any:
    return (row.dtype.str, row.shape, row.tobytes()) if isinstance(row, np.ndarray | np.generic) else repr(row)


def _counts(tally: Any) -> Counts:
    return tuple(int(count) for count in tally)


@frozen
class SampledRows:
    """Poisson sampling of any data with rows, then the mechanism."""

    beta: Fraction
    mechanism: Mechanism

    def __call__(self, data: Any, rng: np.random.Generator, /) -> Any:
        """The output on one sample."""
        return self.mechanism(take(data, np.flatnonzero(bernoulli(self.beta, rng, size(data)))), rng)

    @property
    def answers(self) -> Callable[[Sequence[Any], Sequence[tuple[int, int]]], list[Any]] | None:
        """How a target answers many runs, each on a sample of its own; None where the mechanism is no target."""
        answers = Capabilities.of(self.mechanism).answers
        return None if answers is None else partial(self._answers, answers)

    def _answers(
        self, answers: Callable[..., list[Any]], datasets: Sequence[Any], plan: Sequence[tuple[int, int]]
    ) -> list[Any]:
        outputs = []
        for place, seed in plan:
            rng = np.random.default_rng(seed)
            data = datasets[place]
            sample = take(data, np.flatnonzero(bernoulli(self.beta, rng, size(data))))
            outputs += answers([sample], [(0, int(rng.integers(0, 2**63)))])
        return outputs

    @property
    def independent(self) -> bool:
        """Whether runs are independent of one another, which a mechanism with a `sampled_batch` declares."""
        return hasattr(self.mechanism, "sampled_batch")

    def batch(self, data: Any, rng: np.random.Generator, size: int, /) -> Any:
        """`size` outputs on independent samples, in the mechanism's own faster way where it has one."""
        if self.independent and isinstance(data, pl.DataFrame):
            return self.mechanism.sampled_batch(data, self.beta, rng, size)  # type: ignore[attr-defined]
        return [self(own_copy(data), rng) for _ in range(size)]
