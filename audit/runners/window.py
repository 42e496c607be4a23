"""Results in order, with a bounded amount of work under way: what local cores and a cluster have in common.

Items travel in chunks whose length follows the time that an item takes, so that even short trials keep the workers
busy. Chunks change nothing else: results come in order, and an error comes where its item stands.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from typing import Any, Generic, Protocol

from attrs import frozen

from crowdproof import interrupts
from crowdproof.audit.request import Item, Result, Work
from crowdproof.audit.runners.pace import AHEAD, Pace
from crowdproof.errors import TargetError, pass_interrupts


@frozen
class Part(Generic[Result]):
    """What came of a chunk: the results up to its end, or up to the first item that failed."""

    results: list[Result]
    error: Exception | None
    seconds: float


@frozen
class Chunk(Generic[Item, Result]):
    """Applies a function to several items. Sent to the workers, so it is picklable if the function is."""

    function: Callable[[Item], Result]

    def __call__(self, items: Sequence[Item]) -> Part[Result]:
        """The results in order; an error ends the chunk and keeps what came before it."""
        start, results, problem = time.perf_counter(), [], None
        try:
            with interrupts.breakable():  # which begins nothing where an earlier chunk was asked to end
                for item in items:
                    results.append(self.function(item))  # noqa: PERF401  (what is done must survive an error)
        except Exception as error:  # noqa: BLE001  (handed on, and raised where its item stands)
            problem = error
        except BaseException as error:  # noqa: BLE001  (which would end the worker)
            pass_interrupts(error)
            problem = TargetError(f"the target crashed with {type(error).__name__}: {error}")
        return Part(results, problem, time.perf_counter() - start)


class Task(Protocol):
    """Something under way: a future of `concurrent.futures` or of Dask."""

    def result(self) -> Any:
        """Wait for it."""

    def cancel(self) -> object:
        """It is no longer wanted."""


Submit = Callable[[Callable[[Any], Any], list[Any]], Task]
"""Sends a chunk of items away, with the function that is to be applied to each."""


class Items:
    """Items of which nobody knows how many there are."""

    def __init__(self, function: Callable[[Any], Any], items: Iterable[Any]) -> None:
        self.function, self._items = function, iter(items)

    def next(self, pace: Pace, workers: int) -> tuple[list[Any], int]:
        """The next chunk, and how many units it has; 0 where there are none."""
        chunk = list(islice(self._items, pace.units(None, workers=workers)))
        return chunk, len(chunk)


class Pieces:
    """Pieces of work, cut as they are sent."""

    def __init__(self, work: Work[Any]) -> None:
        self.function, self._work, self._start = _do, work, 0

    def next(self, pace: Pace, workers: int) -> tuple[list[Any], int]:
        """The next piece, and how many units it has; 0 where there are none."""
        left = self._work.units - self._start
        if left <= 0:
            return [], 0
        start, self._start = self._start, self._start + min(left, pace.units(left, workers=workers))
        return [self._work.cut(start, self._start)], self._start - start


def _do(piece: Callable[[], Result]) -> Result:
    return piece()


class Window(Generic[Result]):
    """The results in the order of the items. The first items are sent at once, and closing cancels those under way."""

    def __init__(
        self,
        submit: Submit,
        source: Items | Pieces,
        *,
        workers: int,
        pace: Pace,
        guarded: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        self._submit, self._source, self._workers, self._pace = submit, source, workers, pace
        self._guarded = guarded
        self._under_way: deque[tuple[Task, int]] = deque()
        self._ready: deque[Result] = deque()
        self._error: Exception | None = None
        with guarded():
            self._fill()

    def __iter__(self) -> Iterator[Result]:
        return self

    def __next__(self) -> Result:
        """The next result."""
        try:
            while not self._ready and self._error is None:
                with self._guarded():
                    self._fill()
                    if not self._under_way:
                        break
                    self._wait()
        except BaseException:
            self.close()
            raise
        if self._ready:
            return self._ready.popleft()
        self.close()
        raise self._error or StopIteration

    def close(self) -> None:
        """Cancel what is under way."""
        while self._under_way:
            self._under_way.popleft()[0].cancel()

    def __del__(self) -> None:
        """Nobody waits for the results any more."""
        self.close()

    def _fill(self) -> None:
        while len(self._under_way) < AHEAD * self._workers:
            chunk, units = self._source.next(self._pace, self._workers)
            if not chunk:
                return
            self._under_way.append((self._submit(self._source.function, chunk), units))

    def _wait(self) -> None:
        task, units = self._under_way[0]
        part = task.result()
        self._under_way.popleft()
        self._ready.extend(part.results)
        self._error = part.error
        if part.error is None:
            self._pace.took(part.seconds, units)
