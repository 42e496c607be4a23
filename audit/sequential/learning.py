"""Learning which outputs are likelier on the left, from past trials only.

Three kinds of score compete on outputs that none of them was fitted to: one feature, a sum over features, and a table
of the outputs themselves. The simplest one that is nearly the best wins.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from scipy.linalg import solve_banded

from crowdproof.audit.outputs import Additive, Feature, Lookup, Numbers, Reader, Score
from crowdproof.audit.outputs.scores import step_of
from crowdproof.audit.sequential.betting import Ints

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = tuple[Ints, Ints]

FITTED = 2 / 3
"""Share of the kept outputs that scores are fitted to; the rest chooses among them and sets the first bets."""
SCREENED = 20_000
"""Outputs on which single features are compared."""
MOST_FEATURES = 24
MOST_FITTED = 50_000
"""Outputs of each side that a sum over features is fitted to."""
MOST_KEYS = 8192
SWEEPS = 12
ROUGH = 2.0
"""How strongly a step follows its neighbours, in units of Fisher information: about 8 outputs. A smooth fit has all."""
CLEAR = 3.0
"""Standard errors from chance at which a feature joins a sum."""
NEGLIGIBLE = 0.1
"""Features whose steps reach less than this share of the largest reach are dropped."""
NEARLY = 0.9
"""A simpler score wins if it has this share of the growth of the best one, or is less than one nat behind."""


def learn(reader: Reader, left: Any, right: Any, value: Callable[[Counts], float]) -> tuple[Score, Counts] | None:
    """The best score for telling `left` from `right`, and its bin counts on outputs that it was not fitted to.

    `value` tells how much the counts are worth. None where nothing distinguishes any two outputs.
    """
    cut_left, cut_right = int(len(left) * FITTED), int(len(right) * FITTED)
    old = left[:cut_left], right[:cut_right]
    fresh = left[cut_left:], right[cut_right:]
    tried = []
    for score in _candidates(reader, *old):
        counts = count(score, fresh[0]), count(score, fresh[1])
        tried.append((value(counts), score, counts))
    if not tried:
        return None
    best = max(worth for worth, _, _ in tried)
    enough = min(NEARLY * best, best - 1 / max(len(fresh[0]), 1))
    _, score, counts = next(each for each in tried if each[0] >= enough)
    return score, counts


def count(score: Score, outputs: Any) -> Ints:
    """How many of the outputs fall in each bin."""
    size = len(score.cuts) + 1
    return np.bincount(score.bins(outputs), minlength=size) if len(outputs) else np.zeros(size, np.int64)


def _candidates(reader: Reader, left: Any, right: Any) -> list[Score]:
    """Scores from the simplest on."""
    ranked = _rank(reader, left, right)
    found: list[Score] = []
    if ranked:
        one = _Steps.of(reader, ranked[:1], left, right, fine=True)
        found += [one.fit(left, right, smooth=True), one.fit(left, right, smooth=False)]
    table = _lookup(reader, left, right)
    if table is not None:
        found.append(table)
    if len(ranked) > 1:
        left, right = left[-MOST_FITTED:], right[-MOST_FITTED:]
        found.append(_Steps.of(reader, ranked[:MOST_FEATURES], left, right, fine=False).fit(left, right, smooth=False))
    return found


def _rank(reader: Reader, left: Any, right: Any) -> list[Feature]:
    """Features that tell the sides apart on their own, the best first; where none clearly does, the best one."""
    left, right = left[:SCREENED], right[:SCREENED]
    pooled = left if isinstance(reader, Numbers) else [*left, *right]
    features = reader.candidates(pooled)
    columns = zip(features, reader.columns(left, features), reader.columns(right, features), strict=True)
    clear = {feature: _clarity(one, other) for feature, one, other in columns}
    varied = (each for each in features if clear[each] > -math.inf)
    ranked = sorted(
        varied, key=lambda each: -round(5 * math.log(max(clear[each], 0.01)))
    )  # alike: as the reader prefers
    return [each for place, each in enumerate(ranked) if place == 0 or clear[each] > CLEAR]


def _clarity(left: Floats, right: Floats) -> float:
    """How far from chance two samples differ: over the steps of their pooled quantiles, or in being above zero."""
    edges = step_edges(np.concatenate([left, right]), fine=False)
    clear = _chi_square(step_of(left, edges), step_of(right, edges), len(edges) + 2)
    return max(clear, _chi_square((left > 0).astype(np.intp), (right > 0).astype(np.intp), 2))


def _chi_square(left: NDArray[np.intp], right: NDArray[np.intp], size: int) -> float:
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
    at = np.unique(values[(quantiles(len(values), 48 if fine else 16) * (len(values) - 1)).astype(np.intp)])
    atoms = at[np.searchsorted(values, at, side="right") - np.searchsorted(values, at) > len(values) / 40]
    edges = np.union1d(at, np.nextafter(atoms, np.inf))
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
    steps: list[NDArray[np.intp]]

    @classmethod
    def of(cls, reader: Reader, features: Sequence[Feature], left: Any, right: Any, *, fine: bool) -> "_Steps":
        sides = zip(reader.columns(left, features), reader.columns(right, features), strict=True)
        columns = [np.concatenate(pair) for pair in sides]
        edges = [step_edges(column, fine=fine) for column in columns]
        return cls(reader, features, edges, [step_of(*pair) for pair in zip(columns, edges, strict=True)])

    def fit(self, left: Any, right: Any, *, smooth: bool) -> Additive:
        """A logistic regression on the steps of each feature, fitted one feature after the other, over and over."""
        label = np.concatenate([np.ones(len(left)), np.zeros(len(right))])
        weights = [np.zeros(len(edge) + 2) for edge in self.edges]
        score = np.zeros(len(label))
        stiffness = max(len(label) / 4, ROUGH) if smooth else ROUGH
        for _ in range(1 if len(self.steps) == 1 else SWEEPS):
            for weight, step in zip(weights, self.steps, strict=True):
                change = _newton(weight, step, label, score, stiffness)
                np.add(weight, change, out=weight)
                score += change[step]
        reach = np.array([np.ptp(weight) for weight in weights])
        kept = np.flatnonzero(reach >= NEGLIGIBLE * reach.max()).tolist()
        score = np.sum([weights[index][self.steps[index]] for index in kept], axis=0)
        return Additive(
            self.reader,
            tuple(self.features[index] for index in kept),
            tuple(self.edges[index] for index in kept),
            tuple(weights[index] for index in kept),
            cuts(score),
        )


def _newton(weight: Floats, step: NDArray[np.intp], label: Floats, score: Floats, stiffness: float) -> Floats:
    """The change of one feature's steps that the residuals ask for; rare steps follow their neighbours."""
    chance = 1 / (1 + np.exp(-score))
    slope = np.bincount(step, label - chance, len(weight))
    curve = np.asarray(np.bincount(step, chance * (1 - chance), len(weight)) + 1e-9, float)
    return np.clip(_smoothed(weight + slope / curve, curve, stiffness) - weight, -2.0, 2.0)


