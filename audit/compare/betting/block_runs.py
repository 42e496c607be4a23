"""The runs of a block: cut into pieces for those who run them, and counted for every pair that they serve.

How a block is cut depends on the time that a run takes and on the number of workers. What comes of it does not: each
strand of runs has a seed of its own, and whatever is worked out of the runs is the same for any cut.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from attrs import Factory, define, evolve, frozen
from numpy.typing import NDArray

from crowdproof.audit.compare.betting.course import Course
from crowdproof.audit.compare.betting.hypotheses import Counts
from crowdproof.audit.compare.betting.sharing import Shared
from crowdproof.audit.compare.betting.streams import LOOKED_AT, Seen, Streams
from crowdproof.audit.compare.betting.trials import Chunk, OfDataset, Ran, RunChunk
from crowdproof.audit.releases import Releases
from crowdproof.audit.request import Results, Runner
from crowdproof.audit.targets.interface import draw_seeds
from crowdproof.errors import OutOfTimeError

BATCHED_CHUNK = 2**16
"""The most runs that are drawn in one batch: a guess at what a worker holds in memory and numpy does quickly."""
SMALLEST_BATCH = 2**12
"""The least, where there are as many: a guess, so that a batch pays."""
BATCHES = 16
"""Batches that the runs on a dataset are cut into where their sizes allow: a guess at how many workers are usual. It
may not depend on the workers, or the random streams would."""
COINS = 2**31
"""The random stream of the coins that decide on which dataset each run is. Any number that no pair has would do."""
SEEDS = 2**31 + 1
"""The random stream of the seeds of the runs, likewise."""


@frozen(eq=False)
class BlockWork:
    """The runs of a block, which can be cut between any two strands."""

    task: RunChunk
    whole: Chunk
    """All of it as one chunk."""

    @property
    def units(self) -> int:
        """How many strands there are."""
        return len(self.whole.seeds)

    def cut(self, start: int, stop: int, /) -> Callable[[], Ran]:
        """What runs the strands from `start` up to `stop`."""
        whole = self.whole
        first, end = start * whole.strand, min(stop * whole.strand, len(whole.order))
        had = np.bincount(whole.order[:first], minlength=len(whole.datasets)).tolist()
        piece = evolve(
            whole,
            order=whole.order[first:end],
            seeds=whole.seeds[start:stop],
            start=first,
            keep=tuple(max(most - taken, 0) for most, taken in zip(whole.keep, had, strict=True)),
        )
        return partial(self.task, piece)


@frozen(eq=False)
class Begun:
    """A block that was begun: its runs are under way, or will be made when they are asked for."""

    datasets: Sequence[Shared]
    size: int
    """Runs on each dataset."""
    parts: Sequence[tuple[Sequence[Shared], Results[Ran]]]
    """Results for some of the datasets at a time: all of them, or each by itself where there are batches."""

    @property
    def runs(self) -> int:
        """All runs of the block."""
        return self.size * len(self.datasets)

    def close(self) -> None:
        """Nobody asks for it any more."""
        for _, results in self.parts:
            results.close()


@define(eq=False)
class BlockRuns:
    """Runs blocks, and keeps what all of them together have shown about the target."""

    task: RunChunk
    runner: Runner
    seed: np.random.SeedSequence
    runs: int = 0
    refused: int = 0
    """Runs without a release."""
    streams: Streams = Factory(Streams)
    course: Course = Factory(Course)
    until: float | None = None
    """When to end, by the clock of `time.time`."""

    def run(self, datasets: Sequence[Shared], size: int, block: int) -> tuple[dict[int, Counts], int]:
        """Begin a block and finish it."""
        return self.finish(self.begin(datasets, size, block))

    def begin(self, datasets: Sequence[Shared], size: int, block: int) -> Begun:
        """Have each dataset run about `size` times; `block` is the number of the block in the audit."""
        if self.task.in_batches:
            parts = [([each], self.runner.map(self.task, self._batches(each, size))) for each in datasets]
            return Begun(datasets, size, parts)
        runs = size * len(datasets)
        order = np.random.default_rng(self._stream(COINS, block)).integers(len(datasets), size=runs)
        strands = -(-runs // self.task.strand)
        seeds = draw_seeds(np.random.default_rng(self._stream(SEEDS, block)), strands)
        whole = self._chunk(datasets, order, tuple(seeds), strand=self.task.strand)
        return Begun(datasets, size, [(datasets, self.runner.spread(BlockWork(self.task, whole)))])

    def finish(self, begun: Begun, told: Callable[[], None] = lambda: None) -> tuple[dict[int, Counts], int]:
        """For each pair the counts on both sides, by cells of its score; and how often each dataset was run.

        It was less than asked for where the time ended. Then the runs are the first ones of the block in their order,
        all of them up to some run: which of the later ones were done in time is not looked at, since slow runs may have
        other releases than quick ones. `told` is called whenever some of the runs were made.
        """
        kept: dict[int, list[Releases]] = {}
        counts = {arm.index: arm.nothing for each in begun.datasets for arm, _ in each.users}
        done, ended = 0, False
        for group, results in begun.parts:
            pending: list[Seen] = []
            for ran in results:
                self._look(ran, pending)
                for dataset, found in zip(group, ran.found, strict=True):
                    _tally(dataset, found, counts)
                    kept.setdefault(dataset.number, []).append(found.kept)
                done += ran.runs
                told()
                ended = ran.cut or (done < begun.runs and self._late)
                if ended:
                    break
            self._remember(pending)
            if ended:
                break
        begun.close()
        _keep(begun.datasets, kept)
        if done == begun.runs:
            return counts, begun.size
        if self.task.in_batches:
            raise OutOfTimeError  # the sides ran one after the other
        return counts, done // len(begun.datasets)

    def _look(self, ran: Ran, pending: list[Seen]) -> None:
        """See what some runs show about the target, in parts that do not depend on how the block was cut."""
        self.runs += ran.runs
        self.refused += ran.refused
        for seen in ran.seen:
            pending.append(seen)
            if self.task.in_batches or sum(each.runs for each in pending) >= LOOKED_AT:
                self._remember(pending)

    def _remember(self, pending: list[Seen]) -> None:
        if pending:
            seen = Seen.joined(pending)
            pending.clear()
            self.streams.check(seen.glimpse)
            self.course.add(seen)

    @property
    def _late(self) -> bool:
        return self.until is not None and time.time() >= self.until

    def _batches(self, dataset: Shared, runs: int) -> Iterator[Chunk]:
        """So many runs on a dataset, cut into batches that do not depend on who runs them, each with its own seed."""
        size = min(max(-(-runs // BATCHES), SMALLEST_BATCH), BATCHED_CHUNK)
        for place, start in enumerate(range(0, runs, size)):
            length = min(size, runs - start)
            own = self._stream(*dataset.stream, place)
            whole = self._chunk([dataset], np.zeros(length, np.int64), (), strand=length)
            yield evolve(whole, stream=own, start=start, keep=(max(whole.keep[0] - start, 0),))

    def _chunk(
        self, datasets: Sequence[Shared], order: NDArray[np.int64], seeds: tuple[int, ...], *, strand: int
    ) -> Chunk:
        """These runs on these datasets, the first of a block."""
        return Chunk(
            datasets=tuple(each.data for each in datasets),
            numbers=tuple(each.number for each in datasets),
            order=order,
            seeds=seeds,
            strand=strand,
            start=0,
            keep=tuple(max(arm.pools[side].room() for arm, side in each.users) for each in datasets),
            scores=tuple(tuple(arm.score for arm, _ in each.users) for each in datasets),
            until=self.until,
        )

    def _stream(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, *key))


def _keep(datasets: Sequence[Shared], kept: dict[int, list[Releases]]) -> None:
    """Give the releases of a block to the pairs that its datasets serve, as one piece."""
    for dataset in datasets:
        if dataset.number in kept:
            together = Releases.joined(kept[dataset.number])
            for arm, side in dataset.users:
                arm.pools[side].add(together)


def _tally(dataset: Shared, found: OfDataset, counts: dict[int, Counts]) -> None:
    """Add what came of the runs on one dataset to what is known of the pairs that it serves."""
    for (arm, side), new in zip(dataset.users, found.counts, strict=True):
        if new is not None:
            np.add(counts[arm.index][side], new, out=counts[arm.index][side])
