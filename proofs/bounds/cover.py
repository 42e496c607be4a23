"""A bound for every pair of cells at once, for a replaced row: also where a search over the pairs takes too long.

In the words of `replace`, R(n, m) = sum_i P_n(i) B_m(y_i) with y_i = x P_{n-1}(i)/P_n(i). Let B(y) be the largest
B_m(y) over all m, and D(t) the largest D_n(t) = sum_i (t P_n(i) - x P_{n-1}(i))+ over all n. Both are explicit numbers
(`cells.gain_peak`, `cells.loss_peak`). As a maximum of convex functions B is convex. It is at most 1, and it is 0 from
1/q on. Its chords on a grid t_0 = 0 < t_1 < ... < t_N = 1/q lie above it, and they are a sum of c_i (t_i - y)+, where
c_i is the change of their slope at t_i. Hence for every n and m

    R(n, m) <= sum_i P_n(i) B(y_i) <= sum_i c_i D_n(t_i) <= sum_i c_i D(t_i).

The grid starts where Chernoff's exponents of the two cells say that the product B D is largest, with spans over which
that product changes little, and is refined where it adds most.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, pairwise

from attrs import evolve, frozen
from flint import arb, ctx

from crowdproof.proofs.bounds.balls import Ball, Law, estimate
from crowdproof.proofs.bounds.cells import Budget, SpentError, gain_peak, loss_peak

ARGUMENT = "the largest excesses of either cell, each over all numbers of rows, are joined by chords"
_START = 1.0
"""By how much the logarithm of B at the start of a span of the first grid, times D at its end, may exceed the largest
product of both: a span then adds little more than a point of it would."""
_SPANS = 400
"""Spans of the first grid at most; it is made coarser until it has no more, and until the budget suffices."""
_SPLIT = 8
"""Spans that add more than this fraction of what the worst adds are halved."""
_LOOKS, _FINE = 100, 1e-7
"""The best level is the best of so many, again and again about the last one, until it is known to this part."""
_NARROW = 1e-9
"""No span is narrower than this part of its share."""
_PEAKS = 2
"""Tails that one cell takes at one point of the grid."""
_ROUND = 8
"""Measured: steps that a point takes whenever the grid is looked at again."""
_POINT = 60
"""Measured: steps that a point takes apart from its tails."""
_TERMS = 4
"""Measured: so many terms of a tail take as long as one step of a search."""
_DEVIATIONS = 14
"""So many standard deviations from its mean a count has no mass that the precision knows."""


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


@frozen
class Shares:
    """A level, named by the share v of the second cell's rows at which its best event ends: y = (1 - v)/q.

    Then u = 1 - (1 - v)/x is the share of the first cell's rows at which its own begins.
    """

    second: float
    beyond: float
    """x - 1, which has more digits than x."""
    rate: float

    @property
    def first(self) -> float:
        """u."""
        return (self.beyond + self.second) / (1 + self.beyond)

    @property
    def gain(self) -> float:
        """ln B/k, about: Chernoff's exponent, for a count of k."""
        if self.second == 0:
            return -math.inf
        return -_exponent(self.second, 1 - self.second, self.rate) if self.second < self.rate else 0.0

    @property
    def loss(self) -> float:
        """ln D/k, about."""
        u = self.first
        return -_exponent(u, (1 - self.second) / (1 + self.beyond), self.rate) if u > self.rate else 0.0

    def steps(self, k: int) -> int:
        """Steps that `_at` takes at this level, about."""
        terms = _terms(k, self.first, self.rate) + _terms(k, 1 - self.second, 1 - self.rate, self.second)
        return _POINT + _PEAKS * terms // _TERMS


def likely(law: Law) -> Shares:
    """Where the product of B and D is largest, about; at x = 1 that is where both shares are the rate."""
    beyond, rate = float(law.x - 1), float(law.b)
    least = max(0.0, rate - beyond * (1 - rate))
    low, high = least, rate
    best = Shares(rate, beyond, rate)
    while high - low > _FINE * (rate - least):
        step = (high - low) / _LOOKS
        places = (Shares(low + step * i, beyond, rate) for i in range(1, _LOOKS))
        best = max(places, key=lambda each: each.gain + each.loss)
        low, high = best.second - step, best.second + step
    return best if best.first > rate > best.second else Shares(rate, beyond, rate)


