"""A search for promising pairs of a randomized target, on randomness of its own that no verdict ever uses."""

import contextlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from crowdproof.audit.allowance import Allowance, Stream
from crowdproof.audit.compare.betting.block_runs import BlockWork
from crowdproof.audit.compare.betting.hypotheses import Counts
from crowdproof.audit.compare.betting.learning import learn
from crowdproof.audit.compare.betting.trials import BatchRefusedError, Chunk, RunChunk, run
from crowdproof.audit.compare.question import Question
from crowdproof.audit.releases import Releases, reader_for
from crowdproof.audit.request import Pair
from crowdproof.audit.targets import own_process
from crowdproof.audit.targets.interface import draw_seeds
from crowdproof.mechanism import declares_independence

RUNS = 384
"""Runs on either side for each pair that the search tries: a guess. Large leaks show in a few hundred runs."""
SHARE = 5
"""The search takes at most one part in so many of the budget. A guess: its runs do not count as evidence, so that more
are missing from the test, and with fewer hardly a pair is tried."""


def best_by_search(question: Question, allowance: Allowance) -> list[Pair]:
    """The pair that looked most like a leak, if the search got anywhere."""
    own = allowance.part(SHARE)

    def score(pair: Pair) -> float | None:
        return excess_estimate(question, pair, own) if own.affords(2 * RUNS) else None

    seed = allowance.number(Stream.SEARCHING)
    climb = question.proposals.search(score, examples=question.search, seed=seed)
    if climb is None or climb.best is None:
        return []
    return [climb.smallest or climb.best]


def excess_estimate(question: Question, pair: Pair, allowance: Allowance) -> float | None:
    """How far the claim seems to be exceeded on a pair, less two standard errors; the same for the same pair."""
    with own_process.kept():
        left, right = glance(question, pair, runs=RUNS, seed=allowance.stream(Stream.PILOT), until=allowance.until)
    if not allowance.draw(len(left) + len(right), "searching for a pair") or len(left) + len(right) < 2 * RUNS:
        return None
    first = float(question.bet_on[0].delta)
    points = [(each.epsilon.exp(), float(each.delta) - first) for each in question.bet_on]
    reader = reader_for(Releases.joined([left, right]))
    found = learn(reader, left, right, value=lambda counts: _beyond(counts, points))
    return (max(-more for _, more in points) if found is None else _beyond(found.held_out_bins, points)) - first


def glance(
    question: Question, pair: Pair, runs: int, seed: np.random.SeedSequence, until: float | None = None
) -> tuple[Releases, Releases]:
    """The releases of so many runs on either dataset, for choosing which pairs to look at: no verdict rests on them."""
    mechanism, both = question.whole, (pair.left, pair.right)
    if declares_independence(mechanism):
        with contextlib.suppress(BatchRefusedError):
            left, right = (
                Releases.of(run(mechanism, (data,), np.zeros(runs, np.int64), own, in_batches=True))
                for data, own in zip(both, seed.spawn(2), strict=True)
            )
            return left, right
    task, (coins, seeds) = RunChunk(mechanism, in_batches=False), seed.spawn(2)
    strands = -(-2 * runs // task.strand)
    whole = Chunk(
        datasets=both,
        numbers=(0, 1),
        order=np.random.default_rng(coins).permutation(np.repeat([0, 1], runs)),
        seeds=tuple(draw_seeds(np.random.default_rng(seeds), strands)),
        strand=task.strand,
        start=0,
        keep=(runs, runs),
        scores=((), ()),
        until=until,
    )
    kept: tuple[list[Releases], list[Releases]] = ([], [])
    for ran in question.runner.spread(BlockWork(task, whole)):
        for side, found in zip(kept, ran.found, strict=True):
            side.append(found.kept)
        if ran.cut:
            break
    return Releases.joined(kept[0]), Releases.joined(kept[1])


def _beyond(counts: Counts, points: Sequence[tuple[float, float]]) -> float:
    """The excess at the point where that is largest, with what its delta has more than the first point's taken off."""
    return max(_excess(counts, x) - more for x, more in points)


def _excess(counts: Counts, x: float) -> float:
    """The largest excess of a threshold event in either direction, less two standard errors."""
    left, right = (each / max(int(each.sum()), 1) for each in counts)
    runs = max(int(counts[0].sum()), 1)
    return max(_best(heavy, light, x=x, runs=runs) for heavy, light in ((left, right), (right, left)))


def _best(heavy: Any, light: Any, x: float, runs: int) -> float:
    sums = (np.cumsum(heavy), np.cumsum(light)), (np.cumsum(heavy[::-1]), np.cumsum(light[::-1]))
    best = -math.inf
    for p, q in sums:
        error = np.sqrt((p * (1 - p) + x * x * q * (1 - q) + (1 + x) ** 2 / runs) / runs)
        best = max(best, float(np.max(p - x * q - 2 * error)))
    return best
