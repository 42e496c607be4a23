"""Several releases of the same data, each from a fresh sample: the delta of them all, between certain bounds.

Above. At every level z the excess of P_n over z P_{n-1} rises with n and then falls (see `replace`), so over a range of
n it is at most A(z), its value at an end or at the peak. A is convex and falls from 1, so it is the excess of one pair
of laws that dominates every n of the range. On a grid of losses ln z the chords of A lie above it; they belong to a
discrete loss distribution, whose T-fold convolution bounds T releases. The range of all n bounds even releases whose
recodings are chosen after seeing those before; with one recoding n is the same every time, and ranges of n are split
until the bound is near what some n attains. The other direction swaps the two laws.

Below. Outcomes of one n that are merged, also by the flip of a coin, tell less than they did apart. They are merged so
that the losses of the groups lie on the grid: what is lost is of second order in its step, as it is above. A loss
beyond the end of the grid is rounded down to it.
"""

import heapq
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

from attrs import field, frozen
from flint import arb, ctx, fmpz, fmpz_poly

from crowdproof.exact import Epsilon, Number, rate, whole
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.amplification import value_of
from crowdproof.proofs.bounds.balls import Ball, Law, Setting, ball, settle
from crowdproof.proofs.bounds.cells import Cell, Range, loss_peak
from crowdproof.proofs.bounds.certificate import Certified
from crowdproof.proofs.bounds.tight import add_remove, with_n

POINTS = 1000
"""Grid points from one end of the losses to the other."""
_BITS = 128
"""Bits behind the point of a mass, to start with; all masses are rounded to the safe side."""
_LONGEST = 60_000
"""Grid points of all releases together, beyond which the grid is made coarser."""
_SPLITS = 24
"""Ranges of n that are split at most."""
_NEAR = Fraction(11, 10)
"""How near the bounds have to come before that."""
_IGNORED = 1024
"""How many times less than the lower bound the losses beyond the grid may add."""
_ENOUGH = 40
"""Bits that a result must have above the rounding."""


@frozen
class Composed:
    """The delta of several releases by one recoding lies between `low`, reached with n rows in the cell, and `high`."""

    low: Fraction
    high: Fraction
    adaptive: Fraction
    """A bound also for recodings chosen anew for every release."""
    n: int
    count: int
    basic: Certified
    """One release at epsilon/count: basic composition gives count times its delta."""

    @property
    def interval(self) -> Estimate:
        """The two ends."""
        return Estimate(self.low, self.high)


@frozen
class _Losses:
    """Masses on the grid points offset, offset + 1, ... and the mass at infinity; grid point 0 is the loss `base`."""

    offset: int
    masses: tuple[Ball, ...]
    infinite: Ball
    base: Ball = field(factory=lambda: arb(0))


@frozen
class _Group:
    """The masses of merged outcomes by either law; their loss lies on or between these two grid points."""

    low: int
    high: int
    one: Ball
    other: Ball


