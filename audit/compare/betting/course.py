"""Whether the releases went on changing in the course of an audit, or the target took to giving always the same one.

A service that is out of order may answer with one and the same valid page, or no longer at all. From then on nothing is
examined, and nothing is found.
"""

import math

import numpy as np
from attrs import Factory, define

from crowdproof.audit.compare.betting.streams import Glimpse, Seen
from crowdproof.audit.targets.run import NO_RELEASE, SEVERAL

PART = 4
"""The releases count as having stopped where they did for one run in so many. A guess: where fewer are affected the
rest examined enough, and a larger share would let a target pass that was out of order for long."""
LEAST = 256
"""Runs below which a target that says something else now and then would often do so by chance: a guess."""
SURPRISE = 16.0
"""Bits by which it must surprise that so many releases were alike, by how often earlier ones were: one chance in
65,536. A guess: with less, a leak that shows in one run of a hundred would be taken for a service that is out of order.
"""


@define(eq=False)
class Course:
    """What the runs so far gave, in their order."""

    keys: set[str] = Factory(set)
    """Keys of what came of the runs; `SEVERAL` among them where those of one chunk differed."""
    runs: int = 0
    changing: set[int] = Factory(set)
    """Datasets on which two runs of one chunk gave different releases."""
    before: set[str] = Factory(set)
    """Keys of chunks before the last change: a target that often came out so goes on as it was."""
    last: str = SEVERAL
    """The key of all releases since the last change."""
    same: int = 0
    """Runs since the last change."""
    datasets: set[int] = Factory(set)
    """On which datasets these were."""
    neighbours: int = 0
    """Pairs of runs next to each other, on the same dataset and in one chunk, up to the last change."""
    alike: int = 0
    """How many of these gave the same release."""

    def add(self, ran: Seen) -> None:
        """Go on with some more runs."""
        self.keys.add(ran.key)
        self.runs += ran.runs
        self.changing |= ran.glimpse.changing()
        if ran.key != self.last:
            self.before.add(self.last)
            self.neighbours += self.same
            self.alike += self.same
            self.last, self.same, self.datasets = ran.key, 0, set()
        if ran.key == SEVERAL:
            self._compare_neighbours(ran.glimpse)
        else:
            self.same += ran.runs
            self.datasets.update(ran.glimpse.datasets.tolist())

    def _compare_neighbours(self, glimpse: Glimpse) -> None:
        for each in np.unique(glimpse.datasets):
            codes = glimpse.codes[glimpse.datasets == each]
            self.neighbours += len(codes) - 1
            self.alike += int(np.count_nonzero(codes[1:] == codes[:-1]))

    @property
    def stopped(self) -> int:
        """The last runs, if they all came out alike where earlier ones did not; else 0.

        They gave the same release on data on which earlier runs gave several, or none where there had been some; and
        no earlier chunk came out so altogether, as chunks do of a target that hardly ever says anything else.
        """
        if self.last in self.before:
            return 0
        if self.last == NO_RELEASE:
            earlier = bool(self.keys - {NO_RELEASE})
        else:
            earlier = bool(self.datasets & self.changing) and self._surprise >= SURPRISE
        return self.same if earlier and self.same >= max(LEAST, self.runs // PART) else 0

    @property
    def _surprise(self) -> float:
        """Bits by which it surprises that the last releases are all alike.

        Two releases are alike with a probability of at least the square of that of the commonest one, so the root of
        the share of neighbours that were alike is at least the chance that another release is like the last.
        """
        share = (self.alike + 1) / (self.neighbours + 1)
        return -self.same * math.log2(min(share, 1.0)) / 2
