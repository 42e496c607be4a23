"""What can be run: a mechanism takes data and a random generator and returns an output."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np


class Mechanism(Protocol):
    """A callable `(data, rng) -> output`. All its randomness comes from `rng`: same rng, same output.

    For speed it may also have a method `batch(data, rng, size)` that returns `size` independent outputs: an array whose
    first axis has that length, or a list, with None for a run that released nothing. With that method a mechanism
    declares that its runs do not depend on one another, unless it has an attribute `independent` that is false.
    """

    def __call__(self, data: Any, rng: np.random.Generator, /) -> Any:
        """Run once."""


def batch_of(mechanism: object) -> Callable[[Any, np.random.Generator, int], Any] | None:
    """How the mechanism runs many times at once, if it can."""
    batch = getattr(mechanism, "batch", None)  # far quicker than an instance check of a protocol
    return batch if callable(batch) else None


def declares_independence(mechanism: object) -> bool:
    """Whether the mechanism offers batches and stands for it that their runs do not depend on one another.

    Of any other mechanism an audit assumes less: a coin decides on which dataset each run is.
    """
    return batch_of(mechanism) is not None and bool(getattr(mechanism, "independent", True))


def is_deterministic(mechanism: object) -> bool:
    """Whether the mechanism declares that it does not use its rng.

    A target has a method `examine`, and what it knows of itself was measured: that some runs were alike declares
    nothing of the others.
    """
    declared = bool(getattr(mechanism, "deterministic", False))
    return declared and not hasattr(mechanism, "examine")
