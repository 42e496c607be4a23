"""Measuring how a target behaves: the engines need to know, and so does the reader of a finding."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.errors import TargetError
from crowdproof.findings import Note

SEEDS = (11, 11, 12, 13, 14)
"""Two runs with the same seed and three with others."""

Runs = Callable[[Any, Sequence[int]], list[Any]]


@frozen
class Behaviour:
    """What was seen in a few runs on one dataset and on a smaller one; None is 'could not be told'."""

    deterministic: bool
    """Every run gave the same output, whatever the seed."""
    reproducible: bool
    """The same seed gave the same output."""
    stateful: bool | None = None
    """An output depended on what ran before in the same process."""
    hash_seed: bool | None = None
    """An output depended on PYTHONHASHSEED, which Python draws anew for each process."""
    seeded_on_import: bool = False
    """Its randomness comes from a generator seeded when it was imported, so forks repeat one another."""
    isolation: str = ""
    """Where the runs of the audit take place, in words."""

    @property
    def needs_fresh(self) -> bool:
        """Whether runs must not share a process: they do influence one another, or that could not be told."""
        return not self.seeded_on_import and (self.stateful is True or not self.reproducible)

    def note(self) -> Note:
        """The measurement, for a report."""
        sentences = [_DETERMINISTIC if self.deterministic else _RANDOM if self.reproducible else _ENTROPY]
        if self.stateful:
            sentences.append("It keeps state from one call to the next.")
        if self.hash_seed:
            sentences.append("Its output depends on PYTHONHASHSEED.")
        if self.isolation:
            sentences.append(self.isolation)
        return Note("Behaviour of the target", " ".join(sentences))


_DETERMINISTIC = f"All {len(SEEDS)} trial runs gave the same output, so it is taken to be deterministic."
_RANDOM = "It is randomized, and the same seed gave the same output."
_ENTROPY = "It is randomized from a source that no seed controls, so a replay repeats the statistics, not the outputs."


def measure(runs: Runs, data: Any) -> tuple[bool, bool, list[Any]]:
    """Whether it is deterministic, whether it is reproducible, and the outputs that showed it."""
    outputs = runs(data, SEEDS[:1]) + [outcome(runs, data, seed) for seed in SEEDS[1:]]
    reproducible = same(outputs[0], outputs[1])
    return all(same(outputs[0], each) for each in outputs), reproducible, outputs


def order_behaviour(runs: Runs, data: Any) -> Behaviour:
    """Measure a target that cannot be had in a fresh state: a difference shows state, agreement does not exclude it."""
    deterministic, reproducible, outputs = measure(runs, data)
    other = smaller(data)
    if reproducible and other is not None:
        outcome(runs, other, SEEDS[0])
        if not same(outputs[0], outcome(runs, data, SEEDS[0])):
            return Behaviour(deterministic=False, reproducible=False, stateful=True)
    return Behaviour(deterministic, reproducible)


def outcome(runs: Runs, data: Any, seed: int) -> Any:
    """An output, or the words of the error: both tell two runs apart."""
    try:
        return runs(data, [seed])[0]
    except TargetError as error:
        return str(error)


def smaller(data: Any) -> Any | None:
    """A different dataset of the same kind: one row fewer, in reverse order. None where that is not possible."""
    if isinstance(data, pl.DataFrame):
        return data.reverse().head(data.height - 1) if data.height > 1 else None
    if isinstance(data, (np.ndarray, list, tuple)):
        return data[-2::-1] if len(data) > 1 else None
    return None


def same(left: Any, right: Any) -> bool:
    """Whether two outputs are equal: content, types and order.

    >>> same(np.array([1.0, np.nan]), np.array([1.0, np.nan])), same([1, 2], [2, 1])
    (True, False)
    """
    if type(left) is not type(right):
        return False
    if isinstance(left, pl.DataFrame):
        return bool(left.schema == right.schema and left.equals(right))
    if isinstance(left, np.ndarray):
        return bool(left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes())
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    return bool(left == right) or (left != left and right != right)  # noqa: PLR0124  (NaN)
