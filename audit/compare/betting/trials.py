"""Running trials: chunks of runs on one or several datasets, each chunk with a random stream of its own.

A target that refuses, raises or returns None has released nothing, and that an adversary sees too: it is one more
outcome. Only a target that broke (a time limit, a dead process) ends the audit, since that says nothing about the data.
No run is ever drawn a second time because of what came of it: the redrawn runs would have another law than the target.
"""

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.audit.compare.betting.hypotheses import Ints
from crowdproof.audit.compare.betting.streams import Glimpse
from crowdproof.audit.releases import Refusal, Releases, Score, snapshot
from crowdproof.audit.request import Pair
from crowdproof.audit.targets.generators import Sent
from crowdproof.audit.targets.run import SEVERAL, common_key, copies_of, refusal_of, told_briefly
from crowdproof.audit.targets.staying import no_copy
from crowdproof.errors import NoReleaseError, TargetError
from crowdproof.mechanism import Capabilities, Mechanism, batch_of, declares_independence

ASKED_SECONDS = 0.25
"""Seconds for which a target is asked at once where there is a limit of time. A guess: longer ones end later than they
should, and each question costs to send the data again."""


@frozen(eq=False)
class Chunk:
    """Runs in a given order, how many of the releases to hand back, and by which scores to count them."""

    datasets: tuple[Any, ...]
    numbers: tuple[int, ...]
    """What the datasets are numbered in the audit."""
    order: NDArray[np.int64]
    """Which of the datasets each run is on, by its place among them."""
    seed: np.random.SeedSequence
    keep: tuple[int, ...]
    """How many releases of each dataset to hand back."""
    scores: tuple[tuple[Score | None, ...], ...]
    """For each dataset the scores of the pairs that it serves."""
    until: float | None = None
    """When to end, by the clock of `time.time`, whatever is left of it then; the first run is made in any case."""


@frozen(eq=False)
class OfDataset:
    """What came of the runs on one dataset: some of the releases, and the counts in each score's cells."""

    kept: Releases
    counts: tuple[Ints | None, ...]

    @classmethod
    def of(cls, releases: Releases, keep: int, scores: Sequence[Score | None]) -> "OfDataset":
        """The first so many of the releases, and all of them counted; a pair without a score has no counts."""
        counts = [None if score is None else score.count(releases) for score in scores]
        return cls(releases[:keep], tuple(counts))


@frozen(eq=False)
class Ran:
    """What came of a chunk."""

    found: tuple[OfDataset, ...]
    """Dataset by dataset."""
    glimpse: Glimpse
    runs: int
    refused: int
    """Those without a release."""
    key: str
    """The key of every release, or that there were several."""


class BatchRefusedError(TargetError):
    """A batch ended with an exception: which of its runs released nothing, and what the others gave, is not known."""


@frozen(eq=False)
class RunChunk:
    """Runs chunks of one mechanism; a value that can be sent to another process."""

    sent: Sent = field(converter=Sent)
    in_batches: bool
    """Whether the runs on a dataset are drawn together, by a mechanism that declares them to be independent."""

    def __call__(self, chunk: Chunk) -> Ran:
        """Run it."""
        with self.sent.ready(chunk.seed) as mechanism:
            outputs = run(
                mechanism,
                chunk.datasets,
                order=chunk.order,
                seed=chunk.seed,
                in_batches=self.in_batches,
                until=chunk.until,
            )
        releases = Releases.of(outputs)
        order = chunk.order[: len(releases)]
        parts = _by_dataset(releases, order, len(chunk.datasets))
        found = tuple(map(OfDataset.of, parts, chunk.keep, chunk.scores))
        refused = sum(isinstance(each, Refusal) for each in releases.others.values())
        glimpse = Glimpse.of(releases, np.array(chunk.numbers)[order])
        key = SEVERAL if glimpse.varied else common_key(releases)
        return Ran(found, glimpse, runs=len(releases), refused=refused, key=key)


def _by_dataset(releases: Releases, order: NDArray[np.int64], datasets: int) -> list[Releases]:
    if datasets == 1:
        return [releases]
    return [releases[np.flatnonzero(order == place)] for place in range(datasets)]


