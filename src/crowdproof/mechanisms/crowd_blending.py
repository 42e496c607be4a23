"""Crowd-blending private mechanisms (Gehrke, Hay, Lui, Pass 2012): a row blends with k others or is ignored."""

from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl
from attrs import field, frozen

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.mechanisms.noise import Laplace
from crowdproof.mechanisms.parameters import as_epsilon, as_k
from crowdproof.mechanisms.recoding import Grid, Scheme
from crowdproof.mechanisms.tables import canonical, require_columns


@frozen
class SuppressedHistogram:
    """The number of rows in each cell of a fixed scheme, with every count below k set to 0: (k, 0)-crowd-blending.

    A row in a cell of at least k rows can be exchanged for any of them without any change; a row in a smaller cell can
    be removed without any change. The release has one row for each cell that is not 0, with its `count`: the same
    information as the release of `StronglySafe`.
    """

    deterministic: ClassVar[bool] = True
    scheme: Scheme
    k: int = field(converter=as_k)

    def __attrs_post_init__(self) -> None:
        if "count" in self.scheme.names:
            raise ParameterError("a column is called 'count', as the histogram's own: rename it.")

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator | None = None) -> pl.DataFrame:  # noqa: ARG002
        """The histogram of the table."""
        counts = self.scheme(table).group_by(self.scheme.names).len("count")
        return canonical(counts.filter(pl.col("count") >= self.k))


def _grids(written: "dict[str, Grid] | tuple[tuple[str, Grid], ...]") -> tuple[tuple[str, Grid], ...]:
    pairs = tuple(written.items() if isinstance(written, dict) else written)
    if not pairs:
        raise ParameterError("no column is named: give at least one column of numbers and its grid.")
    return pairs


@frozen
class SyntheticPoints:
    """Synthetic data points for smooth queries: (k, epsilon)-crowd-blending.

    Space is cut into the boxes of a fixed grid. Points in boxes with fewer than k points are ignored; so is a point
    with a missing coordinate. Each other point x is replaced by an independent draw y with density proportional to
    e^(-epsilon |y - x|_1 / W), where W is the sum of a box's widths: two points of one box are at most W apart, so
    exchanging one for the other changes the density of the release by a factor of at most e^epsilon. With epsilon = 0
    each point is replaced by the middle of its box.

    A query with Lipschitz constant L (in the sum of absolute values) then has, on average over the points of full
    boxes, a bias of at most L W / 2 for epsilon = 0, and a mean error of at most L d W / epsilon otherwise (d columns).
    Below epsilon = 2 d the latter bound is the larger one: middles, at epsilon = 0, are then the better release.
    The draws are multiples of a small step, as `Laplace` explains.
    """

    grids: tuple[tuple[str, Grid], ...] = field(converter=_grids)
    k: int = field(converter=as_k)
    epsilon: Epsilon = field(default=Epsilon(Fraction(0)), converter=as_epsilon)

    def __call__(self, table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        """The synthetic points, as numbers."""
        names = [name for name, _ in self.grids]
        require_columns(table, names)
        points = table.select(names).drop_nulls()
        boxes = pl.DataFrame(
            {name: grid(points[name]) for name, grid in self.grids}, schema=dict.fromkeys(names, pl.String)
        )
        kept = points.filter(boxes.select(pl.len().over(names) >= self.k).to_series())
        return canonical(self._middles(kept) if float(self.epsilon) == 0 else self._draws(kept, rng))

    def _middles(self, points: pl.DataFrame) -> pl.DataFrame:
        return pl.DataFrame(
            {
                name: [float(grid.middle(cell)) for cell in grid.cells(points[name]).tolist()]
                for name, grid in self.grids
            },
            schema=dict.fromkeys(points.columns, pl.Float64),
        )

    def _draws(self, points: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        widths = sum((grid.width for _, grid in self.grids), Fraction(0))
        noisy = Laplace(self.epsilon, widths).perturb(canonical(points).cast(pl.Float64).to_numpy(), rng)
        return pl.DataFrame(noisy, schema=dict.fromkeys(points.columns, pl.Float64))
