"""What is known of one pair of datasets while it is audited: past outputs, the learned score, its counts, its wealth.

Which pair to run next is what is called a bandit problem, and a pair is an *arm* of it: each block of trials goes to
the arm that promises most by an optimistic estimate, so that an arm of which little is known gets its turn.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import Factory, define

from crowdproof.audit.compare.betting.bets import REFUTE, Goal, choose
from crowdproof.audit.compare.betting.hypotheses import Counts, Floats, Nulls
from crowdproof.audit.compare.betting.learning import learn
from crowdproof.audit.compare.betting.pools import Pool
from crowdproof.audit.compare.betting.ranking import rerank
from crowdproof.audit.compare.betting.thresholds import strongest, trials_of
from crowdproof.audit.compare.betting.wealth import Wealth
from crowdproof.audit.releases import Releases, Score, reader_for, score_from_json
from crowdproof.audit.request import Pair

FIRST = 128
"""Runs on each side in the first block of a pair, from which a first score is learned. A guess: nothing is bet on them,
so more are wasted on a large leak, and from fewer a poorer score is learned. With a small budget it is fewer."""
GROWTH = 0.1
"""Each further block of a pair is this share of what it has had, so that bets keep up with what was learned. Larger
blocks took more calls on the standard mechanisms, measured by `benchmarks power`; smaller ones take more time."""
REFIT = 1.7
"""The score is learned anew whenever the pair has had this many times more runs than last time: doublings cost power,
measured by `benchmarks power`, and to learn more often costs time."""
RERANK = 1.3
"""The cells are ranked anew whenever the pair has had this many times more runs than last time: with every third block
or so, since a block adds a tenth. Larger leaves bets on an old order, smaller costs time."""
KEPT_FOR_BETS = 3
"""The latest runs, one part in so many of all, are not used to rank cells, so that they can size bets: the share that
is held out when a score is learned. A larger part would leave less to rank by, a smaller one would size bets badly."""
NEARLY_ALL = 0.999
"""What share of the trials a pool must hold to count as grown with them. A guess: it allows for rounding, and a pool
that has reached its limit falls short of it soon."""
LOOKED_AT = 64
"""Releases of either side by which it is decided how to read them: the form that most of them have. A guess: from fewer
the rarer of two forms might seem the commoner, more take time whenever a score is learned."""
LEAST_LEARNED = 2
"""Outputs of either side below which nothing is learned: one to fit a score to, one to judge it by."""
FEW_CELLS = 16
"""Cells of a score up to which the same past outputs rank them and size the bets: a guess. So few cells can hardly look
better by chance than they are."""
EASIER = 0.8
"""The share of the claimed epsilon and delta against which scores are compared. A guess: at 1 a leak just beyond the
claim shows no more growth than chance, and near 0 a score would be chosen for what the claim allows."""
LITTLE = 0.01
"""The weight of the growth against epsilon 0 in that comparison: a guess, so small that it decides only ties."""
_EMPTY = np.zeros(1, np.int64)


@define(eq=False)
class Arm:
    """One pair under audit: its releases, its score and its wealth."""

    index: int
    pair: Pair
    datasets: tuple[int, int]
    """Numbers of its datasets, which other pairs may have as well."""
    pools: tuple[Pool, Pool] = Factory(lambda: (Pool(), Pool()))
    score: Score | None = None
    ranked_by: Counts = Factory(lambda: (_EMPTY, _EMPTY))
    """Counts by cells of the outputs that the score's ranks were learned from."""
    latest: list[Counts] = Factory(list)
    """Counts by cells of later outputs, block by block."""
    wealth: Wealth = Factory(lambda: Wealth.start(REFUTE, 1))
    """What betting on this pair against each point of the claim has made of 1."""
    trials: int = 0
    """Runs on either side."""
    blocks: int = 0
    fitted: int = 0
    """Trials when the score was last learned."""
    reranked: int = 0
    """Trials when its cells were last ranked."""
    promised: tuple[tuple[int, float, float] | None, float] = (None, 0.0)
    """The last promise, and after how many blocks and for which claim it was."""

    @property
    def nothing(self) -> Counts:
        """Counts by cells of no outputs at all."""
        cells = 1 if self.score is None else len(self.score.rank)
        return np.zeros(cells, np.int64), np.zeros(cells, np.int64)

    @property
    def seen(self) -> Counts:
        """Counts by bins of the past outputs that bets are sized by.

        They are those that neither the score nor its ranks were learned from, since on the others many cells look
        better than they are; or all of them where the cells are few.
        """
        return self.known if self._few else self._by_bins(self.latest)

    @property
    def known(self) -> Counts:
        """Counts by bins of all past outputs, those included that the ranks were learned from."""
        return self._by_bins([self.ranked_by, *self.latest])

    @property
    def _few(self) -> bool:
        return self.score is not None and len(self.score.rank) <= FEW_CELLS

    def _by_bins(self, blocks: list[Counts]) -> Counts:
        if self.score is None:
            return _EMPTY, _EMPTY
        left, right = _total(blocks)
        return self.score.binned(left), self.score.binned(right)

    def next_size(self, first: int) -> int:
        """Runs on either side that the next block should have: at least `first`, then a share of those so far."""
        return max(first, int(self.trials * GROWTH))

    def promise(self, nulls: Nulls, chance: float) -> float:
        """An optimistic estimate of how fast bets on the pair will grow: log-wealth for each trial.

        It is what the counts suggest and one standard error more, and infinite before anything is known. `chance` is
        twice the log-wealth that counts suggest by chance alone; it is subtracted.
        """
        state = self.blocks, float(nulls.x[0]), float(nulls.delta[0])
        if self.promised[0] != state:  # with many pairs, all but one are as they were
            self.promised = state, self._optimistic(nulls, chance)
        return self.promised[1]

    def _optimistic(self, nulls: Nulls, chance: float) -> float:
        seen = self.seen
        known = trials_of(*seen)
        if known == 0:
            return math.inf if self.trials == 0 else 1 / (2 * self.trials)
        beyond = max(2 * known * float(growth_of(seen, nulls).max()) - chance, 0.0)
        return (math.sqrt(beyond) + 1) ** 2 / (2 * known)

    def absorb(self, cells: Counts, runs: int) -> None:
        """Add what a block has shown."""
        self.trials += runs
        self.blocks += 1
        if self.score is not None:
            self.latest.append(cells)

    def relearn(self, nulls: Nulls) -> None:
        """Learn the score anew if the kept outputs are many more than last time, or else rank its cells anew."""
        if self.trials >= REFIT * self.fitted and (not self.fitted or self._grown()):
            self._fit(nulls)
        elif self.score is not None and self.trials >= RERANK * self.reranked and len(self.latest) > 2:
            self._rerank()

    def _rerank(self) -> None:
        """Rank the cells anew by all blocks but the latest, about a third of all runs, which size the next bets."""
        assert self.score is not None
        sizes = np.array([int(block[0].sum()) for block in self.latest])
        total = int(self.ranked_by[0].sum()) + int(sizes.sum())
        kept = 0.0 if self._few else total / KEPT_FOR_BETS
        older = min(int((np.cumsum(sizes[::-1])[::-1] > kept).sum()), len(sizes) - 1)
        if older > 0:
            self.ranked_by = _total([self.ranked_by, *self.latest[:older]])
            self.latest = self.latest[older:]
            self.score = rerank(self.score, self.ranked_by)
        self.reranked = self.trials

    def _fit(self, nulls: Nulls) -> None:
        left, right = self.pools[0].joined(), self.pools[1].joined()
        size = min(len(left), len(right))
        if size < LEAST_LEARNED:
            return
        left, right = left[:size], right[:size]
        reader = reader_for(Releases.joined([left[:LOOKED_AT], right[:LOOKED_AT]]))
        found = learn(reader, left, right, value=lambda counts: _worth(counts, nulls))
        self.fitted = self.reranked = self.trials
        if found is not None:
            self.score = found.score
            self.ranked_by = found.fitted
            self.latest = [found.held_out]

    def _grown(self) -> bool:
        """Whether both pools have grown with the trials, and were not full: else there is nothing new to learn from."""
        return min(pool.size for pool in self.pools) >= REFIT * NEARLY_ALL * self.fitted

    def to_json(self) -> dict[str, Any]:
        """What a later audit of the same pair can start from."""
        score = None if self.score is None else self.score.to_json()
        left, right = self.ranked_by
        later_left, later_right = _total(self.latest)
        return {
            "origin": self.pair.origin,
            "score": score,
            "ranked_by": [left.tolist(), right.tolist()],
            "latest": [later_left.tolist(), later_right.tolist()],
        }

    def warm(self, record: Mapping[str, Any]) -> None:
        """Start from what an earlier audit learned. Its trials inform the bets, and are not evidence a second time."""
        if record.get("origin") == self.pair.origin and record.get("score") is not None:
            self.score = score_from_json(record["score"])
            self.ranked_by = _counts(record["ranked_by"])
            self.latest = [_counts(record["latest"])]
            # the score stays until there is more to learn from than it has had
            self.fitted = self.reranked = int(self.ranked_by[0].sum() + self.latest[0][0].sum())


def growth_of(counts: Counts, nulls: Nulls) -> Floats:
    """Log-wealth for each trial that these counts promise, for each null."""
    left, right = counts
    no_goal = Goal(np.zeros(len(nulls.x)), trials=1)
    return choose(left, right, nulls=nulls, events=strongest(left, right, nulls=nulls), goal=no_goal).growth


def _worth(counts: Counts, nulls: Nulls) -> float:
    """What a score that gives these counts is worth: its growth against an easier claim.

    Against the claim itself it may be nothing but chance. A little of the growth against epsilon 0 is added, so that
    scores that show nothing beyond the easier claim are still told apart.
    """
    easier = nulls.easier(EASIER)
    growth = growth_of(counts, Nulls.of([*easier.x, 1.0], [*easier.delta, 0.0]))
    return float(growth[:-1].max() + LITTLE * growth[-1])


def _total(blocks: list[Counts]) -> Counts:
    if not blocks:
        return _EMPTY, _EMPTY
    return np.sum([block[0] for block in blocks], axis=0), np.sum([block[1] for block in blocks], axis=0)


def _counts(record: Any) -> Counts:
    return np.array(record[0], np.int64), np.array(record[1], np.int64)
