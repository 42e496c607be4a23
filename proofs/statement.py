"""What the ledger is made of: statements, their obligations, and the mutants that keep each check honest."""

from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction
from typing import Any

from attrs import evolve, field, frozen

from crowdproof.errors import ConfigError
from crowdproof.exact import Number, rational

Point = Mapping[str, Fraction | int]
"""An exact value for each variable."""


def at(**values: Number) -> Point:
    """A point, each value as a person writes it.

    >>> at(x=2, beta="1/3")
    {'x': Fraction(2, 1), 'beta': Fraction(1, 3)}
    """
    return {name: rational(value, name) for name, value in values.items()}


class Edge(dict[str, Fraction]):
    """A point at which the goal of an implication holds with equality: the bound is attained, not merely true."""


def edge(**values: Number) -> Edge:
    """A point of that kind, each value as a person writes it."""
    return Edge({name: rational(value, name) for name, value in values.items()})


@frozen
class Implication:
    """For all values of the variables: the assumptions imply the goal. Polynomial, so that solvers can decide it."""

    assume: tuple[str, ...]
    goal: str
    covers: tuple[Point, ...]
    """Points that the assumptions must admit: the proof is not vacuous, and it speaks of the edges it is cited for.
    At an `Edge` the goal must hold with equality."""
    integers: tuple[str, ...] = ()
    """The variables that range over whole numbers; all others are real."""
    squares: tuple[str, ...] = ()
    """Expressions whose squares a positivity certificate may use."""

    def without(self, *dropped: str) -> "Implication":
        """The same with fewer assumptions."""
        missing = set(dropped) - set(self.assume)
        if missing:
            raise ConfigError(f"cannot drop {sorted(missing)}: these are not among the assumptions.")
        return evolve(self, assume=tuple(each for each in self.assume if each not in dropped))


@frozen
class Identity:
    """Two expressions are the same function of their positive variables, wherever both have a value."""

    goal: str
    """An equation."""
    probes: tuple[Point, ...]
    """Points at which both sides have a value: where a false variant is to be caught."""


@frozen
class Finite:
    """The goal holds in every one of finitely many cases, each worked out exactly or in ball arithmetic."""

    quantities: Callable[..., Mapping[str, Any]] = field(eq=False)
    """The numbers that the goal speaks of, from the parameters of a case."""
    goal: str
    cases: tuple[Mapping[str, Any], ...]
    engine: str = "enumeration"


Body = Implication | Identity | Finite


@frozen
class Mutant:
    """A slightly false variant that the same engines must refute."""

    why: str
    change: Callable[[Any], Any] = field(eq=False)


def goal(text: str, why: str = "") -> Mutant:
    """The mutant with another goal."""
    return Mutant(why or f"goal {text}", lambda body: evolve(body, goal=text))


def without(*dropped: str) -> Mutant:
    """The mutant with fewer assumptions."""
    return Mutant(f"without {' and '.join(dropped)}", lambda body: body.without(*dropped))


def adding(*assumed: str, goal: str | None = None) -> Mutant:
    """The variant with more assumptions, as a repair of a refuted claim."""
    text = f"also assuming {' and '.join(assumed)}" + (f", goal {goal}" if goal else "")
    return Mutant(
        text, lambda body: evolve(body, assume=(*body.assume, *assumed), goal=body.goal if goal is None else goal)
    )


def case(why: str = "", **parameters: Any) -> Mutant:
    """The mutant in which every case has other parameters."""
    words = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    return Mutant(
        why or f"with {words}", lambda body: evolve(body, cases=tuple({**each, **parameters} for each in body.cases))
    )


@frozen
class Obligation:
    """One step of a proof."""

    id: str
    sentence: str
    body: Body
    mutants: tuple[Mutant, ...] = field()

    @mutants.validator
    def _at_least_one(self, _: object, value: tuple[Mutant, ...]) -> None:
        if not value:
            raise ConfigError(f"obligation {self.id} has no mutant: a check that cannot fail shows nothing.")


@frozen
class Printed:
    """A claim as it stands in the paper, which must be refuted; its repairs must be proved by the same engines."""

    sentence: str
    body: Body
    true: str
    """What holds instead, in words."""
    repairs: tuple[Mutant, ...] = ()
    counterexample: Point = field(factory=dict)
    """Where an implication or an identity fails; for a finite claim it is found among the cases."""


KERNEL = "kernel-checked"
"""The statement, for all datasets, is a theorem of Coq."""
STEPS = "steps checked, composition argued"
"""Every step is decided by engines; that the steps make the statement is argued in words."""
REFUTED = "refuted by counterexample"
"""What is printed fails at an exact point."""


class Registered(Enum):
    """The verdict that a statement is registered with."""

    PROVED = "PROVED"
    REFUTED = "REFUTED"


@frozen
class Statement:
    """A statement of a paper, in our own words."""

    id: str
    source: str
    sentence: str
    verdict: Registered
    obligations: tuple[Obligation, ...] = ()
    printed: Printed | None = None
    checked: tuple[str, ...] = ()
    """Assumptions that the obligations state and use."""
    duty: tuple[str, ...] = ()
    """Assumptions that whoever relies on the statement has to see to."""
    remark: str = ""
    theorem: str = ""
    """The theorem of `proofs/coq` that is the statement, where there is one."""
    extent: str = ""
    """How far the cases go, where the universal claim rests on enumerated cases."""

    @property
    def status(self) -> str:
        """In one of four words, what the statement rests on when every check comes out as registered."""
        if self.verdict is Registered.REFUTED:
            return REFUTED
        if self.theorem:
            return KERNEL
        if self.extent:
            return f"enumerated up to {self.extent}"
        return STEPS

    def __attrs_post_init__(self) -> None:
        if (self.printed is None) == (self.verdict is Registered.REFUTED):
            raise ConfigError(f"statement {self.id}: exactly the refuted statements have a printed claim.")
        if not self.obligations and self.printed is None:
            raise ConfigError(f"statement {self.id} has no obligation.")
        ids = [each.id for each in self.obligations]
        if len(set(ids)) != len(ids):
            raise ConfigError(f"statement {self.id} has two obligations of one name.")
