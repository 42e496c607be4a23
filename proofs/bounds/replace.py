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
from fractions import Fraction
from typing import NamedTuple

from attrs import evolve, field, frozen, mutable
from flint import arb

from crowdproof.exact import Epsilon, Number, whole
from crowdproof.proofs.bounds.balls import Ball, Law, Rate, Setting, accurate, ball, estimate, settle
from crowdproof.proofs.bounds.cells import Budget, Cell, Range, SpentError, TooCoarseError, between, loss_peak
from crowdproof.proofs.bounds.certificate import Certificate, Certified, WorstPair
from crowdproof.proofs.bounds.cover import ARGUMENT as COVERING
from crowdproof.proofs.bounds.cover import cover, likely
from crowdproof.proofs.bounds.tight import add_remove, excess_with, excess_without

ARGUMENT = (
    "in either cell one row more adds at most what a count of k - 1 gives when it becomes k, and these steps sum up "
    "over whole ranges; branch and bound over both numbers of rows"
)
EFFORT = 640_000
"""How many steps an answer may take: less than two seconds. Then the interval is returned as it stands."""
_LOOK = Fraction(1, 2)
"""The part of the steps left that one look of a plan may take: few looks are hard, and no hard one takes them all."""
_SEARCH, _COVER = Fraction(1, 2), Fraction(3, 4)
"""The part of the steps left for the search, and for the cover: the rest is for the next, and for a last pair."""
_GLANCE = Fraction(1, 8)
"""The same for the cover where it only has to tell whether a limit is kept, before a search."""
_LEVEL = 4
"""Steps that looking at one level takes; a count that is worked out is one step."""
_SEARCHED = 3_000
"""Up to this k a search comes to an end often enough. Beyond, the cover alone bounds all pairs."""
CAP = "the second cell changes no ratio by more than 1/(1 - beta), so epsilon + ln(1 - beta) in the first is enough"
_EXACT = 256
"""Up to this k the search goes on until one pair is left."""
SLACK = (0.5, 0.05)
"""How far above the values attained a plan for larger k asks for a bound: the cover tells the first, the search more.

Nearer ones take far more steps."""
SETTLED = 50
"""Up to this k a plan, too, has the steps for that."""
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
    budget: Budget
    limit: Ball | None = None
    """All that is asked for is whether R is at most this for every pair, if it is given."""
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

    @property
    def enough(self) -> Ball:
        """No bound below this is better."""
        return self.best if self.limit is None else self.best.max(self.limit)

    @property
    def aim(self) -> Ball:
        """A bound below this is near enough."""
        return self.best * (1 + _NEAR_ENOUGH) if self.limit is None else self.limit

    @property
    def exceeded(self) -> bool:
        """Whether a pair attains more than the limit."""
        return self.limit is not None and bool(self.best > self.limit)

    def run(self, budget: Budget) -> Ball | None:
        """A bound on R for every pair, or None if the budget does not suffice for one."""
        self._spend_from(budget)
        try:
            return self._run()
        except SpentError:
            return None

    def _spend_from(self, budget: Budget) -> None:
        self.budget = budget
        self._cells.clear()

    def _run(self) -> Ball:
        """Split the box with the largest bound until that is near the best value, or the limit tells enough."""
        self._climb()
        near = arb(1 + (_NEAR if self.thorough else _NEAR_ENOUGH))
        heap: list[tuple[tuple[int, float], int, _Box, _Bound]] = []
        bound: _Bound | None = None
        parts: tuple[_Box, ...] = (_Box(Range(self.k - 1, None), Range(self.k - 1, None), self.thorough),)
        while True:
            try:
                for box in parts:
                    self.boxes += 1
                    found = self.bound(box)
                    if not found.top < self.enough:
                        heapq.heappush(heap, (_order(found.top), self.boxes, box, found))
            except SpentError:
                if bound is None:
                    raise
                return bound.top.max(self.enough)  # the box that was split had the largest bound of all
            if not heap:
                return self.enough
            _, _, box, bound = heap[0]
            if self.exceeded or bound.top < self.best * near or (box.last and box.exact):
                return bound.top.max(self.enough)
            heapq.heappop(heap)
            parts = box.parts(by_n=bound.by_n)

    def cell(self, n: int) -> Cell:
        """The laws of a cell of n rows."""
        if n not in self._cells:
            self._cells[n] = Cell(n, self.k, self.law, self.budget)
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
            self.budget.spend(_LEVEL)
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
        start = _likely(self.k, self.law)
        self._try(*start)
        n, m = start
        spread = math.sqrt(n * (n - self.k + 1) / self.k) / 4
        far_n, far_m = max(1, int(spread)), max(1, int(spread * (m / n) ** 2))
        while (far_n or far_m) and not self.exceeded:
            n, m = self.n, self.m
            for step in ((far_n, far_m), (-far_n, -far_m), (far_n, 0), (-far_n, 0), (0, far_m), (0, -far_m)):
                self._try(n + step[0], m + step[1])
                if (n, m) != (self.n, self.m):
                    break
            else:
                far_n, far_m = far_n // 2, far_m // 2

    def climb(self, budget: Budget) -> None:
        """Find a good pair only, as far as the budget goes."""
        self._spend_from(budget)
        try:
            self._climb()
        except SpentError:
            return

    def visit(self, n: int, m: int, budget: Budget) -> None:
        """Look at one more pair, and at its neighbours, as far as the budget goes."""
        self._spend_from(budget)
        try:
            for rows in (n, n - 1, n + 1):
                self._try(rows, m)
        except SpentError:
            return

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


