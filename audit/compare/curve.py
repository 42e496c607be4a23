"""The curve of a claim: the points (epsilon, delta) that it consists of, or those of them that are looked at.

A claim of zero-concentrated, Rényi or Gaussian differential privacy implies a delta at every epsilon. Some epsilons are
chosen, by the claim alone: from where delta begins to say something to where it is out of sight.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from crowdproof.audit.compare.betting.hypotheses import LARGEST
from crowdproof.claims import DP, DPS, FDP, GDP, LARGEST_EPSILON, RDP, ZCDP, DistributionClaim, Point
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, rational
from crowdproof.proofs.bounds.conversions import gdp_delta, implied_delta, rdp_delta, zcdp_delta

FINE = 33
"""Points of a curve that are examined where that takes no share of the error: a guess at what is quickly done."""
COARSE = 10
"""Points among which the wealth of a test by betting is split. It costs ln 10 = 2.3 nats, a sixth of what an error of
1e-6 takes. A guess: with fewer, the point that a leak breaks most clearly may be far from all of them."""
VACUOUS = Fraction(9, 10)
"""The largest delta that is looked at: beyond, hardly any release could break the claim."""
NO_MORE = Fraction(99, 100)
"""A point with a larger delta is left out: it says next to nothing. A guess."""
DECLINE = 20_000
"""Where delta is one part in so many of its largest, the curve ends. A guess: smaller deltas take more runs to show."""
STEPS = 9
"""Halvings that find where a curve has a given delta, to a few parts in a thousand: where exactly does not matter."""
SHOWN = 3
"""Digits of an epsilon that is chosen, so that people can read it."""

DeltaOf = Callable[[Epsilon], Fraction]


@cache
def points_of(claim: DistributionClaim) -> tuple[Point, ...]:
    """The points of the claim, epsilon rising. Each delta holds if the claim does: it is exact or rounded up."""
    match claim:
        case DP() | DPS() | FDP():
            return claim.points
        case GDP(mu):
            return chosen(lambda epsilon: implied_delta(gdp_delta(mu, epsilon)))
        case ZCDP(rho):
            return chosen(lambda epsilon: implied_delta(zcdp_delta(rho, epsilon)))
        case RDP(alpha, divergence):
            return chosen(lambda epsilon: implied_delta(rdp_delta(alpha, divergence, epsilon)))
    raise AssertionError(claim)


def chosen(delta_of: DeltaOf) -> tuple[Point, ...]:
    """Points of a falling curve, at epsilons that are evenly spread over where it says something.

    >>> points = chosen(lambda epsilon: Fraction(1, 2) / (1 + epsilon.value) ** 4)
    >>> len(points), str(points[0]), float(points[-1].delta) < 1e-4
    (33, '0:0.5', True)
    """
    largest = min(delta_of(Epsilon(Fraction(0))), VACUOUS)
    if largest == 0:
        return (Point(0),)
    start = _where(delta_of, largest) if largest == VACUOUS else 0.0
    end = _where(delta_of, largest / DECLINE)
    places = (start + (end - start) * step / (FINE - 1) for step in range(FINE))
    epsilons = dict.fromkeys(rational(f"{place:.{SHOWN}g}") for place in places)
    deltas = {Epsilon(each): delta_of(Epsilon(each)) for each in epsilons}
    points = tuple(Point(epsilon, delta) for epsilon, delta in deltas.items() if delta <= NO_MORE)
    if not points:
        raise ParameterError(
            f"the claim allows everything at every epsilon up to {LARGEST_EPSILON:,}, so that no release can break it: "
            "claim less."
        )
    return points


def _where(delta_of: DeltaOf, level: Fraction) -> float:
    """About where the curve falls to that delta."""

    def below(epsilon: float) -> bool:
        return delta_of(Epsilon(Fraction(epsilon))) <= level

    high = 1.0
    while not below(high) and high < LARGEST_EPSILON / 2:
        high *= 2
    while high > 1e-9 and below(high / 2):
        high /= 2
    low = high / 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if below(middle) else (middle, high)
    return high


def spread(points: Sequence[Point], most: int = COARSE) -> tuple[Point, ...]:
    """At most so many of the points, their deltas spread evenly on a logarithmic scale; the first among them.

    Points that no number of runs can show to be broken are left out, unless there are no others.

    >>> [str(each) for each in spread(FDP("0:0.5|1:0.4|2:0.05|3:0.004").points, 3)]
    ['0:0.5', '2:0.05', '3:0.004']
    """
    points = [each for each in points if each.epsilon.exp() <= LARGEST / 2] or points
    if len(points) <= most:
        return tuple(points)
    heights = [_height(each.delta) for each in points]
    wanted = (heights[0] + (heights[-1] - heights[0]) * step / (most - 1) for step in range(most))
    places = {min(range(len(points)), key=lambda place: abs(heights[place] - each)) for each in wanted}
    return tuple(points[place] for place in sorted(places))


def _height(delta: Fraction) -> float:
    """The logarithm of the odds, down to where no test could see the difference."""
    visible = max(delta, Fraction(1, 10**9))
    return math.log(visible / (1 - visible))
