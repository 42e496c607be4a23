"""What can be run: a mechanism takes data and a random generator and returns an output."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np


class Mechanism(Protocol):
    """A callable `(data, rng) -> output`. All its randomness comes from `rng`: same rng, same output.

    For speed it may also have a method `batch(data, rng, size)` that returns `size` independent outputs: an array whose
    first axis has that length, or a list.
    """

    def __call__(self, data: Any, rng: np.random.Generator, /) -> Any:
        """Run once."""


def batch_of(mechanism: object) -> Callable[[Any, np.random.Generator, int], Any] | None:
    """How the mechanism runs many times at once, if it can."""
    batch = getattr(mechanism, "batch", None)  # far quicker than an instance check of a protocol
    return batch if callable(batch) else None


def is_deterministic(mechanism: object) -> bool:
    """Whether the mechanism declares that it does not use its rng."""
    return bool(getattr(mechanism, "deterministic", False))
