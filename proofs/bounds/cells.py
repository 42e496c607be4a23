"""A cell of n rows against n - 1: the laws of the counts that it shows, and how their excesses change with n.

The law P_n is Bin(n, beta) with everything below k lumped at 0, as in `tight`; q = 1 - beta.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from attrs import frozen
from flint import arb

from crowdproof.proofs.bounds.balls import Ball, Law
from crowdproof.proofs.bounds.binomial import at_least, at_most, mass
from crowdproof.proofs.bounds.tight import excess_with, excess_without

_CANDIDATES = 64
"""Best events that are tried where the precision does not tell which it is; more would hide a lack of precision."""


_TAIL, _LONG = 20, 10
"""Measured: the tail of a cell takes about so many steps, and one more for so many k."""


class TooCoarseError(ArithmeticError):
    """The precision does not tell what is needed: compute again with more bits."""


class SpentError(Exception):
    """The budget of a search is spent."""


class Budget:
    """Steps that a search may still take: levels looked at and counts worked out, so that it ends in bounded time."""

    def __init__(self, steps: int, source: "Budget | None" = None) -> None:
        self.left, self._source = steps, source

    def part(self, share: Fraction) -> "Budget":
        """This share of what is left. What it does not take stays here."""
        return Budget(int(max(self.left, 0) * share), self)

    def spend(self, steps: int) -> None:
        """Take so many steps, or say that the budget is spent."""
        if self.left < steps:
            raise SpentError
        if self._source is not None:
            self._source.spend(steps)
        self.left -= steps


def tail_steps(k: int) -> int:
    """Steps that the tail of a cell takes, about."""
    return _TAIL + k // _LONG


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
    """P_n and P_{n-1} for a cell of n rows: lumped at 0 below k, then one mass for each count, as far as asked for."""

    def __init__(self, n: int, k: int, law: Law, budget: Budget | None = None) -> None:
        self.n, self.k, self.law, self._budget = n, k, law, budget
        if budget is not None:
            budget.spend(tail_steps(k))
        self.turn, self.turn_before = ((max(rows - k + 1, 0) / (max(rows, 1) * law.q)) for rows in (n, n - 1))
        if n < k:
            self.least, self.lump, self.lump_before, self._next = arb(0), arb(1), arb(1), arb(0)
        else:
            # the smaller of the two is the one that is summed, so that differences of either keep their digits
            small = n * law.b > k
            tail = at_most(k - 1, n, law.b, law.q) if small else at_least(k, n, law.b, law.q)
            self.lump, self.least = (tail, 1 - tail) if small else (1 - tail, tail)
            self.lump_before = self.lump + law.b * mass(k - 1, n - 1, law.b, law.q)
            self._next = mass(k, n, law.b, law.q)
        self.mass: list[Ball] = []
        self.before: list[Ball] = []
        self._sums = [(self.lump, self.lump_before)]
        self._odds, self._step = law.b / law.q, 1 / (n * law.q)

    def grow(self, counts: int) -> None:
        """Know the masses of at least so many counts from k on, if there are so many."""
        if self._budget is not None:
            self._budget.spend(max(0, min(counts, self.n - self.k + 1) - len(self.mass)))
        for j in range(self.k + len(self.mass), self.k + min(counts, self.n - self.k + 1)):
            before = self._next * self._step * (self.n - j)
            self.mass.append(self._next)
            self.before.append(before)
            zeroth, first = self._sums[-1]
            self._sums.append((zeroth + self._next, first + before))
            self._next = self._next * self._odds * (self.n - j) / (j + 1)

    def gain(self, y: Ball) -> Ball:
        """B_n(y) = sum_j (P_{n-1}(j) - y P_n(j))+: the best event holds the counts below n (1 - y q)."""
        below = self.n * (1 - y * self.law.q)
        one = below.ceil().unique_fmpz()
        if one is not None:
            return self._excess(int(one), y)
        first, last = _whole(below.lower().ceil()), _whole(below.upper().ceil())
        if last - first > _CANDIDATES:
            raise TooCoarseError("a best event is not known to a few counts")
        return highest(self._excess(end, y) for end in range(first, last + 1))

    def _excess(self, beyond: int, y: Ball) -> Ball:
        """What the event of the lump and all counts below `beyond` gains."""
        counts = min(max(beyond - self.k, 0), max(self.n - self.k + 1, 0))
        self.grow(counts)
        zeroth, first = self._sums[counts]
        return (first - y * zeroth).nonnegative_part()

    def losses(self, levels: Sequence[Ball]) -> list[Ball]:
        """D_n(y) = sum_i (y P_n(i) - x P_{n-1}(i))+ at levels y in rising order.

        A count whose sign the precision does not tell is included: the ball of its contribution contains 0.
        """
        self.grow(self.n)
        values, taken, j, x = [], False, len(self.mass) - 1, self.law.x
        zeroth = first = arb(0)
        for y in levels:
            while j >= 0 and not y * self.mass[j] < x * self.before[j]:
                zeroth, first, j = zeroth + self.mass[j], first + self.before[j], j - 1
            if not taken and not y * self.lump < x * self.lump_before:
                taken, zeroth, first = True, zeroth + self.lump, first + self.lump_before
            values.append((y * zeroth - x * first).nonnegative_part())
        return values


def between(low: Cell, high: Cell | None) -> Ball:
    """Pr[Bin >= k] with the rows of the one and of the other: the difference."""
    if high is None:
        return low.lump
    return high.least - low.least if low.least < 0.5 else low.lump - high.lump


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


def gain_peak(k: int, y: Ball, law: Law) -> Peak:
    """B_m(y) as a function of m."""
    slope = 1 - y * law.q
    if not slope > 0:
        return Peak(1, None, arb(0) if slope < 0 else (1 / law.q - y).nonnegative_part())
    first, last = _ceilings((k - 1) / slope)
    level = Law(law.b, law.q, y)
    return Peak(first, last, highest(excess_without(level, n, k - 1) for n in range(first, last + 1)))


def loss_peak(k: int, y: Ball, law: Law) -> Peak:
    """D_n(y) as a function of n: y times the excess of P_n over P_{n-1} at the level x/y."""
    if not y > 0:
        return Peak(1, 1, arb(0))
    if y < law.x:
        first, last = _ceilings((k - 1) * law.x / (law.x - y * law.q))
        level = Law(law.b, law.q, law.x / y)
        return Peak(first, last, y * highest(excess_with(level, n, k) for n in range(first, last + 1)))
    reverse = gain_peak(k, y / law.x, law)  # below 1 the whole range is a candidate too: A(z) = 1 - z + z B(1/z)
    return Peak(reverse.earliest, reverse.latest, y - law.x + law.x * reverse.height)


def _ceilings(number: Ball) -> tuple[int, int]:
    """The smallest and the largest that max(1, ceil(number)) can be."""
    first, last = max(1, _whole(number.lower().ceil())), max(1, _whole(number.upper().ceil()))
    if last - first > _CANDIDATES:
        raise TooCoarseError("a number of rows is not known to a few")
    return first, last


def _whole(number: Ball) -> int:
    found = number.unique_fmpz()
    if found is None:
        raise TooCoarseError("a number of rows is not known to be finite")
    return int(found)


def highest(values: Iterable[Ball]) -> Ball:
    """The largest of them, or 0."""
    return functools.reduce(lambda one, other: one.max(other), values, arb(0))
