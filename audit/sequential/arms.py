"""What is known of one pair of datasets while it is audited: past outputs, the learned score, its counts."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import Factory, define, frozen

from crowdproof.audit.interface import Pair
from crowdproof.audit.outputs import Numbers, Score, reader_for, score_from_json
from crowdproof.audit.sequential.betting import Horizon, Ints, Nulls, choose
from crowdproof.audit.sequential.learning import Counts, learn

FIRST = 128
"""Runs on each side in the first block of a pair."""
GROWTH = 0.35
"""Each further block of a pair is this share of what it has had: bets keep up with what was learned."""
REFIT = 1.7
"""The score is learned anew whenever the pair has had this many times more runs than last time."""
KEPT_NUMBERS = 2**20
"""Numbers kept for each side of a pair; memory stays bounded."""
KEPT_RECORDS = 4000
"""Outputs kept for each side of a pair where they are not numbers."""


@frozen(eq=False)
class Block:
    """One step of an audit: what was known of the pair before, and what then came. Counts are by bins of the score."""

    arm: int
    score: Score | None
    seen: Counts
    left: Ints
    right: Ints
    runs: int
    """Runs on either side."""
    horizon: int
    """Trials that the audit was to have in all, as far as was known."""


@define(eq=False)
class Pool:
    """The first outputs of one side, up to a limit."""

    pieces: list[Any] = Factory(list)
    size: int = 0

    def room(self) -> int:
        """How many more are wanted."""
        if not self.pieces or not isinstance(self.pieces[0], np.ndarray):
            return max(KEPT_RECORDS - self.size, 0)
        return max(KEPT_NUMBERS // max(int(self.pieces[0].shape[1]), 1) - self.size, 0)

    def add(self, outputs: Any) -> None:
        """Keep these as well."""
        if len(outputs):
            self.pieces.append(outputs)
            self.size += len(outputs)

    def joined(self) -> Any:
        """All of them: one matrix where all are vectors of one length, else a list."""
        if (
            all(isinstance(each, np.ndarray) for each in self.pieces)
            and len({each.shape[1] for each in self.pieces}) == 1
        ):
            self.pieces = [np.concatenate(self.pieces)]
            return self.pieces[0]
        return [item.tolist() if isinstance(item, np.ndarray) else item for each in self.pieces for item in each]


@define(eq=False)
class Arm:
    """One pair under audit."""

    index: int
    pair: Pair
    pools: tuple[Pool, Pool] = Factory(lambda: (Pool(), Pool()))
    score: Score | None = None
    seen: Counts = Factory(lambda: (np.zeros(1, np.int64), np.zeros(1, np.int64)))
    """Bin counts of outputs that the score was not fitted to."""
    trials: int = 0
    """Runs on either side."""
    blocks: int = 0
    fitted: int = 0
    """Trials when the score was last learned."""

    def next_size(self) -> int:
        """Runs on either side that the next block should have."""
        return max(FIRST, int(self.trials * GROWTH))

    def promise(self, nulls: Nulls) -> float:
        """Optimistic growth: what the counts suggest plus one standard error. Infinite before anything is known."""
        known = int(self.seen[0].sum())
        if self.score is None or known == 0:
            return math.inf if self.trials == 0 else 1 / (2 * self.trials)
        growth = max(float(growth_of(self.seen, nulls)), 0.0)
        return (math.sqrt(2 * known * growth) + 1) ** 2 / (2 * known)

    def absorb(self, block: Block) -> None:
        """Add what a block has shown."""
        self.trials += block.runs
        self.blocks += 1
        if self.score is not None:
            self.seen = self.seen[0] + block.left, self.seen[1] + block.right

    def relearn(self, nulls: Nulls) -> None:
        """Learn the score anew if there is much more to learn from than last time."""
        if self.trials < REFIT * self.fitted or (self.fitted and not self._grown()):
            return
        left, right = self.pools[0].joined(), self.pools[1].joined()
        size = min(len(left), len(right))
        left, right = left[:size], right[:size]
        kinds = {isinstance(each, np.ndarray) for each in (left, right)}
        both = np.concatenate([left[:64], right[:64]]) if kinds == {True} and _one_width(left, right) else None
        reader = reader_for(both if both is not None else [*left[:64], *right[:64]])
        if not isinstance(reader, Numbers):
            left, right = _items(left), _items(right)
        found = learn(reader, left, right, lambda counts: _worth(counts, nulls))
        self.fitted = self.trials
        if found is not None:
            self.score, self.seen = found

    def _grown(self) -> bool:
        return min(pool.size for pool in self.pools) >= REFIT * 0.999 * self.fitted

    def to_json(self) -> dict[str, Any]:
        """What a later audit of the same pair can start from."""
        score = None if self.score is None else self.score.to_json()
        return {"origin": self.pair.origin, "score": score, "seen": [each.tolist() for each in self.seen]}

    def warm(self, record: Mapping[str, Any]) -> None:
        """Start from what an earlier audit learned. Its trials inform the bets, and are not evidence a second time."""
        if record.get("origin") == self.pair.origin and record.get("score") is not None:
            self.score = score_from_json(record["score"])
            left, right = (np.array(each, np.int64) for each in record["seen"])
            self.seen = left, right
            self.fitted = int(left.sum())  # so that the score stays until there is more to learn from than it has had


def growth_of(counts: Counts, nulls: Nulls) -> float:
    """Log-wealth for each trial that these counts promise."""
    return float(choose(*counts, nulls, Horizon(1.0, 1)).growth.max())


def _worth(counts: Counts, nulls: Nulls) -> float:
    """Growth at the claim, and a little for telling the sides apart, which decides while the claim seems to hold."""
    return growth_of(counts, nulls) + 0.01 * growth_of(counts, Nulls.of(1.0, 0.0))


def _one_width(left: Any, right: Any) -> bool:
    return bool(left.shape[1] == right.shape[1])


def _items(outputs: Any) -> list[Any]:
    return [each.tolist() if isinstance(each, np.ndarray) else each for each in outputs]
