"""The exact delta(eps) when one row is replaced by another.

The target leaves a cell with n rows and its replacement joins another cell, which then has m. Only these two cells
differ, and they are sampled independently: D shows a pair of counts by P_n x P_{m-1}, D' by P_{n-1} x P_m, with P as in
`tight`. (Within one cell nothing changes; the other direction swaps the cells.) With fewer than k rows a cell shows
nothing, so one row added or removed is the special case m < k or n < k.

With B_m(y) = sum_j (P_{m-1}(j) - y P_m(j))+ and y_i = x P_{n-1}(i)/P_n(i), the delta of the pair is

    R(n, m) = sum_i P_n(i) B_m(y_i) = sum_l c_l D_n(y_l)   if B_m(y) = sum_l c_l (y_l - y)+,

where D_n(y) = sum_i (y P_n(i) - x P_{n-1}(i))+. The argument of `tight`, which sets one row apart, holds at any level y
and shows more than the place of the maximum: B_m(y) rises with m up to m = ceil((k-1)/(1 - y q)) and falls from there,
and D_n(y) does the same in n around ceil((k-1)/(1 - y q/x)). Hence over a range of m each B_m(y) is at most its value
at an end of the range or at its peak, which has a closed form; likewise D_n(y) over a range of n. As B and D are convex
in y, the chords over a grid of levels bound them from above. So whole ranges, also endless ones, are excluded at once,
and branch and bound leaves the pair (n, m) that attains the maximum. Never above beta: one coin decides both rows.
"""

import functools
import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from attrs import evolve, field, frozen, mutable
from flint import arb

from crowdproof.exact import Epsilon, Number, whole
from crowdproof.proofs.bounds.balls import Ball, Law, Rate, Setting, accurate, estimate, settle
from crowdproof.proofs.bounds.binomial import at_most, mass
from crowdproof.proofs.bounds.certificate import Certificate, Certified, WorstPair
from crowdproof.proofs.bounds.tight import add_remove, excess_with, excess_without

ARGUMENT = (
    "in either cell the excess at any level rises with the number of rows and then falls, so that ends and peaks bound "
    "it over whole ranges; branch and bound over both numbers of rows"
)
_IGNORED = 72
"""Masses below this many bits under the value in hand are not looked at one by one."""
EFFORT = 400_000
"""What a search may cost, in ranges times k: then the interval is returned as it stands. At least 100 ranges, at most
8000 are looked at."""
_SLACK = 2**-44
"""A range whose bound is above the value in hand by less than this fraction is not split: the interval covers it."""


class Range(NamedTuple):
    """first..last, or without end where last is None."""

    first: int
    last: int | None

    def halves(self) -> tuple["Range", "Range"]:
        """Two parts."""
        middle = 2 * self.first if self.last is None else (self.first + self.last) // 2
        return Range(self.first, middle), Range(middle + 1, self.last)

    @property
    def single(self) -> bool:
        """Whether one number is left."""
        return self.first == self.last


