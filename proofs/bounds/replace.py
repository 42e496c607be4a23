"""The exact delta(eps) when one row is replaced by another.

The target leaves a cell with n rows and its replacement joins another cell, which then has m. Only these two cells
differ, and they are sampled independently: D shows a pair of counts by P_n x P_{m-1}, D' by P_{n-1} x P_m, with P as in
`tight`. (Within one cell nothing changes; the other direction swaps the cells.) With fewer than k rows a cell shows
nothing, so one row added or removed is the special case m < k or n < k.

With B_m(y) = sum_j (P_{m-1}(j) - y P_m(j))+ and y_i = x P_{n-1}(i)/P_n(i), the delta of the pair is

    R(n, m) = sum_i P_n(i) B_m(y_i) = sum_j P_m(j) D_n(P_{m-1}(j)/P_m(j)),

where D_n(y) = sum_i (y P_n(i) - x P_{n-1}(i))+. Write t_m = (m - k + 1)/(m q), which grows with m.

1. In m: the argument of `tight`, which sets one row apart, holds at any level y. B_{m+1}(y) <= B_m(y) where y <= t_m;
   elsewhere no count from k on is in the best event, so B_m(y) rises, by at most beta f(k-1; m) (y - t_m). These steps
   sum up: over a range m1..m2, B_m(y) is at most B_{m1}(y) + (S_{m2} - S_{m1}) (y - t_{m1})+, where
   S_m = Pr[Bin(m) >= k], and where y >= t_{m2-1} it is at most B_{m2}(y).
2. In n: in the same way D_{n+1}(y) - D_n(y) <= beta f(k-1; n) (y - x t_n)+. As B_m(y) = sum_j P_m(j) (y_j - y)+ with
   y_j = P_{m-1}(j)/P_m(j), this says R(n+1, m) - R(n, m) <= beta f(k-1; n) B_m(x t_n), so that over a range n1..n2
   R(n, m) <= R(n1, m) + (S_{n2} - S_{n1}) B_m(x t_{n1}).

Hence whole ranges of n and m, also endless ones, are bounded at once, and branch and bound leaves the pair (n, m) that
attains the maximum. Never above beta: one coin decides both rows.
"""

import heapq
import math
from collections.abc import Iterator
from typing import NamedTuple

from attrs import evolve, field, frozen, mutable
from flint import arb

from crowdproof.exact import Epsilon, Number, whole
from crowdproof.proofs.bounds.balls import Ball, Law, Rate, Setting, accurate, estimate, settle
from crowdproof.proofs.bounds.cells import Cell, Range, between, loss_peak
from crowdproof.proofs.bounds.certificate import Certificate, Certified, WorstPair
from crowdproof.proofs.bounds.tight import add_remove, excess_with, excess_without

ARGUMENT = (
    "in either cell one row more adds at most what a count of k - 1 gives when it becomes k, and these steps sum up "
    "over whole ranges; branch and bound over both numbers of rows"
)
EFFORT = 200_000
"""How many levels a search may look at, or twice as many to be exact: then the interval is returned as it stands."""
_EXACT = 256
"""Up to this k the search goes on until one pair is left."""
_NEAR = 2**-44
"""A range whose bound is above the value in hand by less than this fraction is not split: the interval covers it."""
_NEAR_ENOUGH = 0.01
"""The same for larger k, where very many pairs are almost as bad as the worst."""
_BEND = 0.25
"""For larger k, by how much the logarithm of a mass may change between two levels that a chord joins."""


class _Node(NamedTuple):
    """A level and a mass of the first cell there; counts before `reached` are covered by the nodes up to this one."""

    level: Ball
    mass: Ball
    reached: int


class _Box(NamedTuple):
    """Ranges of both numbers of rows; `exact` where every count has a node of its own."""

    n: Range
    m: Range
    exact: bool

    @property
    def last(self) -> bool:
        """Whether there is nothing to split."""
        return self.n.single and self.m.single

    def parts(self, *, by_n: bool) -> tuple["_Box", ...]:
        """Its halves, or else itself, looked at more closely."""
        if self.last:
            return (self._replace(exact=True),)
        if by_n:
            return tuple(self._replace(n=half) for half in self.n.halves())
        return tuple(self._replace(m=half) for half in self.m.halves())


