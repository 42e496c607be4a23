"""What is asserted of a mechanism: one small frozen type for each notion of privacy.

>>> parse_claim("dps(beta=0.5, epsilon=ln 3, delta=0.02)") == DPS(0.5, "ln 3", 0.02)
True
>>> print(DP(1, "1e-6"))
dp(epsilon=1, delta=1e-6)
"""

import re
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from importlib import import_module
from typing import ClassVar

from attrs import NOTHING, field, fields, frozen

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


def _by(epsilon: Epsilon, delta: Fraction) -> str:
    """How much a probability may change."""
    slack = f", save for a slack of {show(delta)}" if delta else ""
    if epsilon == Epsilon(Fraction(0)):
        return f"by nothing at all{slack}"
    return f"by a factor of at most {brief(epsilon.exp())} (ε = {epsilon}){slack}"


def _epsilon(written: Number | Epsilon) -> Epsilon:
    epsilon = Epsilon.of(written)
    if (float(epsilon) if epsilon.logarithm else epsilon.value) > LARGEST_EPSILON:
        raise ParameterError(f"epsilon is above {LARGEST_EPSILON}: such a claim says nothing. Claim a smaller one.")
    return epsilon


def _beta(written: Number) -> Fraction:
    return rate(written, "beta")


def _delta(written: Number) -> Fraction:
    return probability(written, "delta")


def _k(written: Number) -> int:
    return whole(written, "k")


def _neighbours(written: str | Neighbours) -> Neighbours:
    try:
        return Neighbours(written)
    except ValueError:
        known = " or ".join(each.value for each in Neighbours)
        raise ParameterError(f"neighbours is {written!r}: write {known}.") from None


def _columns(written: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...] | None:
    if written is None:
        return None
    names = tuple(part.strip() for part in written.split("|")) if isinstance(written, str) else tuple(written)
    if not all(isinstance(each, str) for each in names):
        raise ParameterError("columns holds what is no name: write the names of columns as text.")
    if not names or not all(names):
        raise ParameterError("columns is empty: name at least one column, or leave it out to mean all of them.")
    return once(names)


def _match(written: str) -> str:
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

    def __str__(self) -> str:
        shown = [
            f"{each.name}={_text(getattr(self, each.name))}"
            for each in fields(type(self))
            if getattr(self, each.name) != each.default
        ]
        return f"{self.notion}({', '.join(shown)})"

    def _repr_html_(self) -> str:
        """The claim as a notebook shows it; the reports are loaded by name, since the words import nothing of ours."""
        shown: str = import_module("crowdproof.report.html_report").claim_fragment(self)
        return shown


@frozen
class DP(Claim):
    """(eps, delta)-differential privacy: Pr[M(D) in O] <= e^eps Pr[M(D') in O] + delta for neighbours D, D'."""

    notion: ClassVar[str] = "dp"
    examined_by: ClassVar[str | None] = "indistinguishable"
    epsilon: Epsilon = field(converter=_epsilon)
    delta: Fraction = field(default=Fraction(0), converter=_delta)
    neighbours: Neighbours = field(default=Neighbours.ADD_REMOVE, converter=_neighbours)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        who = self.neighbours.change
        return f"{who.capitalize()} changes the probability of any output {_by(self.epsilon, self.delta)}."


@frozen
class DPS(Claim):
    """(beta, eps, delta)-DP under sampling: Poisson sampling at rate beta, then the mechanism, is (eps, delta)-DP.

    Requires delta < beta: for delta >= beta any mechanism satisfies it, so the claim would say nothing.
    """

    notion: ClassVar[str] = "dps"
    examined_by: ClassVar[str | None] = "indistinguishable"
    beta: Fraction = field(converter=_beta)
    epsilon: Epsilon = field(converter=_epsilon)
    delta: Fraction = field(default=Fraction(0), converter=_delta)
    neighbours: Neighbours = field(default=Neighbours.ADD_REMOVE, converter=_neighbours)

    def __attrs_post_init__(self) -> None:
        if self.delta >= self.beta:
            raise ParameterError(
                f"delta is {show(self.delta)} and beta {show(self.beta)}: a DPS claim needs delta < beta, "
                "since with delta >= beta it holds for every mechanism."
            )

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        return (
            f"When each row is kept with probability {show(self.beta)} before the release is made, "
            f"{self.neighbours.change} changes the probability of any output {_by(self.epsilon, self.delta)}."
        )


