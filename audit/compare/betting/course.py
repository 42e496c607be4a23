"""Whether the releases went on changing in the course of an audit, or the target took to giving always the same one.

A service that is out of order may answer with one and the same valid page, or no longer at all. From then on nothing is
examined, and nothing is found.
"""

from attrs import Factory, define

from crowdproof.audit.compare.betting.trials import Ran
from crowdproof.audit.targets.run import NO_RELEASE, SEVERAL

PART = 4
"""The releases count as having stopped where they did for one run in so many. A guess: where fewer are affected the
rest examined enough, and a larger share would let a target pass that was out of order for long."""
LEAST = 256
"""Runs below which releases that are nearly always the same would often be so by chance: a guess. A release that comes
in 95 runs of 100 would come in so many with probability 2e-6."""


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

    def add(self, ran: Ran) -> None:
        """Go on with one more chunk."""
        self.keys.add(ran.key)
        self.runs += ran.runs
        self.changing |= ran.glimpse.changing()
        if ran.key != self.last:
            self.before.add(self.last)
            self.last, self.same, self.datasets = ran.key, 0, set()
        if ran.key != SEVERAL:
            self.same += ran.runs
            self.datasets.update(ran.glimpse.datasets.tolist())

    @property
    def stopped(self) -> int:
        """The last runs, if they all came out alike where earlier ones did not; else 0.

        They gave the same release on data on which earlier runs gave several, or none where there had been some; and
        no earlier chunk came out so altogether, as chunks do of a target that hardly ever says anything else.
        """
        if self.last in self.before:
            return 0
        earlier = self.keys - {NO_RELEASE} if self.last == NO_RELEASE else self.datasets & self.changing
        return self.same if earlier and self.same >= max(LEAST, self.runs // PART) else 0
