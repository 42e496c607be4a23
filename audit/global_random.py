"""The global random states of `random` and `numpy.random`, which some targets draw from."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def kept() -> Iterator[None]:
    """Put them back in the end; numpy takes several times longer for this than for reseeding."""
    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(numpy_before)  # noqa: NPY002
