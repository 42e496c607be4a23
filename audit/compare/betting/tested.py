"""What a sequential audit hands back."""

from enum import Enum
from typing import Any

from attrs import frozen

from crowdproof.audit.compare.betting.bounds import ProfilePoint
from crowdproof.claims import Point
from crowdproof.findings import Estimate, Event


class Direction(Enum):
    """On which dataset of the pair the event is too likely."""

    LEFT = "left"
    RIGHT = "right"


class Ended(Enum):
    """Why an audit ended."""

    REFUTED = "the claim was refuted"
    RUNS = "the budget of runs was spent"
    SECONDS = "the budget of time was spent"
    INTERRUPTED = "it was interrupted"
    FAILED = "the target failed"
    SHARED_NOISE = "runs that were made one after the other seemed to share their noise"
    DRIFT = "releases changed in the course of the audit, though the runs were declared to be independent"


@frozen
class Refutation:
    """An event that is too likely on one side, with intervals for its probabilities that hold at the audit's error."""

    pair: int
    direction: Direction
    event: Event
    p_left: Estimate
    p_right: Estimate
    excess: Estimate
    """Pr[heavier side in event] - e^eps Pr[other side in event]."""
    runs: tuple[int, int]
    """In the block that won most: runs on the left and on the right."""
    hits: tuple[int, int]
    """Those of them that gave the event."""
    point: Point | None = None
    """The point of the claim that the event breaks, where the claim has several: the one that holds most wealth."""
    alone: bool = True
    """Whether that point is refuted by itself; else only all of them together are."""


@frozen
class Detectable:
    """The smallest leak that would have been found with probability 0.9, in words and numbers."""

    words: str
    epsilon: float
    """At the claimed delta, for an event that happens in a tenth of the releases."""
    delta: float
    """At the claimed epsilon, for an event that never happens on the other side."""
    nothing: bool
    """Whether all runs, had they been on one pair, would hardly have found even an event that tells every release."""


MOST_REFUSED = 0.98
"""Share of runs without a release from which on hardly anything was examined: a service that went away, a limit. A
guess, above what targets that refuse often do."""


@frozen
class SequentialResult:
    """The outcome of a sequential audit of one claim over all its pairs and events."""

    refuted: Refutation | None
    log_e: float
    """Log of the e-value of this run: under the claim the mean of its exponential is at most 1, however it ended."""
    epsilon_low: float
    """Epsilon at the delta of `point` is above this, except with the audit's error; 0 where nothing was shown."""
    delta_low: float
    """Delta at the epsilon of `point` is above this, likewise."""
    profile: tuple[ProfilePoint, ...]
    trials: int
    """Runs of the target on all datasets."""
    refused: int
    """Those of them without a release."""
    keys: frozenset[str]
    """The key of every release where all were the same; `SEVERAL` among them where two differed."""
    stopped: int
    """The last runs, if they all gave one release on data on which earlier runs gave several; else 0."""
    bet: bool
    """Whether a pair had runs to bet on, after the first ones that a score is learned from."""
    pair_trials: tuple[int, ...]
    """Runs of the target on either side of each pair."""
    detectable: Detectable
    trace: tuple[tuple[int, float], ...]
    """(runs so far, log e) after each block."""
    ended: Ended
    failure: str
    """What the target did, where it failed; else empty."""
    coins: bool
    """Whether a coin decided on which dataset each run was; else the runs were declared to be independent."""
    leading: Refutation | None
    """The event that was bet on last, whether or not it refutes: what looks most like a leak."""
    point: Point
    """The point of the claim that holds most wealth; the lower bounds are at its delta and at its epsilon."""
    state: Any
    """What a later audit of the same pairs can start from, as JSON values."""

    @property
    def silent(self) -> bool:
        """Whether there was hardly a release at all, so that hardly anything was examined."""
        return self.refused > MOST_REFUSED * self.trials
