"""What can be run: a mechanism takes data and a random generator and returns an output."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from attrs import frozen


class Mechanism(Protocol):
    """A callable `(data, rng) -> output`. All its randomness comes from `rng`: same rng, same output.

    For speed it may also have a method `batch(data, rng, size)` that returns `size` independent outputs: an array whose
    first axis has that length, or a list, with None for a run that released nothing. With that method a mechanism
    declares that its runs do not depend on one another, unless it has an attribute `independent` that is false.
    """

    def __call__(self, data: Any, rng: np.random.Generator, /) -> Any:
        """Run once."""


@frozen(eq=False)
class Capabilities:
    """What a mechanism offers besides being called, found by looking at it once.

    >>> class Coin:
    ...     deterministic = False
    ...     def law(self, data):
    ...         return {"heads": "1/2", "tails": "1/2"}
    ...     def __call__(self, data, rng):
    ...         return ("heads", "tails")[rng.integers(2)]
    >>> offered = Capabilities.of(Coin())
    >>> offered.declares_law, offered.deterministic, offered.batch, offered.k
    (True, False, None, None)
    """

    batch: Callable[[Any, np.random.Generator, int], Any] | None
    """Runs many times at once."""
    independent: bool
    """Whether it stands for it that the runs of a batch do not depend on one another."""
    deterministic: bool
    """Whether it declares that it does not use its rng. What a target knows of itself was measured: that some runs were
    alike declares nothing of the others."""
    law: Callable[[Any], Any] | None
    """`law(data)`: each possible output with its exact probability."""
    choose: Callable[[Any, np.random.Generator], Any] | None
    """The first step of a recoding, by itself."""
    answers: Callable[..., list[Any]] | None
    """How a target answers runs on several datasets in turn."""
    examine: Callable[..., Any] | None
    """How a target is measured."""
    behaviour: Any
    """What that showed, once it was done."""
    k: int | None
    """The size of its groups, where it declares one by an attribute."""

    @classmethod
    def of(cls, mechanism: object) -> "Capabilities":
        """Look at a mechanism."""
        batch, examine = _method(mechanism, "batch"), _method(mechanism, "examine")
        k = getattr(mechanism, "k", None)
        return cls(
            batch=batch,
            independent=batch is not None and bool(getattr(mechanism, "independent", True)),
            deterministic=examine is None and bool(getattr(mechanism, "deterministic", False)),
            law=_method(mechanism, "law"),
            choose=_method(mechanism, "choose"),
            answers=_method(mechanism, "answers"),
            examine=examine,
            behaviour=getattr(mechanism, "behaviour", None),
            k=k if isinstance(k, int) and k >= 1 else None,
        )

    @property
    def declares_law(self) -> bool:
        """Whether it is randomized, and tells its law."""
        return self.law is not None and not self.deterministic

    @property
    def finite(self) -> bool:
        """Whether one call tells all that can come of a dataset."""
        return self.deterministic or self.law is not None


def _method(mechanism: object, name: str) -> Callable[..., Any] | None:
    method = getattr(mechanism, name, None)  # far quicker than an instance check of a protocol
    return method if callable(method) else None


def batch_of(mechanism: object) -> Callable[[Any, np.random.Generator, int], Any] | None:
    """How the mechanism runs many times at once, if it can."""
    return _method(mechanism, "batch")


def declares_independence(mechanism: object) -> bool:
    """Whether the mechanism offers batches and stands for it that their runs do not depend on one another.

    Of any other mechanism an audit assumes less: a coin decides on which dataset each run is.
    """
    return Capabilities.of(mechanism).independent


def is_deterministic(mechanism: object) -> bool:
    """Whether the mechanism declares that it does not use its rng."""
    return Capabilities.of(mechanism).deterministic
