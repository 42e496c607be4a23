"""Where trials run. The results are the same in all places, in the same order: only the time differs."""

from collections.abc import Iterator
from contextlib import contextmanager

from crowdproof.audit.request import Runner
from crowdproof.errors import ParameterError

__all__ = ["runner_for"]

LOCAL = "local"
"""The scheduler address that stands for a Dask cluster made for the run, on this machine."""


@contextmanager
def runner_for(jobs: int = 1, scheduler: str | None = None) -> Iterator[Runner]:
    """The runner that was asked for, ended with the block.

    One job is this process, more are that many local processes. A scheduler is the address of a Dask cluster, or
    `local` for one with `jobs` workers made for the run.

    >>> with runner_for() as runner:
    ...     list(runner.map(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    if jobs < 1:
        raise ParameterError(f"jobs is {jobs}: give at least 1.")
    if scheduler is not None:
        from crowdproof.audit.runners.dask import DaskRunner  # noqa: PLC0415  (heavy, and an extra)

        with DaskRunner.on(scheduler, jobs) as cluster:
            yield cluster
    elif jobs > 1:
        from crowdproof.audit.runners.cores import Cores  # noqa: PLC0415

        with Cores(jobs) as cores:
            yield cores
    else:
        from crowdproof.audit.runners.inline import Inline  # noqa: PLC0415

        yield Inline()
