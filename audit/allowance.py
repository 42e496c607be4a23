"""What an audit may spend, all of it drawn from one object: runs, seconds, the error, and random streams."""

import time
from enum import Enum
from fractions import Fraction

import numpy as np
from attrs import Factory, define

from crowdproof.audit.request import Budget, Progress, Request


class Stream(Enum):
    """What random numbers are drawn for. Each purpose has its own, so that no two ever share a number."""

    BETTING = 1
    """Runs of a test by betting, and the coins that decide on which dataset each of them is."""
    PILOT = 2
    """Runs that choose which pairs to look at: no verdict rests on them."""
    CONFIRMING = 3
    """Fresh runs that confirm what was enumerated, and the coins for them."""
    COMPARISON = 4
    """One of several comparisons of the same audit; its own streams are below it."""
    RELEASES = 5
    """Runs of a notion that looks at releases one by one."""
    CONFIRMING_RELEASES = 6
    """Fresh runs that confirm what was seen in such releases."""
    WATCHED = 7
    """Runs of a test by betting that watches for a difference from what was enumerated."""
    ENUMERATING = 8
    """Runs on the samples of two datasets, one by one."""
    SEARCHING = 9
    """Which pairs the guided search tries."""
    CANARIES = 10
    """Rows that are put into the data of a single run, the coins for them, and the seed of that run."""


@define
class Allowance:
    """What may be spent, and what was spent of it so far."""

    budget: Budget = Factory(Budget)
    error: Fraction = Fraction(1, 10**6)
    """The probability with which a true claim may be refuted by whatever draws on this allowance."""
    seed: tuple[int, ...] = (0,)
    progress: Progress | None = None
    runs: int = 0
    found: str = ""
    """What is known by now, in a few words."""
    pace: float = 0.0
    """Seconds that a run of the target takes, once that is known."""
    start: float = Factory(time.monotonic)
    whole: "Allowance | None" = None
    """The allowance that this one is a part of; what is spent of the part is spent of the whole."""

    @classmethod
    def of(cls, request: Request) -> "Allowance":
        """All that a request may spend."""
        return cls(request.budget, error=request.error, seed=(request.seed,), progress=request.progress)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.start

    def count(self, runs: int) -> None:
        """Count runs that were made, here and in the allowance that this one is a part of."""
        self.runs += runs
        if self.whole is not None:
            self.whole.count(runs)

    def draw(self, runs: int, message: str) -> bool:
        """Count these runs and tell who watches; whether anything is left then."""
        self.count(runs)
        if self.progress is not None:
            self.progress.update(self.runs, self.budget.runs, f"{message}; {self.found}" if self.found else message)
        return not self.spent

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self.late or (self.budget.runs is not None and self.runs >= self.budget.runs)

    @property
    def late(self) -> bool:
        """Whether the time is spent: what has been seen by then depends on the machine."""
        seconds = self.budget.seconds
        return seconds is not None and self.seconds >= seconds

    @property
    def until(self) -> float | None:
        """When its time ends, by the clock of `time.time`."""
        seconds = self.left().seconds
        return None if seconds is None else time.time() + seconds

    def affords(self, runs: int) -> bool:
        """Whether that many more runs are within the budget, and there is time left."""
        left = self.expected()
        return not self.late and (left is None or runs <= left)

    def expected(self) -> int | None:
        """Runs that are left, by the budget of runs and, at the pace of the target, by that of time.

        >>> Allowance(Budget(runs=100, seconds=20.0), pace=0.5).expected() < 41
        True
        """
        return self.left().runs_at(self.pace)

    def left(self) -> Budget:
        """What remains, as a budget of its own."""
        return self.budget.less(runs=self.runs, seconds=self.seconds)

    def part(self, share: int, *, seconds: float | None = None) -> "Allowance":
        """One part in `share` of what is left, with the whole error.

        `seconds` are its time where no time is set.

        >>> whole = Allowance(Budget(runs=100))
        >>> half = whole.part(2)
        >>> half.count(30)
        >>> half.left().runs, whole.left().runs
        (20, 70)
        """
        left = self.left()
        budget = Budget(
            runs=None if left.runs is None else left.runs // share,
            seconds=seconds if left.seconds is None else left.seconds / share,
        )
        return Allowance(budget, error=self.error, seed=self.seed, progress=self.progress, pace=self.pace, whole=self)

    def comparison(self, number: int, *, tests: int) -> "Allowance":
        """All that is left, for one of so many comparisons that divide the error among them.

        >>> Allowance(error=Fraction(1, 20)).comparison(3, tests=10).error
        Fraction(1, 200)
        """
        part = self.part(1)
        part.error = self.error / tests
        part.seed = (*self.seed, Stream.COMPARISON.value, number)
        return part

    def stream(self, purpose: Stream, *numbers: int) -> np.random.SeedSequence:
        """The random numbers for a purpose; further numbers tell apart what is done for it more than once."""
        return np.random.SeedSequence([*self.seed, purpose.value, *numbers])

    def number(self, purpose: Stream) -> int:
        """One number of a purpose's stream, for a generator that is seeded by a number."""
        return int(self.stream(purpose).generate_state(1)[0])
