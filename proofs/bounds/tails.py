"""The largest Pr[Bin(n, rate) > gamma n] over infinitely many n, for gamma > rate.

Write m for the smallest count above gamma n.

- For each m only n(m) = ceil(m/gamma) - 1 matters: it is the largest n with that m, and Pr[Bin(n) >= m] grows with n.
- Among the m with the same n(m) - m = r only the first matters: Pr[at most r of m + r are left out] falls with m.
- Chernoff: Pr[Bin(n) >= m] <= exp(-n KL(m/n | rate)), which grows with n while m/n > rate, and n < m/gamma. So it is
  at most rho^m with rho = exp(-KL(gamma | rate)/gamma) < 1: once rho^m is below a value in hand, no m from there on
  attains the maximum.
"""

from collections.abc import Iterator
from fractions import Fraction

from attrs import frozen
from flint import arb, ctx

from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.balls import Ball, Quantity, accurate, ball, estimate, settle
from crowdproof.proofs.bounds.binomial import SMALL, exactly_at_least, mass, tail_over_first
from crowdproof.proofs.bounds.certificate import Certificate, Certified

ARGUMENT = (
    "for each count m only n = ceil(m/gamma) - 1 can attain the maximum, and Pr[Bin(n, beta) >= m] <= rho^m "
    "with rho = exp(-KL(gamma | beta)/gamma) < 1"
)
_TIE = 1024
"""Bits at which numbers that still agree are compared as fractions."""


@frozen
class Tail:
    """The tail beyond gamma n of binomials with this rate, from counts of k on.

    With `weighted` each count j weighs j/n: sum_{j >= m} (j/n) f(j; n) = rate Pr[Bin(n-1) >= m-1], which is smaller.
    """

    rate: Quantity
    gamma: Quantity
    weighted: bool = False

    def maximum(self, k: int) -> Certified:
        """The largest value over the n for which m >= k, and the n that attains it."""
        return settle(lambda: _Scan(self).maximum(k))

    def smallest(self, delta: Fraction) -> int:
        """The smallest k whose maximum is at most delta > 0."""
        return settle(lambda: _Scan(self).smallest(delta))

    def horizon(self, delta: Fraction) -> int:
        """A count from which on every tail is at most delta > 0, by Chernoff's bound."""
        return settle(lambda: _Scan(self).horizon(ball(delta)))


@frozen
class _Candidate:
    m: int
    n: int
    value: Ball


