"""What every claim is: a frozen value that writes itself as text, and the readers of its parameters."""

from collections.abc import Mapping, Sequence
from enum import Enum
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

from attrs import field, fields, frozen

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, brief, probability, rate, show, whole

LARGEST_EPSILON = 10_000
"""The largest epsilon of a claim: e^epsilon is worked with exactly, which takes ever longer."""


class Neighbours(Enum):
    """When two datasets count as neighbours."""

    ADD_REMOVE = "add-remove"
    """One has exactly one row more than the other."""
    REPLACE = "replace"
    """They have equally many rows and differ in at most one."""

    @property
    def change(self) -> str:
        """What makes a dataset its neighbour, in words."""
        return _CHANGES[self]


_CHANGES = {
    Neighbours.ADD_REMOVE: "adding or removing one person",
    Neighbours.REPLACE: "replacing one person’s row",
}


def by(epsilon: Epsilon, delta: Fraction) -> str:
    """How much a probability may change."""
    slack = f", save for a slack of {show(delta)}" if delta else ""
    if epsilon == Epsilon(Fraction(0)):
        return f"by nothing at all{slack}"
    return f"by a factor of at most {brief(epsilon.exp())} (ε = {epsilon}){slack}"


def as_epsilon(written: Number | Epsilon) -> Epsilon:
    """An epsilon that a claim may state."""
    epsilon = Epsilon.of(written)
    if (float(epsilon) if epsilon.logarithm else epsilon.value) > LARGEST_EPSILON:
        raise ParameterError(f"epsilon is above {LARGEST_EPSILON}: such a claim says nothing. Claim a smaller one.")
    return epsilon


def as_beta(written: Number) -> Fraction:
    """The rate of a sampling step."""
    return rate(written, "beta")


def as_delta(written: Number) -> Fraction:
    """A delta that a claim may state."""
    return probability(written, "delta")


def as_k(written: Number) -> int:
    """The size that a group must have."""
    return whole(written, "k")


def as_neighbours(written: str | Neighbours) -> Neighbours:
    """A relation between datasets, by its name."""
    try:
        return Neighbours(written)
    except ValueError:
        known = " or ".join(each.value for each in Neighbours)
        raise ParameterError(f"neighbours is {written!r}: write {known}.") from None


def as_columns(written: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Names of columns, in a list or in one text; None for all of them."""
    if written is None:
        return None
    names = tuple(part.strip() for part in written.split("|")) if isinstance(written, str) else tuple(written)
    if not all(isinstance(each, str) for each in names):
        raise ParameterError("columns holds what is no name: write the names of columns as text.")
    if not names or not all(names):
        raise ParameterError("columns is empty: name at least one column, or leave it out to mean all of them.")
    return once(names)


def as_match(written: str) -> str:
    """How the cells of a release are read."""
    if written not in ("text", "matching"):
        raise ParameterError(f"match is {written!r}: write text or matching.")
    return written


def once(names: Sequence[str]) -> tuple[str, ...]:
    """The names, if none of them is there twice.

    >>> once(["age", "zip"])
    ('age', 'zip')
    """
    for name in names:
        if list(names).count(name) > 1:
            raise ParameterError(f"{name} is named twice: name each column once.")
    return tuple(names)


@frozen
class Claim:
    """Base of the notions. `str(claim)` is its canonical text, which `parse_claim` reads back."""

    notion: ClassVar[str]
    examined_by: ClassVar[str | None] = None
    """The module of `crowdproof.audit.notions` that examines such claims of a mechanism; None where none does."""

    @property
    def meaning(self) -> str:
        """What the claim promises, in a sentence for a reader who does not know the notion."""
        return str(self)

    @classmethod
    def read(cls, arguments: Mapping[str, Any], folder: Path) -> Self:  # noqa: ARG003  (for claims that name files)
        """The claim with these parameters, which name fields of it; files that it names are relative to the folder."""
        return cls(**arguments)

    def __str__(self) -> str:
        shown = [
            f"{each.name}={text_of(getattr(self, each.name))}"
            for each in fields(type(self))
            if getattr(self, each.name) != each.default
        ]
        return f"{self.notion}({', '.join(shown)})"

    def _repr_html_(self) -> str:
        """The claim as a notebook shows it; the reports are loaded by name, since the words import nothing of ours."""
        shown: str = import_module("crowdproof.report.html_report").claim_fragment(self)
        return shown


@frozen
class Point:
    """(eps, delta)-DP, as one of the points that a claim about distributions consists of.

    >>> print(Point("ln 3", "0.01"))
    ln 3:0.01
    """

    epsilon: Epsilon = field(converter=as_epsilon)
    delta: Fraction = field(default=Fraction(0), converter=as_delta)

    @property
    def words(self) -> str:
        """The point as sentences name it."""
        return f"(ε = {self.epsilon}, δ = {show(self.delta)})"

    def __str__(self) -> str:
        return f"{self.epsilon}:{show(self.delta)}"


@frozen
class DistributionClaim(Claim):
    """A claim on how far the laws of the release on two neighbours may be apart.

    It is a curve delta(eps), of one point or of many: it holds if Pr[M(D) in O] <= e^eps Pr[M(D') in O] + delta(eps) at
    every eps, for all neighbours and sets of outputs O. So it is false as soon as one of its points is.
    """

    examined_by: ClassVar[str | None] = "indistinguishable"
    neighbours: Neighbours


def text_of(value: object) -> str:
    """A parameter as a claim writes it."""
    match value:
        case Fraction():
            return show(value)
        case Neighbours():
            return value.value
        case tuple():
            return "|".join(map(str, value))
        case _:
            return str(value)
