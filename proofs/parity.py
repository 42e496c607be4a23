"""The parity mechanisms of section 2.2 under sampling at rate 1/2: what each gives alone, for all datasets.

The sample T of a table with c copies of the target and m other rows is released as [|T| >= N] and (|T| odd, XOR the
target is in T). Write A_n = Pr[Bin(n, 1/2) >= N] and split it by the parity of the count into E_n (even) and O_n (odd).
The alternating tail sum gives E_n - O_n = (-1)^N C(n-1, N-1) / 2^n exactly, and conditioning on whether a copy of the
target was drawn,

    q(c, m) = Pr[output is true] = E_{c+m} + 2^-c (O_m - E_m);

without the XOR it is O_n. The output is a single bit, so delta is a maximum over neighbours of four differences.

For a table of n >= 1 rows, Pr[output is true] lies between 1/2 - Pr[Bin(n, 1/2) < N] and 1/2, so the differences are
not positive once Pr[Bin(n, 1/2) < N] <= (x - 1)/(2x) with x = e^eps: the maximum over all n is one over finitely many.
"""

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, Number, probability, rational, whole

Floats = NDArray[np.float64]

_COPIES = 64
"""From so many copies on, 2^-c changes no probability by more than 2^-64."""
_SLACK = 1e-13
"""More than the rounding of the few float operations on correctly rounded probabilities, plus 2^-64."""


@frozen
class Tails:
    """E_n and O_n for n = 0, 1, ..., each the nearest float; they end where no difference is positive any more."""

    even: Floats
    odd: Floats


def parity_delta(at_least: Number, epsilon: Number | Epsilon, *, secret: bool = True) -> Fraction:
    """A delta such that parity (XOR the secret) with that threshold is (1/2, epsilon, delta)-DPS, for all datasets.

    >>> float(parity_delta(500, 0.5)) < 1e-9
    True
    """
    threshold, x = whole(at_least, "at_least"), Epsilon.of(epsilon).exp()
    if not 1 < x < 1e6:
        raise ParameterError(f"epsilon is {epsilon}: give one above 0 and below 13.")
    tails = _tails(threshold, x)
    copies = range(min(_COPIES, len(tails.odd) - 1) + 1 if secret else 1)
    values = [_probability(tails, each) for each in copies]
    worst = max(_excess(each[1:], each[:-1], x) for each in values)
    for fewer, more in pairwise(values):
        worst = max(worst, _excess(more, fewer[: len(more)], x))
    return rational(max(worst, 0.0) + _SLACK)


def _probability(tails: Tails, copies: int) -> Floats:
    """q(copies, m) for m = 0, 1, ... as far as the tails go."""
    if copies == 0:
        return tails.odd
    reach = len(tails.even) - copies
    result: Floats = tails.even[copies:] + 0.5**copies * (tails.odd - tails.even)[:reach]
    return result


def _excess(left: Floats, right: Floats, x: float) -> float:
    """The largest Pr[o on one] - x Pr[o on the other], over both outputs and both directions."""
    both = ((left, right), (right, left), (1 - left, 1 - right), (1 - right, 1 - left))
    return max(float(np.max(p - x * q, initial=0.0)) for p, q in both)


@lru_cache(maxsize=8)
def _tails(threshold: int, x: float) -> Tails:
    """In integers: 2^n A_n = 2 * 2^(n-1) A_(n-1) + C(n-1, N-1)."""
    even, odd = [0.0] * threshold, [0.0] * threshold
    n, above, coefficient = threshold - 1, 0, 0
    enough = Fraction(x - 1) / Fraction(2 * x) * Fraction(999, 1000)
    while True:
        n += 1
        coefficient = 1 if n == threshold else coefficient * (n - 1) // (n - threshold)
        above = 2 * above + coefficient
        sign = -1 if threshold % 2 else 1
        even.append((above + sign * coefficient) / (2 << n))
        odd.append((above - sign * coefficient) / (2 << n))
        if n % 16 == 0 and Fraction((1 << n) - above, 1 << n) <= enough:
            return Tails(np.array(even), np.array(odd))


def smallest_threshold(epsilon: Number | Epsilon, delta: Number) -> int:
    """The smallest odd threshold, by bisection, at which both halves are certified below delta.

    Odd ones are better by far: with an even N, drawing the target lifts samples of N - 1 rows over the threshold with
    the output true, and with an odd N with the output false, which is what it was.
    """
    limit = probability(delta, "delta")

    def enough(half: int) -> bool:
        threshold = 2 * half + 1
        return max(parity_delta(threshold, epsilon), parity_delta(threshold, epsilon, secret=False)) < limit

    low, high = -1, 32
    while not enough(high):
        low, high = high, 2 * high
        if high > 1 << 18:
            raise ParameterError(f"no threshold up to {high} gives delta {delta} at epsilon {epsilon}: raise either.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return 2 * high + 1


def presence_probability(rows: int, at_least: int) -> Fraction:
    """Pr[a given row is in the sample and the sample has at least `at_least` rows], at rate 1/2, exactly.

    That is how often the two halves together show that the row is there: they differ then and only then.

    >>> presence_probability(3, 2)
    Fraction(3, 8)
    """
    return Fraction(_upper_sum(rows - 1, max(at_least - 1, 0)), 2**rows)


def true_probability(rows: int, at_least: int, copies: int) -> Fraction:
    """Pr[the output is true] on a table of `rows` rows, `copies` of which are the target, exactly; 0: no XOR.

    >>> true_probability(2, 1, 0), true_probability(2, 1, 1)
    (Fraction(1, 2), Fraction(1, 2))
    """
    others = rows - copies
    even, odd = _by_parity(rows, at_least)
    even_others, odd_others = _by_parity(others, at_least)
    return even + (odd_others - even_others) / 2**copies if copies else odd


def _by_parity(n: int, threshold: int) -> tuple[Fraction, Fraction]:
    above = _upper_sum(n, threshold)
    alternating = (-1) ** threshold * math.comb(n - 1, threshold - 1) if n else 0
    return Fraction(above + alternating, 2 ** (n + 1)), Fraction(above - alternating, 2 ** (n + 1))


def _upper_sum(n: int, low: int) -> int:
    """The sum of C(n, j) over j >= low."""
    total, term = 0, math.comb(n, low)
    for j in range(low, n + 1):
        total += term
        term = term * (n - j) // (j + 1)
    return total
