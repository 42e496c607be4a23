"""Theorem 5 of Li, Qardaji and Su: d(k, beta, eps), certified.

d is the largest Pr[Bin(n, beta) > gamma n] over the n >= k/gamma - 1. Write m for the smallest count above gamma n.

- For each m only n(m) = ceil(m/gamma) - 1 matters: it is the largest n with that m, and Pr[Bin(n) >= m] grows with n.
- Among the m with the same n(m) - m = r only the first matters: Pr[at most r of m + r are left out] falls with m.
- Chernoff: Pr[Bin(n) >= m] <= exp(-n KL(m/n | beta)), which grows with n while m/n > beta, and n < m/gamma. So it is
  below rho^m with rho = exp(-KL(gamma | beta)/gamma) = beta e^(eps/gamma) / (e^eps - 1 + beta) < 1: when rho^m is
  below a value in hand, no m from there on is the maximum.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import comb

from attrs import frozen
from flint import ctx

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, whole
from crowdproof.proofs.bounds.balls import Ball, Rate, Setting, accurate, ball, estimate, floor, settle
from crowdproof.proofs.bounds.binomial import mass, tail_over_first
from crowdproof.proofs.bounds.certificate import Certificate, Certified

ARGUMENT = (
    "for each count m only n = ceil(m/gamma) - 1 can attain it, and Pr[Bin(n, beta) >= m] <= rho^m "
    "with rho = beta e^(eps/gamma) / (e^eps - 1 + beta) < 1"
)
_TIE = 2048
"""Bits at which two values that still agree are compared as fractions."""


def theorem5(k: Number, beta: Rate, epsilon: Number | Epsilon) -> Certified:
    """Theorem 5's delta: sampling at `beta`, then dropping the groups below k, is (beta, epsilon, delta)-DPS.

    >>> print(theorem5(20, 0.1, 0.5))
    1.606e-9
    """
    setting, count = Setting.of(beta, epsilon), whole(k, "k")
    require(setting)
    return settle(lambda: _Scan(setting).maximum(count))


def require(setting: Setting) -> None:
    """Theorem 5 speaks of eps >= -ln(1 - beta) only."""
    if setting.compare_with_rate() < 0:
        raise ParameterError(
            f"epsilon is {setting.epsilon} and beta {setting.name()}: Theorem 5 needs epsilon >= -ln(1 - beta); "
            "raise epsilon, lower beta, or use the tight delta, which holds for every epsilon."
        )


@frozen
class Candidate:
    """A count m, its n, and the probability Pr[Bin(n, beta) >= m] as a ball, or a bound above it."""

    m: int
    n: int
    value: Ball


class _Scan:
    """The balls of one setting at the current precision."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.b, self.q, x = setting.b(), setting.q(), setting.x()
        self.odds = self.b / self.q
        self.over = x / (x - self.q)  # 1/gamma
        self.rho = self.b * (setting.eps() * self.over).exp() / (x - self.q)

    def n(self, m: int) -> int:
        """ceil(m/gamma) - 1."""
        if self.setting.exact is None:
            found = (m * self.over).floor().unique_fmpz()
            return self.setting.over_gamma(m) if found is None else int(found)
        return self.setting.first_over_gamma(m) - 1

    def after(self, m: int, n: int) -> int:
        """The next m that can attain the maximum: the first with a larger n - m."""
        return max(m + 1, self.first_with(n - m + 1))

    def first_with(self, r: int) -> int:
        """The smallest m with n(m) - m >= r: the first above r gamma/(1 - gamma) = r (x/q - 1)."""
        exact = self.setting.exact
        return (
            floor(
                None if exact is None else r * (exact[0] / exact[1] - 1),
                lambda: r * (self.setting.x() / self.setting.q() - 1),
            )
            + 1
        )

    def cap(self, m: int, n: int) -> tuple[Ball, Ball]:
        """Pr[Bin(n) = m], and the bound Pr[Bin(n) = m] / (1 - ratio) on Pr[Bin(n) >= m]."""
        first = mass(m, n, self.b, self.q)
        return first, first / (1 - (n - m) * self.odds / (m + 1))

    def value(self, m: int, n: int, first: Ball) -> Ball:
        """Pr[Bin(n) >= m]."""
        return first * tail_over_first(m, n, self.odds)

    def candidates(self, k: int) -> Iterator[tuple[int, int]]:
        """(m, n(m)) for the m >= k that can attain the maximum, in order and without end."""
        m = k
        while True:
            n = self.n(m)
            yield m, n
            m = self.after(m, n)

    def maximum(self, k: int) -> Certified | None:
        """d(k), or None where the precision does not tell it well enough."""
        leaders: list[Candidate] = []
        examined: list[int] = []
        floor_ = ball(0)
        for m, n in self.candidates(k):
            rest = self.rho**m
            if rest < floor_:
                break
            examined.append(n)
            first, cap = self.cap(m, n)
            if cap < floor_:
                continue
            value = self.value(m, n, first)
            if not accurate(value):
                return None
            floor_ = max(floor_, value.lower())
            leaders = [each for each in (*leaders, Candidate(m, n, value)) if not each.value < floor_]
        leader = _leader(leaders, self.setting)
        if leader is None:
            return None
        ends = estimate(leader.value)
        return Certified(ends.low, ends.high, leader.n, Certificate(tuple(examined), estimate(rest).high, ARGUMENT))


def _leader(leaders: list[Candidate], setting: Setting) -> Candidate | None:
    """The largest; of equal ones the first. None asks for more precision."""
    if len(leaders) == 1:
        return leaders[0]
    if ctx.prec < _TIE or setting.beta is None:
        return None
    return max(leaders, key=lambda each: _exactly(each, setting.beta or Fraction(0)))


def _exactly(candidate: Candidate, beta: Fraction) -> Fraction:
    n = candidate.n
    return sum((comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(candidate.m, n + 1)), Fraction(0))
