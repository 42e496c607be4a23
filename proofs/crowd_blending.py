"""Crowd-blending privacy on finite mechanisms: the definition, checked exactly.

>>> bins = {"ann": 0, "ben": 0, "cyd": 1}
>>> crowd_blending_check(histogram(bins, k=2), tuple(bins), k=2, size=3)
Blends(datasets=19)
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

from attrs import frozen

from crowdproof.exact import Number, rational, whole

Row = str
Dataset = tuple[Row, ...]
"""A multiset of rows, sorted."""
Law = Mapping[Hashable, Fraction]
"""The exact probability of each output."""
FiniteMechanism = Callable[[Dataset], Law]


@frozen
class Blends:
    """Every row of every examined dataset blends in a crowd or is ignored."""

    datasets: int


@frozen
class Exposed:
    """A row that neither blends in a crowd of k nor is ignored."""

    dataset: Dataset
    row: Row
    crowd: int
    """How many rows of the dataset, the row itself counted, it is indistinguishable from."""


def close(one: Law, two: Law, x: Fraction) -> bool:
    """Whether two laws are within a factor x = e^eps of each other on every output."""
    outputs = {*one, *two}
    pairs = [(one.get(each, Fraction(0)), two.get(each, Fraction(0))) for each in outputs]
    return all(p <= x * q and q <= x * p for p, q in pairs)


def datasets(universe: Sequence[Row], size: int) -> Iterator[Dataset]:
    """Every dataset of at most that many rows."""
    for count in range(size + 1):
        yield from combinations_with_replacement(sorted(universe), count)


def indistinguishable(mechanism: FiniteMechanism, one: Row, two: Row, contexts: Iterable[Dataset], x: Fraction) -> bool:
    """Whether `one` can stand for `two` beside the rows of every context."""
    return one == two or all(close(mechanism(_with(each, one)), mechanism(_with(each, two)), x) for each in contexts)


def crowd_blending_check(
    mechanism: FiniteMechanism,
    universe: Sequence[Row],
    k: Number,
    x: Number = 1,
    size: int = 5,
    *,
    count_self: bool = True,
) -> Blends | Exposed:
    """Whether the mechanism is (k, ln x)-crowd-blending on all datasets of at most `size` rows.

    `count_self=False` reads 'at least k individuals' as 'k others', which even the suppressed histogram fails.
    """
    crowd_size, factor = whole(k, "k"), rational(x, "x")
    contexts = tuple(datasets(universe, size - 1))
    blends = {(a, b): indistinguishable(mechanism, a, b, contexts, factor) for a, b in product(universe, repeat=2)}
    examined = 0
    for dataset in datasets(universe, size):
        examined += bool(dataset)
        for row in dict.fromkeys(dataset):
            crowd = sum(blends[row, other] for other in dataset)
            enough = crowd - (not count_self) >= crowd_size
            if not enough and not close(mechanism(dataset), mechanism(_without(dataset, row)), factor):
                return Exposed(dataset, row, crowd)
    return Blends(examined)


def _with(dataset: Dataset, row: Row) -> Dataset:
    return tuple(sorted((*dataset, row)))


def _without(dataset: Dataset, row: Row) -> Dataset:
    rest = list(dataset)
    rest.remove(row)
    return tuple(rest)


def histogram(bins: Mapping[Row, int], k: int) -> FiniteMechanism:
    """The slides' histogram: counts of the bins, those below k set to 0."""

    def release(dataset: Dataset) -> Law:
        counts = Counter(bins[row] for row in dataset)
        return {tuple(counts[each] if counts[each] >= k else 0 for each in sorted(set(bins.values()))): Fraction(1)}

    return release


def synthetic(cells: Mapping[Row, int], k: int, x: Fraction) -> FiniteMechanism:
    """Synthetic points: rows of cells with fewer than k are dropped, the others move within their cell.

    A row stays with a weight x against 1 for each other point of its cell, so that points of one cell are within a
    factor x of each other; a query that varies little within a cell is answered well.
    """
    members = {cell: sorted(row for row, own in cells.items() if own == cell) for cell in set(cells.values())}

    def moves(row: Row) -> dict[Row, Fraction]:
        cell = members[cells[row]]
        return {other: (x if other == row else Fraction(1)) / (x + len(cell) - 1) for other in cell}

    def release(dataset: Dataset) -> Law:
        counts = Counter(cells[row] for row in dataset)
        law: dict[Dataset, Fraction] = {(): Fraction(1)}
        for row in (row for row in dataset if counts[cells[row]] >= k):
            following: dict[Dataset, Fraction] = {}
            for points, p in law.items():
                for point, q in moves(row).items():
                    key = _with(points, point)
                    following[key] = following.get(key, Fraction(0)) + p * q
            law = following
        return law  # type: ignore[return-value]

    return release
