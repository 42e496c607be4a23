"""What a target that runs in our own process may change there, and what is put back after it."""

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np

try:
    import resource
except ImportError:  # not on every system
    resource = None  # type: ignore[assignment]


@contextmanager
def kept() -> Iterator[None]:
    """Put back the global random states, the current folder, and the limits of recursion and of open files.

    Numpy takes several times longer for its random state than for reseeding: this is for many runs at once.

    >>> before = os.getcwd()
    >>> with kept():
    ...     os.chdir("/")
    >>> os.getcwd() == before
    True
    """
    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002
    folder, limit, files = _folder(), sys.getrecursionlimit(), _file_limit()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        _limit_files(files)
        random.setstate(before)
        np.random.set_state(numpy_before)  # noqa: NPY002
        if folder is not None:
            with suppress(OSError):  # it may be gone by now
                os.chdir(folder)


def _file_limit() -> tuple[int, int] | None:
    """How many files may be open, and how many at most; None where the system has no such limit."""
    return None if resource is None else resource.getrlimit(resource.RLIMIT_NOFILE)


def _limit_files(limit: tuple[int, int] | None) -> None:
    """Set the limit of open files again; one that can be raised no more stays as it is."""
    if resource is None or limit is None or limit == _file_limit():
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


def _folder() -> str | None:
    """The current folder; None where it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109  (a Path would be made for nothing)
    except OSError:
        return None
