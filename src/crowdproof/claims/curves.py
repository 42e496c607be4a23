"""Claims that are curves: concentrated, Rényi and Gaussian differential privacy, and curves that are written out.

Each of them asserts (eps, delta)-DP at every epsilon, with a delta that falls as epsilon grows. How the delta of the
first three follows is worked out, and rounded to the safe side, by `crowdproof.proofs.bounds`.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

from attrs import field, frozen

from crowdproof.claims.claim import DistributionClaim, Neighbours, Point, as_epsilon, as_neighbours
from crowdproof.claims.tradeoff import read_points
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, rational, show

LARGEST = 10_000
"""The largest parameter of such a claim: beyond, it says nothing, and numbers become too long to work with."""


def _order(written: Number) -> Fraction:
    order = rational(written, "alpha")
    if not 1 < order <= LARGEST:
        raise ParameterError(f"alpha is {show(order)}: an order lies above 1 and is at most {LARGEST:,}.")
    return order


def _rho(written: Number) -> Fraction:
    return _at_least_0(written, "rho")


def _mu(written: Number) -> Fraction:
    return _at_least_0(written, "mu")


def _at_least_0(written: Number, name: str) -> Fraction:
    number = rational(written, name)
    if not 0 <= number <= LARGEST:
        raise ParameterError(f"{name} is {show(number)}: it must be at least 0 and at most {LARGEST:,}.")
    return number


def _points(written: str | Iterable[Any]) -> tuple[Point, ...]:
    """Points as `epsilon:delta` with `|` between them, or in a list, also as pairs; sorted, each epsilon once."""
    parts = written.split("|") if isinstance(written, str) else list(written)
    points = sorted(map(_point, parts), key=lambda each: each.epsilon)
    if not points:
        raise ParameterError("points is empty: give at least one point as epsilon:delta.")
    for one, two in pairwise(points):
        if one.epsilon == two.epsilon:
            raise ParameterError(f"the epsilon {one.epsilon} has two deltas: give it one.")
    return tuple(points)


def _point(written: Any) -> Point:
    if isinstance(written, Point):
        return written
    parts = written.split(":") if isinstance(written, str) else written
    if not isinstance(parts, tuple | list) or len(parts) != 2:
        raise ParameterError(f"{written!r} is no point: write epsilon:delta, such as 1:1e-6.")
    return Point(*parts)


@frozen
class ZCDP(DistributionClaim):
    """rho-zero-concentrated DP: the Rényi divergence of order alpha is at most rho alpha, for every alpha > 1."""

    notion: ClassVar[str] = "zcdp"
    rho: Fraction = field(converter=_rho)
    neighbours: Neighbours = field(default=Neighbours.ADD_REMOVE, converter=as_neighbours)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        return (
            f"{self.neighbours.change.capitalize()} changes the law of the output by a Rényi divergence of at most "
            f"{show(self.rho)} times the order, at every order."
        )


@frozen
class RDP(DistributionClaim):
    """(alpha, eps)-Rényi DP: the Rényi divergence of that one order alpha is at most eps, in either direction."""

    notion: ClassVar[str] = "rdp"
    alpha: Fraction = field(converter=_order)
    epsilon: Epsilon = field(converter=as_epsilon)
    neighbours: Neighbours = field(default=Neighbours.ADD_REMOVE, converter=as_neighbours)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        return (
            f"{self.neighbours.change.capitalize()} changes the law of the output by a Rényi divergence of order "
            f"{show(self.alpha)} of at most {self.epsilon}."
        )


@frozen
class GDP(DistributionClaim):
    """mu-Gaussian DP: neighbours are at least as hard to tell apart as N(0, 1) and N(mu, 1) by one draw."""

    notion: ClassVar[str] = "gdp"
    mu: Fraction = field(converter=_mu)
    neighbours: Neighbours = field(default=Neighbours.ADD_REMOVE, converter=as_neighbours)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        return (
            f"{self.neighbours.change.capitalize()} is at least as hard to see in the output as it is to tell two "
            f"normal distributions apart by one draw whose means are {show(self.mu)} standard deviations apart."
        )


@frozen
class FDP(DistributionClaim):
    """A curve that is written out: (eps, delta)-DP at each of these points.

    >>> print(FDP("0:0.3|1:0.05"))
    fdp(points=0:0.3|1:0.05)
    """

    notion: ClassVar[str] = "fdp"
    points: tuple[Point, ...] = field(converter=_points)
    neighbours: Neighbours = field(default=Neighbours.ADD_REMOVE, converter=as_neighbours)

    @classmethod
    def of_file(cls, path: Path | str, neighbours: Neighbours | str = Neighbours.ADD_REMOVE) -> Self:
        """The curve of a CSV file: columns `epsilon,delta`, or `alpha,beta` with points of a trade-off function.

        Of a trade-off function nothing is claimed between two points but what follows from all of them. Columns
        `alpha,beta,slope` claim lines: that the function lies nowhere below the line through (alpha, beta) of that
        slope.
        """
        return cls(read_points(Path(path)), neighbours)

    @classmethod
    def read(cls, arguments: Mapping[str, Any], folder: Path) -> Self:
        """The claim, where `file` may stand for the points."""
        rest = dict(arguments)
        path = rest.pop("file", None)
        if path is None:
            return cls(**rest)
        if "points" in rest:
            raise ParameterError("an fdp claim has points or a file: give one of them.")
        return cls(read_points(folder / path), **rest)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        return (
            f"{self.neighbours.change.capitalize()} changes the probability of any output by no more than the "
            f"{len(self.points)} points of the curve allow, such as {self.points[0].words}."
        )
