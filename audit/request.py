"""The auditor's domain: pairs of neighbouring data, budgets, and where trials run.

The logic is asymmetric. An audit can show that a claim is false, by a pair of neighbours and an event. It cannot
show that a claim is true: it can only say how hard it looked and which leak it would have seen.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from attrs import evolve, field, frozen

from crowdproof.audit.as_read import as_read
from crowdproof.claims import Claim, Neighbours
from crowdproof.errors import ParameterError
from crowdproof.exact import Number, whole
from crowdproof.findings import Certainty, Evidence, Json, Verdict
from crowdproof.mechanism import Mechanism

Item = TypeVar("Item")
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


@frozen(eq=False)
class Pair:
    """Two neighbouring datasets: polars tables, numpy vectors, or whatever else the target takes."""

    left: Any
    right: Any
    relation: Neighbours
    origin: str
    """How the pair was chosen, in words: part of every result."""


def _time_limit(seconds: float | None) -> float | None:
    """The seconds of a budget; to have infinitely many is to have no limit."""
    if seconds is None or seconds == math.inf:
        return None
    if not seconds >= 0:  # nan is not
        raise ParameterError(f"seconds is {seconds}: give a number from 0 on, or None for no limit.")
    return seconds


@frozen
class Budget:
    """How much may be spent; None is no limit. A spent budget is never a verdict by itself.

    >>> Budget(seconds=float("inf"))
    Budget(runs=None, seconds=None)
    """

    runs: int | None = None
    """Runs of the target, over all datasets."""
    seconds: float | None = field(default=None, converter=_time_limit)

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


class Work(Protocol[Result_co]):
    """Units of work in a row that can be cut into pieces anywhere: what comes of them in all is always the same."""

    @property
    def units(self) -> int:
        """How many units there are."""

    def cut(self, start: int, stop: int, /) -> Callable[[], Result_co]:
        """What does the units from `start` up to `stop`; a value that can be sent to another process."""


class Results(Protocol[Result_co]):
    """Results in order; who needs no more of them closes it."""

    def __iter__(self) -> Iterator[Result_co]: ...

    def __next__(self) -> Result_co: ...

    def close(self) -> None:
        """Cancel what is still under way."""


class Runner(Protocol):
    """Where trials run: in this process, on local cores, or on a cluster.

    Both ways to run keep the order, so that a result never depends on where it was computed. With several workers the
    work begins at once; they look only a bounded number of items ahead, and closing the results cancels what is still
    under way.
    """

    workers: int

    def map(self, function: Callable[[Item], Result], items: Iterable[Item], /) -> Results[Result]:
        """The results of `function` on `items`, in order."""

    def spread(self, work: Work[Result], /) -> Results[Result]:
        """The results of all pieces of the work, in order; how it is cut depends on the workers and on the time."""


class Progress(Protocol):
    """Told how far the work is; may raise KeyboardInterrupt to end it early with what was found."""

    def update(self, done: int, total: int | None, message: str) -> None:
        """`done` of `total` runs (None: open-ended), and the current finding in a few words."""


def _pairs_as_read(pairs: Sequence[Pair] | None) -> Sequence[Pair] | None:
    """The pairs, each dataset of them as if it had just been read."""
    if pairs is None:
        return None
    return [evolve(pair, left=as_read(pair.left), right=as_read(pair.right)) for pair in pairs]


DEFAULT_CANARIES = 1000
"""Enough to refute what tells of every tenth of them at an epsilon near 1. `--plan` says how many a claim needs."""
MOST_CANARIES = 1_000_000
"""They are compared with the release one by one."""
MOST_REPEATS = 1000
"""Each is a run of a whole pipeline."""


def _canaries(written: Number) -> int:
    return _at_most(whole(written, "canaries"), "canaries", MOST_CANARIES)


def _repeat(written: Number) -> int:
    return _at_most(whole(written, "repeat"), "repeat", MOST_REPEATS)


def _at_most(number: int, name: str, most: int) -> int:
    if number > most:
        raise ParameterError(f"{name} is {number:,}: give {most:,} at most.")
    return number


@frozen
class OneRunTerms:
    """How an audit by canaries is to be done: rows that are put into the data by coins, and a single run."""

    canaries: int = field(default=DEFAULT_CANARIES, converter=_canaries)
    repeat: int = field(default=1, converter=_repeat)
    """Runs of the target at most, each with fresh canaries and coins."""


@frozen(eq=False)
class Request:
    """Everything an audit was asked."""

    target: Mechanism
    claim: Claim
    data: Any = field(converter=as_read)
    """The user's own data, or None."""
    pairs: Sequence[Pair] | None = field(converter=_pairs_as_read)
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
    one_run: OneRunTerms | None = None
    """Where the target is to run only once, on all of the data with canaries in it."""


@frozen(eq=False)
class Conclusion:
    """What came of a request, before it is told who asked and what it cost."""

    verdict: Verdict
    certainty: Certainty | None
    evidence: tuple[Evidence, ...]
    runs: int
    data: Json = None
    """The dataset that a replay needs, where the witness does not hold it."""
    measures: Mapping[str, Json] = field(factory=dict)
    """What was measured, as numbers by name."""
