"""The auditor's domain: pairs of neighbouring data, budgets, and where trials run.

The logic is asymmetric. An audit can show that a claim is false, by a pair of neighbours and an event. It cannot
show that a claim is true: it can only say how hard it looked and which leak it would have seen.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from attrs import frozen

from crowdproof.claims import Claim, Neighbours
from crowdproof.findings import Certainty, Evidence, Json, Verdict
from crowdproof.mechanism import Mechanism

Item = TypeVar("Item")
Result = TypeVar("Result")


@frozen(eq=False)
class Pair:
    """Two neighbouring datasets: polars tables, numpy vectors, or whatever else the target takes."""

    left: Any
    right: Any
    relation: Neighbours
    origin: str
    """How the pair was chosen, in words: part of every result."""


@frozen
class Budget:
    """How much may be spent; None is no limit. A spent budget is never a verdict by itself."""

    runs: int | None = None
    """Runs of the target, over all datasets."""
    seconds: float | None = None

    def less(self, *, runs: int, seconds: float) -> "Budget":
        """What is left after so much was spent.

        >>> Budget(runs=100).less(runs=30, seconds=1.0)
        Budget(runs=70, seconds=None)
        """
        return Budget(
            runs=None if self.runs is None else max(0, self.runs - runs),
            seconds=None if self.seconds is None else max(0.0, self.seconds - seconds),
        )

    def runs_at(self, pace: float) -> int | None:
        """Runs that it allows where each takes `pace` seconds; 0 is not known, and None is no limit.

        >>> Budget(runs=1000, seconds=10.0).runs_at(0.1), Budget(runs=50, seconds=9.0).runs_at(0.1), Budget().runs_at(1)
        (100, 50, None)
        """
        if self.seconds is None or pace <= 0:
            return self.runs
        in_time = int(self.seconds / pace)
        return in_time if self.runs is None else min(self.runs, in_time)


class Sampling(Enum):
    """Who draws the sample that a DPS claim speaks of."""

    AUDITOR = "auditor"
    """The auditor samples the rows and gives the sample to the target."""
    TARGET = "target"
    """The target is given the whole data and samples by itself."""


class Runner(Protocol):
    """Where trials run: in this process, on local cores, or on a cluster.

    `map` keeps the order of its items, so that a result never depends on where it was computed. It is lazy: it
    looks only a bounded number of items ahead, and closing the iterator cancels what is still under way.
    """

    workers: int

    def map(self, function: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]:
        """The results of `function` on `items`, in order."""


class Progress(Protocol):
    """Told how far the work is; may raise KeyboardInterrupt to end it early with what was found."""

    def update(self, done: int, total: int | None, message: str) -> None:
        """`done` of `total` runs (None: open-ended), and the current finding in a few words."""


@frozen(eq=False)
class Request:
    """Everything an audit was asked."""

    target: Mechanism
    claim: Claim
    data: Any
    """The user's own data, or None."""
    pairs: Sequence[Pair] | None
    """The pairs to examine; None leaves the choice to the auditor."""
    budget: Budget
    error: Fraction
    seed: int
    runner: Runner
    progress: Progress | None
    sampling: Sampling = Sampling.AUDITOR
    search: int = 100
    """How many pairs the guided search may try."""
    deterministic: bool | None = None
    """Whether the output depends on the data alone; None where the target itself is to tell."""


@frozen(eq=False)
class Conclusion:
    """What came of a request, before it is told who asked and what it cost."""

    verdict: Verdict
    certainty: Certainty | None
    evidence: tuple[Evidence, ...]
    runs: int
    data: Json = None
    """The dataset that a replay needs, where the witness does not hold it."""