def _smoothed(aim: Floats, curve: Floats, stiffness: float) -> Floats:
    """Steps near their aims and near each other, by tridiagonal least squares. The last step, nan, stands alone."""
    size = len(aim) - 1
    if size < 4:
        return np.asarray(curve * aim / (curve + ROUGH))
    bands = np.zeros((3, size))
    bands[1] = curve[:-1] + 2 * stiffness
    bands[1, [0, -1]] -= stiffness
    bands[0, 1:] = bands[2, :-1] = -stiffness
    inner = solve_banded((1, 1), bands, curve[:-1] * aim[:-1])
    return np.append(inner, curve[-1] * aim[-1] / (curve[-1] + ROUGH))


def _lookup(reader: Reader, left: Any, right: Any) -> Lookup | None:
    """A score for each distinct output, where outputs repeat themselves."""
    one, two = reader.codes(left), reader.codes(right)
    codes, first, inverse = np.unique(np.concatenate([one, two]), return_index=True, return_inverse=True)
    if len(codes) < 2 or len(codes) > min(MOST_KEYS, len(inverse) / 2):
        return None
    hits = np.bincount(inverse[: len(one)], minlength=len(codes))
    misses = np.bincount(inverse[len(one) :], minlength=len(codes))
    values = np.log((hits + ROUGH) / (misses + ROUGH))
    texts = tuple(_shown(left[at] if at < len(one) else right[at - len(one)]) for at in first)
    return Lookup(reader, codes, values, texts, cuts(np.append(values[inverse], 0.0)))


def _shown(output: Any) -> str:
    if isinstance(output, np.ndarray):
        numbers = [f"{each:.6g}" for each in output.tolist()]
        text = numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"
    else:
        text = " ".join(str(output).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def cuts(scores: Floats) -> Floats:
    """Where to cut the score into bins: between any two values if they are few, else at quantiles out to the tails."""
    distinct = np.unique(scores)
    if len(distinct) > 64:
        ordered = np.sort(scores)
        places = (quantiles(len(ordered), 24) * (len(ordered) - 1)).astype(np.intp)
        distinct = np.unique(ordered[places])
    return distinct[1:]