def compose(count: Number, k: Number, beta: Number, epsilon: Number | Epsilon, points: int = POINTS) -> Composed:
    """The delta at `epsilon` of `count` releases of the same data, each from a fresh sample at rate beta.

    >>> found = compose(10, 20, 0.1, 1)
    >>> found.low < found.high <= found.adaptive < 10 * found.basic.high
    True
    """
    rounds, size, share, level = whole(count, "count"), whole(k, "k"), rate(beta), Epsilon.of(epsilon)
    part = value_of(level).low / rounds
    # anything from a little loss in every release to all of it in one
    levels = {part * Fraction(rounds ** (i / 16)).limit_denominator(1000) for i in range(17)}
    rows = {with_n(Setting(share, Epsilon(each)), size) for each in levels}
    setting = Setting(share, level)

    def attempt() -> Composed | None:
        fine = min(points, max(200, _LONGEST // rounds))
        law, eps = setting.law(), setting.eps()
        low, n = Fraction(0), size
        for near in (False, False, True):  # the better the value in hand, the earlier the grid may end: it gets finer
            coarse = _Grid(law, eps, size, fine // 5 + 1, rounds=rounds, negligible=low / _IGNORED)
            cells = range(max(size, n - 2), n + 3) if near else sorted(rows)
            low, n = max((coarse.lower(each), each) for each in cells)
        grid = _Grid(law, eps, size, fine, rounds=rounds, negligible=low / _IGNORED)
        low, adaptive = grid.lower(n), grid.upper(Range(size, None))
        if adaptive.numerator < 2**_ENOUGH:  # nothing but rounding
            return None
        high = min(adaptive, coarse.upper_for_one_n(low))
        return Composed(low, high, adaptive=adaptive, n=n, count=rounds, basic=add_remove(size, share, part))

    return settle(attempt, _BITS)


class _Grid:
    """Losses at multiples of a step from ln q on; beyond ln(q k) only 'all n were sampled' is left."""

    def __init__(self, law: Law, eps: Ball, k: int, points: int, *, rounds: int, negligible: Fraction) -> None:
        self.law, self.eps, self.k, self.rounds = law, eps, k, rounds
        self.even = Law(law.b, law.q, arb(1))
        self.top = self._top(ball(negligible / rounds))
        self.step = ((self.top - law.q.log()) / points).mid()
        self._first, self._last = self._place(law.q.log()) - 1, self._place(self.top) + 2
        self.levels = [(self.step * i).exp() for i in range(self._first, self._last + 1)]
        # D_n(1/z) of `replace` at x = 1 is the excess of P_n over z P_{n-1}, divided by z
        self.peaks = [loss_peak(k, 1 / z, self.even) for z in self.levels[1:]]
        self._seen: dict[int, list[Ball]] = {}

    def _top(self, negligible: Ball) -> Ball:
        """The loss at which the grid ends: what exceeds it is so rare that it may count as infinite."""
        most = (self.law.q * self.k).max(arb(1)).log()
        tops = (most * i / 32 for i in range(1, 32))
        heights = ((top, top.exp() * loss_peak(self.k, (-top).exp(), self.even).height) for top in tops)
        return next((top for top, height in heights if height < negligible), most)

    def lower(self, n: int) -> Fraction:
        """What n rows in the cell attain at least."""
        return max(self.excess(each, up=False) for each in self.below(n))

    def upper(self, span: Range) -> Fraction:
        """What any n of the range attains at most."""
        return min(max(self.excess(each, up=True) for each in self.dominating(span)), Fraction(1))

    def upper_for_one_n(self, low: Fraction) -> Fraction:
        """A bound for every n, the same in all releases: split the worst range until it is near `low`."""
        everything = Range(self.k, None)
        heap = [(-self.upper(everything), 0, everything)]
        for count in range(1, _SPLITS):
            top, _, span = heap[0]
            if -top <= low * _NEAR or span.single:
                break
            heapq.heappop(heap)
            for i, half in enumerate(span.halves()):
                heapq.heappush(heap, (-self.upper(half), 2 * count + i, half))
        return -heap[0][0]

    def dominating(self, span: Range) -> Iterator[_Losses]:
        """The losses of the pair that dominates every n of the range; then with the two laws swapped."""
        levels, masses, infinite = self._pair(span)
        first = self._first
        yield _Losses(first, tuple(z * each for z, each in zip(levels, masses, strict=True)), infinite)
        yield _Losses(1 - first - len(masses), tuple(reversed(masses)), arb(0))

    def _pair(self, span: Range) -> tuple[list[Ball], list[Ball], Ball]:
        """The levels z, the masses of the second law there, and the mass of the first where the second has none."""
        values = [1 - self.levels[0]]
        for i, (z, peak) in enumerate(zip(self.levels[1:], self.peaks, strict=True)):
            values.append((z * peak.bound(span, self._at, i)).upper())
        spans = range(len(values) - 1)
        widths = (self.levels[i + 1] - self.levels[i] for i in spans)
        slopes = [
            arb(1),
            *((values[i] - values[i + 1]) / width for i, width in zip(spans, widths, strict=True)),
            arb(0),
        ]
        masses = [(one - other).nonnegative_part() for one, other in pairwise(slopes)]
        return self.levels, masses, values[-1]

    def _at(self, n: int) -> list[Ball]:
        """The excess of P_n over z P_{n-1}, divided by z, at every level but the first."""
        if n not in self._seen:
            rising = [1 / z for z in reversed(self.levels[1:])]
            self._seen[n] = Cell(n, self.k, self.even).losses(rising)[::-1]
        return self._seen[n]

    def below(self, n: int) -> Iterator[_Losses]:
        """Losses that those of n rows against n - 1 dominate, and the reverse.

        Counted from the loss of the lump, which most often holds almost all of the mass and so is kept as it is.
        """
        cell = Cell(n, self.k, self.law)
        cell.grow(n)
        lump = (cell.lump / cell.lump_before).log()
        counts = list(zip(cell.mass[:-1], cell.before[:-1], strict=True))
        last = max(self._last, self._first + 2 * _LONGEST // self.rounds) - self._place(lump)
        groups = [_Group(0, 0, cell.lump, cell.lump_before), *self._merged(counts, lump)]
        yield self._gathered([(min(each.low, last), each.one) for each in groups], lump, cell.mass[-1])
        yield self._gathered([(-each.high, each.other) for each in groups if each.high <= last], -lump, arb(0))

    def _merged(self, counts: list[tuple[Ball, Ball]], base: Ball) -> Iterator[_Group]:
        """Counts from the largest ratio down, split and merged so that the ratio of each group lies on the grid.

        A group aims at the grid point at or below its first count, and takes of the counts that follow as much as
        brings it there. Where the precision does not tell whether it is there, its ratio is known only to lie between
        two grid points; so it is with the last group.
        """
        one = other = over = goal = arb(0)
        place = 0
        for mass, before in reversed(counts):
            left = arb(1)
            while True:
                if other.is_zero():
                    place = self._place((mass / before).log() - base)
                    goal = (base + self.step * place).exp()
                more = mass - goal * before  # not one - goal * other: there the balls of what is left would not cancel
                if not over + left * more < 0:
                    one, other, over = one + left * mass, other + left * before, over + left * more
                    break
                if over >= 0:
                    part = -over / more
                    yield _Group(place, place, one + part * mass, other + part * before)
                    left -= part
                else:
                    yield self._between(one, other, base)
                one = other = over = arb(0)
        if not other.is_zero():
            yield self._between(one, other, base)

    def _between(self, one: Ball, other: Ball, base: Ball) -> _Group:
        loss = (one / other).log() - base
        return _Group(self._place(loss), -self._place(-loss), one, other)

    def _gathered(self, items: list[tuple[int, Ball]], base: Ball, infinite: Ball) -> _Losses:
        """The items by their places."""
        start = min(place for place, _ in items)
        masses = [arb(0)] * (max(place for place, _ in items) - start + 1)
        for place, each in items:
            masses[place - start] += each
        return _Losses(start, tuple(masses), infinite, base)

    def _place(self, loss: Ball) -> int:
        """The grid point at or below the loss."""
        return int((loss / self.step).lower().floor().unique_fmpz())

    def excess(self, losses: _Losses, *, up: bool) -> Fraction:
        """sum over losses l > eps of mass(l) (1 - e^(eps - l)) after convolving; an infinite loss counts in full.

        All terms are positive, so rounding every mass and product up (down) gives an upper (lower) bound.
        """
        start = losses.offset * self.rounds
        eps = self.eps - losses.base * self.rounds
        skip = max(0, self._place(eps) - start)
        if skip > (len(losses.masses) - 1) * self.rounds and losses.infinite.is_zero():
            return Fraction(0)
        total = _power([_fixed(each, up=up) for each in losses.masses], self.rounds, up=up)
        never = 1 - (1 - losses.infinite) ** self.rounds
        shrink, factor = (-self.step).exp(), (eps - self.step * (start + skip)).exp()
        result = _fixed(never, up=up)
        for mass in total[skip:]:
            product = mass * _fixed((1 - factor).nonnegative_part(), up=up)
            result += -(-product >> ctx.prec) if up else product >> ctx.prec
            factor *= shrink
        return Fraction(max(result, 0), 1 << ctx.prec)


def _fixed(number: Ball, *, up: bool) -> int:
    """The number in units of 2^-prec, rounded to the safe side."""
    scaled = number * arb(2) ** ctx.prec
    return int((scaled.upper().ceil() if up else scaled.lower().floor()).unique_fmpz())


def _power(masses: list[int], rounds: int, *, up: bool) -> list[int]:
    """The convolution power, with every product rounded to the safe side."""
    square, result = fmpz_poly(masses), fmpz_poly([1 << ctx.prec])
    while rounds:
        if rounds & 1:
            result = _scaled(result * square, up=up)
        rounds >>= 1
        if rounds:
            square = _scaled(square * square, up=up)
    return [int(each) for each in result.coeffs()]


def _scaled(product: Any, *, up: bool) -> Any:
    one = fmpz(1 << ctx.prec)
    return -(-product // one) if up else product // one
