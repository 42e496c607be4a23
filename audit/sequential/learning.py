"""Learning which outputs are likelier on the left, from past trials only.

Three kinds of score compete on outputs that none of them was fitted to: one feature, a sum over features, and a table
of the outputs themselves. The simplest one that is nearly the best wins.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from scipy.linalg.lapack import dgtsv

from crowdproof.audit.outputs import Additive, Feature, Lookup, Numbers, Reader, Score, ranked
from crowdproof.audit.outputs.scores import step_of
from crowdproof.audit.sequential.betting import Ints

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]
Counts: TypeAlias = tuple[Ints, Ints]

FITTED = 2 / 3
"""Share of the kept outputs that scores are fitted to; the rest chooses among them and sets the first bets."""
SCREENED = 50_000
"""Outputs on which single features are compared."""
MOST_FEATURES = 24
MOST_FITTED = 150_000
"""Outputs of each side that a sum over features is fitted to."""
MOST_KEYS = 8192
MOST_CELLS = 256
"""Intervals of a sum over features, not counting its tails."""
MOST_BINS = 64
"""Cells that are bins each; more of them are put together."""
NEWTONS = 8
_NONE = np.array([])
SWEEPS = 8
ROUGH = 2.0
"""How strongly a step follows its neighbours, in units of Fisher information: about 8 outputs."""
USUAL = 2.0
"""Standard errors from chance at which a feature joins a sum."""
CLEAR = {"bit": 4.5, "grain": 4.5}
"""The same for kinds of feature that are many and seldom matter."""
NEGLIGIBLE = 0.1
"""Features whose steps reach less than this share of the largest reach are dropped."""
NEARLY = 0.9
"""A simpler score wins if it has this share of the growth of the best one, or is less than one nat behind."""


def learn(
    reader: Reader, left: Any, right: Any, value: Callable[[Counts], float]
) -> tuple[Score, Counts, Counts, Counts] | None:
    """The best score for telling `left` from `right`: how it counts outputs that it was not fitted to, by bins.

    Then the counts by cells of those outputs that it was fitted to, and of the others. `value` tells how much counts by
    bins are worth. None where nothing distinguishes any two outputs.
    """
    cut_left, cut_right = int(len(left) * FITTED), int(len(right) * FITTED)
    old = left[:cut_left], right[:cut_right]
    fresh = left[cut_left:], right[cut_right:]
    tried = []
    for score, cells in _candidates(reader, *old):
        later = score.count(fresh[0]), score.count(fresh[1])
        bins = score.binned(later[0]), score.binned(later[1])
        tried.append((value(bins), (score, bins, cells, later)))
    if not tried:
        return None
    best = max(worth for worth, _ in tried)
    enough = min(NEARLY * best, best - 1 / max(len(fresh[0]), 1))
    return next(found for worth, found in tried if worth >= enough)


def _candidates(reader: Reader, left: Any, right: Any) -> Iterator[tuple[Score, Counts]]:
    """Scores from the simplest on, each with its counts by cells."""
    best = _rank(reader, left, right)
    if best:
        edges = _Steps.of(reader, best[:1], left, right, fine=True).edges
        one = Additive(reader, np.zeros(len(edges[0]) + 2, np.intp), tuple(best[:1]), tuple(edges), (), np.array([]))
        yield _with_ranks(one, left, right)
    table = _lookup(reader, left, right)
    if table is not None:
        yield _with_ranks(table, left, right)
    plain = [each for each in best if each[0] == "value"]
    for several in (plain, best) if 1 < len(plain) < len(best) else (best,):
        if len(several) > 1:
            some = _Steps.of(reader, several[:MOST_FEATURES], left[-MOST_FITTED:], right[-MOST_FITTED:], fine=False)
            for stiffness in (len(some.label) / 40, ROUGH):
                yield _with_ranks(some.fit(stiffness), left, right)


def _with_ranks(score: Score, left: Any, right: Any) -> tuple[Score, Counts]:
    counts = score.count(left), score.count(right)
    return rerank(score, counts), counts


def rerank(score: Score, counts: Counts) -> Score:
    """The same cells, ranked and put into bins by these counts."""
    left, right = counts
    lone = isinstance(score, Lookup)
    logs = np.log((left + ROUGH) / (right + ROUGH)) if lone else _log_ratios(left, right)
    order = np.argsort(logs, kind="stable")
    mass = (left + right)[order]
    below = np.cumsum(mass) - mass / 2
    total = max(int(mass.sum()), 1)
    edges = quantiles(total, 24)[1:-1] * total if len(order) > MOST_BINS else below[1:]
    rank = np.empty(len(order), np.intp)
    rank[order] = np.unique(np.searchsorted(edges, below, side="right"), return_inverse=True)[1]
    return ranked(score, rank)


def _rank(reader: Reader, left: Any, right: Any) -> list[Feature]:
    """Features that tell the sides apart on their own, the best first; where none clearly does, the best one."""
    left, right = left[:SCREENED], right[:SCREENED]
    pooled = left if isinstance(reader, Numbers) else [*left, *right]
    features = reader.candidates(pooled)
    columns = zip(features, reader.columns(left, features), reader.columns(right, features), strict=True)
    clear = {feature: _clarity(one, other, binary=feature[0] == "bit") for feature, one, other in columns}
    varied = (each for each in features if clear[each] > -math.inf)
    ranked = sorted(
        varied, key=lambda each: -round(5 * math.log(max(clear[each], 0.01)))
    )  # alike: as the reader prefers
    return [each for place, each in enumerate(ranked) if place == 0 or clear[each] > CLEAR.get(each[0], USUAL)]


def _clarity(left: Floats, right: Floats, *, binary: bool) -> float:
    """How far from chance two samples differ: over the steps of their pooled quantiles, or in being above zero."""
    present = _chi_square((left > 0).astype(np.intp), (right > 0).astype(np.intp), 2)
    if binary:
        return present
    edges = step_edges(np.concatenate([left, right]), fine=False)
    return max(present, _chi_square(step_of(left, edges), step_of(right, edges), len(edges) + 2))


def _chi_square(left: Places, right: Places, size: int) -> float:
    """Chi-square statistic of two samples of cells, in standard errors from its mean under chance."""
    one = np.bincount(left, minlength=size) / max(len(left), 1)
    two = np.bincount(right, minlength=size) / max(len(right), 1)
    total = one + two
    used = total > 0
    free = int(used.sum()) - 1
    if free < 1:
        return -math.inf
    statistic = float(((one - two)[used] ** 2 / total[used]).sum()) * min(len(left), len(right))
    return (statistic - free) / math.sqrt(2 * free)


def step_edges(values: Floats, *, fine: bool) -> Floats:
    """Edges at the quantiles, closer together towards both tails; a frequent value has a step of its own."""
    values = np.sort(values[~np.isnan(values)])
    if not len(values) or values[0] == values[-1]:
        return np.array([])
    distinct, counts = np.unique(values, return_counts=True)
    atoms = distinct[counts > len(values) / 40]
    rest = values[~np.isin(values, atoms)] if len(atoms) else values
    places = (quantiles(len(rest), 48 if fine else 16) * (len(rest) - 1)).astype(np.intp)
    edges = np.unique(np.concatenate([rest[places] if len(rest) else rest, atoms, np.nextafter(atoms, np.inf)]))
    return np.asarray(edges[(edges > values[0]) & (edges <= values[-1])])


def quantiles(size: int, inner: int) -> Floats:
    """Evenly spread probabilities, and powers of one half in both tails as far as `size` outputs can tell."""
    deepest = max(int(np.log2(max(size / 8, 1))), 1)
    tail = 0.5 ** np.arange(1, deepest + 1)
    return np.unique(np.concatenate([np.linspace(0, 1, inner + 1), tail, 1 - tail]))


@frozen(eq=False)
class _Steps:
    """Features of both samples, cut into steps."""

    reader: Reader
    features: Sequence[Feature]
    edges: list[Floats]
    steps: list[Places]
    label: Floats

    @classmethod
    def of(cls, reader: Reader, features: Sequence[Feature], left: Any, right: Any, *, fine: bool) -> "_Steps":
        sides = zip(reader.columns(left, features), reader.columns(right, features), strict=True)
        columns = [np.concatenate(pair) for pair in sides]
        edges = [step_edges(column, fine=fine) for column in columns]
        label = np.concatenate([np.ones(len(left)), np.zeros(len(right))])
        return cls(reader, features, edges, [step_of(*pair) for pair in zip(columns, edges, strict=True)], label)

    def fit(self, stiffness: float) -> Additive:
        """A logistic regression on the steps of each feature, fitted one feature after the other, over and over."""
        links = [stiffness * _linked(edge) for edge in self.edges]
        weights = [np.zeros(len(edge) + 2) for edge in self.edges]
        score = np.zeros(len(self.label))
        for _ in range(SWEEPS):
            for weight, step, link in zip(weights, self.steps, links, strict=True):
                change = _newton(weight, step, self.label, score, link)
                np.add(weight, change, out=weight)
                score += change[step]
        reach = np.array([np.ptp(weight) for weight in weights])
        kept = np.flatnonzero(reach >= NEGLIGIBLE * reach.max()).tolist()
        cuts = _cuts(np.sum([weights[index][self.steps[index]] for index in kept], axis=0)) if len(kept) > 1 else _NONE
        cells = len(cuts) + 1 if len(kept) > 1 else len(weights[kept[0]])
        return Additive(
            self.reader,
            np.zeros(cells, np.intp),
            tuple(self.features[index] for index in kept),
            tuple(self.edges[index] for index in kept),
            tuple(weights[index] for index in kept),
            cuts,
        )


def _newton(weight: Floats, step: Places, label: Floats, score: Floats, links: Floats) -> Floats:
    """The change of one feature's steps that the residuals ask for; rare steps follow their neighbours."""
    chance = 1 / (1 + np.exp(-score))
    slope = np.bincount(step, label - chance, len(weight))
    curve = np.asarray(np.bincount(step, chance * (1 - chance), len(weight)) + 1e-9, float)
    return np.clip(_smoothed(weight + slope / curve, curve, links) - weight, -2.0, 2.0)


