"""Running trials: one chunk of runs on one dataset, with a random stream of its own."""

import hashlib
import math
import random
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.outcome import NO_RELEASE
from crowdproof.audit.outputs import Score, code
from crowdproof.audit.outputs.features import as_numbers
from crowdproof.audit.outputs.keys import row_codes
from crowdproof.audit.sequential.betting import Ints
from crowdproof.errors import CrowdproofError, TargetError
from crowdproof.mechanism import Mechanism, batch_of

LOOKED_AT = 256
"""Outputs of a chunk that its fingerprint is taken of."""
SURE = 100.0
"""Bits of surprise from which two equal fingerprints are no coincidence."""


@frozen(eq=False)
class Chunk:
    """So many runs on one dataset, how many of the outputs to hand back, and by which scores to count them."""

    data: Any
    seed: np.random.SeedSequence
    size: int
    keep: int
    scores: tuple[Score | None, ...]


@frozen(eq=False)
class Ran:
    """What came of a chunk: the kept outputs (numbers as a matrix), the counts in each score's cells, a fingerprint."""

    kept: Any
    counts: tuple[Ints | None, ...]
    fingerprint: str | None
    """None where equal sequences of outputs could be a coincidence."""
    refused: int
    """Runs without a release."""


@frozen(eq=False)
class RunChunk:
    """Runs chunks of one mechanism; a value that can be sent to another process."""

    mechanism: Mechanism

    def __call__(self, chunk: Chunk) -> Ran:
        """Run it."""
        outputs = run(self.mechanism, chunk.data, chunk.seed, chunk.size)
        counts = tuple(None if score is None else score.count(outputs) for score in chunk.scores)
        return Ran(outputs[: chunk.keep], counts, fingerprint(outputs), _refused(outputs))


def _refused(outputs: Any) -> int:
    if isinstance(outputs, np.ndarray):
        return 0
    return sum(isinstance(each, str) and each == NO_RELEASE for each in outputs)


def run(mechanism: Mechanism, data: Any, seed: np.random.SeedSequence, size: int) -> Any:
    """`size` outputs: a matrix where they are numbers, else a list. The global random states are left reseeded."""
    before = _snapshot(data)
    reseed(seed)
    outputs = _call(mechanism, data, np.random.default_rng(seed), size)
    if not _unchanged(data, before):
        raise TargetError("the target changed the dataset that it was given: make it work on a copy.")
    matrix = as_numbers(outputs)
    if matrix is not None:
        return matrix
    if any(each is None for each in outputs):
        raise TargetError("the target returned None: make it return its release.")
    return list(outputs)


def _call(mechanism: Mechanism, data: Any, rng: np.random.Generator, size: int) -> Any:
    try:
        batch = batch_of(mechanism)
        outputs = [mechanism(data, rng) for _ in range(size)] if batch is None else batch(data, rng, size)
    except CrowdproofError:
        raise
    except Exception as error:
        raise TargetError(f"the target raised {type(error).__name__}: {error}") from error
    if len(outputs) != size:
        raise TargetError(
            f"the target's batch of {size} came back with {len(outputs)} outputs: return one for each run."
        )
    return outputs


def reseed(seed: np.random.SeedSequence) -> None:
    """Set the global random states from this seed, for targets that use them; who calls this puts them back."""
    words = seed.generate_state(4)
    random.seed(int.from_bytes(words.tobytes(), "little"))
    np.random.seed(words)  # noqa: NPY002


def fingerprint(outputs: Any) -> str | None:
    """A digest of the sequence of outputs, if another stream would hardly give the same sequence."""
    first = outputs[: LOOKED_AT if isinstance(outputs, np.ndarray) else 32]
    codes = row_codes(first) if isinstance(first, np.ndarray) else np.array([code(each) for each in first], np.uint64)
    alike = (np.count_nonzero(codes[1:] == codes[:-1]) + 1) / max(len(codes), 1)
    if alike >= 1 or -len(codes) * math.log2(alike) < SURE:
        return None
    return hashlib.blake2b(codes.tobytes(), digest_size=16).hexdigest()


def _snapshot(data: Any) -> Any:
    if isinstance(data, np.ndarray):
        return data.tobytes()
    if isinstance(data, pl.DataFrame):
        return data.clone()
    return code(data) if isinstance(data, (list, dict, set)) else None


def _unchanged(data: Any, before: Any) -> bool:
    if isinstance(data, np.ndarray):
        return bool(data.tobytes() == before)
    if isinstance(data, pl.DataFrame):
        return data.equals(before)
    return before is None or code(data) == before
