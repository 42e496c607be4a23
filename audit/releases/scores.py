"""Scores of releases: they put releases into cells and rank the cells, the likelier on the left the higher."""

from abc import ABC, abstractmethod
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from crowdproof.audit.releases.features import Feature, Floats
from crowdproof.audit.releases.readers import Reader, reader_from_json

Places: TypeAlias = NDArray[np.intp]


@frozen(eq=False)
class _Ranked(ABC):
    """Cells, and the bin of each cell; an event is 'the bin is at least' or 'the bin is below' some threshold."""

    reader: Reader
    rank: Places
    """The bin of each cell."""

    @abstractmethod
    def cells(self, releases: Any) -> Places:
        """The cell of each release."""

    def bins(self, releases: Any) -> Places:
        """The bin of each release."""
        return self.rank[self.cells(releases)]

    def count(self, releases: Any) -> NDArray[np.int64]:
        """How many of the releases fall in each cell."""
        cells = self.cells(releases) if len(releases) else np.zeros(0, np.intp)
        return np.bincount(cells, minlength=len(self.rank))

    def binned(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Counts of cells as counts of bins."""
        return np.bincount(self.rank, counts, int(self.rank.max()) + 1).astype(np.int64)


@frozen(eq=False)
class Additive(_Ranked):
    """A sum of step functions, one for each feature; cells are intervals of the sum, or a lone feature's steps."""

    features: tuple[Feature, ...]
    edges: tuple[Floats, ...]
    weights: tuple[Floats, ...]
    """One for each step between the edges, and a last one for nan."""
    cuts: Floats
    """Where the sum passes into the next cell; empty with one feature."""

    def cells(self, releases: Any) -> Places:
        """The cell of each release."""
        columns = self.reader.columns(releases, self.features)
        if len(columns) == 1:
            return step_of(columns[0], self.edges[0])
        return np.searchsorted(self.cuts, self.sum(columns), side="right")

    def sum(self, columns: list[Floats]) -> Floats:
        """The sum of the steps."""
        total = np.zeros(len(columns[0]))
        for column, edges, weights in zip(columns, self.edges, self.weights, strict=True):
            total += weights[step_of(column, edges)]
        return total

    def to_json(self) -> dict[str, Any]:
        """As plain values, which `score_from_json` reads."""
        return {
            "kind": "additive",
            "reader": self.reader.to_json(),
            "rank": self.rank.tolist(),
            "features": [list(feature) for feature in self.features],
            "edges": [_plain(each) for each in self.edges],
            "weights": [_plain(each) for each in self.weights],
            "cuts": _plain(self.cuts),
        }


@frozen(eq=False)
class Lookup(_Ranked):
    """A cell for each output that was seen, and one, the last, for any other."""

    codes: NDArray[np.uint64]
    """Sorted."""
    texts: tuple[str, ...]
    """What each code stands for, for people."""
    prior: Floats
    """A guess of the log-ratio in each cell, for as long as its counts are small."""

    def cells(self, releases: Any) -> Places:
        """The cell of each release."""
        codes = self.reader.codes(releases)
        place = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[place] == codes, place, len(self.codes))

    def to_json(self) -> dict[str, Any]:
        """As plain values, which `score_from_json` reads."""
        return {
            "kind": "lookup",
            "reader": self.reader.to_json(),
            "rank": self.rank.tolist(),
            "codes": [f"{each:016x}" for each in self.codes.tolist()],
            "texts": list(self.texts),
            "prior": _plain(self.prior),
        }


