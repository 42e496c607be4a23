"""Measuring how a target behaves: the engines need to know, and so does the reader of a finding."""

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.releases import same
from crowdproof.errors import OutOfTimeError, TargetError
from crowdproof.findings import Note

REPEATS = 12
"""Runs that must agree: noise on a small count gives the same number twice in a row easily, twelve times hardly."""
SEED = 11
"""The first seed of these runs. Any would do, as long as it is the same one each time."""

NOTHING_KNOWN: Mapping[int, Any] = MappingProxyType({})
"""Outputs by seed, where there are none yet."""

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
    in_time: bool = True
    """Whether the time was enough to measure it; if not, the least is assumed of it."""
    isolation: str = ""
    """Where the runs of the audit take place, in words."""

    @property
    def may_remember(self) -> bool:
        """Whether runs are not to share a process: they influence one another, or nobody has seen that they do not."""
        return self.stateful is True or not self.in_time

    def note(self) -> Note:
        """The measurement, for a report."""
        if not self.in_time:
            return Note("Behaviour of the target", f"{_TOO_SLOW} {self.isolation}".rstrip())
        sentences = [_DETERMINISTIC if self.deterministic else _RANDOM if self.reproducible else _ENTROPY]
        if self.stateful:
            sentences.append("It keeps state from one call to the next.")
        if self.hash_seed:
            sentences.append(_HASHED)
        if self.isolation:
            sentences.append(self.isolation)
        return Note("Behaviour of the target", " ".join(sentences))


_DETERMINISTIC = (
    f"{2 * REPEATS} trial runs with {REPEATS} seeds gave the same output, so it is taken to be deterministic."
)
_TOO_SLOW = "There was not enough time to see how it behaves, so it is taken to be randomized."
_RANDOM = "It is randomized, and the same seed gave the same output."
_HASHED = (
    "Its output depends on PYTHONHASHSEED, which Python draws anew for each process where it is not set; what is found "
    "here is about the target run with the same one each time (--isolate spawn draws it anew for each run)."
)
_ENTROPY = "It is randomized from a source that no seed controls, so a replay repeats the statistics, not the outputs."


TICKS = 2
"""Seconds of the clock, after the first one, in which a target has to give the same answer. A guess: each takes a
second, and noise of epsilon 1 is the same in three of them in one case of five."""
PAST_THE_SECOND = 1.02
"""Seconds from the beginning of one second of the clock to a moment of the next."""
NOT_MEASURED = Behaviour(deterministic=False, reproducible=False, in_time=False)
"""What is assumed of a target that was too slow."""


def until(runs: Runs, seconds: float | None) -> Runs:
    """The same runs for so many seconds from now, and then an `OutOfTimeError`."""
    end = None if seconds is None else time.monotonic() + seconds

    def in_time(data: Any, seeds: Sequence[int]) -> list[Any]:
        if end is not None and time.monotonic() >= end:
            raise OutOfTimeError
        return runs(data, seeds)

    return in_time


def measure(runs: Runs, data: Any) -> tuple[bool, bool]:
    """Whether the target is deterministic, and whether it is reproducible; data that it refuses raise."""
    deterministic, reproducible, _ = measure_with_outputs(runs, data)
    return deterministic, reproducible


def measure_with_outputs(runs: Runs, data: Any) -> tuple[bool, bool, dict[int, Any]]:
    """The same, and the first output for each seed where the target is reproducible: what these runs made known."""
    first = runs(data, [SEED])[0]
    reproducible = all(same(first, outcome(runs, data, SEED)) for _ in range(REPEATS))
    if not reproducible:
        return False, False, {}
    outputs = {SEED: first}
    for seed in range(SEED + 1, SEED + REPEATS):
        outputs[seed] = outcome(runs, data, seed)
        if not same(first, outputs[seed]):
            return False, True, outputs
    return True, True, outputs


def keeps_state(
    kept: Runs, clean: Runs, data: Any, *, reproducible: bool, known: Mapping[int, Any] = NOTHING_KNOWN
) -> bool:
    """Whether a run depends on those before it in the same process, as far as a few runs show.

    Noise that no seed repeats differs from run to run anyway. There, outputs that are always the same while the process
    is kept up show state: noise that is drawn once and kept. What is `known` is as for `remembers`.
    """
    if reproducible:
        return remembers(kept, clean, data, known=known)
    first = outcome(kept, data, SEED)
    return all(same(first, outcome(kept, data, SEED + turn)) for turn in range(1, REPEATS))


def remembers(kept: Runs, clean: Runs, data: Any, *, known: Mapping[int, Any] = NOTHING_KNOWN) -> bool:
    """Whether a process that is kept up ever answers otherwise than a clean one, on a few datasets and seeds in turn.

    With few seeds, noise that is drawn once and kept would look the same in both. What clean processes have answered on
    the data already is `known` by its seed, and is not asked for again.
    """
    trials = [(each, seed) for seed in (SEED, SEED + 1) for each in (data, *variants(data))]
    trials += [(data, SEED + turn) for turn in range(2, REPEATS)]
    truth = []
    for each, seed in trials:
        seen = each is data and seed in known
        truth.append(known[seed] if seen else outcome(clean, each, seed))
    return not all(same(expected, outcome(kept, *each)) for each, expected in zip(trials, truth, strict=True))


def changes_with_time(runs: Runs, data: Any) -> bool:
    """Whether a target that seemed to be deterministic answers otherwise when the clock has gone on by a second.

    Many programs seed their noise by the time in seconds, so that all runs within a second look alike.
    """
    first = outcome(runs, data, SEED)
    for _ in range(TICKS):
        time.sleep(PAST_THE_SECOND - time.time() % 1)
        if not same(first, outcome(runs, data, SEED)):
            return True
    return False


def order_behaviour(runs: Runs, data: Any, *, seconds: float | None = None, clocked: bool = False) -> Behaviour:
    """Measure a target that cannot be had in a clean state: a difference shows state, agreement does not exclude it.

    One that is `clocked`, since its code is not seen, may seed its noise by the clock.
    """
    timed = until(runs, seconds)
    try:
        deterministic, reproducible = measure(timed, data)
        if deterministic and clocked and changes_with_time(timed, data):
            return Behaviour(deterministic=False, reproducible=False)
        if reproducible and remembers(timed, timed, data):
            return Behaviour(deterministic=False, reproducible=False, stateful=True)
    except OutOfTimeError:
        return NOT_MEASURED
    return Behaviour(deterministic, reproducible)


def outcome(runs: Runs, data: Any, seed: int) -> Any:
    """An output, or the words of the error: both tell two runs apart."""
    try:
        return runs(data, [seed])[0]
    except TargetError as error:
        return str(error)


def variants(data: Any) -> list[Any]:
    """Other datasets of the same kind: one row fewer in reverse order, and half of the rows."""
    if isinstance(data, pl.DataFrame) and data.height > 1:
        return [data.reverse().head(data.height - 1), data.head(data.height // 2)]
    if isinstance(data, (np.ndarray, list, tuple)) and len(data) > 1:
        return [data[-2::-1], data[: len(data) // 2]]
    return []
