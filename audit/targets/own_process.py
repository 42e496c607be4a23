"""What a target that runs in our own process may change there, and what is put back after it."""

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np


@contextmanager
def kept() -> Iterator[None]:
    """Put back the global random states, the current folder and the limit of recursion.

    Numpy takes several times longer for its random state than for reseeding: this is for many runs at once.

    >>> before = os.getcwd()
    >>> with kept():
    ...     os.chdir("/")
    >>> os.getcwd() == before
    True
    """
    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002
    folder, limit = _folder(), sys.getrecursionlimit()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        random.setstate(before)
        np.random.set_state(numpy_before)  # noqa: NPY002
        if folder is not None:
            with suppress(OSError):  # it may be gone by now
                os.chdir(folder)


def _folder() -> str | None:
    """The current folder; None where it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109  (a Path would be made for nothing)
    except OSError:
        return None