@frozen
class _Bound:
    """What R is at most over a box, and which range to split next."""

    top: Ball
    by_n: bool


@mutable
class _Search:
    """Branch and bound at one precision. Values in `best` are attained, bounds are certain."""

    k: int
    law: Law
    best: Ball
    n: int
    m: int
    left: int
    boxes: int = 0
    _matter: int = 0
    """Counts of the first cell that matter at the start."""
    _cells: dict[int, Cell] = field(factory=dict, init=False)
    _nodes: dict[tuple[int, bool], list[_Node]] = field(factory=dict, init=False)
    _ends: dict[tuple[int, bool], tuple[int, Ball]] = field(factory=dict, init=False)

    @property
    def thorough(self) -> bool:
        """Whether to go on until one pair is left."""
        return self.k <= _EXACT

    def run(self) -> Ball:
        """A bound on R for every pair: split the box with the largest bound until that is near the best value."""
        self._climb()
        near = arb(1 + (_NEAR if self.thorough else _NEAR_ENOUGH))
        heap: list[tuple[tuple[int, float], int, _Box, _Bound]] = []
        parts: tuple[_Box, ...] = (_Box(Range(self.k - 1, None), Range(self.k - 1, None), self.thorough),)
        while True:
            for box in parts:
                self.boxes += 1
                bound = self.bound(box)
                if not bound.top < self.best:
                    heapq.heappush(heap, (_order(bound.top), self.boxes, box, bound))
            if not heap:
                return self.best
            _, _, box, bound = heap[0]
            if bound.top < self.best * near or self.left < 0 or (box.last and box.exact):
                return bound.top.max(self.best)
            heapq.heappop(heap)
            parts = box.parts(by_n=bound.by_n)

    def cell(self, n: int) -> Cell:
        """The laws of a cell of n rows."""
        if n not in self._cells:
            self._cells[n] = Cell(n, self.k, self.law)
        return self._cells[n]

    def bound(self, box: _Box) -> _Bound:
        """By steps 1 and 2 above."""
        (n, n_last), (m, m_last) = box.n, box.m
        first, low, high = self.cell(n), self.cell(m), None if m_last is None else self.cell(m_last)
        rise = arb(0) if box.m.single else between(low, high)
        bits = 72 if self.thorough else 12

        def gains(y: Ball) -> tuple[Ball, Ball, Ball]:
            """B(y): at most over the range of m, and at its two ends."""
            one = low.gain(y)
            if box.m.single:
                return one, one, one
            other = arb(0) if high is None else high.gain(y)
            if high is not None and y >= high.turn_before:
                return other, one, other
            return one + rise * (y - low.turn).nonnegative_part(), one, other

        main = at_low = at_high = rest = arb(0)
        for i, (y, mass, count) in enumerate(self._column(n, box.exact)):
            self.left -= 1
            if not y * self.law.q >= 1:  # beyond 1/q nothing is ever gained
                most, one, other = gains(y)
                main, at_low, at_high = main + mass * most, at_low + mass * one, at_high + mass * other
            if i % 8 == 7:
                rest = self._rest(first, m, count)
                if rest < self.best.max(main) * arb(2) ** -bits:
                    self._matter = self._matter or count - self.k
                    break
        else:
            rest = arb(0)
        growth, turn = arb(0), self.law.x * first.turn
        if not box.n.single and not turn * self.law.q >= 1:
            growth = between(first, None if n_last is None else self.cell(n_last)) * gains(turn)[0]
        if box.m.single and box.exact:
            self.offer(main, n, m)
        return _Bound(main + rest + growth, self._splits_n(box, main - at_low.max(at_high), growth, main))

    def _splits_n(self, box: _Box, loose: Ball, growth: Ball, main: Ball) -> bool:
        """Whether n is the range to split: the one that makes the bound loose or, far from the best, the wider one."""
        if box.n.single or box.m.single:
            return not box.n.single
        total = main + growth
        if growth < total * (_NEAR_ENOUGH / 4) or loose < total * (_NEAR_ENOUGH / 4):
            return not growth < total * (_NEAR_ENOUGH / 4)
        if total < 2 * self.best:
            return bool(growth > loose)
        n, m = box.n.first, box.m.first
        return self._width(box.n) * float(self.law.x) * max(1.0, m / n) > self._width(box.m)

    def _width(self, span: Range) -> float:
        """In relation to where it starts; an endless range is as wide as the numbers of rows that matter."""
        last = span.first + 2 * self.k / float(self.law.b) if span.last is None else span.last
        return (last - span.first) / span.first

    def offer(self, value: Ball, n: int, m: int) -> None:
        """Keep it if it is the largest so far."""
        if value.lower() > self.best.lower():
            self.best, self.n, self.m = value, n, m

    def _climb(self) -> None:
        """Find a good pair, from where Chernoff's exponents of the two cells are smallest together."""
        start = _likely(self.k, float(self.law.b), float(self.law.x))
        self._try(*start)
        n, m = start
        spread = math.sqrt(n * (n - self.k + 1) / self.k) / 4
        far_n, far_m = max(1, int(spread)), max(1, int(spread * (m / n) ** 2))
        while far_n or far_m:
            n, m = self.n, self.m
            for step in ((far_n, far_m), (-far_n, -far_m), (far_n, 0), (-far_n, 0), (0, far_m), (0, -far_m)):
                self._try(n + step[0], m + step[1])
                if (n, m) != (self.n, self.m):
                    break
            else:
                far_n, far_m = far_n // 2, far_m // 2

    def _try(self, n: int, m: int) -> None:
        if min(n, m) >= self.k:
            self.bound(_Box(Range(n, n), Range(m, m), exact=True))

    def _column(self, n: int, exact: bool) -> Iterator[_Node]:
        """The levels y_i of the first cell with their masses, the lump first.

        B is convex and y_i linear in i: unless this is to be exact, the masses of several counts go to the two ends of
        their block, so that the chord bounds B.
        """
        seen = self._nodes.setdefault((n, exact), [])
        yield from seen
        cell, step = self.cell(n), self.law.x / (n * self.law.q)
        if not seen:
            seen.append(_Node(self.law.x * cell.lump_before / cell.lump, cell.lump, self.k))
            yield seen[-1]
        count, carried = self._ends.get((n, exact), (self.k, arb(0)))
        while count <= n:
            size = 1 if exact else self._stride(n, count)
            cell.grow(count - self.k + size)
            masses = cell.mass[count - self.k : count - self.k + size]
            moved = sum((each * i for i, each in enumerate(masses)), arb(0)) / size
            seen.append(_Node(step * (n - count), carried + sum(masses, arb(0)) - moved, count))
            count, carried = count + size, moved
            self._ends[n, exact] = count, carried
            yield seen[-1]

    def _stride(self, n: int, count: int) -> int:
        """How many counts one chord may span."""
        b = float(self.law.b)
        if count == n:
            return 1
        slope = abs(math.log(b / (1 - b) * (n - count) / (count + 1)))
        even = min(_BEND / max(slope, 1e-9), _BEND * math.sqrt(n * b * (1 - b)))
        return min(max(1, int(even), (count - self.k - self._matter) // 64), n - count)

    def _rest(self, cell: Cell, m: int, count: int) -> Ball:
        """A bound on the part of R(n, m'), for every m' >= m, that counts i >= `count` of the first cell contribute.

        Their masses fall at least by the ratio of the first two. With z = 1 - y_i q, B_m'(y_i) is at most
        Pr[Bin(m'-1) <= max(k-1, m' z)], by Chernoff at most e^(t max((k-1)/m', z)) (q + beta e^(-t/m'))^(m'-1) for
        every t > 0, where the power m' of the bracket falls with m'; and z grows by x/n from count to count.
        """
        n, (b, q, x) = cell.n, (self.law.b, self.law.q, self.law.x)
        if count > n:
            return arb(0)
        cell.grow(count - self.k + 1)
        mass, ratio = cell.mass[count - self.k], b / q * (n - count) / (count + 1)
        if not ratio < 1:
            return arb(1)
        plain, z = mass / (1 - ratio), 1 - x * (n - count) / n
        part, rate = max(float(z), (self.k - 1) / m), float(b)
        if not 0 < part < rate:
            return plain
        t = arb(m * math.log(rate * (1 - part) / (part * (1 - rate))))
        ratio *= (t * x / n).exp()
        if not ratio < 1:
            return plain
        return (
            mass / (1 - ratio) * (t * (z.max(arb(self.k - 1) / m) + arb(1) / m)).exp() * (q + b * (-t / m).exp()) ** m
        )


def _likely(k: int, b: float, x: float) -> tuple[int, int]:
    """Rows n and m at which counts of k in both cells are just x times likelier, and likeliest by Chernoff's bound."""

    def exponent(share: float) -> float:
        return (share * math.log(share / b) + (1 - share) * math.log((1 - share) / (1 - b))) / share

    least, most = max(b, 1 - 1 / x), 1 - (1 - b) / x
    shares = (least + (most - least) * i / 400 for i in range(1, 400))
    pairs = [(u, v) for u in shares if 0 < (v := 1 - x * (1 - u)) < b and u < 1]
    u, v = min(pairs, key=lambda pair: exponent(pair[0]) + exponent(pair[1]), default=(b, b))  # at x = 1 there are none
    return max(k, int(k / u)), max(k, int(k / v))


def _order(bound: Ball) -> tuple[int, float]:
    """Largest first, also beyond the floats."""
    mantissa, exponent = bound.upper().man_exp()
    bits = int(abs(mantissa)).bit_length()
    return (-(int(exponent) + bits), -float(abs(int(mantissa)) / (1 << bits))) if mantissa else (1 << 62, 0.0)


def replace(k: Number, beta: Rate, epsilon: Number | Epsilon, effort: int | None = None) -> Certified:
    """The tight delta for datasets that differ by one replaced row; `pair` attains the lower end.

    Above k = 256 many pairs of cells are almost as bad as the worst, and the search ends when the upper end is within
    1% of the lower one; for k of 10,000 and more it may end before that: then the upper end is larger, and still
    certain. `effort` is the number of levels to look at.

    >>> one = replace(10, 0.3, 1)
    >>> print(one, one.pair)
    0.0001009 WorstPair(likelier=(13, 24), other=(12, 25))
    """
    setting, count = Setting.of(beta, epsilon), whole(k, "k")
    single = add_remove(count, beta, epsilon)
    assert single.pair is not None
    (likelier,), (other,) = single.pair.likelier, single.pair.other
    # a cell below k shows nothing: there the other cell does what it does when a row is added or removed
    n, m = (likelier, count - 1) if likelier > other else (count - 1, other)
    if count == 1:  # beta, the most that sampling allows: the replaced row changes nothing unless it is drawn
        return evolve(single, pair=WorstPair((1, 0), (0, 1)))

    budget = EFFORT * (2 if count <= _EXACT else 1) if effort is None else effort

    def attempt() -> Certified | None:
        law = setting.law()
        excess = excess_with(law, n, count) if n >= count else excess_without(law, m, count - 1)
        search = _Search(count, law, best=excess, n=n, m=m, left=budget)
        above = estimate(search.run())
        if not accurate(search.best):
            return None
        ends = estimate(search.best)
        certificate = Certificate((search.n, search.m), above.high, f"{ARGUMENT}; {search.boxes} ranges")
        pair = WorstPair((search.n, search.m - 1), (search.n - 1, search.m))
        # the second cell's ratio is at most 1/q: at the level x q the first cell alone does no less
        cap = law.q * loss_peak(count, 1 / law.q, law).height
        high = min(above.high, estimate(cap).high, estimate(law.b).high)
        return Certified(ends.low, max(high, ends.high), search.n, certificate, pair)

    return settle(attempt, 128)
