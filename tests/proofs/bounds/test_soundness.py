"""No interval misses: random inputs against 100-digit mpmath, by the definitions themselves."""

import random
from fractions import Fraction

import mpmath as mp
import pytest

from crowdproof.proofs.bounds import theorem5, tight

DIGITS = 100


def mass(j, n, b):
    return mp.binomial(n, j) * b**j * (1 - b) ** (n - j) if 0 <= j <= n else mp.mpf(0)


def inside(value, found):
    """Whether the value lies in the interval, up to the 100 digits' own error."""
    low, high = (mp.mpf(end.numerator) / end.denominator for end in (found.low, found.high))
    slack = abs(value) * mp.mpf(10) ** -(DIGITS - 15)
    return low - slack <= value <= high + slack


def tail(m, n, b):
    term = total = mass(m, n, b)
    for j in range(m, n):
        term *= mp.mpf(n - j) / (j + 1) * b / (1 - b)
        total += term
        if term < total * mp.mpf(10) ** -(DIGITS + 5):
            break
    return total


def draw_inputs(seed, count):
    draw = random.Random(seed)
    for _ in range(count):
        beta = f"{draw.choice([draw.uniform(0.01, 0.6), draw.uniform(0.001, 0.99)]):.3g}"
        least = -float(mp.log(1 - mp.mpf(beta)))
        yield draw.choice([draw.randint(1, 12), draw.randint(1, 60)]), beta, least, draw


def check_theorem5(seed, count):
    with mp.workdps(DIGITS):
        for k, beta, least, draw in draw_inputs(seed, count):
            epsilon = f"{least + draw.expovariate(1.5) + 1e-3:.4f}"
            b, x = mp.mpf(beta), mp.exp(mp.mpf(epsilon))
            gamma = (x - 1 + b) / x
            best, m = mp.mpf(0), k
            rho = b * mp.exp(mp.mpf(epsilon) / gamma) / (x - 1 + b)
            while not best or rho**m > best:
                best = max(best, tail(m, int(mp.ceil(m / gamma)) - 1, b))
                m += 1
            found = theorem5(k, beta, epsilon)
            assert inside(best, found), (k, beta, epsilon)
            assert found.high - found.low <= found.low * Fraction(1, 10**12)


def check_tight(seed, count):
    """At the n that is named: the definition's sum over all outcomes; around it: nothing larger."""
    with mp.workdps(DIGITS):
        for k, beta, least, draw in draw_inputs(seed, count):
            epsilon = f"{draw.choice([draw.uniform(0, least), draw.expovariate(1.0)]):.4f}"
            b, x = mp.mpf(beta), mp.exp(mp.mpf(epsilon))
            found = tight(k, beta, epsilon)
            likelier, other = found.pair.likelier[0], found.pair.other[0]
            if max(likelier, other) > 400:
                continue
            assert inside(by_definition(k, likelier, other, b, x), found), (k, beta, epsilon)
            high = mp.mpf(found.high.numerator) / found.high.denominator * (1 + mp.mpf(10) ** -(DIGITS - 15))
            for n in {max(1, found.n - 1), found.n + 1, draw.randint(1, 2 * found.n + 5)}:
                for pair in ((n, n - 1), (n - 1, n)):
                    assert by_definition(k, *pair, b, x) <= high, (k, beta, epsilon, pair)


def by_definition(k, n, m, b, x):
    one, other = masses(n, b), masses(m, b)
    first = max(mp.fsum(one[:k]) - x * mp.fsum(other[:k]), mp.mpf(0))
    rest = ((one[j] - x * (other[j] if j <= m else 0)) for j in range(k, n + 1))
    return first + mp.fsum(each for each in rest if each > 0)


def masses(n, b):
    values = [(1 - b) ** n]
    for j in range(n):
        values.append(values[-1] * b / (1 - b) * (n - j) / (j + 1))
    return values


@pytest.mark.parametrize("seed", range(4))
def test_theorem_5_lies_in_its_interval(seed):
    check_theorem5(seed, 300)


@pytest.mark.parametrize("seed", range(4))
def test_the_tight_delta_lies_in_its_interval(seed):
    check_tight(100 + seed, 200)


def test_an_interval_that_misses_is_seen():
    found = theorem5(20, "0.1", "0.5")
    with mp.workdps(DIGITS):
        value = mp.mpf(found.low.numerator) / found.low.denominator
        assert inside(value, found)
        assert not inside(value * (1 + mp.mpf(10) ** -13), found)
