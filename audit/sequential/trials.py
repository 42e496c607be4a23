"""Running trials: one chunk of runs on one dataset, with a random stream of its own."""

import hashlib
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit import global_random
from crowdproof.audit.outputs import Score, code
from crowdproof.audit.outputs.features import as_numbers
from crowdproof.audit.outputs.keys import row_codes
from crowdproof.audit.sequential.betting import Ints
from crowdproof.errors import CrowdproofError, TargetError
from crowdproof.mechanism import Batched, Mechanism

LOOKED_AT = 256
"""Outputs of a chunk that its fingerprint is taken of."""
SURE = 100.0
"""Bits of surprise from which two equal fingerprints are no coincidence."""


@frozen(eq=False)
class Chunk:
    """So many runs on one dataset, and how many of the outputs to hand back."""

    data: Any
    seed: np.random.SeedSequence
    size: int
    keep: int
    score: Score | None


@frozen(eq=False)
class Ran:
    """What came of a chunk: the kept outputs (numbers as a matrix), the counts in the score's cells, a fingerprint."""

    kept: Any
    counts: Ints | None
    fingerprint: str | None
    """None where equal sequences of outputs could be a coincidence."""


@frozen(eq=False)
class RunChunk:
    """Runs chunks of one mechanism; a value that can be sent to another process."""

    mechanism: Mechanism

    def __call__(self, chunk: Chunk) -> Ran:
        """Run it."""
        outputs = run(self.mechanism, chunk.data, chunk.seed, chunk.size)
        counts = None if chunk.score is None else chunk.score.count(outputs)
        return Ran(outputs[: chunk.keep], counts, fingerprint(outputs))


def run(mechanism: Mechanism, data: Any, seed: np.random.SeedSequence, size: int) -> Any:
    """`size` outputs: a matrix where they are numbers, else a list."""
    before = _snapshot(data)
    with reseeded(seed):
        outputs = _call(mechanism, data, np.random.default_rng(seed), size)
    if not _unchanged(data, before):
        raise TargetError("the target changed the dataset that it was given: make it work on a copy.")
    matrix = as_numbers(outputs)
    return list(outputs) if matrix is None else matrix


def _call(mechanism: Mechanism, data: Any, rng: np.random.Generator, size: int) -> Any:
    try:
        if isinstance(mechanism, Batched):
            outputs = mechanism.batch(data, rng, size)
        else:
            outputs = [mechanism(data, rng) for _ in range(size)]
    except CrowdproofError:
        raise
    except Exception as error:
        raise TargetError(f"the target raised {type(error).__name__}: {error}") from error
    if len(outputs) != size:
        raise TargetError(
            f"the target's batch of {size} came back with {len(outputs)} outputs: return one for each run."
        )
    if isinstance(outputs, list) and any(each is None for each in outputs):
        raise TargetError("the target returned None: make it return its release.")
    return outputs


@contextmanager
def reseeded(seed: np.random.SeedSequence) -> Iterator[None]:
    """The global random states, for targets that use them, set from this seed and put back afterwards."""
    words = seed.generate_state(4)
    with global_random.kept():
        random.seed(int.from_bytes(words.tobytes(), "little"))
        np.random.seed(words)  # noqa: NPY002
        yield


def fingerprint(outputs: Any) -> str | None:
    """A digest of the sequence of outputs, if another stream would hardly give the same sequence."""
    first = outputs[: LOOKED_AT if isinstance(outputs, np.ndarray) else 32]
    codes = row_codes(first).tolist() if isinstance(first, np.ndarray) else [code(each) for each in first]
    alike = (sum(one == two for one, two in pairwise(codes)) + 1) / max(len(codes), 1)
    if alike >= 1 or -len(codes) * math.log2(alike) < SURE:
        return None
    return hashlib.blake2b(repr(codes).encode(), digest_size=16).hexdigest()


def _snapshot(data: Any) -> Any:
    if isinstance(data, np.ndarray):
        return data.copy()
    if isinstance(data, pl.DataFrame):
        return data.clone()
    return code(data) if isinstance(data, (list, dict, set)) else None


def _unchanged(data: Any, before: Any) -> bool:
    if isinstance(data, np.ndarray):
        return bool(np.array_equal(data, before, equal_nan=data.dtype.kind == "f"))
    if isinstance(data, pl.DataFrame):
        return data.equals(before)
    return before is None or code(data) == before
