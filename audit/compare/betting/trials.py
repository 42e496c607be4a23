"""Running trials: chunks of runs on one or several datasets, each chunk with a random stream of its own.

A target that refuses, raises or returns None has released nothing, and that an adversary sees too: it is one more
outcome. Only a target that broke (a time limit, a dead process) ends the audit, since that says nothing about the data.
No run is ever drawn a second time because of what came of it: the redrawn runs would have another law than the target.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.audit.compare.betting.hypotheses import Ints
from crowdproof.audit.compare.betting.streams import LOOKED_AT, Glimpse, Seen
from crowdproof.audit.data.copies import copies_of, own_copy
from crowdproof.audit.releases import Refusal, Releases, Score, snapshot
from crowdproof.audit.targets.generators import Sent, reseed_global, sequence_of
from crowdproof.audit.targets.interface import draw_seeds
from crowdproof.audit.targets.memory import runs_apart
from crowdproof.audit.targets.run import SEVERAL, common_key, refusal_of, told_briefly
from crowdproof.audit.targets.staying import no_copy
from crowdproof.errors import NoReleaseError, TargetError
from crowdproof.mechanism import Capabilities, Mechanism, batch_of

STRAND = 16
"""Runs in our own processes that share one random generator. A guess: to set up a generator and the global random
states takes 60 microseconds, a few for each run then, and several workers share the runs of the smallest blocks."""
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
    seeds: tuple[int, ...]
    """One for each strand: all the randomness of its runs comes from it."""
    strand: int
    """Runs of a strand; the last one may have fewer."""
    start: int
    """How many runs of the same block come before."""
    keep: tuple[int, ...]
    """How many releases of each dataset to hand back."""
    scores: tuple[tuple[Score | None, ...], ...]
    """For each dataset the scores of the pairs that it serves."""
    until: float | None = None
    """When to end, by the clock of `time.time`, whatever is left of it then; the first run is made in any case."""
    stream: np.random.SeedSequence | None = None
    """The randomness of a batch, which has no strands."""


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
    seen: tuple[Seen, ...]
    """In parts that end where `LOOKED_AT` runs of the block are full; of a batch in one part."""
    runs: int
    refused: int
    """Those without a release."""
    cut: bool
    """Whether the time ended before all of them were made."""


class BatchRefusedError(TargetError):
    """A batch ended with an exception: which of its runs released nothing, and what the others gave, is not known."""


@frozen(eq=False)
class RunChunk:
    """Runs chunks of one mechanism; a value that can be sent to another process."""

    sent: Sent = field(converter=Sent)
    in_batches: bool
    """Whether the runs on a dataset are drawn together, by a mechanism that declares them to be independent."""

    @property
    def strand(self) -> int:
        """Runs that have one seed: one where the target gets a seed for each run anyway, in another process."""
        return 1 if self._apart else STRAND

    @property
    def _apart(self) -> bool:
        return not self.in_batches and runs_apart(self.sent.mechanism)

    def __call__(self, chunk: Chunk) -> Ran:
        """Run it."""
        releases = Releases.of(self._outputs(chunk))
        order = chunk.order[: len(releases)]
        parts = _by_dataset(releases, order, len(chunk.datasets))
        found = tuple(map(OfDataset.of, parts, chunk.keep, chunk.scores))
        refused = sum(isinstance(each, Refusal) for each in releases.others.values())
        numbers = np.array(chunk.numbers)[order]
        if self.in_batches:
            parts_seen = [_seen(Glimpse.of(releases, numbers), releases)]
        else:
            ends = range(LOOKED_AT - chunk.start % LOOKED_AT, len(releases), LOOKED_AT)
            places = [slice(*each) for each in pairwise([0, *ends, len(releases)])]
            parts_seen = [_seen(Glimpse.of_all(releases[at], numbers[at]), releases[at]) for at in places]
        cut = len(releases) < len(chunk.order)
        return Ran(found, tuple(parts_seen), runs=len(releases), refused=refused, cut=cut)

    def _outputs(self, chunk: Chunk) -> Any:
        """What the runs returned: strand by strand, so that nothing depends on which strands a chunk has."""
        asked: dict[str, Any] = {"datasets": chunk.datasets, "until": chunk.until}
        if self.in_batches or self._apart:
            with self.sent.ready(chunk.stream or sequence_of(chunk.seeds[0])) as mechanism:
                seeds = chunk.stream or chunk.seeds
                return run(mechanism, order=chunk.order, seed=seeds, in_batches=self.in_batches, **asked)
        outputs: list[Any] = []
        for start, seed in zip(range(0, len(chunk.order), chunk.strand), chunk.seeds, strict=True):
            own = sequence_of(seed)
            with self.sent.ready(own) as mechanism:
                strand = chunk.order[start : start + chunk.strand]
                outputs += run(mechanism, order=strand, seed=own, in_batches=False, **asked)
            if len(outputs) < start + len(strand) or (chunk.until is not None and time.time() >= chunk.until):
                break
        return outputs


def _seen(glimpse: Glimpse, releases: Releases) -> Seen:
    return Seen(glimpse, SEVERAL if glimpse.varied else common_key(releases), runs=len(releases))


def _by_dataset(releases: Releases, order: NDArray[np.int64], datasets: int) -> list[Releases]:
    if datasets == 1:
        return [releases]
    return [releases[np.flatnonzero(order == place)] for place in range(datasets)]


def run(
    mechanism: Mechanism,
    datasets: Sequence[Any],
    order: NDArray[np.int64],
    seed: np.random.SeedSequence | Sequence[int],
    *,
    in_batches: bool,
    until: float | None = None,
) -> Any:
    """What the runs returned, in their order; a `Refusal` for a run without a release. There are fewer where time ends.

    `seed` is that of all of them, or of a target that runs elsewhere one number for each run. The global random states
    are left reseeded: who calls this puts them back.
    """
    answers = Capabilities.of(mechanism).answers
    if not isinstance(seed, np.random.SeedSequence):
        assert answers is not None
        plan = list(zip(order.tolist(), seed, strict=True))
        return answers(datasets, plan) if until is None else _in_time(answers, datasets, plan, until=until)
    reseed_global(seed)
    rng = np.random.default_rng(seed)
    if in_batches:
        return _batch(mechanism, datasets[0], rng, len(order))
    if answers is not None:
        return run(mechanism, datasets, order, draw_seeds(rng, len(order)), in_batches=False, until=until)
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
            outputs = batch(own_copy(data), rng, size)
    except BaseException as error:
        broke = isinstance(error, TargetError) and not isinstance(error, NoReleaseError)
        if broke or isinstance(error, KeyboardInterrupt):
            raise
        raise BatchRefusedError(f"a batch of the target ended with {told_briefly(error)}") from None
    is_array = isinstance(outputs, np.ndarray) and outputs.ndim > 0
    if not is_array and (not isinstance(outputs, Sequence) or isinstance(outputs, str | bytes)):
        raise TargetError(
            f"the target's batch came back as a {type(outputs).__name__}: return an array with a run for each entry of "
            "its first axis, or a list."
        )
    if len(outputs) != size:
        raise TargetError(
            f"the target's batch of {size} came back with {len(outputs)} outputs: return one for each run."
        )
    return outputs


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