class _Scan:
    """The balls of one tail at the current precision."""

    def __init__(self, tail: Tail) -> None:
        self.tail = tail
        self.b, gamma = tail.rate.ball(), tail.gamma.ball()
        self.q, self.odds, self.shift = 1 - self.b, self.b / (1 - self.b), int(tail.weighted)
        self.over, self.against = 1 / gamma, gamma / (1 - gamma)
        self.rho = self.b / gamma * (self.q / (1 - gamma)) ** (1 / self.against)

    def n(self, m: int) -> int:
        """ceil(m/gamma) - 1."""
        exact = self.tail.gamma.exact
        if exact is not None:
            return -(-m * exact.denominator // exact.numerator) - 1
        found = (m * self.over).floor().unique_fmpz()
        return settle(lambda: _whole(m / self.tail.gamma.ball()), 2 * ctx.prec) if found is None else int(found)

    def first_with(self, r: int) -> int:
        """The smallest m with n(m) - m >= r: the first above r gamma/(1 - gamma)."""
        exact = self.tail.gamma.exact
        if exact is not None:
            return int(r * exact / (1 - exact)) + 1
        found = (r * self.against).floor().unique_fmpz() if r else 0
        if found is None:
            found = settle(lambda: _whole(r / (1 / self.tail.gamma.ball() - 1)), 2 * ctx.prec)
        return int(found) + 1

    def first(self, m: int, n: int) -> Ball:
        """The first term of the tail."""
        term = mass(m - self.shift, n - self.shift, self.b, self.q)
        return self.b * term if self.shift else term

    def cap(self, m: int, n: int, first: Ball) -> Ball:
        """The geometric series that bounds the tail."""
        return first / (1 - (n - m) * self.odds / (m + 1 - self.shift))

    def value(self, m: int, n: int, first: Ball) -> Ball:
        """The tail."""
        return first * tail_over_first(m - self.shift, n - self.shift, self.odds)

    def candidates(self, k: int) -> Iterator[tuple[int, int]]:
        """(m, n(m)) for the m >= k that can attain the maximum, in order and without end."""
        m = k
        while True:
            n = self.n(m)
            yield m, n
            m = max(m + 1, self.first_with(n - m + 1))

    def maximum(self, k: int) -> Certified | None:
        """The maximum, or None where the precision does not tell it well enough."""
        if not self.rho < 1:  # 1 - gamma is beyond the precision
            return None
        leaders: list[_Candidate] = []
        examined: list[int] = []
        reached = ball(0)
        for m, n in self.candidates(k):
            rest = self.rho**m
            if rest < reached:
                break
            examined.append(n)
            first = self.first(m, n)
            if self.cap(m, n, first) < reached:
                continue
            value = self.value(m, n, first)
            if not accurate(value):
                return None
            reached = max(reached, value.lower())
            leaders = [each for each in (*leaders, _Candidate(m, n, value)) if not each.value < reached]
        leader = self._leader(leaders)
        if leader is None:
            return None
        ends = self._ends(leader)
        return Certified(ends.low, ends.high, leader.n, Certificate(tuple(examined), _above(rest, reached), ARGUMENT))

    def _ends(self, leader: _Candidate) -> Estimate:
        if self.tail.rate.exact is None or leader.n > SMALL:
            ends = estimate(leader.value)
            return Estimate(ends.low, min(ends.high, Fraction(1)))
        return Estimate.exactly(self._exactly(leader.m, leader.n))

    def _leader(self, leaders: list[_Candidate]) -> _Candidate | None:
        """The largest; of equal ones the first. None asks for more precision."""
        if len(leaders) == 1:
            return leaders[0]
        if ctx.prec < _TIE or self.tail.rate.exact is None:
            return None
        return max(leaders, key=lambda each: self._exactly(each.m, each.n))

    def horizon(self, limit: Ball) -> int | None:
        """The first m with rho^m <= limit, or one soon after."""
        if not self.rho < 1:
            return None
        steps = (limit.log() / self.rho.log()).upper().ceil().unique_fmpz()
        return None if steps is None else max(1, int(steps))

    def smallest(self, delta: Fraction) -> int | None:
        """Go down from an m where rho^m <= delta to the first whose tail exceeds delta."""
        limit = ball(delta)
        m = self.horizon(limit)
        if m is None:
            return None
        while m > 0:
            n = self.n(m)
            start = max(1, self.first_with(n - m))
            fits = self._fits(start, start + n - m, delta, limit)
            if fits is None:
                return None
            if not fits:
                return self._last(start, m, n - m, delta, limit)
            m = start - 1
        return 1

    def _last(self, low: int, high: int, r: int, delta: Fraction, limit: Ball) -> int | None:
        """1 more than the largest m of low..high whose tail exceeds delta; it falls with m, and low exceeds."""
        while low < high:
            middle = (low + high + 1) // 2
            fits = self._fits(middle, middle + r, delta, limit)
            if fits is None:
                return None
            low, high = (low, middle - 1) if fits else (middle, high)
        return low + 1

    def _fits(self, m: int, n: int, delta: Fraction, limit: Ball) -> bool | None:
        """Whether the tail is at most delta."""
        first = self.first(m, n)
        if first > limit:
            return False
        if self.cap(m, n, first) < limit:
            return True
        value = self.value(m, n, first)
        if value < limit or value > limit:
            return bool(value < limit)
        if ctx.prec < _TIE or self.tail.rate.exact is None:
            return None
        return self._exactly(m, n) <= delta

    def _exactly(self, m: int, n: int) -> Fraction:
        assert self.tail.rate.exact is not None
        tail = exactly_at_least(m - self.shift, n - self.shift, self.tail.rate.exact)
        return self.tail.rate.exact * tail if self.shift else tail


def _whole(number: Ball) -> int | None:
    found = number.floor().unique_fmpz()
    return None if found is None else int(found)


def _above(rest: Ball, reached: Ball) -> Fraction:
    """A fraction above `rest` that is below `reached` and not too small to be written down."""
    return estimate(rest.max(reached * arb(2) ** -256)).high
