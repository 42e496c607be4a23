"""A null: a mechanism and a claim that it satisfies with nothing to spare."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, assert_never

import numpy as np
import polars as pl
from attrs import define, field, frozen
from numpy.typing import NDArray

from crowdproof.audit.calibration.behaviours import Behaviour, State, Stateless, is_timed
from crowdproof.audit.calibration.dressings import Dressing
from crowdproof.audit.calibration.laws import Cases, Law
from crowdproof.audit.calibration.makers import Refused
from crowdproof.audit.request import Pair, Sampling
from crowdproof.claims import DPS, Claim, Neighbours
from crowdproof.mechanism import Mechanism
from crowdproof.mechanisms.sampling import Sampled


class Reading(Enum):
    """How a case is written as data, and read off it."""

    NUMBER = "the case itself"
    ROWS = "a table of so many equal rows"
    LAST = "a table of four rows, the last of which is the case"
    GROUPS = "a table with rows of two kinds"


class Delivery(Enum):
    """How the null hands over its runs: one by one, or many at once."""

    SINGLE = "one by one"
    LISTED = "in batches with None for a run without a release"
    RAISING = "in batches that raise if any of their runs refuses"
    STACKED = "in batches as one array"
    DEPENDENT = "in batches that are declared dependent"


@frozen
class Null:
    """The parts that make a null. Nulls of equal parts are equal, and each audit starts a new mechanism from them."""

    law: Law
    claim: Claim
    pairs_of_cases: tuple[Cases, ...]
    dressing: Dressing
    behaviour: Behaviour = field(factory=Stateless)
    delivery: Delivery = Delivery.SINGLE
    reading: Reading = Reading.NUMBER
    sampling: Sampling | None = None
    """Who draws the sample of a claim about sampling: then the law is that of the answer on a sample."""
    most: int = 0
    """The largest group, where the data has groups."""
    title: str = ""
    """What it is called, if it has a name of its own."""

    @property
    def name(self) -> str:
        """Its parts in words."""
        parts = [self.law.name, str(self.claim), self.dressing.name, str(self.behaviour), self.delivery.value]
        who = [] if self.sampling is None else [f"sampled by the {self.sampling.value}"]
        return self.title or "; ".join([*parts, *who, f"{len(self.pairs_of_cases)} pairs"])

    @property
    def remembers(self) -> bool:
        """Whether a run depends on those before it."""
        return not isinstance(self.behaviour, Stateless)

    @property
    def repeatable(self) -> bool:
        """Whether the same seed gives the same runs."""
        return not is_timed(self.behaviour)

    @property
    def at_the_door(self) -> bool:
        """Whether it is audited as users do it, and not by the betting engine alone."""
        return self.reading is not Reading.NUMBER

    @property
    def pairs(self) -> list[Pair]:
        """The neighbours as data; a dataset that two pairs share is one object."""
        relation = getattr(self.claim, "neighbours", Neighbours.ADD_REMOVE)
        data = {case: self.data(case) for pair in self.pairs_of_cases for case in pair}
        return [Pair(data[a], data[b], relation, f"case {a} against {b}") for a, b in self.pairs_of_cases]

    def data(self, case: int) -> Any:
        """The case as the mechanism is given it."""
        match self.reading:
            case Reading.NUMBER:
                return case
            case Reading.ROWS:
                return pl.DataFrame({"value": ["a"] * case}, schema={"value": pl.String})
            case Reading.LAST:
                return pl.DataFrame({"value": [0, 0, 0, case]})
            case Reading.GROUPS:
                a, b = divmod(case, self.most + 1)
                return pl.DataFrame({"value": ["a"] * a + ["b"] * b}, schema={"value": pl.String})
            case _:
                assert_never(self.reading)

    def case(self, data: Any) -> int:
        """The case of this data."""
        match self.reading:
            case Reading.NUMBER:
                return int(data)
            case Reading.ROWS:
                return int(data.height)
            case Reading.LAST:
                return int(data["value"].sum())
            case Reading.GROUPS:
                a = int((data["value"] == "a").sum())
                return a * (self.most + 1) + int(data.height) - a
            case _:
                assert_never(self.reading)

    def mechanism(self) -> Mechanism:
        """A new mechanism, with nothing to remember yet."""
        kind = {Delivery.SINGLE: Running, Delivery.DEPENDENT: Dependent}.get(self.delivery, Batched)
        running = kind(self, self.law.ends())
        if self.sampling is Sampling.TARGET:
            assert isinstance(self.claim, DPS)
            return Sampled(self.claim.beta, running)
        return running


@define(eq=False)
class Running:
    """The mechanism of a null, run by run."""

    null: Null
    ends: tuple[NDArray[np.int64], ...]
    state: State = field(factory=State)

    def __call__(self, data: Any, rng: np.random.Generator, /) -> Any:
        """One run."""
        ends = self.ends[self.null.case(data)]
        return self._output(int(ends.searchsorted(rng.integers(ends[-1]), side="right")), rng)

    def _output(self, answer: int, rng: np.random.Generator) -> Any:
        try:
            return self.null.behaviour.run(self.state, rng, answer, lambda: self.null.dressing.make(answer, rng))
        finally:
            if not isinstance(self.null.behaviour, Stateless):
                self.state.calls += 1


@define(eq=False)
class Batched(Running):
    """Hands over many independent runs at once."""

    def batch(self, data: Any, rng: np.random.Generator, size: int, /) -> Any:
        """`size` outputs at once."""
        ends = self.ends[self.null.case(data)]
        answers = ends.searchsorted(rng.integers(ends[-1], size=size), side="right").tolist()
        outputs = [self._released(answer, rng) for answer in answers]
        return np.array(outputs) if self.null.delivery is Delivery.STACKED else outputs

    def _released(self, answer: int, rng: np.random.Generator) -> Any:
        if self.null.delivery is not Delivery.RAISING:
            return self._or_none(answer, rng)
        output = self._output(answer, rng)
        if output is None:
            raise Refused("one of the runs has no release")
        return output

    def _or_none(self, answer: int, rng: np.random.Generator) -> Any:
        try:
            return self._output(answer, rng)
        except Refused:
            return None


@define(eq=False)
class Dependent(Batched):
    """Hands over many runs at once, which depend on one another."""

    independent = False


STACKABLE: Sequence[str] = ("int", "float", "bool", "array", "numpy float32", "beyond 2^53")
"""Dressings whose outputs make one array."""
