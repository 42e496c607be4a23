"""What can be run: a mechanism takes data and a random generator and returns an output."""

from typing import Any, Protocol, runtime_checkable

import numpy as np


class Mechanism(Protocol):
    """A callable `(data, rng) -> output`. All its randomness comes from `rng`: same rng, same output."""

    def __call__(self, data: Any, rng: np.random.Generator, /) -> Any:
        """Run once."""


@runtime_checkable
class Batched(Protocol):
    """A mechanism that can run many times at once, for speed."""

    def batch(self, data: Any, rng: np.random.Generator, size: int, /) -> Any:
        """`size` independent outputs: an array whose first axis has that length, or a list."""


def is_deterministic(mechanism: object) -> bool:
    """Whether the mechanism declares that it does not use its rng."""
    return bool(getattr(mechanism, "deterministic", False))
