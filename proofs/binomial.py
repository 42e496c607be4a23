"""The binomial law in exact fractions: f(j; n, beta) and F(j; n, beta) of the papers."""

from fractions import Fraction
from math import comb


def mass(j: int, n: int, beta: Fraction) -> Fraction:
    """f(j; n, beta) = Pr[Bin(n, beta) = j]; 0 outside 0..n.

    >>> mass(2, 3, Fraction(1, 2))
    Fraction(3, 8)
    """
    return comb(n, j) * beta**j * (1 - beta) ** (n - j) if 0 <= j <= n else Fraction(0)


def at_most(j: int, n: int, beta: Fraction) -> Fraction:
    """F(j; n, beta) = Pr[Bin(n, beta) <= j]."""
    return sum((mass(i, n, beta) for i in range(j + 1)), Fraction(0))


def at_least(j: int, n: int, beta: Fraction) -> Fraction:
    """Pr[Bin(n, beta) >= j]."""
    return 1 - at_most(j - 1, n, beta)
