"""What concentrated, Rényi and Gaussian differential privacy say in terms of (epsilon, delta), as certified numbers.

Gaussian DP says exactly: delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).

Rényi DP of order alpha bounds the mean of the alpha-th power of the likelihood ratio r = P/Q under Q by e^((alpha-1)
eps_alpha). The mean of r is 1, and delta(eps) is the mean of (r - x)+ with x = e^eps. So whenever

    (r - x)+ <= c r^alpha + a r + b   for all r >= 0, with c >= 0,

delta(eps) <= c e^((alpha-1) eps_alpha) + a + b. Take c > 0 and a = -c alpha r1^(alpha-1) for some r1 >= 0. The right
side is convex in r. It is least at r1, where it is above 0 if b >= c (alpha-1) r1^alpha; and less r - x it is least at
r2, with c alpha (r2^(alpha-1) - r1^(alpha-1)) = 1, where it is above 0 if b >= c (alpha-1) r2^alpha - x. So every c and
r1 give a bound. With r1 = 0 the best one is that of Canonne, Kamath and Steinke (2020); the best of all is the one that
Asoodeh, Liao, Calmon, Kosut and Sankar (2020) show to be the largest delta that the order alpha allows. What c and r1
are is found in floating point, and the bound is worked out for them in balls: a poor choice costs tightness, no truth.

rho-zCDP is Rényi DP with eps_alpha = rho alpha for every alpha: any order gives a bound, and the best is taken.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdproof.exact import Epsilon, rational
from crowdproof.findings import Estimate
from crowdproof.proofs.bounds.balls import Ball, ball, estimate, scientific, settle

Floats: TypeAlias = NDArray[np.float64]

PLACES = 25
"""Places at which a bound is looked at in each round of a search. A guess: enough not to miss the valley in the first
round, in which a place stands for one or two units of a logarithm."""
ROUNDS = 4
"""Rounds of a search. Each looks at the surroundings of the best place of the one before, eight times as closely, so
that after all a place stands for a few thousandths, and at its minimum a bound is flat."""
CLOSER = 8
"""How many times as closely, likewise."""
NEWTON_STEPS = 12
"""Steps of Newton's method, from the side on which it cannot overshoot; a few are enough, since the function is convex.
"""
POLISHING = 3
"""Further steps in balls, each of which doubles the number of right digits."""
LOST = 1e-6
"""Two logarithms that are so near to each other are passed over in the search: what is left of their difference is
rounding."""
OUT_OF_SIGHT = Fraction(1, 10**300)
"""A delta below it is rounded up to it: no number of runs tells them apart, and its digits would take ever longer."""
DIGITS = 6
"""Digits of a delta that a claim implies, rounded up: one more would change no verdict."""
ORDERS = (math.log(1e-3), math.log(1e5))
"""Logarithms of the order less 1, between which the best one is looked for. A guess: beyond, bounds hardly change."""
TOUCHING = (-40.0, 0.0)
"""Logarithms of 1 - r1 between which the best one is looked for: to the precision of floats, and to r1 = 0."""
NARROW = 40
"""Bits of relative accuracy that a bound has before it is rounded to so few digits."""


def gdp_delta(mu: Fraction, epsilon: Epsilon) -> Estimate:
    """The delta of mu-Gaussian DP at that epsilon, exactly, between two fractions.

    >>> print(scientific(gdp_delta(Fraction(1), Epsilon.of(1)).high))
    0.1269
    """
    if mu == 0:
        return Estimate.exactly(Fraction(0))
    return _narrow(lambda: _gaussian(ball(mu), _ball(epsilon)))


def rdp_delta(alpha: Fraction, divergence: Epsilon, epsilon: Epsilon) -> Estimate:
    """The largest delta that a Rényi divergence of that order allows at that epsilon: the upper end is a bound.

    >>> print(scientific(rdp_delta(Fraction(8), Epsilon.of(1), Epsilon.of(2)).high))
    4.472e-5
    """
    if divergence.value == 0:
        return Estimate.exactly(Fraction(0))
    u, _ = touched(np.array([float(alpha)]), np.array([float(divergence)]), float(epsilon))
    return _narrow(lambda: _tangent(alpha, _ball(divergence), epsilon, float(u[0])))


def zcdp_delta(rho: Fraction, epsilon: Epsilon) -> Estimate:
    """A delta of rho-zCDP at that epsilon, by its best order: the upper end is a bound.

    >>> print(scientific(zcdp_delta(Fraction(1, 2), Epsilon.of(2)).high))
    0.05186
    """
    if rho == 0:
        return Estimate.exactly(Fraction(0))

    x, middle, width = float(epsilon), sum(ORDERS) / 2, ORDERS[1] - ORDERS[0]
    for _ in range(ROUNDS):
        log_orders = middle + width * np.linspace(-0.5, 0.5, PLACES)
        orders = 1 + np.exp(log_orders)
        u, heights = touched(orders, float(rho) * orders, x)
        best = int(np.argmin(heights))
        middle, width = float(log_orders[best]), width / CLOSER
    order = Fraction(float(orders[best]))
    return _narrow(lambda: _tangent(order, ball(rho * order), epsilon, float(u[best])))


def implied_delta(bound: Estimate) -> Fraction:
    """A delta that certainly holds, in few digits: the upper end, rounded up; at most 1, which always holds.

    >>> implied_delta(Estimate(Fraction(1, 3), Fraction(1, 3)))
    Fraction(166667, 500000)
    """
    if bound.high <= 0:
        return Fraction(0)
    return rational(scientific(min(max(bound.high, OUT_OF_SIGHT), Fraction(1)), DIGITS, "up"))


def touched(alpha: Floats, gamma: Floats, x: float) -> tuple[Floats, Floats]:
    """For each order the log of 1 - r1 at the lowest bound that was found, and the log of the bound."""
    middle, width = np.full(alpha.shape, sum(TOUCHING) / 2), TOUCHING[1] - TOUCHING[0]
    rows = np.arange(len(alpha))
    for _ in range(ROUNDS):
        u = np.minimum(middle[:, None] + width * np.linspace(-0.5, 0.5, PLACES), TOUCHING[1])
        heights = log_bound(alpha[:, None], gamma[:, None], x, u)
        best = heights.argmin(1)
        middle, width = u[rows, best], width / CLOSER
    return middle, heights[rows, best]


def log_bound(alpha: Floats, gamma: Floats, x: float, u: Floats) -> Floats:
    """Log of the bound at epsilon x that touches at r1 = 1 - e^u, in floating point: only for choosing r1."""
    with np.errstate(all="ignore"):
        log_r1 = np.log1p(-np.exp(u))
        log_r2 = touching(alpha, x, log_r1)
        log_c = x - np.log(alpha - 1) - alpha * log_r2 - np.log1p(-np.exp(alpha * (log_r1 - log_r2)))
        first = log_c + (alpha - 1) * gamma
        # a + b = -c r1^(alpha-1) (alpha - (alpha-1) r1)
        second = log_c + (alpha - 1) * log_r1 + np.log1p((alpha - 1) * np.exp(u))
        found = np.where(u < 0, first + np.log1p(-np.exp(second - first)), first)
    clear = np.isfinite(found) & ((u == 0) | (second - first < -LOST))
    return np.asarray(np.where(clear, found, np.inf))


def touching(alpha: Floats, x: float, log_r1: Floats) -> Floats:
    """Log of the r2 at which the curve that touches 0 at r1 touches r - e^x.

    It solves (alpha-1) (r2^alpha - r1^alpha) = e^x alpha (r2^(alpha-1) - r1^(alpha-1)). With y = r2/e^x that is between
    1 and alpha/(alpha-1), where the difference of the two sides is convex and rises.
    """
    y = alpha / (alpha - 1) + np.zeros_like(log_r1)
    one = np.exp(log_r1 - x)
    for _ in range(NEWTON_STEPS):
        u = np.exp((alpha - 1) * (log_r1 - x - np.log(y)))
        excess = (alpha - 1) * (y - one * u) - alpha * (1 - u)  # divided by e^(alpha x) y^(alpha-1)
        step = y * excess / (alpha * (alpha - 1) * np.maximum(y - 1, 1e-300))
        y = np.where(excess > 0, np.maximum(y - step, 1), y)
    return np.asarray(x + np.log(y))


def _tangent(alpha: Fraction, gamma: Ball, epsilon: Epsilon, u: float) -> Ball:
    """The bound that touches at r1 = 1 - e^u, rounded, and at about the r2 that belongs to it, or that of r1 = 0."""
    order, x = ball(alpha), _exp(epsilon)
    at_0 = x / (order - 1) * ((order - 1) / (x * order)) ** order * ((order - 1) * gamma).exp()
    if u == 0:
        return at_0
    r1 = 1 - Fraction(math.exp(u))
    start, slope = ball(r1) ** order, ball(r1) ** (order - 1)
    # any c above 0 would do: this one is known as a ball
    c = x / ((order - 1) * (_near(alpha, epsilon, u) ** order - start))
    a = -c * order * slope
    r2 = ((1 - a) / (c * order)) ** (1 / (order - 1))
    b = (c * (order - 1) * start).max(c * (order - 1) * r2**order - x)
    return at_0.min(c * ((order - 1) * gamma).exp() + a + b)


def _near(alpha: Fraction, epsilon: Epsilon, u: float) -> Ball:
    """A number near r2, to more digits than a float has: some are lost in differences."""
    order, x, r1 = ball(alpha), _exp(epsilon), ball(1 - Fraction(math.exp(u)))
    with np.errstate(all="ignore"):
        found = touching(np.array(float(alpha)), float(epsilon), np.log1p(-np.exp(np.array(u))))
    y = (ball(Fraction(float(found))).exp() / x).mid()
    for _ in range(POLISHING):
        ratio = (r1 / (x * y)) ** (order - 1)
        excess = (order - 1) * (y - r1 / x * ratio) - order * (1 - ratio)
        y = (y - y * excess / (order * (order - 1) * (y - 1))).mid() if y > 1 else y
    return x * y


def _gaussian(mu: Ball, epsilon: Ball) -> Ball:
    return _phi(mu / 2 - epsilon / mu) - epsilon.exp() * _phi(-mu / 2 - epsilon / mu)


def _phi(z: Ball) -> Ball:
    return (-z / ball(2).sqrt()).erfc() / 2


def _exp(epsilon: Epsilon) -> Ball:
    value = ball(epsilon.value)
    return value if epsilon.logarithm else value.exp()


def _ball(epsilon: Epsilon) -> Ball:
    value = ball(epsilon.value)
    return value.log() if epsilon.logarithm else value


def _narrow(compute: Callable[[], Ball]) -> Estimate:
    """The number as an interval that is narrow against the digits that are kept of it."""

    def attempt() -> Estimate | None:
        result = compute()
        return estimate(result) if result.rel_accuracy_bits() >= NARROW else None

    return settle(attempt)
