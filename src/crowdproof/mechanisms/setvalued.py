"""Top-down, local generalization of set-valued data (He and Naughton 2009).

>>> food = Hierarchy({"ale": ["drink"], "gin": ["drink"], "ham": ["meat"], "egg": ["meat"]})
>>> baskets = pl.DataFrame({"basket": [["ale"], ["ale"], ["gin", "ham"], ["ale", "egg"]]})
>>> TopDown("basket", food, k=2)(baskets)["basket"].to_list()
['{ale}', '{ale}', '{drink, meat}', '{drink, meat}']
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.cells import MISSING, STAR, members, set_text
from crowdproof.errors import DataError, ParameterError
from crowdproof.mechanisms.parameters import as_k
from crowdproof.mechanisms.recoding import Hierarchy
from crowdproof.mechanisms.sampling import Fitted
from crowdproof.mechanisms.tables import canonical, require_columns, require_rows

ROOT = STAR
"""The top of every hierarchy: any item at all."""

Items = frozenset[str]


@frozen
class TopDown(Fitted):
    """Start with every set as {*}; replace nodes of the hierarchy by their children while k rows stay alike.

    All rows of a part are written by the same nodes. To specialize a part in node v, its rows are grouped by which
    children of v they have. Groups of fewer than k rows are put together and keep v; if these are fewer than k, they
    take rows from the largest groups that can spare some, or else the whole smallest group. Of all nodes, the one is
    taken whose specialization lowers the loss most, the first in order of names when equal; the loss of a row is the
    sum, over the nodes it is written by, of (leaves below the node - 1). It ends when no node lowers the loss.

    The set in `column` is a list, or a text like `{a, b}`. A row without any item, and a null, written `?`, cannot be
    generalized: they are groups of their own and are gone when they are fewer than k. Other columns are not released.
    Ties are broken by the sets only, so the result does not depend on row order. Fewer than k rows are an error, or
    with `total` the empty release.
    """

    deterministic: ClassVar[bool] = True
    column: str
    hierarchy: Hierarchy
    k: int = field(converter=as_k)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:  # noqa: ARG002
        """The release of the table."""
        require_columns(table, [self.column])
        if not self.total:
            require_rows(table, self.k)
        tree = Tree.of(self.hierarchy)
        sets = [tree.check(each, self.column) for each in read_sets(table[self.column])]
        filled = sorted((each for each in sets if each), key=sorted)
        texts = [MISSING] * sets.count(None) if sets.count(None) >= self.k else []
        texts += [set_text([])] * sets.count(frozenset()) if sets.count(frozenset()) >= self.k else []
        if len(filled) >= self.k:
            texts += self._release(filled, tree)
        return canonical(pl.DataFrame({self.column: pl.Series(texts, dtype=pl.String)}))

    def _release(self, sets: list[Items], tree: "Tree") -> Iterable[str]:
        waiting = [Part(tuple(sets), frozenset([tree.root]))]
        while waiting:
            part = waiting.pop()
            finer = part.specialize(tree, self.k)
            if finer is None:
                text = set_text(sorted(part.written(part.sets[0], tree)))
                yield from [text] * len(part.sets)
            else:
                waiting.extend(finer)


@frozen
class Tree:
    """The hierarchy from the root down, without nodes that have an only child: the child says the same and more."""

    root: str
    children: dict[str, tuple[str, ...]]
    ancestors: dict[str, tuple[str, ...]]
    """For each leaf: itself, its parent, ..., the root."""
    leaves: dict[str, int]
    """For each node, how many leaves are below it."""

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> "Tree":
        """The tree of a hierarchy, under the common root."""
        chains = {leaf: tuple(dict.fromkeys((leaf, *path, ROOT))) for leaf, path in hierarchy.paths}
        leaves = Counter(node for chain in chains.values() for node in chain)
        parents: dict[str, str] = {}
        for node, parent in (link for chain in chains.values() for link in pairwise(chain)):
            if parents.setdefault(node, parent) != parent:
                raise ParameterError(f"{node!r} names several nodes of the hierarchy: give each a name of its own.")
        short = {
            leaf: (leaf, *(node for below, node in pairwise(chain) if leaves[node] > leaves[below]))
            for leaf, chain in chains.items()
        }
        children: dict[str, set[str]] = defaultdict(set)
        for node, parent in (link for chain in short.values() for link in pairwise(chain)):
            children[parent].add(node)
        root = next(iter(short.values()))[-1]
        return cls(root, {node: tuple(sorted(below)) for node, below in children.items()}, short, dict(leaves))

    def check(self, items: Items | None, column: str) -> Items | None:
        """The same items, all of which must be leaves."""
        for item in sorted(items or ()):
            if item not in self.ancestors:
                raise DataError(
                    f"column {column!r} holds the item {item!r}, which its hierarchy does not: add it there."
                )
        return items

    def loss(self, nodes: Iterable[str]) -> int:
        """The loss of a row written by these nodes."""
        return sum(self.leaves[node] - 1 for node in nodes)


@frozen
class Part:
    """Rows that are written by the nodes of one cut, and all in the same way."""

    sets: tuple[Items, ...]
    cut: frozenset[str]
    closed: frozenset[str] = frozenset()
    """Nodes that are not to be specialized again."""

    def written(self, items: Items, tree: Tree) -> frozenset[str]:
        """The nodes of the cut that stand for these items."""
        return frozenset(next(node for node in tree.ancestors[item] if node in self.cut) for item in items)

    def specialize(self, tree: Tree, k: int) -> "list[Part] | None":
        """The parts after the best specialization, or None when none lowers the loss."""
        nodes = sorted(self.written(self.sets[0], tree) - self.closed)
        options = [self._split(node, tree, k) for node in nodes if node in tree.children]
        before = self.loss(tree)
        best = min(options, key=lambda parts: sum(each.loss(tree) for each in parts), default=None)
        return best if best is not None and sum(each.loss(tree) for each in best) < before else None

    def loss(self, tree: Tree) -> int:
        """The loss of all rows."""
        return len(self.sets) * tree.loss(self.written(self.sets[0], tree))

    def _split(self, node: str, tree: Tree, k: int) -> "list[Part]":
        finer = (self.cut - {node}) | set(tree.children[node])
        groups: dict[tuple[str, ...], list[Items]] = defaultdict(list)
        for items in self.sets:
            below = {child for child in tree.children[node] for item in items if child in tree.ancestors[item]}
            groups[tuple(sorted(below))].append(items)
        kept, left_over = balance([groups[key] for key in sorted(groups)], k)
        parts = [Part(tuple(each), finer, self.closed) for each in kept]
        if left_over:
            parts.append(Part(tuple(left_over), self.cut, self.closed | {node}))
        return parts


def balance(groups: list[list[Items]], k: int) -> tuple[list[list[Items]], list[Items]]:
    """The groups of at least k, and what is left over: nothing, or at least k rows."""
    kept = [each for each in groups if len(each) >= k]
    left_over = [items for each in groups if len(each) < k for items in each]
    while left_over and len(left_over) < k and kept:
        largest = max(kept, key=len)
        if len(largest) > k:
            left_over.append(largest.pop())
        else:
            smallest = min(kept, key=len)
            kept.remove(smallest)
            left_over.extend(smallest)
    return kept, sorted(left_over, key=sorted)


def read_sets(column: pl.Series) -> list[Items | None]:
    """The sets of a column of lists, or of texts like `{a, b}`; null is None."""
    if isinstance(column.dtype, pl.List):
        return [None if each is None else frozenset(map(str, each)) for each in column.to_list()]
    if column.dtype == pl.String:
        return [None if each is None or each == MISSING else _read_set(each, column.name) for each in column.to_list()]
    raise DataError(f"column {column.name!r} is of type {column.dtype}: give lists, or texts like '{{a, b}}'.")


def _read_set(text: str, name: str) -> Items:
    items = members(text)
    if items is None:
        raise DataError(f"column {name!r} holds {text!r}, which is not a set: write it like '{{a, b}}'.")
    return frozenset(items)