def _likely(k: int, law: Law) -> tuple[int, int]:
    """Rows n and m at which counts of k in both cells are just x times likelier, and likeliest by Chernoff's bound."""
    shares = likely(law)
    return max(k, int(k / shares.first)), max(k, int(k / shares.second))


def _order(bound: Ball) -> tuple[int, float]:
    """Largest first, also beyond the floats."""
    mantissa, exponent = bound.upper().man_exp()
    bits = int(abs(mantissa)).bit_length()
    return (-(int(exponent) + bits), -float(abs(int(mantissa)) / (1 << bits))) if mantissa else (1 << 62, 0.0)


def replace(
    k: Number,
    beta: Rate,
    epsilon: Number | Epsilon,
    effort: int | Budget = EFFORT,
    limit: Fraction | None = None,
    *,
    bounded: bool = True,
) -> Certified:
    """The tight delta for datasets that differ by one replaced row; `pair` attains the lower end.

    Above k = 256 many pairs of cells are almost as bad as the worst, and the search ends when the upper end is within
    1% of the lower one; for k of 10,000 and more it may end before that: then the upper end is larger, and still
    certain. `effort` is the number of steps to take, or the budget that the looks of a plan share. With a `limit` the
    search ends as soon as either end tells on which side of it the delta is; the other end is certain, but may be far.
    Unless it is to be `bounded`, the search looks for a good pair only.

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

    budget = effort.part(_LOOK) if isinstance(effort, Budget) else Budget(effort)

    def attempt() -> Certified | None:
        try:
            return searched(setting.law())
        except TooCoarseError:
            return None

    def searched(law: Law) -> Certified | None:
        # the second cell's ratio is at most 1/q: at the level x q the first cell alone does no less
        cap = estimate(law.q * loss_peak(count, 1 / law.q, law).height).high
        most = min(cap, estimate(law.b).high, Fraction(1))
        if most <= single.low * (1 + Fraction(1, 100)) or (limit is not None and not single.low <= limit < most):
            words = f"{CAP}; the lower end is that of a row added or removed"
            certificate = Certificate((n, m), most, words)
            return Certified(single.low, max(most, single.low), n, certificate, WorstPair((n, m - 1), (n - 1, m)))
        excess = excess_with(law, n, count) if n >= count else excess_without(law, m, count - 1)
        least = None if limit is None else ball(limit).lower()
        search = _Search(count, law, best=excess, n=n, m=m, budget=budget, limit=least)
        high, words = min([(most, f"{CAP}; the search ended before it"), *_bounds(search, budget, bounded=bounded)])
        if not accurate(search.best):
            return None
        ends = estimate(search.best)
        certificate = Certificate((search.n, search.m), high, words)
        pair = WorstPair((search.n, search.m - 1), (search.n - 1, search.m))
        return Certified(min(ends.low, high), min(max(high, ends.high), Fraction(1)), search.n, certificate, pair)

    return settle(attempt, 128)


def _bounds(search: _Search, budget: Budget, *, bounded: bool) -> Iterator[tuple[Fraction, str]]:
    """Bounds on R for every pair and their arguments, until one is near enough; meanwhile `best` becomes larger."""
    if not bounded and search.thorough:
        search.climb(budget)
        return
    if not bounded or search.limit is not None or search.k > _SEARCHED:
        search.visit(*_likely(search.k, search.law), budget)
    if not bounded:
        return
    ways = [(_by_search, _SEARCH), (_by_cover, _COVER)]
    if search.k > _SEARCHED:
        ways = [(_by_cover, _COVER)]
    elif search.limit is not None:
        ways = [(_by_cover, _GLANCE), (_by_search, Fraction(1))]
    for way, share in ways:
        if search.exceeded:
            return
        found = way(search, budget.part(share))
        if found is not None:
            yield estimate(found).high, COVERING if way is _by_cover else f"{ARGUMENT}; {search.boxes} ranges"
            if found < search.aim:
                return


def _by_search(search: _Search, budget: Budget) -> Ball | None:
    return search.run(budget)


def _by_cover(search: _Search, budget: Budget) -> Ball | None:
    found = cover(search.k, search.law, search.aim, budget)
    if found is None:
        return None
    search.visit(found.n, found.m, budget)
    return ball(found.high)