def glance(
    mechanism: Mechanism, pair: Pair, runs: int, seed: np.random.SeedSequence, until: float | None = None
) -> tuple[Releases, Releases]:
    """The releases of so many runs on either dataset, for choosing which pairs to look at: no verdict rests on them."""
    first, second, third = seed.spawn(3)
    both, none = (pair.left, pair.right), np.zeros(runs, np.int64)
    if declares_independence(mechanism):
        with contextlib.suppress(BatchRefusedError):
            left, right = (
                Releases.of(run(mechanism, (data,), order=none, seed=each, in_batches=True))
                for data, each in zip(both, (first, second), strict=True)
            )
            return left, right
    order = np.random.default_rng(first).permutation(np.repeat([0, 1], runs))
    releases = Releases.of(run(mechanism, both, order=order, seed=third, in_batches=False, until=until))
    order = order[: len(releases)]
    return releases[np.flatnonzero(order == 0)], releases[np.flatnonzero(order == 1)]


def run(
    mechanism: Mechanism,
    datasets: Sequence[Any],
    order: NDArray[np.int64],
    seed: np.random.SeedSequence,
    *,
    in_batches: bool,
    until: float | None = None,
) -> Any:
    """What the runs returned, in their order; a `Refusal` for a run without a release. There are fewer where time ends.

    The global random states are left reseeded: who calls this puts them back.
    """
    reseed(seed)
    rng = np.random.default_rng(seed)
    if in_batches:
        return _batch(mechanism, datasets[0], rng, len(order))
    answers = Capabilities.of(mechanism).answers
    if answers is not None:
        seeds = rng.integers(0, 2**63, size=len(order)).tolist()
        plan = list(zip(order.tolist(), seeds, strict=True))
        return answers(datasets, plan) if until is None else _in_time(answers, datasets, plan, until=until)
    places = iter(order.tolist()) if until is None else _while_time(order.tolist(), until)
    return _one_by_one(mechanism, [copies_of(data) for data in datasets], places, rng)


def _in_time(
    answers: Callable[..., list[Any]], datasets: Sequence[Any], plan: list[tuple[int, int]], *, until: float
) -> list[Any]:
    """Ask for a few runs at a time, one at first, so that the end of the time is noticed."""
    outputs: list[Any] = []
    asked = 1
    while len(outputs) < len(plan):
        start = time.monotonic()
        outputs += answers(datasets, plan[len(outputs) : len(outputs) + asked])
        each = (time.monotonic() - start) / asked
        if time.time() >= until:
            break
        asked = max(1, min(2 * asked, int(ASKED_SECONDS / max(each, 1e-6))))
    return outputs


def _while_time(order: Sequence[int], until: float) -> Iterator[int]:
    """The places in their order, as long as there is time: the first one in any case."""
    for number, place in enumerate(order):
        if number and time.time() >= until:
            return
        yield place


def _batch(mechanism: Mechanism, data: Any, rng: np.random.Generator, size: int) -> Any:
    batch = batch_of(mechanism)
    assert batch is not None
    try:
        with no_copy():
            outputs = batch(copies_of(data)(), rng, size)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, TargetError) and not isinstance(error, NoReleaseError):
            raise
        raise BatchRefusedError(f"a batch of the target ended with {told_briefly(error)}") from None
    if not _is_list(outputs):
        raise TargetError(
            f"the target's batch came back as a {type(outputs).__name__}: return an array with a run for each entry of "
            "its first axis, or a list."
        )
    if len(outputs) != size:
        raise TargetError(
            f"the target's batch of {size} came back with {len(outputs)} outputs: return one for each run."
        )
    return outputs


def _is_list(outputs: Any) -> bool:
    """Whether there is a run for each entry."""
    if isinstance(outputs, np.ndarray):
        return outputs.ndim > 0
    return isinstance(outputs, Sequence) and not isinstance(outputs, str | bytes)


def _one_by_one(
    mechanism: Mechanism, copies: Sequence[Callable[[], Any]], places: Iterator[int], rng: np.random.Generator
) -> list[Any]:
    outputs: list[Any] = []
    alone = no_copy()
    while True:
        try:  # outside the inner loop, where it would cost time in each run
            for place in places:
                with alone:
                    output = mechanism(copies[place](), rng)
                outputs.append(snapshot(output))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  (the target is foreign code: anything may come)
            outputs.append(refusal_of(error))
        else:
            return outputs


def reseed(seed: np.random.SeedSequence) -> None:
    """Set the global random states from this seed, for targets that use them; who calls this puts them back."""
    words = seed.generate_state(4)
    random.seed(int.from_bytes(words.tobytes(), "little"))
    np.random.seed(words)  # noqa: NPY002
