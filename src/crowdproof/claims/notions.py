"""The notions of the papers: differential privacy, also under sampling, crowd-blending, safe recodings, k-anonymity."""

from fractions import Fraction
from typing import ClassVar

from attrs import field, frozen

from crowdproof.claims.claim import (
    Claim,
    DistributionClaim,
    Neighbours,
    Point,
    as_beta,
    as_columns,
    as_delta,
    as_epsilon,
    as_k,
    as_match,
    as_neighbours,
    by,
)
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, show


@frozen
class DP(DistributionClaim):
    """(eps, delta)-differential privacy: Pr[M(D) in O] <= e^eps Pr[M(D') in O] + delta for neighbours D, D'."""

    notion: ClassVar[str] = "dp"
    epsilon: Epsilon = field(converter=as_epsilon)
    delta: Fraction = field(default=Fraction(0), converter=as_delta)
    neighbours: Neighbours = field(default=Neighbours.ADD_REMOVE, converter=as_neighbours)

    @property
    def points(self) -> tuple[Point, ...]:
        """Its only point."""
        return (Point(self.epsilon, self.delta),)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        who = self.neighbours.change
        return f"{who.capitalize()} changes the probability of any output {by(self.epsilon, self.delta)}."


@frozen
class DPS(DistributionClaim):
    """(beta, eps, delta)-DP under sampling: Poisson sampling at rate beta, then the mechanism, is (eps, delta)-DP.

    Requires delta < beta: for delta >= beta any mechanism satisfies it, so the claim would say nothing.
    """

    notion: ClassVar[str] = "dps"
    beta: Fraction = field(converter=as_beta)
    epsilon: Epsilon = field(converter=as_epsilon)
    delta: Fraction = field(default=Fraction(0), converter=as_delta)
    neighbours: Neighbours = field(default=Neighbours.ADD_REMOVE, converter=as_neighbours)

    def __attrs_post_init__(self) -> None:
        if self.delta >= self.beta:
            raise ParameterError(
                f"delta is {show(self.delta)} and beta {show(self.beta)}: a DPS claim needs delta < beta, "
                "since with delta >= beta it holds for every mechanism."
            )

    @property
    def points(self) -> tuple[Point, ...]:
        """Its only point."""
        return (Point(self.epsilon, self.delta),)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        return (
            f"When each row is kept with probability {show(self.beta)} before the release is made, "
            f"{self.neighbours.change} changes the probability of any output {by(self.epsilon, self.delta)}."
        )


@frozen
class CrowdBlending(Claim):
    """(k, eps)-crowd-blending: each t in D is eps-indistinguishable from >= k rows of D, itself counted, or ignored."""

    notion: ClassVar[str] = "crowd-blending"
    examined_by: ClassVar[str | None] = "crowd_blending"
    k: int = field(converter=as_k)
    epsilon: Epsilon = field(default=Epsilon(Fraction(0)), converter=as_epsilon)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        return (
            f"Each person blends with at least {self.k} people of the data, counting themselves "
            f"(outputs differ {by(self.epsilon, Fraction(0))}), or is ignored altogether."
        )


@frozen
class Safe(Claim):
    """eps-safe: the choice of the recoding is eps-DP in the data. 0 is strongly safe: no dependence at all."""

    notion: ClassVar[str] = "safe"
    examined_by: ClassVar[str | None] = "safe"
    epsilon: Epsilon = field(default=Epsilon(Fraction(0)), converter=as_epsilon)
    neighbours: Neighbours = field(default=Neighbours.ADD_REMOVE, converter=as_neighbours)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        if self.epsilon == Epsilon(Fraction(0)):
            return "How values are generalised does not depend on the data at all."
        who = self.neighbours.change
        factor = by(self.epsilon, Fraction(0))
        return f"{who.capitalize()} changes the probability of any choice of how values are generalised {factor}."


@frozen
class KAnonymity(Claim):
    """Every row of the release, seen through `columns` (None means all), appears at least k times.

    With `match` "matching" the cells are read as what they stand for, and an adversary knows everybody's values: in
    every original that fits the release, at least k rows may be those of each person.
    """

    notion: ClassVar[str] = "k-anonymity"
    examined_by: ClassVar[str | None] = "k_anonymity"
    k: int = field(converter=as_k)
    columns: tuple[str, ...] | None = field(default=None, converter=as_columns)
    match: str = field(default="text", converter=as_match)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        seen = "" if self.columns is None else f", seen through {', '.join(self.columns)},"
        if self.match == "matching":
            return (
                f"Whoever knows everybody's values finds at least {self.k} rows{seen.rstrip(',')} that may be those of "
                "a person, whatever the original of the release was."
            )
        return f"Every row of the release{seen} appears at least {self.k} times."


@frozen
class Assertion(Claim):
    """A sentence about mathematics or about a release, known by its id."""

    notion: ClassVar[str] = "assertion"
    id: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.id}: {self.sentence}"

    @property
    def meaning(self) -> str:
        """The sentence itself."""
        return self.sentence
