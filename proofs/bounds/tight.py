"""The exact delta(eps) of 'sample, recode in a fixed way, drop the groups below k', one row added or removed.

Only the target's cell differs between D and D without t. With n rows in D it shows 0 (fewer than k were sampled) or a
count j in k..n; the law P_n is Bin(n, beta) with everything below k lumped at 0.

From D to D without t. P_n(j)/P_{n-1}(j) = n q/(n - j) grows with j, and is at most 1 for the lump, so the best event is
{j >= m} for some m >= k, with excess g(n; m) = Pr[Bin(n) >= m] - x Pr[Bin(n-1) >= m].

1. In n: g(n+1; m) - g(n; m) = beta (f(m-1; n) - x f(m-1; n-1)), positive exactly when gamma n < m - 1. So g(.; m) rises
   and then falls; its largest value G(m) is at n = max(1, ceil((m-1)/gamma)).
2. In m: setting one row apart, g(n+1; m+1) = beta g(n; m) + (1 - beta) g(n; m+1). At the n+1 that attains G(m+1) the
   right side is at most beta G(m) + (1 - beta) G(m+1). Hence G(m+1) <= G(m): the maximum over all m >= k and all n
   is G(k).

From D without t to D. The ratio (n - j)/(n q) falls with j, so the best event is {j <= M} for some M >= k - 1, with
excess h(n; M) = Pr[Bin(n-1) <= M] - x Pr[Bin(n) <= M]. It is positive for some n only if x q < 1, that is,
eps < -ln(1 - beta). Then, with g = 1 - x q, the same two steps give the maximum h(n; k-1) at
n = max(1, ceil((k-1)/g)).

So the supremum over all datasets is the larger of two explicit numbers, each attained. It never exceeds Theorem 5's
number: G(k) is a sum of f(j; n) - x f(j; n-1) over counts j > gamma n, hence at most Pr[Bin(n, beta) > gamma n].
"""

from fractions import Fraction

from flint import arb, ctx

from crowdproof.exact import Epsilon, Number, whole
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.balls import Ball, Law, Quantity, Rate, Setting, accurate, certified, estimate, settle
from crowdproof.proofs.bounds.binomial import SMALL, at_least, at_most, exactly_at_least, mass
from crowdproof.proofs.bounds.certificate import Certificate, Certified, WorstPair

ARGUMENT = (
    "setting one row apart, no larger count threshold does better than k; at k the excess rises with n up to "
    "the n given and falls from there"
)

_TIE = 4096
"""Bits at which two directions that still agree are taken as equal; the interval then covers both."""


def add_remove(k: Number, beta: Rate, epsilon: Number | Epsilon) -> Certified:
    """The tight delta for datasets that differ by one row added or removed, at any epsilon >= 0.

    >>> one = add_remove(20, 0.1, 0.5)
    >>> print(one, one.pair)
    2.632e-11 WorstPair(likelier=(42,), other=(41,))
    """
    setting, count = Setting.of(beta, epsilon), whole(k, "k")
    if setting.compare_with_rate() >= 0 or setting.epsilon.value == 0:  # at eps = 0 the two directions agree
        n = with_n(setting, count)
        exact = _exactly(setting, n, count)
        return _with(n, exact or certified(lambda: excess_with(setting.law(), n, count)))
    return settle(lambda: _larger(setting, count, with_n(setting, count), without_n(setting, count)))


def _larger(setting: Setting, k: int, n: int, m: int) -> Certified | None:
    """The worse of the two directions, or None where the precision does not tell."""
    law = setting.law()
    one, other = excess_with(law, n, k), excess_without(law, m, k - 1)
    if accurate(one) and other < one:
        return _with(n, _exactly(setting, n, k) or estimate(one))
    if accurate(other) and one < other:
        return _certified(m, _exactly_without(setting, m, k) or estimate(other), WorstPair((m - 1,), (m,)))
    return _with(n, estimate(one.union(other))) if accurate(one) and ctx.prec >= _TIE else None


def _exactly(setting: Setting, n: int, k: int) -> Estimate | None:
    """g(n; k) as a fraction, where it is one and the numbers are small."""
    if setting.beta is None or n > SMALL or (setting.exact is None and n > k):
        return None
    if n == k:
        return Estimate.exactly(setting.beta**k)
    assert setting.exact is not None
    return Estimate.exactly(
        exactly_at_least(k, n, setting.beta) - setting.exact[0] * exactly_at_least(k, n - 1, setting.beta)
    )


def _exactly_without(setting: Setting, n: int, k: int) -> Estimate | None:
    """h(n; k-1) as a fraction, where it is one and the numbers are small."""
    if setting.beta is None or setting.exact is None or n > SMALL:
        return None
    below, above = (1 - exactly_at_least(k, rows, setting.beta) for rows in (n - 1, n))
    return Estimate.exactly(below - setting.exact[0] * above)


def _with(n: int, ends: Estimate) -> Certified:
    return _certified(n, ends, WorstPair((n,), (n - 1,)))


def _certified(n: int, ends: Estimate, pair: WorstPair) -> Certified:
    high = min(ends.high, Fraction(1))  # a ball around a number next to 1 ends above it
    return Certified(ends.low, high, n, Certificate((n,), Fraction(0), ARGUMENT), pair)


def excess_with(law: Law, n: int, m: int) -> Ball:
    """g(n; m) = Pr[Bin(n) >= m] - x Pr[Bin(n-1) >= m], written as beta f(m-1; n-1) - (x-1) Pr[Bin(n-1) >= m]."""
    if n <= m:
        return law.b**m if n == m else arb(0)
    first = law.b * mass(m - 1, n - 1, law.b, law.q)
    return first if law.x == 1 else first - (law.x - 1) * at_least(m, n - 1, law.b, law.q)


def excess_without(law: Law, n: int, m: int) -> Ball:
    """h(n; m) = Pr[Bin(n-1) <= m] - x Pr[Bin(n) <= m], written as x beta f(m; n-1) - (x-1) Pr[Bin(n-1) <= m]."""
    if m >= n:
        return 1 - law.x
    first = law.x * law.b * mass(m, n - 1, law.b, law.q)
    return first if law.x == 1 else first - (law.x - 1) * at_most(m, n - 1, law.b, law.q)


def with_n(setting: Setting, k: int) -> int:
    """The n at which g(n; k) is largest: max(1, ceil((k-1)/gamma))."""
    return setting.gamma.divides(k - 1) if k > 1 else 1


def without_n(setting: Setting, k: int) -> int:
    """The n at which h(n; k-1) is largest, where x q < 1: max(1, ceil((k-1)/(1 - x q)))."""
    exact = None if setting.exact is None else 1 - setting.exact[0] * setting.exact[1]
    return Quantity(exact, lambda: 1 - setting.x() * setting.q()).divides(k - 1) if k > 1 else 1
