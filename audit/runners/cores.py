"""Trials on the cores of this machine, in a pool of processes."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from crowdproof import interrupts
from crowdproof.audit.request import Item, Result, Work
from crowdproof.audit.runners.pace import Pace
from crowdproof.audit.runners.window import Chunk, Items, Pieces, Window
from crowdproof.audit.targets.interpreter import ONE_THREAD
from crowdproof.errors import ParameterError, TargetError


class Cores:
    """A pool of worker processes, started with the first trial and kept for the next ones.

    The workers are new interpreters (loky), not forks: polars and BLAS hold threads that a fork would break. Functions
    go to them by cloudpickle, so one that was defined in a notebook or a script works too.
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise ParameterError(f"workers is {workers}: give at least 1.")
        self.workers = workers or _cores()
        self._pool: Any = None
        self._pace = Pace()

    def map(self, function: Callable[[Item], Result], items: Iterable[Item], /) -> Window[Result]:
        """The results of `function` on `items`, in order."""
        return self._window(Items(function, items), Pace())

    def spread(self, work: Work[Result], /) -> Window[Result]:
        """The results of all pieces of the work, in order."""
        return self._window(Pieces(work), self._pace)

    def _window(self, source: Items | Pieces, pace: Pace) -> Window[Any]:
        pool = self._started()
        return Window(
            lambda function, chunk: pool.submit(Chunk(function), chunk),
            source,
            workers=self.workers,
            pace=pace,
            guarded=self._guarded,
        )

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Tell in our words that a worker died."""
        from loky.process_executor import BrokenProcessPool  # noqa: PLC0415

        try:
            yield
        except BrokenProcessPool:
            self.close()
            raise TargetError(
                "a worker process ended in the middle of a trial: the target crashed it or used up the memory. Run the "
                "target isolated from it (isolate=fresh), with fewer workers, or with a memory limit."
            ) from None

    def _started(self) -> Any:
        if self._pool is None:
            from loky import ProcessPoolExecutor  # noqa: PLC0415

            # one hash seed for all: the order of a set must not tell who ran a trial
            wanted = {**ONE_THREAD, "PYTHONHASHSEED": "0"}
            self._pool = ProcessPoolExecutor(
                self.workers,
                env={name: value for name, value in wanted.items() if name not in os.environ},
                initializer=_heed if interrupts.heeding() else None,
            )
        return self._pool

    def close(self) -> None:
        """End the workers, once the trials that they have begun are over; a signal that asks for the end ends these."""
        if self._pool is not None:
            if interrupts.asked():
                self._interrupt()
            self._pool.shutdown()
            self._pool = None

    def _interrupt(self) -> None:
        """Let the workers end the runs that they are at, as the terminal does: a signal comes to one process alone."""
        for worker in list(self._pool._processes):  # noqa: SLF001  (loky has no other way to know them)
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGINT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __str__(self) -> str:
        return f"{self.workers} processes on this machine"


def _heed() -> None:
    """In a worker: let signals break into trials, and into nothing else."""
    interrupts.heed()
    interrupts.keep()


def _cores() -> int:
    """The cores that this process may use, also inside a container."""
    from loky import cpu_count  # noqa: PLC0415

    return int(cpu_count())
