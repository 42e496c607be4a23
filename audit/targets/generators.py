"""Random generators that a target holds, and that two copies of it would share.

A target may draw from a generator that was made when its module was imported, or that its closure holds. All forks of
such a process repeat one and the same draw, and so do copies that were sent to several workers. Runs that repeat one
another are no independent evidence: a true claim could be refuted by them. So wherever a target is copied, its
generators are set from the seed of the run, as `random` and `numpy.random` are.
"""

import gc
import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from attrs import define, field, frozen

from crowdproof.audit.targets.memory import GENERATORS, fingerprint, reached
from crowdproof.errors import TargetError
from crowdproof.mechanism import Mechanism

OWN_STREAM = 2**31
"""The stream below a run's seed that sets the generators of a copy. A target may spawn from the seed that it is given,
which numbers streams from 0 on: no stream of its own has so large a number."""
IMPORT_STREAM = OWN_STREAM + 4
"""The stream that sets all generators of a process before it imports the target, which may draw from them then."""
PYTHON_STREAM, NUMPY_STREAM, TORCH_STREAM = OWN_STREAM + 1, OWN_STREAM + 2, OWN_STREAM + 3
"""The same for `random`, `numpy.random` and torch. Each has a stream of its own: the first two are Mersenne twisters,
and the same words would make one and the same generator of them."""


def alive() -> list[Any]:
    """The generators that live in this process, in the order in which they were made; not the two global ones."""
    return _own(gc.get_objects())


def reachable(mechanism: object) -> list[Any]:
    """The generators that a mechanism holds: in its closure, its attributes, its class or the globals of its module.

    >>> def noisy(own):
    ...     return lambda data, rng: own.random()
    >>> reachable(noisy(np.random.default_rng(1)))
    [<numpy.random._pcg64.PCG64 object at 0x...>]
    """
    return _own(reached(mechanism))


def _own(objects: Iterable[Any]) -> list[Any]:
    shared = {id(each) for each in _global_generators()}
    found = []
    for each in objects:
        kind = type(each)  # not isinstance, which asks the object: that may be a proxy that does anything
        if issubclass(kind, GENERATORS) and not issubclass(kind, random.SystemRandom) and id(each) not in shared:
            found.append(each)
    return found


def _global_generators() -> list[Any]:
    """Those behind `random.random()` and `numpy.random.random()`, which are seeded by themselves."""
    legacy = np.random.mtrand._rand  # noqa: SLF001
    return [random.random.__self__, legacy, legacy._bit_generator]  # type: ignore[attr-defined]  # noqa: SLF001


def reseed(generators: Sequence[Any], seed: np.random.SeedSequence) -> None:
    """Set each of these generators from a seed of its own."""
    for each, own in zip(generators, seed.spawn(len(generators)), strict=True):
        if isinstance(each, random.Random):
            each.seed(int(own.generate_state(1, np.uint64)[0]))
        elif isinstance(each, np.random.BitGenerator):
            each.state = type(each)(own).state
        else:
            fresh = np.random.RandomState(type(each._bit_generator)(own))  # noqa: SLF001
            each.set_state(fresh.get_state(legacy=False))


def sequence_of(seed: int) -> np.random.SeedSequence:
    """The streams below the seed of one run."""
    return np.random.SeedSequence([seed % 2**32, seed >> 32])


def below(seed: np.random.SeedSequence, stream: int) -> np.random.SeedSequence:
    """One stream below a seed, without counting as one that was spawned from it."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, stream), pool_size=seed.pool_size)


def reseed_global(seed: np.random.SeedSequence) -> None:
    """Set `random`, `numpy.random` and, where it is loaded, torch, each from a stream of its own below this seed.

    Who calls this puts the first two back, where others use them too.
    """
    random.seed(int.from_bytes(below(seed, PYTHON_STREAM).generate_state(8).tobytes(), "little"))
    np.random.seed(below(seed, NUMPY_STREAM).generate_state(8))  # noqa: NPY002
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "manual_seed"):
        torch.manual_seed(int(below(seed, TORCH_STREAM).generate_state(1, np.uint64)[0] >> 1))


@define
class OfProcess:
    """The generators of a process that holds one target; some may be made only when it runs."""

    found: list[Any] = field(factory=alive)
    runs: int = 0

    def before_import(self, seed: int) -> None:
        """Before the target of a run is imported: set what a fork has from its parent, which all forks would repeat."""
        own = below(sequence_of(seed), IMPORT_STREAM)
        reseed_global(own)
        reseed(self.found, below(own, OWN_STREAM))

    def reseed(self, seed: int) -> None:
        """Before a run: set all of them from its seed."""
        if self.runs and self.runs & (self.runs - 1) == 0:  # looked for after 1, 2, 4, 8, ... runs: it takes time
            self.found = alive()
        self.runs += 1
        reseed(self.found, below(sequence_of(seed), OWN_STREAM))


@frozen(eq=False)
class Sent:
    """A mechanism on its way to other processes: a copy of it notices that it is one.

    >>> import pickle
    >>> here = Sent(np.random.default_rng)
    >>> here.is_copy, pickle.loads(pickle.dumps(here)).is_copy
    (False, True)
    """

    mechanism: Mechanism
    home: tuple[int, int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "home", self._here)

    @property
    def _here(self) -> tuple[int, int]:
        return os.getpid(), id(self)

    @property
    def is_copy(self) -> bool:
        """Whether it was sent here by somebody else."""
        return self.home != self._here

    @contextmanager
    def ready(self, seed: np.random.SeedSequence) -> Iterator[Mechanism]:
        """The mechanism; if it is a copy, with its generators set from this seed.

        A copy that is another one afterwards is an error: what it remembers is not known to the other copies, and if
        that is how it draws its noise, they all draw the same.
        """
        if not self.is_copy:
            yield self.mechanism
            return
        held = reachable(self.mechanism)
        if held:
            reseed(held, below(seed, OWN_STREAM))
        before = fingerprint(self.mechanism)
        yield self.mechanism
        if fingerprint(self.mechanism) != before:
            raise TargetError(
                "the target changes as it runs, so copies of it in several workers would not be independent of one "
                "another: run it with one worker, or name it by file.py:function."
            )
