"""What surrounds an answer: state, clocks and refusals that never look at the data of the call.

Each behaviour keeps the claim for every call *given the state in which the call finds the target*: what it adds is a
function of that state and of fresh coins, and so is post-processing. The state itself may depend on all earlier calls,
even on their data: where a fair coin that nobody sees chose the dataset of each call, earlier coins say nothing about
this one. That is all that a test by betting needs. It is false where runs on one dataset come in blocks.

What is left out is noise of the answer itself that is kept from one call to the next. Given the state such an answer is
a function of the data and tells it outright, so the claim fails for the call, however well the first answer was hidden.
A kept *mark* is different: it was never mixed with the data.
"""

from collections.abc import Callable
from time import monotonic, sleep
from typing import Any, Protocol, TypeAlias

import numpy as np
from attrs import define, frozen

from crowdproof.audit.calibration.makers import Refused

TOO_MANY = "too many requests"
Make: TypeAlias = Callable[[], Any]
"""Makes the output of this call; raises where there is no release."""


@define(eq=False)
class State:
    """What a target remembers; every audit starts with a new one."""

    calls: int = 0
    """Before this one."""
    clock: float = 0.0
    tokens: float | None = None
    before: float = 0.0
    """The answers of earlier calls, averaged."""
    mark: int = 0
    warm: int = 0


class Behaviour(Protocol):
    """One way to behave, which never changes: what does change from call to call is kept in the state."""

    def run(self, state: State, rng: np.random.Generator, answer: int, make: Make, /) -> Any:
        """The output of one call."""


@frozen
class Stateless:
    """It remembers nothing: every call is like the first."""

    def run(self, _state: State, _rng: np.random.Generator, _answer: int, make: Make, /) -> Any:
        """The output and nothing else."""
        return make()


@frozen
class Numbered:
    """The output carries the number of the call."""

    def run(self, state: State, _rng: np.random.Generator, _answer: int, make: Make, /) -> Any:
        """Number and output."""
        return (state.calls, make())


@frozen
class Stamped:
    """The output carries the time: of a clock that goes on by chance, or of the real one."""

    real: bool = False

    def run(self, state: State, rng: np.random.Generator, _answer: int, make: Make, /) -> Any:
        """Time and output."""
        state.clock = monotonic() if self.real else state.clock + float(rng.exponential(0.001))
        return (state.clock, make())


@frozen
class Tide:
    """The output carries a mark, which changes to its opposite after a number of calls."""

    period: int

    def run(self, state: State, _rng: np.random.Generator, _answer: int, make: Make, /) -> Any:
        """Mark and output."""
        return (state.calls // self.period % 2, make())


@frozen
class Drift:
    """The output carries a random mark, which is set more and more often."""

    length: int
    """Calls after which it is always set."""

    def run(self, state: State, rng: np.random.Generator, _answer: int, make: Make, /) -> Any:
        """Mark and output."""
        return (int(rng.random() * self.length < state.calls), make())


@frozen
class Moody:
    """It refuses seldom for some calls, then often for as many, by turns."""

    period: int
    often: float = 0.2
    seldom: float = 0.02

    def run(self, state: State, rng: np.random.Generator, _answer: int, make: Make, /) -> Any:
        """The output, or none."""
        if rng.random() < (self.often if state.calls // self.period % 2 else self.seldom):
            raise Refused("not in the mood")
        return make()


@frozen
class Limited:
    """It limits the rate of calls: a bucket of calls is refilled with time, and an empty one turns calls away."""

    capacity: float
    refill: float
    """Calls in each unit of time."""
    pause: int | None = None
    """None takes the real clock, in seconds. Else a call takes one unit, and after so many a pause fills the bucket."""

    def run(self, state: State, _rng: np.random.Generator, _answer: int, make: Make, /) -> Any:
        """The output, or that there were too many requests."""
        left = self.capacity if state.tokens is None or self._rested(state) else state.tokens
        now = monotonic() if self.pause is None else float(state.calls)
        gained = (now - state.clock) * self.refill if state.tokens is not None else 0.0
        state.clock, state.tokens = now, min(self.capacity, left + gained)
        if state.tokens < 1:
            return TOO_MANY
        state.tokens -= 1
        return make()

    def _rested(self, state: State) -> bool:
        return self.pause is not None and state.calls % self.pause == 0


@frozen
class Warming:
    """It refuses the first calls after a rest, which it measures by the real clock."""

    rest: float = 0.001
    """Seconds without a call after which it is cold."""
    calls: int = 40

    def run(self, state: State, _rng: np.random.Generator, _answer: int, make: Make, /) -> Any:
        """The output, or none."""
        now = monotonic()
        if now - state.clock > self.rest:
            state.warm = 0
        state.warm += 1
        try:
            if state.warm <= self.calls:
                raise Refused("warming up")
            return make()
        finally:
            state.clock = monotonic()


@frozen
class Echo:
    """The output carries the average of earlier answers, which whoever made those calls has seen."""

    memory: float = 0.0
    """Share of the old average in the new one: 0 is the answer of the call before alone."""

    def run(self, state: State, _rng: np.random.Generator, answer: int, make: Make, /) -> Any:
        """Old answers and output."""
        before = round(state.before, 2)
        state.before = self.memory * state.before + (1 - self.memory) * answer
        return (before, make())


@frozen
class KeptMark:
    """The output carries a random mark, which is drawn anew only after a number of calls."""

    every: int

    def run(self, state: State, rng: np.random.Generator, _answer: int, make: Make, /) -> Any:
        """Mark and output."""
        if state.calls % self.every == 0:
            state.mark = int(rng.integers(8))
        return (state.mark, make())


@frozen
class SlowStart:
    """It takes longer for the first calls than for later ones."""

    calls: int = 20
    seconds: float = 0.0005

    def run(self, state: State, _rng: np.random.Generator, _answer: int, make: Make, /) -> Any:
        """The output, sooner or later."""
        if state.calls < self.calls:
            sleep(self.seconds)
        return make()


BEHAVIOURS: tuple[Behaviour, ...] = (
    *(Numbered(), Stamped(), Stamped(real=True), Echo(), Echo(0.95), SlowStart(), Warming()),
    *(Tide(period) for period in (64, 128, 256, 100)),
    *(Drift(length) for length in (300, 3000)),
    *(Moody(period) for period in (64, 128, 500)),
    *(Limited(140, 0.3, pause=pause) for pause in (256, 700)),
    Limited(140, 300.0),
    *(KeptMark(every) for every in (64, 128, 300)),
)
"""All that remember something."""


def is_timed(behaviour: Behaviour) -> bool:
    """Whether it looks at the real clock, so that no seed repeats it."""
    if isinstance(behaviour, Stamped):
        return behaviour.real
    return isinstance(behaviour, Warming) or (isinstance(behaviour, Limited) and behaviour.pause is None)
