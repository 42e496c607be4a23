"""Full-domain recoding: one level of a hierarchy for each column, the best of all that are k-anonymous.

>>> from crowdproof.mechanisms.recoding import Grid, Keep, Suppress
>>> people = pl.DataFrame({"age": [21, 25, 28, 41, 45, 49], "sex": ["f", "m", "f", "m", "m", "f"]})
>>> search = FullDomain({"age": (Keep(), Grid(20), Suppress()), "sex": (Keep(), Suppress())}, k=3)
>>> search(people).rows()[:3], search.nodes(people)
([('[20, 40)', '*'), ('[20, 40)', '*'), ('[20, 40)', '*')], [(1, 1), (2, 0)])
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.errors import DataError, ParameterError
from crowdproof.exact import Number, rational, show
from crowdproof.mechanisms.local_recoding import nothing
from crowdproof.mechanisms.parameters import as_k
from crowdproof.mechanisms.recoding import Recoding, Scheme
from crowdproof.mechanisms.sampling import Fitted
from crowdproof.mechanisms.tables import canonical, require_columns, require_rows

Node = tuple[int, ...]
"""A level for each column."""
Ints = NDArray[np.int64]
Levels = tuple[tuple[str, tuple[Recoding, ...]], ...]


def _levels(written: Mapping[str, Sequence[Recoding]] | Levels) -> Levels:
    pairs = written.items() if isinstance(written, Mapping) else written
    found = tuple((name, tuple(recodings)) for name, recodings in pairs)
    if not found or not all(recodings for _, recodings in found):
        raise ParameterError("a column has no level: give at least one column, and of each one recoding or more.")
    return found


def _share(written: Number) -> Fraction:
    share = rational(written, "dropped")
    if not 0 <= share < 1:
        raise ParameterError(f"dropped is {show(share)}: give a share of the rows, at least 0 and below 1.")
    return share


@frozen
class FullDomain(Fitted):
    """The recoding of OLA and Incognito: the best node of the lattice of levels that is k-anonymous.

    A node takes one level for each column, from fine to coarse, and each level must be coarser than the one before. It
    is k-anonymous if at most the share `dropped` of the rows are in groups below k; these are left out. A coarser node
    has no more such rows, so it is k-anonymous too: nodes above one that is are never counted. Of the minimal ones, no
    finer node of which is k-anonymous, the best has the least discernibility: the sum of the squared sizes of the
    groups, and the number of all rows for each that is left out (El Emam et al. 2009; LeFevre et al. 2005). The first
    in order of levels wins a tie. Columns without levels are released as they are.

    The best node depends on the data, so that the release is not safe: one row can move the level of everybody. Fewer
    than k rows are an error, or with `total` the empty release.
    """

    deterministic: ClassVar[bool] = True
    levels: Levels = field(converter=_levels)
    k: int = field(converter=as_k)
    dropped: Fraction = field(default=Fraction(0), converter=_share)

    @property
    def names(self) -> tuple[str, ...]:
        """The recoded columns."""
        return tuple(name for name, _ in self.levels)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:
        """The release of the table."""
        require_columns(table, self.names)
        if self.total and table.height < self.k:
            return nothing(table, self.names)
        require_rows(table, self.k)
        cells = self.choose(table, rng)(table)
        kept = cells.select(pl.len().over(cells.columns) >= self.k).to_series()
        return canonical(table.with_columns(cells.iter_columns()).filter(kept))

    def choose(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> Scheme:  # noqa: ARG002
        """The first step: the best node, as a scheme."""
        coded = self._coded(table)
        found = self.nodes(table)
        if not found:
            raise DataError(f"not even the coarsest levels are {self.k}-anonymous: end each hierarchy with Suppress().")
        best = min(found, key=lambda node: (self._cost(_sizes(coded, node)), node))
        return Scheme({name: levels[level] for (name, levels), level in zip(self.levels, best, strict=True)})

    def nodes(self, table: pl.DataFrame) -> list[Node]:
        """The minimal k-anonymous nodes, by height."""
        coded = self._coded(table)
        enough = (1 - self.dropped) * table.height
        above: set[Node] = set()
        minimal = []
        for node in sorted(
            product(*(range(len(levels)) for _, levels in self.levels)), key=lambda each: (sum(each), each)
        ):
            if any(finer in above for finer in _finer(node)):
                above.add(node)
            elif int((sizes := _sizes(coded, node))[sizes >= self.k].sum()) >= enough:
                above.add(node)
                minimal.append(node)
        return minimal

    def _coded(self, table: pl.DataFrame) -> list[list[Ints]]:
        """Column x level: the cell of each row, as a number."""
        found = []
        for name, levels in self.levels:
            codes = [_codes(recoding(table[name])) for recoding in levels]
            for fine, coarse in pairwise(codes):
                if len(np.unique(fine * (int(coarse.max(initial=0)) + 1) + coarse)) > len(np.unique(fine)):
                    raise ParameterError(f"the levels of column {name!r} are not nested: let each be coarser.")
            found.append(codes)
        return found

    def _cost(self, sizes: Ints) -> int:
        kept = sizes[sizes >= self.k]
        return int((kept**2).sum() + (sizes.sum() - kept.sum()) * sizes.sum())


def _codes(cells: pl.Series) -> Ints:
    return np.unique(cells.to_numpy().astype(str), return_inverse=True)[1].astype(np.int64)


def _sizes(coded: list[list[Ints]], node: Node) -> Ints:
    """How many rows each group has."""
    group = np.zeros(len(coded[0][0]), dtype=np.int64)
    for codes, level in zip(coded, node, strict=True):
        group = np.unique(group * (int(codes[level].max(initial=0)) + 1) + codes[level], return_inverse=True)[1]
    return np.bincount(group)


def _finer(node: Node) -> Iterator[Node]:
    """The nodes one level below in one column."""
    for place, level in enumerate(node):
        if level:
            yield (*node[:place], level - 1, *node[place + 1 :])
