"""The runs of a block: cut into chunks, each with a random stream of its own, and counted for every pair they serve."""

import time
from collections.abc import Iterator, Sequence

import numpy as np
from attrs import Factory, define
from numpy.typing import NDArray

from crowdproof.audit.compare.betting.course import Course
from crowdproof.audit.compare.betting.hypotheses import Counts
from crowdproof.audit.compare.betting.sharing import Shared
from crowdproof.audit.compare.betting.streams import Streams
from crowdproof.audit.compare.betting.trials import Chunk, OfDataset, RunChunk
from crowdproof.audit.request import Runner
from crowdproof.errors import OutOfTimeError

BATCHED_CHUNK = 2**16
"""Runs of a chunk that are drawn in one batch: a guess at what a worker holds in memory and numpy does quickly."""
PLAIN_CHUNK = 256
"""The most runs of a chunk that are drawn one by one: a guess, so that a chunk of a slow target ends in good time."""
SMALLEST_CHUNK = 64
"""The least, where there are as many: a guess, so that sending a chunk costs little against running it."""
CHUNKS = 8
"""Chunks that a block is cut into where their sizes allow: a guess at how many workers are usual. It may not depend on
the workers, or the random streams would."""
COINS = 2**31
"""The random stream of the coins that decide on which dataset each run is. Any number that no pair has would do."""


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
        """Run each dataset about `size` times: for each pair the counts on both sides, by cells of its score.

        Also how often each was run: less than `size` where the time ended. Then the runs are the first ones of the
        block in their order, all of them up to some run: which of the later ones were done in time is not looked at,
        since slow runs may have other releases than quick ones. `block` is the number of the block in the audit.
        """
        counts = {arm.index: arm.nothing for each in datasets for arm, _ in each.users}
        groups = [[each] for each in datasets] if self.task.in_batches else [list(datasets)]
        chunks = [(group, chunk) for group in groups for chunk in self._chunks(group, size * len(group), block=block)]
        ran = self.runner.map(self.task, [chunk for _, chunk in chunks])
        done = 0
        for (group, chunk), result in zip(chunks, ran, strict=True):
            self.streams.check(result.glimpse)
            self.refused += result.refused
            self.course.add(result)
            for dataset, found in zip(group, result.found, strict=True):
                _tally(dataset, found, counts)
            done += result.runs
            self.runs += result.runs
            cut = result.runs < len(chunk.order)
            if cut or (self._late and self.task.in_batches and done < size * len(datasets)):
                break
        if done == size * len(datasets):
            return counts, size
        if self.task.in_batches:
            raise OutOfTimeError  # the sides ran one after the other
        return counts, done // len(datasets)

    @property
    def _late(self) -> bool:
        return self.until is not None and time.time() >= self.until

    def _chunks(self, group: Sequence[Shared], runs: int, *, block: int) -> Iterator[Chunk]:
        """So many runs on these datasets, cut into pieces that do not depend on who runs them.

        Each piece has its own random stream. The coins have theirs, which no target is given.
        """
        order = self._coins(len(group), runs, block=block)
        piece = self._piece(runs)
        room = [max(arm.pools[side].room() for arm, side in each.users) for each in group]
        for place, start in enumerate(range(0, runs, piece)):
            had = np.bincount(order[:start], minlength=len(group))
            yield Chunk(
                datasets=tuple(each.data for each in group),
                numbers=tuple(each.number for each in group),
                order=order[start : start + piece],
                seed=self._stream(*group[0].stream, place),
                keep=tuple(max(most - int(taken), 0) for most, taken in zip(room, had, strict=True)),
                scores=tuple(tuple(arm.score for arm, _ in each.users) for each in group),
                until=self.until,
            )

    def _piece(self, runs: int) -> int:
        """Runs of each chunk of a block of so many."""
        if self.task.in_batches:
            return BATCHED_CHUNK
        in_equal_parts = -(-runs // CHUNKS)
        return min(max(in_equal_parts, SMALLEST_CHUNK), PLAIN_CHUNK)

    def _coins(self, datasets: int, runs: int, *, block: int) -> NDArray[np.int64]:
        """On which of the datasets each run is: each of them equally likely, whatever came before."""
        if datasets == 1:
            return np.zeros(runs, np.int64)
        return np.random.default_rng(self._stream(COINS, block)).integers(datasets, size=runs)

    def _stream(self, *key: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, *key))


def _tally(dataset: Shared, found: OfDataset, counts: dict[int, Counts]) -> None:
    """Add what came of the runs on one dataset to what is known of the pairs that it serves."""
    for (arm, side), new in zip(dataset.users, found.counts, strict=True):
        arm.pools[side].add(found.kept)
        if new is not None:
            np.add(counts[arm.index][side], new, out=counts[arm.index][side])
