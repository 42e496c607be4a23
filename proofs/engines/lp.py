"""Exact linear programming: floating point only guesses the vertex; fractions certify that it is the optimum.

maximize c.x subject to A x <= b and x >= 0. An optimum comes with its proof: x is feasible, y >= 0 and z >= 0 solve
A^T y - z = c, and c.x = b.y, all in exact arithmetic (weak duality then says that nothing is larger).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen
from flint import fmpq, fmpq_mat
from scipy.optimize import linprog

from crowdproof.errors import CrowdproofError
from crowdproof.proofs.engines import simplex

_SLACK = 1e-9

Row = Sequence[Fraction]


class NotCertifiedError(CrowdproofError):
    """The optimum that floating point suggests could not be certified."""


@frozen
class Optimum:
    """The largest value, where it is attained, and the multipliers that prove it."""

    value: Fraction
    point: tuple[Fraction, ...]
    multipliers: tuple[Fraction, ...]
    """One for each row, then one for each sign condition x_j >= 0."""


def maximize(objective: Row, matrix: Sequence[Row], bound: Row) -> Optimum:
    """The certified optimum over x >= 0 of a bounded program with b >= 0 (so that 0 is feasible).

    >>> one = Fraction(1)
    >>> maximize([one, one], [[one, 2 * one], [3 * one, one]], [4 * one, 6 * one]).value
    Fraction(14, 5)
    """
    try:
        return certify(objective, matrix, bound, _guess(objective, matrix, bound))
    except NotCertifiedError:
        found = simplex.solve(objective, matrix, bound)
        if found is None:
            raise NotCertifiedError("the linear program has no optimum, or its budget of pivots is spent.") from None
        point, rows, signs = found
        return certify(objective, matrix, bound, Optimum(_dot(objective, point), tuple(point), (*rows, *signs)))


def _guess(objective: Row, matrix: Sequence[Row], bound: Row) -> Optimum:
    """The vertex and the multipliers that floating point points at, solved for exactly."""
    size = len(objective)
    every = [*matrix, *([Fraction(-(i == j)) for j in range(size)] for i in range(size))]
    limits = [*bound, *[Fraction(0)] * size]
    solved: Any = linprog(
        -np.array(objective, float), A_ub=np.array(every, float), b_ub=np.array(limits, float), bounds=(None, None)
    )
    if solved.status != 0:
        raise NotCertifiedError(f"the linear program has no optimum: {solved.message}")
    active = [i for i in range(len(limits)) if solved.slack[i] < _SLACK]
    support = [i for i in range(len(limits)) if solved.ineqlin.marginals[i] < -_SLACK]
    point = _solve([every[i] for i in active], [limits[i] for i in active], size)
    duals = _solve([[every[i][j] for i in support] for j in range(size)], objective, len(support))
    multipliers = dict(zip(support, duals, strict=True))
    return Optimum(
        _dot(objective, point), tuple(point), tuple(multipliers.get(i, Fraction(0)) for i in range(len(limits)))
    )


def certify(objective: Row, matrix: Sequence[Row], bound: Row, claimed: Optimum) -> Optimum:
    """The claimed optimum, after its proof has been checked in exact arithmetic."""
    x, rows, signs = claimed.point, claimed.multipliers[: len(bound)], claimed.multipliers[len(bound) :]
    feasible = min(x) >= 0 and all(_dot(row, x) <= limit for row, limit in zip(matrix, bound, strict=True))
    used = [(y, row) for y, row in zip(rows, matrix, strict=True) if y]
    columns = (sum((y * row[j] for y, row in used), Fraction(0)) - signs[j] for j in range(len(x)))
    dual = min(claimed.multipliers) >= 0 and all(a == b for a, b in zip(columns, objective, strict=True))
    if not (feasible and dual and _dot(objective, x) == claimed.value == _dot(bound, rows)):
        raise NotCertifiedError(
            "the optimum of the linear program could not be certified: change its parameters slightly."
        )
    return claimed


def _dot(one: Row, two: Row) -> Fraction:
    return sum((a * b for a, b in zip(one, two, strict=True) if a and b), Fraction(0))


def _solve(matrix: Sequence[Row], right: Row, columns: int) -> list[Fraction]:
    """A solution of a consistent system; a variable that it leaves free is 0."""
    rows = [
        [fmpq(value.numerator, value.denominator) for value in (*row, last)]
        for row, last in zip(matrix, right, strict=True)
    ]
    solution = [Fraction(0)] * columns
    if not rows:
        return solution
    reduced, rank = fmpq_mat(len(rows), columns + 1, [value for row in rows for value in row]).rref()
    for i in range(rank):
        pivot = next(j for j in range(columns + 1) if reduced[i, j] != 0)
        if pivot == columns:
            raise NotCertifiedError("the linear program is degenerate beyond double precision.")
        solution[pivot] = Fraction(int(reduced[i, columns].p), int(reduced[i, columns].q))
    return solution
