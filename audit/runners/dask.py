"""Trials on a Dask cluster: lost workers are survived, and the results are those of a run in one process."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from crowdproof.audit.request import Item, Result, Work
from crowdproof.audit.runners import LOCAL
from crowdproof.audit.runners.pace import Pace
from crowdproof.audit.runners.window import Chunk, Items, Pieces, Window
from crowdproof.errors import ParameterError, TargetError

CONNECT_SECONDS = 15
"""How long to wait for a scheduler to answer: a guess. One that is up answers in milliseconds."""
WORKER_SECONDS = 120
"""How long to wait for a first worker: a guess at what a cluster takes to start one."""


class DaskRunner:
    """Gives trials to the workers of a cluster, at most a few for each ahead of the one that is waited for.

    A trial that was on a lost worker runs again elsewhere, with the same seed and so the same result; one that takes
    several workers down with it is an error.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self.workers = self._threads()
        self._pace = Pace()

    @classmethod
    @contextmanager
    def on(cls, scheduler: str, jobs: int = 1, seconds: float = CONNECT_SECONDS) -> "Iterator[DaskRunner]":
        """Connected to the scheduler at that address, or to a cluster of `jobs` processes made for the block."""
        distributed = _distributed()
        if scheduler == LOCAL:
            cluster = distributed.LocalCluster(
                n_workers=jobs, threads_per_worker=1, dashboard_address=":0", memory_limit=None, silence_logs=40
            )
            with cluster, distributed.Client(cluster) as client:
                yield cls(client)
            return
        try:
            client = distributed.Client(scheduler, timeout=seconds)
        except (OSError, TimeoutError, ValueError) as error:
            raise ParameterError(
                f"no Dask scheduler answers at {scheduler!r} ({type(error).__name__}): start one with 'dask scheduler' "
                "and give its address, such as tcp://host:8786."
            ) from None
        with client:
            yield cls(client)

    def _threads(self) -> int:
        """How many trials the cluster runs at once, at this moment."""
        return max(1, int(sum(self._client.nthreads().values())))

    def map(self, function: Callable[[Item], Result], items: Iterable[Item], /) -> Window[Result]:
        """The results of `function` on `items`, in order."""
        return self._window(Items(function, items), Pace())

    def spread(self, work: Work[Result], /) -> Window[Result]:
        """The results of all pieces of the work, in order."""
        return self._window(Pieces(work), self._pace)

    def _window(self, source: Items | Pieces, pace: Pace) -> Window[Any]:
        with self._guarded():
            self._client.wait_for_workers(1, timeout=WORKER_SECONDS)
            self.workers = self._threads()
        return Window(
            lambda function, chunk: self._client.submit(Chunk(function), chunk, pure=False),
            source,
            workers=self.workers,
            pace=pace,
            guarded=self._guarded,
        )

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Tell in our words what became of the cluster."""
        distributed = _distributed()
        try:
            yield
        except distributed.scheduler.KilledWorker:
            raise TargetError(
                "one trial took several workers of the cluster down with it: the target crashes its process or uses up "
                "the memory. Run it isolated (isolate=fresh) and with a memory limit."
            ) from None
        except (distributed.CancelledError, distributed.comm.CommClosedError, TimeoutError) as error:
            raise TargetError(
                f"the Dask cluster was lost in the middle of the audit ({type(error).__name__}): is its scheduler up?"
            ) from None

    def __str__(self) -> str:
        address = self._client.scheduler.address
        return f"{self._threads()} threads of {len(self._client.nthreads())} Dask workers at {address}"


def _distributed() -> Any:
    try:
        import distributed  # noqa: PLC0415
    except ImportError:
        raise ParameterError("a Dask cluster needs dask.distributed: install crowdproof[dask].") from None
    return distributed
