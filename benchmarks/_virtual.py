"""A clock that stands still but for what is waited for, and workers that live by it: hours pass in seconds.

The auditor is the real one, and so is what deals out the work. Only the clock is not: a run of the target adds its
seconds to the time of the worker that it is on, and whoever waits for a result is put forward to when it is there.
What the judge itself computes takes the time that it takes.
"""

import heapq
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from attrs import Factory, define, frozen

from crowdproof.audit.request import Work
from crowdproof.audit.runners.pace import Pace
from crowdproof.audit.runners.window import Chunk, Items, Pieces, Window
from crowdproof.audit.targets.behaviour import Behaviour
from crowdproof.audit.targets.interface import Target

SENDING = 0.001
"""Seconds of the judge to send a piece of work away: about what Dask takes."""
CLOCKS = ("allowance", "auditor", "compare.betting.block_runs", "compare.betting.clock", "compare.betting.sequential")
CLOCKS += ("compare.betting.trials", "runners.inline", "runners.window", "targets.behaviour", "targets.probe")
"""Modules of `crowdproof.audit` that look at the clock."""


@define
class Clock:
    """Stands in for the module `time`."""

    now: float = 0.0
    away: bool = False
    """Whether a worker is at work, so that what is computed is not the judge's."""
    computed: float = Factory(time.process_time)

    def judged(self) -> None:
        """Let the time pass that the judge has computed since it was last asked."""
        used = time.process_time()
        if not self.away:
            self.now += used - self.computed
        self.computed = used

    def time(self) -> float:
        """The time by now."""
        return self.now

    monotonic = perf_counter = time


@contextmanager
def virtual() -> Iterator[Clock]:
    """The clock, which all of the auditor goes by inside the block."""
    clock = Clock()
    with ExitStack() as patched:
        for name in CLOCKS:
            patched.enter_context(mock.patch(f"crowdproof.audit.{name}.time", clock))
        yield clock


@frozen(eq=False)
class Task:
    """Something that is done at a time to come."""

    clock: Clock
    end: float
    part: Any

    def result(self) -> Any:
        """Wait for it."""
        self.clock.judged()
        self.clock.now = max(self.clock.now, self.end)
        return self.part

    def cancel(self) -> None:
        """It is not needed any more; the worker is at it all the same."""


@define(eq=False)
class Workers:
    """So many workers, each with one thing to do at a time, in the order in which it was sent."""

    clock: Clock
    workers: int
    pace: Pace = Factory(Pace)
    free: list[float] = Factory(lambda self: [0.0] * self.workers, takes_self=True)

    def map(self, function: Callable[[Any], Any], items: Iterable[Any], /) -> Window[Any]:
        """The results of `function` on `items`, in order."""
        return Window(self._submit, Items(function, items), workers=self.workers, pace=Pace())

    def spread(self, work: Work[Any], /) -> Window[Any]:
        """The results of all pieces of the work, in order."""
        return Window(self._submit, Pieces(work), workers=self.workers, pace=self.pace)

    def _submit(self, function: Callable[[Any], Any], chunk: list[Any]) -> Task:
        clock = self.clock
        clock.judged()
        clock.now += SENDING
        now, clock.now = clock.now, max(clock.now, heapq.heappop(self.free))
        clock.away = True
        part = Chunk(function)(chunk)
        clock.judged()
        clock.away = False
        task = Task(clock, clock.now, part)
        heapq.heappush(self.free, clock.now)
        clock.now = now
        return task


class Slow(Target):
    """Releases how many rows there are, with noise, and takes its time."""

    name, params, spec = "a slow count", {}, {}
    __module__ = Target.__module__  # like a target that runs in another process, which copies of it share

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock, self._seconds = clock, seconds

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One output for each seed."""
        self._clock.now += self._seconds * len(seeds)
        return [round(len(data) + _noise(seed)) for seed in seeds]

    def examine(self, data: Any, seconds: float | None = None) -> Behaviour:  # noqa: ARG002
        """Known beforehand."""
        return Behaviour(deterministic=False, reproducible=True, stateful=False)


def _noise(seed: int) -> float:
    import numpy as np  # noqa: PLC0415

    return float(np.random.default_rng(seed).laplace())
