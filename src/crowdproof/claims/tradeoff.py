"""Reading a curve from a file: points (epsilon, delta), or a trade-off function between the two errors of a test.

A trade-off function gives, for each false-alarm rate alpha, the least rate beta of missed alarms that any test of one
neighbour against the other has. Claimed is the function whose graph is the broken line through the points. Its line
from (a, b) to (c, d) has the slope -s with s = (b - d)/(c - a), and says b + s a <= beta + s alpha for every test. With
the probabilities p = 1 - beta and q = alpha of the test's alarm on the two datasets that is p <= s q + 1 - b - s a:
(ln s, 1 - b - s a)-DP. For s < 1 the same is said of the event that there is no alarm, with the datasets exchanged.
"""

import csv
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from crowdproof.claims.claim import Point
from crowdproof.errors import DataError
from crowdproof.exact import Epsilon, rational

_CURVE, _TRADE_OFF = ("epsilon", "delta"), ("alpha", "beta")
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
    if columns not in (_CURVE, _TRADE_OFF):
        raise DataError(f"{path} has the columns {', '.join(columns)}: write epsilon,delta or alpha,beta first.")
    if not 2 <= len(lines) <= MOST + 1 or any(len(line) != len(columns) for line in lines):
        raise DataError(f"{path} is no curve: give 1 to {MOST:,} lines of two numbers below the names of its columns.")
    if columns == _CURVE:
        return tuple(Point(epsilon, delta) for epsilon, delta in lines[1:])
    return of_trade_off([(rational(one, "alpha"), rational(two, "beta")) for one, two in lines[1:]])


def of_trade_off(written: list[tuple[Fraction, Fraction]]) -> tuple[Point, ...]:
    """The (epsilon, delta) of each line between two of these points of a trade-off function.

    >>> none, quarter, all_ = Fraction(0), Fraction(1, 4), Fraction(1)
    >>> print(*of_trade_off([(none, all_), (quarter, quarter), (all_, none)]))
    ln 3:0
    """
    places = sorted(written)
    slopes = [_slope(one, two) for one, two in pairwise(places)]
    if not slopes or any(a < b for a, b in pairwise(slopes)) or slopes[-1] < 0:
        raise DataError(
            "the curve is no trade-off function: give two points or more, each with an alpha of its own, whose beta "
            "falls, and falls ever more slowly, as alpha grows."
        )
    found: dict[Epsilon, Fraction] = {}
    for (alpha, beta), slope in zip(places, slopes, strict=False):
        if slope == 0:  # beta goes no lower, which no (epsilon, delta) says
            continue
        delta = 1 - beta - slope * alpha
        ratio, slack = (slope, delta) if slope >= 1 else (1 / slope, (slope + delta - 1) / slope)
        epsilon = Epsilon(ratio, True) if ratio > 1 else Epsilon(Fraction(0))
        found[epsilon] = min(found.get(epsilon, Fraction(1)), slack)
    if not found or any(not 0 <= delta < 1 for delta in found.values()):
        raise DataError("the curve is no trade-off function: alpha and beta are rates, and beta is at most 1 - alpha.")
    return tuple(Point(epsilon, delta) for epsilon, delta in sorted(found.items()))


def _slope(one: tuple[Fraction, Fraction], two: tuple[Fraction, Fraction]) -> Fraction:
    if one[0] == two[0]:
        raise DataError(f"the curve has two points at alpha = {one[0]}: give each alpha once.")
    return (one[1] - two[1]) / (two[0] - one[0])
