"""A pilot over all rows of the user's data: without which of them does a deterministic target answer in an unusual way?

It chooses pairs and nothing else. What is concluded about a pair is worked out as for any other.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import define, field, frozen

from crowdproof.audit.allowance import Allowance, Stream
from crowdproof.audit.compare.question import Question
from crowdproof.audit.data.rows import is_rows, size, take
from crowdproof.audit.neighbours.own_data import in_a_crowd, without
from crowdproof.audit.releases import Refusal, traits
from crowdproof.audit.request import Pair
from crowdproof.audit.targets.generators import Sent
from crowdproof.audit.targets.run import attempt, key_of
from crowdproof.errors import TargetError
from crowdproof.mechanism import Capabilities

SHARE = 10
"""The pilot takes at most one part in so many of what is left. A guess: its runs are no evidence."""
PARTS = 200
"""Groups of rows that are left out, one after the other, in each round. A guess: tables of so many different rows are
done in one round, and larger ones take a few."""
ROUNDS = 4
"""Rounds that a small budget is divided among: with all parts, a million different rows take four."""
FEWEST = 8
"""Groups without which nothing is usual, so that nothing can be unusual: a guess."""
KEPT = 3
"""Groups that go into the next round, and rows that are found at last. A guess: each makes two pairs to be examined."""
UNUSUAL = math.log(4)
"""How odd an answer has to be: as if four rows in the usual way came on one in this way. A guess; what is odd for no
reason costs the runs of two pairs."""
CROWD = 16
"""Copies of a usual row around an odd one. A guess: enough for usual group sizes, and few samples to enumerate."""
MOST_TRAITS = 2_000
"""Traits of a release that are looked at, so that large tables take little time: a guess."""
WHY = "the release is unusual without it"
"""Why a row was found."""
_PLACE = "__crowdproof_place"

Seen = dict[Any, Any]
"""What can be seen in an answer: its key, and its traits."""


def odd_pairs(question: Question, allowance: Allowance) -> list[Pair]:
    """Pairs about the rows without which the target answers in an unusual way, the oddest row first."""
    data = question.data
    if question.pairs is not None or not is_rows(data) or Capabilities.of(question.mechanism).declares_law:
        return []
    pilot = _Pilot(question, allowance.part(SHARE))
    try:
        odd, usual = pilot.odd_rows()
    except TargetError:  # what the target broke on is nothing to go by
        return []
    pairs = []
    for row in odd:
        if question.beta is not None:
            pairs.append(in_a_crowd(data, row, usual=usual, copies=CROWD, relation=question.neighbours))
        pairs.append(without(data, row, why=WHY, usual=usual, relation=question.neighbours))
    return pairs


@define(eq=False)
class _Pilot:
    """Leaves out groups of rows, and looks closer where that shows."""

    question: Question
    allowance: Allowance

    def odd_rows(self) -> tuple[list[int], int]:
        """The rows that are odd, the oddest first, and one that is not; none where too few runs are left."""
        rows = _different(self.question.data)
        while True:
            left = self.allowance.expected()
            parts = PARTS if left is None else min(PARTS, left if len(rows) <= left else left // ROUNDS)
            if min(parts, len(rows)) < FEWEST:
                return [], 0
            groups = [rows[start::parts] for start in range(min(parts, len(rows)))]
            oddity = oddities(self._seen(groups))
            ranked = sorted(range(len(oddity)), key=lambda place: -oddity[place])
            odd = [place for place in ranked[:KEPT] if oddity[place] >= UNUSUAL]
            if len(oddity) < len(groups) or not odd:
                return [], 0
            if len(rows) <= parts:
                return [groups[place][0] for place in odd], groups[ranked[-1]][0]
            usual = [row for place in ranked[KEPT:] for row in groups[place]]
            rows = [row for place in odd for row in groups[place]] + usual[: PARTS // 2]

    def _seen(self, groups: list[list[int]]) -> list[Seen]:
        """What came of the data without each group; fewer where the budget was spent."""
        run = _RunWithout(self.question.mechanism, self.question.data, self.allowance.stream(Stream.PILOT, 1))
        found = []
        for seen in self.question.runner.map(run, groups):
            found.append(seen)
            if not self.allowance.draw(1, "leaving out one row after the other"):
                break
        return found


@frozen(eq=False)
class _RunWithout:
    """One run on the data without some rows. Picklable, for any runner."""

    sent: Sent = field(converter=Sent)
    data: Any
    stream: np.random.SeedSequence

    def __call__(self, rows: list[int]) -> Seen:
        """What can be seen in the answer."""
        rest = take(self.data, np.delete(np.arange(size(self.data)), rows))
        own = np.random.SeedSequence(self.stream.entropy, spawn_key=(rows[0], len(rows)))
        with self.sent.ready(own) as mechanism:
            outcome = attempt(mechanism, rest, np.random.default_rng(own))
        release = outcome.output if outcome.failure is None else Refusal(outcome.failure)
        seen = zip(traits(release), range(MOST_TRAITS), strict=False)
        return {("key",): key_of(outcome), **{name: value for (name, value), _ in seen}}


def oddities(seen: Sequence[Seen]) -> list[float]:
    """How far each answer is from what most of them are like, in the trait where it is farthest.

    Where most answers share a value, another is the odder the fewer have it. Where hardly two share one, as with sums,
    a number is odd that is much farther from the middle than nine in ten.

    >>> [round(each, 2) for each in oddities([{"total": 7}] * 9 + [{"total": 8}])][-2:]
    [0.0, 2.2]
    """
    worst = [0.0] * len(seen)
    for name in dict.fromkeys(name for each in seen for name in each):
        values = [each.get(name) for each in seen]
        counts = Counter(values)
        most = max(counts.values())
        far = _far(values)
        for place, value in enumerate(values):
            worst[place] = max(worst[place], math.log(most / counts[value]), far[place])
    return worst


def _far(values: Sequence[Any]) -> list[float]:
    """The logarithm of the distance from the median, in units of what nine in ten keep to; 0 where that is nothing."""
    if not all(isinstance(value, float) and math.isfinite(value) for value in values):
        return [0.0] * len(values)
    distance = np.abs(np.array(values) - np.median(values))
    usual = float(np.quantile(distance, 0.9, method="lower"))
    if usual <= 0:
        return [0.0] * len(values)
    return [float(each) for each in np.log(np.maximum(distance / usual, 1.0))]


def _different(data: Any) -> list[int]:
    """The places of the first rows of each kind: without one or another of equal rows the data are the same."""
    if isinstance(data, pl.DataFrame):
        placed = data.with_row_index(_PLACE)
        return [int(row) for row in placed.unique(data.columns, keep="first", maintain_order=True)[_PLACE]]
    seen: dict[str, int] = {}
    for place, row in enumerate(data):
        seen.setdefault(repr(row), place)
    return list(seen.values())