class Cell:
    """P_n and P_{n-1} for a cell of n >= k rows: lumped at 0 below k, then one mass for each count."""

    def __init__(self, n: int, k: int, law: Law, negligible: Ball | None = None) -> None:
        """Counts beyond which less than `negligible` remains are left out; `rest` bounds their mass."""
        self.n, self.k, self.law, self.rest = n, k, law, arb(0)
        self.lump = at_most(k - 1, n, law.b, law.q)
        self.lump_before = self.lump + law.b * mass(k - 1, n - 1, law.b, law.q)
        odds = law.b / law.q
        self.mass = [mass(k, n, law.b, law.q)]
        for j in range(k, n):
            ratio = odds * (n - j) / (j + 1)
            if negligible is not None and ratio < 0.5 and self.mass[-1] < negligible:
                self.rest = self.mass[-1]  # the ratios fall, so what follows sums to at most ratio/(1 - ratio) of it
                break
            self.mass.append(self.mass[-1] * ratio)
        step = 1 / (n * law.q)
        self.before = [each * step * (n - j) for j, each in enumerate(self.mass, k)]

    def gains(self, levels: Sequence[Ball]) -> list[Ball]:
        """B_n(y) = sum_j (P_{n-1}(j) - y P_n(j))+ at levels y in falling order.

        A count whose sign the precision does not tell is included: the ball of its contribution contains 0.
        """
        values, taken, j = [], False, 0
        zeroth = first = arb(0)
        for y in levels:
            if not taken and not self.lump_before < y * self.lump:
                taken, zeroth, first = True, zeroth + self.lump, first + self.lump_before
            while j < len(self.mass) and not self.before[j] < y * self.mass[j]:
                zeroth, first, j = zeroth + self.mass[j], first + self.before[j], j + 1
            values.append((first - y * zeroth).nonnegative_part())
        more = self.rest / self.law.q
        return values if more.is_zero() else [each.union(each + more) for each in values]

    def losses(self, levels: Sequence[Ball]) -> list[Ball]:
        """D_n(y) = sum_i (y P_n(i) - x P_{n-1}(i))+ at levels y in rising order."""
        values, taken, j, x = [], False, len(self.mass) - 1, self.law.x
        zeroth = first = arb(0)
        for y in levels:
            while j >= 0 and not y * self.mass[j] < x * self.before[j]:
                zeroth, first, j = zeroth + self.mass[j], first + self.before[j], j - 1
            if not taken and not y * self.lump < x * self.lump_before:
                taken, zeroth, first = True, zeroth + self.lump, first + self.lump_before
            values.append((y * zeroth - x * first).nonnegative_part())
        if self.rest.is_zero():
            return values
        return [each.union(each + y * self.rest) for each, y in zip(values, levels, strict=True)]


@frozen
class Peak:
    """Where a function of n that rises and then falls has its top, and how high that is at most."""

    earliest: int
    latest: int | None
    """None where the precision does not exclude that it never falls."""
    height: Ball

    def bound(self, span: Range, at: Callable[[int], list[Ball]], i: int) -> Ball:
        """The largest value over the range, at most; at(n)[i] is the value at n."""
        if span.last is not None and span.last <= self.earliest:
            return at(span.last)[i]
        if self.latest is not None and self.latest <= span.first:
            return at(span.first)[i]
        return self.height


def gain_peak(k: int, y: Ball, law: Law, height: Ball | None = None) -> Peak:
    """B_m(y) as a function of m; with a known bound on its height where there is one."""
    slope = 1 - y * law.q
    if not slope > 0:
        return Peak(1, None, arb(0) if slope < 0 else (1 / law.q - y).nonnegative_part())
    first, last = _ceilings((k - 1) / slope)
    if height is None:
        level = Law(law.b, law.q, y)
        height = _highest(excess_without(level, n, k - 1) for n in range(first, last + 1))
    return Peak(first, last, height)


def loss_peak(k: int, y: Ball, law: Law) -> Peak:
    """D_n(y) as a function of n: y times the excess of P_n over P_{n-1} at the level x/y."""
    if not y > 0:
        return Peak(1, 1, arb(0))
    if y < law.x:
        first, last = _ceilings((k - 1) * law.x / (law.x - y * law.q))
        level = Law(law.b, law.q, law.x / y)
        return Peak(first, last, y * _highest(excess_with(level, n, k) for n in range(first, last + 1)))
    reverse = gain_peak(k, y / law.x, law)  # below 1 the whole range is a candidate too: A(z) = 1 - z + z B(1/z)
    return Peak(reverse.earliest, reverse.latest, y - law.x + law.x * reverse.height)


def _ceilings(number: Ball) -> tuple[int, int]:
    """The smallest and the largest that max(1, ceil(number)) can be."""
    low, high = number.lower().ceil().unique_fmpz(), number.upper().ceil().unique_fmpz()
    return max(1, int(low)), max(1, int(high))


def _highest(values: Iterable[Ball]) -> Ball:
    return functools.reduce(lambda one, other: one.max(other), values, arb(0))


