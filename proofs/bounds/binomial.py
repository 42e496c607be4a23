"""Binomial masses and tails: as balls, and as fractions where the numbers are small."""

from fractions import Fraction
from math import comb

from flint import arb, ctx

from crowdproof.proofs.bounds.balls import Ball

_PRODUCT = 500
"""Up to here a binomial coefficient is cheaper as a product than by three gamma functions."""
_STRIDE = 8
"""Terms between two looks at whether the rest is negligible."""
SMALL = 256
"""Up to so many rows a probability is also given as a fraction."""


def mass(j: int, n: int, b: Ball, q: Ball) -> Ball:
    """Pr[Bin(n, b) = j], where q = 1 - b."""
    if min(j, n - j) <= _PRODUCT:
        return arb(n).bin(min(j, n - j)) * b**j * q ** (n - j)
    logarithm = arb(n + 1).lgamma() - arb(j + 1).lgamma() - arb(n - j + 1).lgamma()
    return (logarithm + j * b.log() + (n - j) * q.log()).exp()


def at_least(m: int, n: int, b: Ball, q: Ball) -> Ball:
    """Pr[Bin(n, b) >= m].

    Terms are added from m on. Their ratio falls from term to term, so once it is below 1 all that follow sum to at
    most term * ratio / (1 - ratio); when that is negligible it is added as an interval from 0.
    """
    if m <= 0:
        return arb(1)
    if m > n:
        return arb(0)
    return mass(m, n, b, q) * tail_over_first(m, n, b / q)


def at_most(m: int, n: int, b: Ball, q: Ball) -> Ball:
    """Pr[Bin(n, b) <= m]."""
    return at_least(n - m, n, q, b)


def tail_over_first(m: int, n: int, odds: Ball) -> Ball:
    """Pr[Bin >= m] / Pr[Bin = m], for 0 <= m <= n, with odds = b/q."""
    term = total = arb(1)
    negligible = arb(2) ** -ctx.prec
    for j in range(m, n):
        term = term * odds * (n - j) / (j + 1)
        total += term
        if (j - m) % _STRIDE == _STRIDE - 1:
            ratio = odds * (n - j - 1) / (j + 2)
            if ratio < 1:
                rest = term * ratio / (1 - ratio)
                if rest < total * negligible:
                    return total.union(total + rest)
    return total


def exactly_at_least(m: int, n: int, b: Fraction) -> Fraction:
    """Pr[Bin(n, b) >= m] as a fraction, summed in integers.

    >>> exactly_at_least(2, 3, Fraction(1, 2))
    Fraction(1, 2)
    """
    hit, miss = b.numerator, b.denominator - b.numerator
    total, weight = 0, 1  # weight = hit^(j - m)
    m = max(m, 0)
    for j in range(m, n + 1):
        total = total * miss + comb(n, j) * weight
        weight *= hit
    return Fraction(total * hit**m, b.denominator**n) if m <= n else Fraction(0)
