"""The order of a score's cells: by the log-ratio of their counts on the left and on the right, smoothed.

Ratios of small counts are mostly chance. Cells in a row, as those of a sum are, borrow from their neighbours; others,
as those of a table of outputs or the leaves of a tree, are drawn towards what a sum expects of them.
"""

import numpy as np

from crowdproof.audit.compare.betting.hypotheses import Counts, Floats, Ints
from crowdproof.audit.compare.betting.steps import quantiles
from crowdproof.audit.compare.betting.sums import ROUGH, smoothed
from crowdproof.audit.releases import Additive, Score, ranked

MOST_BINS = 64
"""Cells that are bins each; more of them are put together. A guess: bins cost time in every block."""
INNER_BINS = 24
"""Evenly spread quantiles at which many cells are put together into bins; the tails have further ones. A guess: an
event ends between two bins, so that with fewer it misses the best end by more, and more cost time in every block."""
MOST_GUIDED = 1e5
"""Outputs as which the expected log-ratio of a cell counts at most, however well such expectations agree in general. A
guess: with more no cell could ever depart from its expectation."""
NEWTON_STEPS = 8
"""Steps of Newton's method for a smooth curve of log-ratios: a guess. It starts at 0, and a step goes 2 at most."""
LARGEST_STEP = 2.0
"""The largest step of that method, in units of log-ratio: a guess that keeps it from leaping where counts are small."""


def rerank(score: Score, counts: Counts) -> Score:
    """The same score with its cells ranked by these counts, and put into bins where they are many."""
    left, right = counts
    logs = _log_ratios(score, left, right)
    order = np.argsort(logs, kind="stable")
    mass = (left + right)[order]
    below = np.cumsum(mass) - mass / 2
    total = max(int(mass.sum()), 1)
    edges = below[1:]
    if len(order) > MOST_BINS:
        edges = quantiles(total, INNER_BINS)[1:-1] * total
    rank = np.empty(len(order), np.intp)
    rank[order] = np.unique(np.searchsorted(edges, below, side="right"), return_inverse=True)[1]
    return ranked(score, rank)


def _log_ratios(score: Score, left: Ints, right: Ints) -> Floats:
    """The log-ratio of each cell, drawn to what is to be expected of it where its counts are small."""
    return _in_a_row(left, right) if isinstance(score, Additive) else _shrunk(left, right, score.prior)


def _shrunk(left: Ints, right: Ints, prior: Floats) -> Floats:
    """Each between its prior and its own ratio, by how far priors are off in general.

    How far that is, is estimated as the variance between studies is in a meta-analysis (DerSimonian and Laird).
    """
    runs = left + right
    off = np.log((left + 0.5) / (right + 0.5)) - prior
    weight = runs / 4  # one over the variance of a log-ratio near 0
    total = max(float(weight.sum()), 1.0)
    excess = float((weight * off**2).sum()) - int((runs > 0).sum())
    spread = max(excess / max(total - float((weight**2).sum()) / total, 1.0), 4 / MOST_GUIDED)
    return np.asarray(prior + off * weight / (weight + 1 / min(spread, 4 / ROUGH)))


def _in_a_row(left: Ints, right: Ints) -> Floats:
    """Log-ratios of cells in a row, each near those of its neighbours; the last cell, nan, stands alone.

    Three curves are fitted, from rough to stiff, and the stiffest is taken whose loss is not clearly larger than that
    of the roughest: half a nat for each cell is what free cells would gain by chance, and three more allow for luck.
    """
    runs = left + right
    fits = [_smooth_logit(left, runs, stiffness) for stiffness in (ROUGH, runs.sum() / 400, runs.sum() / 4)]
    losses = [float(np.sum(runs * np.logaddexp(0, fit) - left * fit)) for fit in fits]
    acceptable = losses[0] + len(runs) / 2 + 3
    stiffest_first = zip(fits[::-1], losses[::-1], strict=True)
    return next(fit for fit, loss in stiffest_first if loss <= acceptable)


def _smooth_logit(left: Ints, runs: Ints, stiffness: float) -> Floats:
    logs, links = np.zeros(len(runs)), np.full(max(len(runs) - 2, 0), stiffness)
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-logs))
        curve = runs * chance * (1 - chance) + 1e-3
        logs = smoothed(logs + np.clip((left - runs * chance) / curve, -LARGEST_STEP, LARGEST_STEP), curve, links)
    return logs