def _log_ratios(left: Ints, right: Ints) -> Floats:
    """Log-ratios of counts on cells in a row, each near those of its neighbours; the last cell, nan, stands alone.

    As stiff as cross-validation by chance allows: the stiffest of a few smooths whose fit is not clearly worse.
    """
    runs = left + right
    fits = [_smooth_logit(left, runs, stiffness) for stiffness in (ROUGH, runs.sum() / 400, runs.sum() / 4)]
    loss = [float(np.sum(runs * np.logaddexp(0, fit) - left * fit)) for fit in fits]
    return next(fit for fit, each in zip(fits[::-1], loss[::-1], strict=True) if each <= loss[0] + len(runs) / 2 + 3)


def _smooth_logit(left: Ints, runs: Ints, stiffness: float) -> Floats:
    logs, links = np.zeros(len(runs)), np.full(max(len(runs) - 2, 0), stiffness)
    for _ in range(NEWTONS):
        chance = 1 / (1 + np.exp(-logs))
        curve = runs * chance * (1 - chance) + 1e-3
        logs = _smoothed(logs + np.clip((left - runs * chance) / curve, -2, 2), curve, links)
    return logs


def _linked(edges: Floats) -> Floats:
    """1 for neighbouring steps that are alike, 0 where one of them is a single frequent value."""
    lone = (
        np.concatenate([[False], edges[1:] <= np.nextafter(edges[:-1], np.inf), [False]])
        if len(edges)
        else np.array([])
    )
    if len(edges) and edges[0] <= np.finfo(float).min:
        lone[0] = True  # minus infinity
    return np.asarray(~(lone[1:] | lone[:-1]), dtype=float) if len(edges) else np.array([])


