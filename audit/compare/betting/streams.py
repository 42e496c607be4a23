"""Notices runs that repeat the random stream of earlier runs: they would feign more evidence than there is."""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from attrs import Factory, define, frozen
from numpy.typing import NDArray

from crowdproof.audit.releases import Releases, code
from crowdproof.audit.releases.keys import row_codes
from crowdproof.audit.targets.run import SEVERAL
from crowdproof.errors import TargetError

Codes: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]

LOOKED_AT = 128
"""Runs in a row that are compared with others, place by place: a guess. A fair coin needs 100."""
FEWER = 64
"""The same where releases are no numbers, whose codes take longer: a guess that bounds the time."""
REMEMBERED = 1024
"""Chunks that later ones are compared with. A guess: streams that repeat do so early, and more take memory."""
SURE = 100.0
"""Bits of surprise from which two equal sequences are no coincidence, whatever the number of chunks: 2^-100 for each
of a million pairs of chunks is still nothing. Any number that leaves such a margin would do."""


@frozen(eq=False)
class Glimpse:
    """The first runs of a chunk: on which dataset each was, and a code of its release."""

    datasets: Numbers
    codes: Codes

    @classmethod
    def of(cls, releases: Releases, datasets: Numbers) -> "Glimpse":
        """Those of a chunk with these releases; `datasets` numbers the dataset of each run."""
        first = releases[: LOOKED_AT if releases.form is not None else FEWER]
        return cls.of_all(first, datasets[: len(first)])

    @classmethod
    def of_all(cls, releases: Releases, datasets: Numbers) -> "Glimpse":
        """All runs of a chunk."""
        codes = row_codes(releases.matrix) if releases.form is not None else np.zeros(len(releases), np.uint64)
        for place, release in releases.others.items():
            codes[place] = code(release)
        return cls(datasets, codes)

    @property
    def varied(self) -> bool:
        """Whether two of these releases differ."""
        return bool((self.codes != self.codes[0]).any())

    def changing(self) -> set[int]:
        """The datasets on which two of these runs gave different releases."""
        if not self.varied:
            return set()
        numbers = np.unique(self.datasets).tolist()
        return {each for each in numbers if len(np.unique(self.codes[self.datasets == each])) > 1}

    def surprise(self, chosen: NDArray[np.bool_]) -> float:
        """Bits by which it would surprise if other runs gave these releases again, by how often neighbours are equal.

        >>> half = np.zeros(64, np.int64)
        >>> everywhere = np.ones(64, bool)
        >>> Glimpse(half, np.arange(64, dtype=np.uint64)).surprise(everywhere)
        384.0
        >>> Glimpse(half, np.ones(64, np.uint64)).surprise(everywhere)
        0.0
        """
        return sum(self._surprise(chosen & (self.datasets == each)) for each in np.unique(self.datasets))

    def _surprise(self, chosen: NDArray[np.bool_]) -> float:
        codes = self.codes[chosen]
        if not len(codes):
            return 0.0
        alike = (np.count_nonzero(codes[1:] == codes[:-1]) + 1) / len(codes)
        return -len(codes) * math.log2(min(alike, 1.0))


@frozen(eq=False)
class Seen:
    """What was seen of some runs in a row."""

    glimpse: Glimpse
    """All of them, or the first ones of a batch."""
    key: str
    """The key of every release, or `SEVERAL`."""
    runs: int

    @classmethod
    def joined(cls, parts: Sequence["Seen"]) -> "Seen":
        """The same of the runs of all parts; there is at least one."""
        glimpse = Glimpse(
            np.concatenate([part.glimpse.datasets for part in parts]),
            np.concatenate([part.glimpse.codes for part in parts]),
        )
        keys = {part.key for part in parts}
        key = SEVERAL if glimpse.varied or len(keys) > 1 else parts[0].key
        return cls(glimpse, key, sum(part.runs for part in parts))


@define(eq=False)
class Streams:
    """The chunks that were seen so far."""

    datasets: Numbers = Factory(lambda: np.zeros((0, LOOKED_AT), np.int64))
    codes: Codes = Factory(lambda: np.zeros((0, LOOKED_AT), np.uint64))

    def check(self, glimpse: Glimpse) -> None:
        """Compare a chunk with all before it, on the runs that both had on the same dataset."""
        size = len(glimpse.codes)
        if size == 0 or glimpse.surprise(np.ones(size, bool)) < SURE:
            return
        both = self.datasets[:, :size] == glimpse.datasets
        repeats = ((self.codes[:, :size] == glimpse.codes) | ~both).all(1)
        for place in np.flatnonzero(repeats):
            if glimpse.surprise(both[place]) >= SURE:
                raise TargetError(
                    "the target gave the same sequence of outputs for different seeds, so its runs are not "
                    "independent: make it draw from the generator that it is given, or run each trial in a fresh "
                    "process."
                )
        if len(self.codes) < REMEMBERED:
            self._add(glimpse)

    def _add(self, glimpse: Glimpse) -> None:
        short = LOOKED_AT - len(glimpse.codes)
        row = np.pad(glimpse.datasets, (0, short), constant_values=-1)
        self.datasets = np.concatenate([self.datasets, row[None]])
        self.codes = np.concatenate([self.codes, np.pad(glimpse.codes, (0, short))[None]])
