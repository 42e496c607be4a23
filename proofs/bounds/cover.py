"""A bound for every pair of cells at once, for a replaced row: also where a search over the pairs takes too long.

In the words of `replace`, R(n, m) = sum_i P_n(i) B_m(y_i) with y_i = x P_{n-1}(i)/P_n(i). Let B(y) be the largest
B_m(y) over all m, and D(t) the largest D_n(t) = sum_i (t P_n(i) - x P_{n-1}(i))+ over all n. Both are explicit numbers
(`cells.gain_peak`, `cells.loss_peak`). As a maximum of convex functions B is convex. It is at most 1, and it is 0 from
1/q on. Its chords on a grid t_0 = 0 < t_1 < ... < t_N = 1/q lie above it, and they are a sum of c_i (t_i - y)+, where
c_i is the change of their slope at t_i. Hence for every n and m

    R(n, m) <= sum_i P_n(i) B(y_i) <= sum_i c_i D_n(t_i) <= sum_i c_i D(t_i).

The grid is refined where it adds most.
"""

from fractions import Fraction
from itertools import pairwise

from attrs import frozen
from flint import arb

from crowdproof.proofs.bounds.balls import Ball, Law, estimate
from crowdproof.proofs.bounds.cells import Budget, SpentError, gain_peak, loss_peak, tail_steps

ARGUMENT = "the largest excesses of either cell, each over all numbers of rows, are joined by chords"
_START = 8
"""Spans of the grid before it is refined."""
_SPLIT = 8
"""Spans that add more than this fraction of what the worst adds are halved."""
_PEAKS = 4
"""Tails that one point of the grid takes: two for either cell."""


@frozen
class _Point:
    """A level, the largest B and D there, and the numbers of rows that attain them."""

    level: Ball
    gain: Ball
    loss: Ball
    n: int
    m: int


@frozen
class Cover:
    """The bound, and the numbers of rows at the level that adds most to it."""

    high: Fraction
    n: int
    m: int


def cover(k: int, law: Law, enough: Ball, budget: Budget) -> Cover | None:
    """The bound, as near to `enough` as the budget allows, or None where it does not suffice for any."""
    try:
        points = [_at(arb(0), k, law, budget)]
        end = (1 / law.q).upper()
        points += [_at((end * i / _START).mid(), k, law, budget) for i in range(1, _START)]
        points.append(_Point(end, arb(0), _at(end, k, law, budget).loss, k, k))
    except SpentError:
        return None
    best: Cover | None = None
    while True:
        parts = _parts(points)
        total = sum(parts, arb(0)).upper()
        most = max(range(len(parts)), key=lambda i: _Order(parts[i]))
        bound = Cover(estimate(total).high, points[most].n, points[most].m)
        best = bound if best is None or bound.high < best.high else best
        if total < enough:
            return best
        try:
            points = _refined(points, parts, k, law, budget)
        except SpentError:
            return best


class _Order:
    """Balls in the order of their upper ends, also beyond the floats."""

    def __init__(self, ball: Ball) -> None:
        self.top = ball.upper()

    def __lt__(self, other: "_Order") -> bool:
        return bool(self.top < other.top)

    def __gt__(self, other: "_Order") -> bool:
        return bool(self.top > other.top)


def _at(level: Ball, k: int, law: Law, budget: Budget) -> _Point:
    budget.spend(_PEAKS * tail_steps(k))
    if level.is_zero():
        return _Point(level, arb(1), arb(0), k, k)
    gain, loss = gain_peak(k, level, law), loss_peak(k, level, law)
    return _Point(level, gain.height.upper().min(arb(1)), loss.height.upper(), loss.earliest, gain.earliest)


def _parts(points: list[_Point]) -> list[Ball]:
    """What each point adds: c_i D(t_i)."""
    slopes = [(after.gain - before.gain) / (after.level - before.level) for before, after in pairwise(points)]
    bends = [arb(0), *(after - before for before, after in pairwise(slopes)), -slopes[-1]]
    return [bend.nonnegative_part() * point.loss for bend, point in zip(bends, points, strict=True)]


def _refined(points: list[_Point], parts: list[Ball], k: int, law: Law, budget: Budget) -> list[_Point]:
    """Halve the spans before the points that add much: the gain at their start counts with the loss at their end."""
    much = max(parts, key=_Order) / _SPLIT
    refined = points[:1]
    for before, after, part in zip(points, points[1:], parts[1:], strict=False):
        middle = ((before.level + after.level) / 2).mid()
        if part > much and before.level < middle < after.level:
            refined.append(_at(middle, k, law, budget))
        refined.append(after)
    if len(refined) == len(points):
        raise SpentError
    return refined
