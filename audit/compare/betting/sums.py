"""Sums over features: a logistic regression on steps, smooth from step to step, of features that each add something."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from scipy.linalg.lapack import dgtsv

from crowdproof.audit.compare.betting.steps import clarity, quantiles, step_edges
from crowdproof.audit.releases import Additive, Feature, Reader
from crowdproof.audit.releases.scores import step_of

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]

MOST_CHOSEN = 12
"""Features of a sum at most: a guess. Each further one costs time and, by chance, adds noise."""
MOST_CELLS = 256
"""Intervals of a sum, not counting its tails: a guess, fine against what so many outputs can tell."""
SWEEPS = 5
"""Times that every chosen feature is fitted once more at the end, since each was fitted before the later ones joined. A
guess: more cost time and change little, with fewer the first features keep what belongs to later ones."""
STIFF = 1 / 40
"""How strongly a step follows its neighbours, in units of Fisher information, as a share of all outputs. A guess:
weaker steps follow the noise, stronger ones level out a narrow peak."""
ROUGH = 2.0
"""How strongly a step is drawn to zero where it has few neighbours: as by 8 outputs, since each carries a Fisher
information of 1/4 at even odds. That it is 8 is a guess: with fewer a step that a handful of outputs made would look
large, with more a rare output is overlooked."""
USUAL = 2.0
"""Standard errors from chance at which a feature joins a sum: the usual two."""
CLEAR = {"bit": 4.5, "grain": 4.5}
"""The same for kinds of feature that are many and seldom matter: a normal number is 4.5 standard errors off once in
150,000 times, so that the best of a hundred is once in 1,500."""
NEGLIGIBLE = 0.1
"""Features whose steps reach less than this share of the largest reach are dropped. A guess: they hardly move an output
into another cell, and would have to be told in the words of the event."""


@frozen(eq=False)
class Steps:
    """Features of both samples, cut into steps."""

    reader: Reader
    features: Sequence[Feature]
    edges: list[Floats]
    steps: list[Places]
    label: Floats
    """1 for outputs of the left."""

    @classmethod
    def of(cls, reader: Reader, features: Sequence[Feature], left: Any, right: Any) -> "Steps":
        """Cut them at the quantiles of both together."""
        sides = zip(reader.columns(left, features), reader.columns(right, features), strict=True)
        columns = [np.concatenate(pair) for pair in sides]
        edges = [step_edges(column, fine=False) for column in columns]
        label = np.concatenate([np.ones(len(left)), np.zeros(len(right))])
        steps = [step_of(*pair) for pair in zip(columns, edges, strict=True)]
        return cls(reader, features, edges=edges, steps=steps, label=label)

    def only(self, wanted: Callable[[Feature], bool]) -> "Steps":
        """Some of the features."""
        places = [place for place, feature in enumerate(self.features) if wanted(feature)]
        return Steps(
            self.reader,
            [self.features[place] for place in places],
            edges=[self.edges[place] for place in places],
            steps=[self.steps[place] for place in places],
            label=self.label,
        )

    def fit(self) -> Additive | None:
        """The sum of those features that add something, the most telling first; None where there are not two."""
        links = [STIFF * len(self.label) * linked(edge) for edge in self.edges]
        weights = [np.zeros(len(edge) + 2) for edge in self.edges]
        score, chosen = np.zeros(len(self.label)), list[int]()
        while (place := self._next(score, chosen)) is not None:
            chosen.append(place)
            for each in chosen[::-1]:
                self._improve(weights[each], each, score=score, links=links[each])
        for _ in range(SWEEPS if len(chosen) > 1 else 0):
            for each in chosen:
                self._improve(weights[each], each, score=score, links=links[each])
        reach = max((np.ptp(weights[each]) for each in chosen), default=0.0)
        kept = [each for each in chosen if np.ptp(weights[each]) >= NEGLIGIBLE * reach]
        return self._sum(kept, weights) if len(kept) > 1 else None

    def _next(self, score: Floats, chosen: list[int]) -> int | None:
        """The feature that would add most to those chosen, if that is no chance: by the test of its score."""
        if len(chosen) >= MOST_CHOSEN:
            return None
        chance = 1 / (1 + np.exp(-score))
        rest, spread = self.label - chance, float((chance * (1 - chance)).mean())
        clear = {
            place: clarity(np.bincount(step, rest), np.bincount(step), spread)
            for place, step in enumerate(self.steps)
            if place not in chosen
        }
        joining = [each for each in clear if clear[each] > CLEAR.get(self.features[each][0], USUAL)]
        return max(joining, key=lambda each: clear[each], default=None)

    def _improve(self, weight: Floats, place: int, score: Floats, links: Floats) -> None:
        change = _newton(weight, self.steps[place], label=self.label, score=score, links=links)
        np.add(weight, change, out=weight)
        score += change[self.steps[place]]

    def _sum(self, kept: list[int], weights: list[Floats]) -> Additive:
        cuts = _cuts(np.sum([weights[each][self.steps[each]] for each in kept], axis=0))
        return Additive(
            reader=self.reader,
            rank=np.zeros(len(cuts) + 1, np.intp),
            features=tuple(self.features[each] for each in kept),
            edges=tuple(self.edges[each] for each in kept),
            weights=tuple(weights[each] for each in kept),
            cuts=cuts,
        )


def _newton(weight: Floats, step: Places, label: Floats, score: Floats, links: Floats) -> Floats:
    """The change of one feature's steps by one step of Newton's method; rare steps follow their neighbours."""
    chance = 1 / (1 + np.exp(-score))
    slope = np.bincount(step, label - chance, len(weight))
    curve = np.asarray(np.bincount(step, chance * (1 - chance), len(weight)) + 1e-9, float)
    return np.clip(smoothed(weight + slope / curve, curve, links) - weight, -2.0, 2.0)


def linked(edges: Floats) -> Floats:
    """1 for neighbouring steps that are alike, 0 where one of them is a single frequent value."""
    if not len(edges):
        return np.array([])
    lone = np.concatenate([[False], edges[1:] <= np.nextafter(edges[:-1], np.inf), [False]])
    if edges[0] <= np.finfo(float).min:
        lone[0] = True  # minus infinity
    return np.asarray(~(lone[1:] | lone[:-1]), dtype=float)


def smoothed(aim: Floats, curve: Floats, links: Floats) -> Floats:
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


def _cuts(scores: Floats) -> Floats:
    """Where to cut a score into cells: between any two values if they are few, else at quantiles out to the tails."""
    distinct = np.unique(scores)
    if len(distinct) > MOST_CELLS:
        ordered = np.sort(scores)
        places = (quantiles(len(ordered), MOST_CELLS // 4) * (len(ordered) - 1)).astype(np.intp)
        distinct = np.unique(ordered[places])
    return distinct[1:]