def _exponent(share: float, others: float, rate: float) -> float:
    """KL(share | rate)/share; `others` is 1 - share."""
    return math.log(share / rate) + others / share * math.log(others / (1 - rate)) if others > 0 else -math.log(rate)


def _terms(k: int, share: float, rate: float, counted: float | None = None) -> int:
    """Terms of a tail from the share on; `counted` is the share that is k rows."""
    rows = k / max(counted or share, k * 1e-300)
    wide = _DEVIATIONS * math.sqrt(rows * rate * (1 - rate)) + max(0.0, rate - share) * rows
    ratio = rate * (1 - share) / (share * (1 - rate)) if share > rate else 1.0
    short = ctx.prec * math.log(2) / -math.log(ratio) if 0 < ratio < 1 else wide
    return 20 + int(min(wide, short, k))


def cover(k: int, law: Law, enough: Ball, budget: Budget) -> Cover | None:
    """The bound, as near to `enough` as the budget allows, or None where it does not suffice for any."""
    try:
        points = _first(k, law, budget)
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


def _first(k: int, law: Law, budget: Budget) -> list[_Point]:
    """The first grid, from 0 to 1/q, as fine as half of the budget allows."""
    centre = likely(law)
    top = k * (centre.gain + centre.loss)
    slack = _START
    while True:
        spans = list(islice(_spans(k, centre, top + slack), _SPANS))
        if len(spans) == 1 or (len(spans) < _SPANS and sum(each.steps(k) for each in spans) <= budget.left / 2):
            break
        slack *= 2
    levels = [((1 - arb(v)) / law.q).mid() for v in sorted((each.second for each in spans), reverse=True)]
    end = (1 / law.q).upper()
    points = [_at(arb(0), k, law, budget)]
    points += [_at(level, k, law, budget) for level in levels if 0 < level < end]
    points.append(_Point(end, arb(0), _at(end, k, law, budget).loss, k, k))
    return points


def _spans(k: int, centre: Shares, most: float) -> Iterator[Shares]:
    """Levels to either side of the centre such that ln B at one and ln D at the next come to no more than `most`."""
    yield centre
    for side, last in ((1, 1.0), (-1, 0.0)):
        here, end, width = centre, evolve(centre, second=last), centre.second / 4
        while not _apart(k, here, end, most):
            there = evolve(here, second=here.second + side * width)
            if 0 < there.second < 1 and (width < _NARROW * here.second or _apart(k, here, there, most)):
                yield there
                here, width = there, 3 * width
            else:
                width /= 2


def _apart(k: int, one: Shares, other: Shares, most: float) -> bool:
    """Whether two levels make a span whose larger B and larger D come to no more than `most`."""
    early, late = (one, other) if one.second > other.second else (other, one)
    return k * (early.gain + late.loss) <= most


class _Order:
    """Balls in the order of their upper ends, also beyond the floats."""

    def __init__(self, ball: Ball) -> None:
        self.top = ball.upper()

    def __lt__(self, other: "_Order") -> bool:
        return bool(self.top < other.top)

    def __gt__(self, other: "_Order") -> bool:
        return bool(self.top > other.top)


def _at(level: Ball, k: int, law: Law, budget: Budget) -> _Point:
    if level.is_zero():
        return _Point(level, arb(1), arb(0), k, k)
    share = min(max(float(1 - level * law.q), 0.0), 1.0)
    budget.spend(Shares(share, float(law.x - 1), float(law.b)).steps(k))
    gain, loss = gain_peak(k, level, law), loss_peak(k, level, law)
    return _Point(level, gain.height.upper().min(arb(1)), loss.height.upper(), loss.earliest, gain.earliest)


def _parts(points: list[_Point]) -> list[Ball]:
    """What each point adds: c_i D(t_i)."""
    slopes = [(after.gain - before.gain) / (after.level - before.level) for before, after in pairwise(points)]
    bends = [arb(0), *(after - before for before, after in pairwise(slopes)), -slopes[-1]]
    return [bend.nonnegative_part() * point.loss for bend, point in zip(bends, points, strict=True)]


def _refined(points: list[_Point], parts: list[Ball], k: int, law: Law, budget: Budget) -> list[_Point]:
    """Halve the spans before the points that add much: the gain at their start counts with the loss at their end."""
    budget.spend(len(points) * _ROUND)
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
