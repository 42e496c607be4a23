"""The simplex method in exact fractions, for programs whose vertices are too close together for floating point."""

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq

PIVOTS = 20_000
"""A budget; while nothing is gained Bland's rule is used, which never cycles."""


def solve(
    objective: Sequence[Fraction], matrix: Sequence[Sequence[Fraction]], bound: Sequence[Fraction]
) -> tuple[list[Fraction], list[Fraction], list[Fraction]] | None:
    """maximize c.x, A x <= b, x >= 0 for b >= 0: the point, and the multipliers of the rows and of x >= 0.

    None where the program is unbounded or the budget is spent.

    >>> one = Fraction(1)
    >>> point, rows, signs = solve([one, one], [[one, 2 * one], [3 * one, one]], [4 * one, 6 * one])
    >>> point
    [Fraction(8, 5), Fraction(6, 5)]
    """
    rows, columns = len(matrix), len(objective)
    table = [[_fmpq(value) for value in (*row, last)] for row, last in zip(matrix, bound, strict=True)]
    costs = [-_fmpq(value) for value in objective] + [fmpq(0)]
    outside = list(range(columns))  # the variable of each column; slack i is columns + i
    inside = [columns + i for i in range(rows)]
    stuck = False
    for _ in range(PIVOTS):
        entering = _entering(costs, outside, stuck=stuck)
        if entering is None:
            return _read(table, costs, inside, outside)
        leaving = _leaving(table, entering, inside)
        if leaving is None:
            return None
        before = costs[-1]
        _pivot(table, costs, leaving, entering)
        stuck = costs[-1] == before
        inside[leaving], outside[entering] = outside[entering], inside[leaving]
    return None


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _entering(costs: list[fmpq], outside: list[int], *, stuck: bool) -> int | None:
    """The column that improves most; where the last pivot gained nothing, by Bland's rule the lowest variable."""
    improving = [j for j in range(len(outside)) if costs[j] < 0]
    return min(improving, key=lambda j: outside[j] if stuck else costs[j], default=None)


def _leaving(table: list[list[fmpq]], column: int, inside: list[int]) -> int | None:
    limits = [(row[-1] / row[column], inside[i], i) for i, row in enumerate(table) if row[column] > 0]
    return min(limits)[2] if limits else None


def _pivot(table: list[list[fmpq]], costs: list[fmpq], leaving: int, entering: int) -> None:
    pivot = table[leaving]
    scale = 1 / pivot[entering]
    pivot[entering] = fmpq(1)
    table[leaving] = pivot = [value * scale for value in pivot]
    filled = [j for j, value in enumerate(pivot) if value != 0]
    for row in (*table, costs):
        factor = row[entering]
        if row is pivot or factor == 0:
            continue
        row[entering] = fmpq(0)
        for j in filled:
            row[j] = row[j] - factor * pivot[j]


def _read(
    table: list[list[fmpq]], costs: list[fmpq], inside: list[int], outside: list[int]
) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    rows, columns = len(inside), len(outside)
    values = [Fraction(0)] * (columns + rows)
    duals = [Fraction(0)] * (columns + rows)
    for i, variable in enumerate(inside):
        values[variable] = _fraction(table[i][-1])
    for j, variable in enumerate(outside):
        duals[variable] = _fraction(costs[j])
    return values[:columns], duals[columns:], duals[:columns]


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