@frozen
class Chords:
    """The chords of a falling convex function that ends at 0: at each level of a grid, a bound on its value."""

    levels: list[Ball]
    values: list[Ball]

    @classmethod
    def through(cls, points: list[tuple[Ball, Ball]]) -> "Chords":
        """From the function's values, each taken at its upper end."""
        return cls([y for y, _ in points], [value.upper() for _, value in points])

    def at(self, y: Ball) -> Ball | None:
        """A bound on the function at y: the chord at the lower end of y, since the function falls.

        None where the function falls so fast that the chord would be far above it.
        """
        y = y.lower()
        i = min(max(bisect_right(self.levels, y) - 1, 0), len(self.levels) - 2)
        if self.values[i + 1] * 4 < self.values[i]:
            return None
        part = (y - self.levels[i]) / (self.levels[i + 1] - self.levels[i])
        return self.values[i] * (1 - part) + self.values[i + 1] * part

    def hinges(self) -> list[Ball]:
        """The weights c_l for which the chords are sum_l c_l (y_l - y)+; one that were negative is only rounding."""
        steps = range(len(self.levels) - 1)
        slopes = [(self.values[i] - self.values[i + 1]) / (self.levels[i + 1] - self.levels[i]) for i in steps]
        inner = [(slopes[i - 1] - slopes[i]).nonnegative_part() for i in steps[1:]]
        return [arb(0), *inner, slopes[-1].nonnegative_part()]


def _grid(k: int, law: Law) -> list[Ball]:
    """Levels from 0 to 1/q, dense around 1, where the second cell's ratios gather."""
    b, q = float(law.b.mid()), float(law.q.mid())
    end, spread = 1 / q, b / (q * k) ** 0.5
    points = {i / 24 for i in range(25)} | {1 + (end - 1) * i / 24 for i in range(24)}
    points |= {1 + spread * i / 4 for i in range(-16, 17)} | {end - (end - 1) / 2**i for i in range(1, 12)}
    inner = sorted(point for point in points if 0 <= point < end * (1 - 1e-6))
    return [*(arb(point) for point in inner), 1 / law.q]