@frozen
class CrowdBlending(Claim):
    """(k, eps)-crowd-blending: each t in D is eps-indistinguishable from >= k rows of D, itself counted, or ignored."""

    notion: ClassVar[str] = "crowd-blending"
    examined_by: ClassVar[str | None] = "crowd_blending"
    k: int = field(converter=_k)
    epsilon: Epsilon = field(default=Epsilon(Fraction(0)), converter=_epsilon)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        return (
            f"Each person blends with at least {self.k} people of the data, counting themselves "
            f"(outputs differ {_by(self.epsilon, Fraction(0))}), or is ignored altogether."
        )


@frozen
class Safe(Claim):
    """eps-safe: the choice of the recoding is eps-DP in the data. 0 is strongly safe: no dependence at all."""

    notion: ClassVar[str] = "safe"
    examined_by: ClassVar[str | None] = "safe"
    epsilon: Epsilon = field(default=Epsilon(Fraction(0)), converter=_epsilon)
    neighbours: Neighbours = field(default=Neighbours.ADD_REMOVE, converter=_neighbours)

    @property
    def meaning(self) -> str:
        """What the claim promises."""
        if self.epsilon == Epsilon(Fraction(0)):
            return "How values are generalised does not depend on the data at all."
        who = self.neighbours.change
        by = _by(self.epsilon, Fraction(0))
        return f"{who.capitalize()} changes the probability of any choice of how values are generalised {by}."


@frozen
class KAnonymity(Claim):
    """Every row of the release, seen through `columns` (None means all), appears at least k times.

    With `match` "matching" the cells are read as what they stand for, and an adversary knows everybody's values: in
    every original that fits the release, at least k rows may be those of each person.
    """

    notion: ClassVar[str] = "k-anonymity"
    examined_by: ClassVar[str | None] = "k_anonymity"
    k: int = field(converter=_k)
    columns: tuple[str, ...] | None = field(default=None, converter=_columns)
    match: str = field(default="text", converter=_match)

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


PARSEABLE: dict[str, type[Claim]] = {each.notion: each for each in (DP, DPS, CrowdBlending, Safe, KAnonymity)}
_CALL = re.compile(r"([a-z-]+)\s*\((.*)\)", re.DOTALL | re.IGNORECASE)
MOST_CHARACTERS = 10_000
"""Characters of a claim: enough for hundreds of columns, and read in a moment whatever they are."""


def parse_claim(text: str) -> Claim:
    """Read a claim as it is written on a command line or in a configuration file."""
    if len(text) > MOST_CHARACTERS:
        raise ParameterError(
            f"a claim of {len(text):,} characters is not read: write it in {MOST_CHARACTERS:,} at most."
        )
    match = _CALL.fullmatch(text.strip())
    if match is None or match[1].lower() not in PARSEABLE:
        known = ", ".join(f"{name}(...)" for name in PARSEABLE)
        raise ParameterError(f"{text!r} is not a claim: write one of {known}, for example dp(epsilon=1, delta=1e-6).")
    return build_claim(match[1].lower(), _arguments(match[2], text))


def build_claim(notion: str, arguments: dict[str, str]) -> Claim:
    """Make the claim of that notion from named arguments as text; unknown and missing names are errors."""
    kind = PARSEABLE[notion]
    known = {each.name: each for each in fields(kind)}
    for name in arguments:
        if name not in known:
            raise ParameterError(f"{notion} has no parameter {name!r}: it takes {', '.join(known)}.")
    for name, each in known.items():
        if name not in arguments and each.default is NOTHING:
            raise ParameterError(f"{notion} needs {name}: write {notion}({name}=...).")
    return kind(**arguments)


def _arguments(text: str, whole_claim: str) -> dict[str, str]:
    arguments: dict[str, str] = {}
    for part in filter(str.strip, re.split(r",(?![^(]*\))", text)):
        name, equals, value = part.partition("=")
        if not equals:
            comma = ", and decimal numbers with a point" if arguments and part.strip().isdecimal() else ""
            raise ParameterError(f"{part.strip()!r} in {whole_claim!r} has no name: write it as name=value{comma}.")
        if name.strip() in arguments:
            raise ParameterError(f"{name.strip()} is given twice in {whole_claim!r}: keep one.")
        arguments[name.strip()] = value.strip()
    return arguments


def _text(value: object) -> str:
    match value:
        case Fraction():
            return show(value)
        case Neighbours():
            return value.value
        case tuple():
            return "|".join(value)
        case _:
            return str(value)