@frozen(eq=False)
class Tree(_Ranked):
    """A decision tree over features; cells are its leaves, in the order of the nodes. The first node is the root."""

    features: tuple[Feature, ...]
    asked: Places
    """Which of the features each node asks for; -1 at a leaf."""
    threshold: Floats
    """A number below it goes left, any other and nan go right. Where it is nan, numbers go left."""
    left: Places
    right: Places
    may_lack: tuple[bool, ...]
    """Which of the features were sometimes nan when it was learned: for its words."""
    prior: Floats
    """A guess of the log-ratio in each cell, for as long as its counts are small."""

    def cells(self, releases: Any) -> Places:
        """The cell of each release."""
        columns = np.stack(self.reader.columns(releases, self.features))
        node, row = np.zeros(columns.shape[1], np.intp), np.arange(columns.shape[1])
        while len(row):
            node[row] = self._next(node[row], columns[self.asked[node[row]], row])
            row = row[self.asked[node[row]] >= 0]
        return self.cell_of[node]

    def _next(self, node: Places, value: Floats) -> Places:
        threshold = self.threshold[node]
        low = (value < threshold) | (np.isnan(threshold) & ~np.isnan(value))
        return np.where(low, self.left[node], self.right[node])

    @property
    def cell_of(self) -> Places:
        """The cell of each node that is a leaf."""
        return np.cumsum(self.asked < 0) - 1

    def path(self, cell: int) -> list[tuple[Feature, float, bool]]:
        """The questions from the root to a leaf: feature, threshold, and whether it went left."""
        node = int(np.flatnonzero(self.asked < 0)[cell])
        steps: list[tuple[Feature, float, bool]] = []
        while node > 0:
            (above,) = np.flatnonzero((self.left == node) | (self.right == node)).tolist()
            steps.append(
                (self.features[self.asked[above]], float(self.threshold[above]), bool(self.left[above] == node))
            )
            node = above
        return steps[::-1]

    def to_json(self) -> dict[str, Any]:
        """As plain values, which `score_from_json` reads."""
        return {
            "kind": "tree",
            "reader": self.reader.to_json(),
            "rank": self.rank.tolist(),
            "features": [list(feature) for feature in self.features],
            "asked": self.asked.tolist(),
            "threshold": _plain(self.threshold),
            "left": self.left.tolist(),
            "right": self.right.tolist(),
            "may_lack": list(self.may_lack),
            "prior": _plain(self.prior),
        }


Score: TypeAlias = Additive | Lookup | Tree


def ranked(score: Score, rank: Places) -> Score:
    """The same cells in another order."""
    return evolve(score, rank=rank)


def step_of(column: Floats, edges: Floats) -> Places:
    """Which step each number is on; nan has a step of its own, the last."""
    steps = np.searchsorted(edges, column, side="right")
    missing = np.isnan(column)
    if missing.any():
        steps[missing] = len(edges) + 1
    return steps


def score_from_json(record: dict[str, Any]) -> Score:
    """The score that `to_json` wrote."""
    reader, rank = reader_from_json(record["reader"]), np.array(record["rank"], np.intp)
    if record["kind"] == "lookup":
        codes = np.array([int(each, 16) for each in record["codes"]], np.uint64)
        return Lookup(reader, rank, codes=codes, texts=tuple(record["texts"]), prior=_numbers(record["prior"]))
    features = tuple(tuple(feature) for feature in record["features"])
    if record["kind"] == "tree":
        asked, left, right = (np.array(record[each], np.intp) for each in ("asked", "left", "right"))
        threshold, prior = _numbers(record["threshold"]), _numbers(record["prior"])
        tree = Tree(
            reader,
            rank,
            features=features,
            asked=asked,
            threshold=threshold,
            left=left,
            right=right,
            may_lack=tuple(record["may_lack"]),
            prior=prior,
        )
        return _checked(tree)
    return Additive(
        reader,
        rank,
        features=features,
        edges=tuple(_numbers(each) for each in record["edges"]),
        weights=tuple(_numbers(each) for each in record["weights"]),
        cuts=_numbers(record["cuts"]),
    )


def _checked(tree: Tree) -> Tree:
    """A tree that was read from a file: every way down ends."""
    inner = np.flatnonzero(tree.asked >= 0)
    for child in (tree.left, tree.right):
        if (child[inner] <= inner).any() or (child[inner] >= len(tree.asked)).any():
            raise ValueError("a node of a tree has no place in it")
    if not len(tree.rank) == len(tree.prior) == len(tree.asked) - len(inner) > 0:
        raise ValueError("a tree has as many ranks as leaves")
    return tree


def _plain(numbers: Floats) -> list[float | str]:
    """JSON has no infinity."""
    return [each if np.isfinite(each) else str(each) for each in numbers.tolist()]


def _numbers(values: list[float | str]) -> Floats:
    return np.array([float(each) for each in values])
