"""Reading a curve from a file: points (epsilon, delta), or a trade-off function between the two errors of a test.

A trade-off function T gives, for each false-alarm rate alpha, the least rate T(alpha) of missed alarms that any test of
one neighbour against the other has. It is convex, falls, and is at most 1 - alpha.

**A line.** That T lies nowhere below the line through (a, b) with the slope -s says b + s a <= beta + s alpha for every
test. With the probabilities p = 1 - beta and q = alpha of the test's alarm on the two datasets that is p <= s q + 1 - b
- s a: (ln s, 1 - b - s a)-DP. For s < 1 the same is said of the event that there is no alarm, with the datasets
exchanged.

**Points.** A file of points says no more than T(a) >= b at each of them: between two points of a curve that bends, the
straight line lies above the curve, so to claim it would be to claim too much. What the point (a, b) implies elsewhere
follows from convexity and from T(0) <= 1 and T(1) = 0. To its left, T lies above the line through (1, 0) and the point;
to its right, above the line through (0, 1) and the point. Where the line to the right of a point meets the line to the
left of the next one, T may have a corner. Between neighbouring corners T lies above a function that is concave, and so
above the straight line. The lines of the lower convex hull of all corners are what is claimed.
"""

import csv
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from crowdproof.claims.claim import Point
from crowdproof.errors import DataError
from crowdproof.exact import Epsilon, rational

Place: TypeAlias = tuple[Fraction, Fraction]

_CURVE, _POINTS, _LINES = ("epsilon", "delta"), ("alpha", "beta"), ("alpha", "beta", "slope")
MOST = 10_000
"""Points of a file: far more than any curve needs, and read in a moment."""


def read_points(path: Path) -> tuple[Point, ...]:
    """The points of the file as (epsilon, delta)."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line for line in csv.reader(file, strict=True) if any(cell.strip() for cell in line)][: MOST + 2]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no CSV file"
        raise DataError(f"the curve {path} cannot be read ({reason}): give a CSV file that is there.") from None
    columns = tuple(cell.strip().lower() for cell in lines[0]) if lines else ()
    if columns not in (_CURVE, _POINTS, _LINES):
        raise DataError(
            f"{path} has the columns {', '.join(columns)}: write epsilon,delta or alpha,beta or alpha,beta,slope first."
        )
    if not 2 <= len(lines) <= MOST + 1 or any(len(line) != len(columns) for line in lines):
        raise DataError(
            f"{path} is no curve: give 1 to {MOST:,} lines of {len(columns)} numbers below the names of its columns."
        )
    if columns == _CURVE:
        return tuple(Point(epsilon, delta) for epsilon, delta in lines[1:])
    numbers = [tuple(map(rational, line, columns)) for line in lines[1:]]
    if columns == _LINES:
        return of_lines([((alpha, beta), -slope) for alpha, beta, slope in numbers])
    return of_trade_off([(alpha, beta) for alpha, beta in numbers])


def of_trade_off(written: list[Place]) -> tuple[Point, ...]:
    """What these points of a trade-off function imply, as (epsilon, delta).

    >>> half = Fraction(1, 2)
    >>> print(*of_trade_off([(Fraction(1, 4), half)]))
    ln(4/3):1/3
    """
    _check(written)
    places = sorted(({Fraction(0): Fraction(1), Fraction(1): Fraction(0)} | dict(written)).items())
    steepness = [_steepness(one, two) for one, two in pairwise(places)]
    if any(one < two for one, two in pairwise(steepness)) or steepness[-1] < 0:
        raise DataError(
            "the curve is no trade-off function: give points whose beta falls, and falls ever more slowly, from 1 at "
            "alpha = 0 to 0 at alpha = 1."
        )
    hull = _lower_hull(_corners(places[1:-1]))
    return of_lines([(one, _steepness(one, two)) for one, two in pairwise(hull)])


def _check(written: list[Place]) -> None:
    for alpha, beta in written:
        if not (0 <= alpha <= 1 and 0 <= beta <= 1 - alpha):
            raise DataError(
                "the curve is no trade-off function: alpha and beta are rates, and beta is at most 1 - alpha."
            )
    for alpha, times in Counter(alpha for alpha, _ in written).items():
        if times > 1:
            raise DataError(f"the curve has two points at alpha = {alpha}: give each alpha once.")


def _steepness(one: Place, two: Place) -> Fraction:
    return (one[1] - two[1]) / (two[0] - one[0])


def _corners(places: Sequence[Place]) -> list[Place]:
    """Where the least function that the points allow has its corners, alpha rising; no point is at alpha = 0 or 1.

    The line to the left of a point meets alpha = 0 at the height `left`, and the line to its right falls by `right` for
    each unit of alpha.
    """
    left = [beta / (1 - alpha) for alpha, beta in places] or [Fraction(0)]
    right = [(1 - beta) / alpha for alpha, beta in places]
    corners = {(Fraction(0), left[0]), (Fraction(1), Fraction(0))}
    for steep, height in zip(right, left[1:], strict=False):
        if steep != height:  # both are 1 where nothing is lost to privacy: then both lines are one
            alpha = (1 - height) / (steep - height)
            corners.add((alpha, height * (1 - alpha)))
    corners |= {(1 / steep, Fraction(0)) for steep in right[-1:]}
    return sorted(corners)


def _lower_hull(places: list[Place]) -> list[Place]:
    """The corners of the largest convex function that lies nowhere above these places."""
    hull: list[Place] = []
    for place in places:
        while len(hull) > 1 and _steepness(hull[-2], hull[-1]) <= _steepness(hull[-1], place):
            hull.pop()
        hull.append(place)
    return hull


def of_lines(lines: list[tuple[Place, Fraction]]) -> tuple[Point, ...]:
    """The (epsilon, delta) of lines that a trade-off function lies nowhere below: a place on each, and how it falls.

    >>> none, quarter, all_ = Fraction(0), Fraction(1, 4), Fraction(1)
    >>> print(*of_lines([((none, all_), Fraction(3)), ((quarter, quarter), Fraction(1, 3))]))
    ln 3:0
    """
    found: dict[Epsilon, Fraction] = {}
    for (alpha, beta), steep in lines:
        if steep < 0:
            raise DataError("the curve is no trade-off function: beta falls as alpha grows, so no slope is above 0.")
        if steep == 0:  # beta goes no lower, which no (epsilon, delta) says
            continue
        delta = 1 - beta - steep * alpha
        ratio, slack = (steep, delta) if steep >= 1 else (1 / steep, (steep + delta - 1) / steep)
        if slack < 0:
            raise DataError("the curve is no trade-off function: alpha and beta are rates, and T(0) is at most 1.")
        epsilon = Epsilon(ratio, True) if ratio > 1 else Epsilon(Fraction(0))
        found[epsilon] = min(found.get(epsilon, Fraction(1)), slack)
    points = tuple(Point(epsilon, delta) for epsilon, delta in sorted(found.items()) if delta < 1)
    if not points:
        raise DataError("the curve says nothing: every release keeps to it. Give points or lines with a smaller delta.")
    return points
