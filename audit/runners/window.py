"""Results in order, with a bounded amount of work under way: what local cores and a cluster have in common.

Items travel in chunks whose length follows the time that an item takes, so that even short trials keep the workers
busy. Chunks change nothing else: results come item by item, and an error comes where its item stands.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, Protocol

from attrs import frozen

from crowdproof import interrupts
from crowdproof.audit.request import Item, Result
from crowdproof.errors import TargetError, pass_interrupts

CHUNK_SECONDS = 0.1
"""How long a chunk should take: long against the cost of sending it, short against anyone's patience. A guess."""
AHEAD = 3
"""Chunks under way for each worker: enough that none waits for work, few enough to stop soon. A guess."""


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


def ordered(submit: Callable[[list[Item]], Task], items: Iterable[Item], workers: int) -> Iterator[Any]:
    """The results in the order of the items. A bounded number of items is taken ahead, and closing cancels the rest."""
    remaining, size = iter(items), 1
    under_way: deque[Task] = deque()
    try:
        while True:
            while len(under_way) < AHEAD * workers and (chunk := list(islice(remaining, size))):
                under_way.append(submit(chunk))
            if not under_way:
                return
            part = under_way.popleft().result()
            yield from part.results
            if part.error is not None:
                raise part.error
            each = part.seconds / len(part.results)
            size = max(1, min(2 * size, int(CHUNK_SECONDS / max(each, 1e-6))))
    finally:
        for task in under_way:
            task.cancel()
