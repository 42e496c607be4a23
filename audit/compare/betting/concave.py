"""Newton's method for the sum of weights * log(1 + coefficients . stake), for many such problems at once."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

STEPS = 10
"""Newton steps at most. Each squares the error near the maximum, so that a few are enough; a row that takes more keeps
the stake that it has reached, which is a bet like any other."""
HALVINGS = 10
"""Times that a step is halved at most before it is given up: a thousandth of a step gains next to nothing."""
ENOUGH = 1e-3
"""A row is done when another step would add less than this share of what it has. A guess: bets that are off by so
little earn nearly as much, and a smaller share costs further steps."""
INSIDE = 1e-9
"""How far above 0 a factor must stay: a guess, far above the rounding of floats."""


def value(weights: Floats, added: Floats) -> Floats:
    """The sum of weights * log(1 + added), by rows."""
    return np.asarray((weights * np.log1p(added)).sum(1))


def maximise(weights: Floats, coefficients: Floats) -> Floats:
    """The best stakes found; a coefficient column of zeros has stake zero.

    >>> maximise(np.array([[0.6, 0.4]]), np.array([[[1.0], [-1.0]]])).round(6)
    array([[0.2]])
    """
    size = coefficients.shape[2]
    stake, reached = np.zeros((len(weights), size)), np.zeros(len(weights))
    unit = np.eye(size)[None] * ((np.abs(coefficients).max(1) == 0)[:, None, :] + 1e-12)
    rows = np.arange(len(weights))
    for _ in range(STEPS):
        c, w = coefficients[rows], weights[rows]
        factors = 1 + np.matmul(c, stake[rows, :, None])[:, :, 0]
        gradient = np.matmul((w / factors)[:, None, :], c)[:, 0]
        scaled = c * (np.sqrt(w) / factors)[:, :, None]
        step = np.linalg.solve(scaled.transpose(0, 2, 1) @ scaled + unit[rows], gradient[:, :, None])[:, :, 0]
        open_ = (gradient * step).sum(1) > ENOUGH * np.maximum(reached[rows], 1e-9)
        rows, step = rows[open_], step[open_]
        if not len(rows):
            break
        stake[rows], reached[rows] = _line_search(
            weights[rows], coefficients[rows], stake=stake[rows], reached=reached[rows], step=step
        )
    return stake


def _line_search(
    weights: Floats, coefficients: Floats, stake: Floats, reached: Floats, step: Floats
) -> tuple[Floats, Floats]:
    """Halve the step until it stays inside and gains."""
    waiting = np.ones(len(stake), bool)
    for halving in range(HALVINGS):
        trial = stake + step * 0.5**halving
        added = np.matmul(coefficients, trial[:, :, None])[:, :, 0]
        inside = (added > -1 + INSIDE).all(1)
        tried = value(weights, np.where(inside[:, None], added, 0.0))
        better = waiting & inside & (tried > reached)
        stake, reached = np.where(better[:, None], trial, stake), np.where(better, tried, reached)
        waiting &= ~better
        if not waiting.any():
            break
    return stake, reached