def _smoothed(aim: Floats, curve: Floats, links: Floats) -> Floats:
    """Steps near their aims and near the neighbours they are linked to, by tridiagonal least squares.

    The last step, nan, stands alone; and every step is drawn a little towards zero.
    """
    size = len(aim) - 1
    if size < 4:
        return np.asarray(curve * aim / (curve + ROUGH))
    diagonal = curve[:-1] + 1e-6
    diagonal[:-1] += links
    diagonal[1:] += links
    inner = dgtsv(-links, diagonal, -links, curve[:-1] * aim[:-1])[3]
    return np.append(inner, curve[-1] * aim[-1] / (curve[-1] + ROUGH))


def _lookup(reader: Reader, left: Any, right: Any) -> Lookup | None:
    """A score for each distinct output, where outputs repeat themselves."""
    one, two = reader.codes(left), reader.codes(right)
    codes, first = np.unique(np.concatenate([one, two]), return_index=True)
    if len(codes) < 2 or len(codes) > min(MOST_KEYS, (len(one) + len(two)) / 2):
        return None
    texts = tuple(_shown(left[at] if at < len(one) else right[at - len(one)]) for at in first)
    return Lookup(reader, np.zeros(len(codes) + 1, np.intp), codes, texts)


def _shown(output: Any) -> str:
    if isinstance(output, np.ndarray):
        numbers = [f"{each:.6g}" for each in output.tolist()]
        text = numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"
    else:
        text = " ".join(str(output).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def _cuts(scores: Floats) -> Floats:
    """Where to cut a score into cells: between any two values if they are few, else at quantiles out to the tails."""
    distinct = np.unique(scores)
    if len(distinct) > MOST_CELLS:
        ordered = np.sort(scores)
        places = (quantiles(len(ordered), MOST_CELLS // 4) * (len(ordered) - 1)).astype(np.intp)
        distinct = np.unique(ordered[places])
    return distinct[1:]