@mutable
class _Search:
    """Branch and bound at one precision. Values in `best` are attained, bounds are certain."""

    k: int
    law: Law
    best: Ball
    n: int
    m: int
    left: int
    over: Ball = field(factory=lambda: arb(0))
    """The largest bound of a range that was given up."""

    _cells: dict[int, Cell] = field(factory=dict, init=False)
    _chords: Chords = field(init=False)
    _negligible: Ball = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._negligible = self.best.lower() * arb(2) ** -_IGNORED

    def cell(self, n: int) -> Cell:
        """The laws of a cell of n rows."""
        if n not in self._cells:
            self._cells[n] = Cell(n, self.k, self.law, self._negligible)
            self.left -= len(self._cells[n].mass) // 500
        return self._cells[n]

    def open(self, bound: Ball) -> bool:
        """Whether a range with that bound could still hold a larger value."""
        if bound < self.best:
            return False
        self.left -= 1
        if bound < self.best * (1 + arb(_SLACK)) or self.left < 0:
            self.over = self.over.max(bound)
            return False
        return True

    def offer(self, value: Ball, n: int, m: int) -> None:
        """Keep it if it is the largest so far."""
        if value.lower() > self.best.lower():
            self.best, self.n, self.m = value, n, m

    def run(self) -> None:
        """Exclude ranges of n, for all m at once; look into the n that remain one by one."""
        self._chords = Chords.through([(y, gain_peak(self.k, y, self.law).height) for y in _grid(self.k, self.law)])
        levels, weights = self._chords.levels, self._chords.hinges()
        peaks = [loss_peak(self.k, y, self.law) for y in levels]
        cache: dict[int, list[Ball]] = {}

        def losses(n: int) -> list[Ball]:
            if n not in cache:
                cache[n] = self.cell(n).losses(levels)
            return cache[n]

        def bound(span: Range) -> Ball:
            tops = (peak.bound(span, losses, i) for i, peak in enumerate(peaks))
            return sum((weight * top for weight, top in zip(weights, tops, strict=True)), arb(0))

        self._descend(Range(self.k, None), bound, self._column)

    def _column(self, n: int) -> None:
        """All m for this n."""
        cell = self.cell(n)
        pairs = [(self.law.x * before / mass_, mass_) for before, mass_ in zip(cell.before, cell.mass, strict=True)]
        pairs.insert(0, (self.law.x * cell.lump_before / cell.lump, cell.lump))
        pairs = [(y, mass_) for y, mass_ in pairs if not y * self.law.q >= 1]  # beyond 1/q nothing is ever gained
        levels, masses = [y for y, _ in pairs], [each for _, each in pairs]
        if len(levels) == 1 and cell.rest.is_zero():  # only 'all n were sampled': beta^n, whatever m
            return
        rest = arb(0).union(cell.rest)
        peaks = [gain_peak(self.k, y, self.law, self._chords.at(y)) for y in levels]
        cache: dict[int, list[Ball]] = {}

        def gains(m: int) -> list[Ball]:
            if m not in cache:
                cache[m] = self.cell(m).gains(levels)
                self.offer(rest + _dot(masses, cache[m]), n, m)
            return cache[m]

        def bound(span: Range) -> Ball:
            return rest + _dot(masses, [peak.bound(span, gains, i) for i, peak in enumerate(peaks)])

        self._descend(Range(self.k, None), bound, gains)

    def _descend(self, whole_range: Range, bound: Callable[[Range], Ball], visit: Callable[[int], object]) -> None:
        """Visit, worst first, the numbers that no bound excludes."""
        heap = [(_order(top := bound(whole_range)), 0, whole_range, top)]
        count = 0
        while heap:
            _, _, span, top = heapq.heappop(heap)
            if not self.open(top):
                continue
            if span.single:
                visit(span.first)
                continue
            for half in span.halves():
                count += 1
                top = bound(half)
                heapq.heappush(heap, (_order(top), count, half, top))


def _dot(left: list[Ball], right: list[Ball]) -> Ball:
    return sum((a * b for a, b in zip(left, right, strict=True)), arb(0))


def _order(bound: Ball) -> tuple[int, float]:
    """Largest first, also beyond the floats."""
    mantissa, exponent = bound.upper().man_exp()
    bits = int(abs(mantissa)).bit_length()
    return (-(int(exponent) + bits), -float(abs(int(mantissa)) / (1 << bits))) if mantissa else (1 << 62, 0.0)


def replace(k: Number, beta: Rate, epsilon: Number | Epsilon, effort: int | None = None) -> Certified:
    """The tight delta for datasets that differ by one replaced row; `pair` attains the lower end.

    Where k is in the thousands, or epsilon and beta are both close to 0, many cells are almost as bad as the worst, and
    the search may end before all but one are excluded: then the upper end is larger, and still certain. `effort` is the
    number of ranges to look at.

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

    budget = min(8000, max(100, EFFORT // count)) if effort is None else effort

    def attempt() -> Certified | None:
        law = setting.law()
        excess = excess_with(law, n, count) if n >= count else excess_without(law, m, count - 1)
        search = _Search(count, law, excess, n, m, budget)
        search.run()
        if not accurate(search.best):
            return None
        ends, above = estimate(search.best), estimate(search.over.max(search.best))
        certificate = Certificate((search.n, search.m), above.high, f"{ARGUMENT}; {budget - search.left} ranges")
        pair = WorstPair((search.n, search.m - 1), (search.n - 1, search.m))
        # the second cell's ratio is at most 1/q: at the level x q the first cell alone does no less
        cap = law.q * loss_peak(count, 1 / law.q, law).height
        high = min(above.high, estimate(cap).high, estimate(law.b).high)
        return Certified(ends.low, max(high, ends.high), search.n, certificate, pair)

    return settle(attempt, 128)
