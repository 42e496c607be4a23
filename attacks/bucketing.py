"""Buckets of people and of their secrets, without which is whose, and what is learned from many of them."""

from typing import Any

import numpy as np
import polars as pl
from attrs import frozen
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_ROUNDS, _BALANCING = 12, 8
_SMOOTH = 0.5
_BANDS = 15
"""Bands that a number is known by: ages of adults to five years."""


@frozen(eq=False)
class People:
    """Public values as codes, one column each, and the secret as a code."""

    features: tuple[Ints, ...]
    sizes: tuple[int, ...]
    secret: Ints
    secrets: int

    @classmethod
    def of(cls, table: pl.DataFrame, known: tuple[str, ...], secret: str) -> "People":
        """The rows of the table; a number is known by its band, as ages are to five years."""
        coded = [np.unique(_known(table[name]), return_inverse=True) for name in known]
        values, hidden = np.unique(table[secret].cast(pl.String).to_numpy().astype(str), return_inverse=True)
        return cls(tuple(each for _, each in coded), tuple(len(each) for each, _ in coded), hidden, len(values))

    def rows(self, which: Ints) -> "People":
        """Some of the people."""
        return People(tuple(each[which] for each in self.features), self.sizes, self.secret[which], self.secrets)


def _known(column: pl.Series) -> NDArray[Any]:
    if not column.dtype.is_numeric():
        return column.cast(pl.String).to_numpy().astype(str)
    numbers = column.cast(pl.Float64).to_numpy()
    width = float(numbers.max() - numbers.min()) / _BANDS if len(numbers) else 0.0
    return np.floor(numbers / (max(1.0, round(width)) if width >= 0.5 or width == 0 else width))


@frozen(eq=False)
class Model:
    """Naive Bayes: the logarithms of how common each secret is, and each value among those who have it."""

    prior: Floats
    tables: tuple[Floats, ...]

    @classmethod
    def learn(cls, people: People, belief: Floats) -> "Model":
        """From people and, for each, how likely each secret is held to be."""
        tables = []
        for codes, size in zip(people.features, people.sizes, strict=True):
            counts = np.stack([np.bincount(codes, belief[:, each], size) for each in range(people.secrets)]) + _SMOOTH
            tables.append(np.log(counts / counts.sum(axis=1, keepdims=True)))
        weight = belief.sum(axis=0) + _SMOOTH
        return cls(np.log(weight / weight.sum()), tuple(tables))

    def scores(self, people: People) -> Floats:
        """Person x secret: the logarithm of their joint probability."""
        total = np.tile(self.prior, (len(people.secret), 1))
        for codes, table in zip(people.features, self.tables, strict=True):
            total += table[:, codes].T
        return total


def anatomy(secret: Ints, l: int, rng: np.random.Generator) -> Ints:  # noqa: E741
    """Bucket x place: rows with l different secrets each, drawn from the commonest ones that are left (Anatomy).

    Rows that are left over when fewer than l secrets remain are not published.
    """
    piles = [rng.permutation(np.flatnonzero(secret == each)).tolist() for each in range(int(secret.max()) + 1)]
    buckets: list[Ints] = []
    while True:
        order = sorted(range(len(piles)), key=lambda each: -len(piles[each]))[:l]
        if len(order) < l or not piles[order[-1]]:
            return np.array(buckets, dtype=np.int64).reshape(-1, l)
        buckets.append(rng.permutation([piles[each].pop() for each in order]))


def match(people: People, buckets: Ints, rng: np.random.Generator) -> tuple[Model, Ints]:
    """Learn and match in turn; the model, and for each bucket and place the secret that is said to be that person's.

    What is seen of a bucket is its people and its secrets, shuffled: the truth is not used.
    """
    members = people.rows(buckets.ravel())
    shape = buckets.shape
    shown = rng.permuted(people.secret[buckets], axis=1)
    belief = np.zeros((*shape, people.secrets))
    np.put_along_axis(belief, np.repeat(shown[:, None, :], shape[1], axis=1), 1 / shape[1], axis=2)
    for _ in range(_ROUNDS):
        model = Model.learn(members, belief.reshape(-1, people.secrets))
        weights = _assignments(model, members, shown)
        belief[:] = 0
        np.put_along_axis(belief, np.repeat(shown[:, None, :], shape[1], axis=1), weights, axis=2)
    best = weights.argmax(axis=2)
    return model, np.take_along_axis(shown, best, axis=1)


def _assignments(model: Model, members: People, shown: Ints) -> Floats:
    """Bucket x person x shown secret: how likely they belong together, each person and each secret once."""
    scores = model.scores(members).reshape(*shown.shape, -1)
    chosen = (
        np.take_along_axis(scores, np.repeat(shown[:, None, :], shown.shape[1], axis=1), axis=2)
        - model.prior[shown][:, None, :]
    )
    weights: Floats = np.exp(chosen - chosen.max(axis=2, keepdims=True)) + 1e-12
    for _ in range(_BALANCING):
        weights /= weights.sum(axis=1, keepdims=True)
        weights /= weights.sum(axis=2, keepdims=True)
    return weights


def among_alike(people: People, l: int, rng: np.random.Generator) -> Ints:  # noqa: E741
    """Buckets as by `anatomy`, each of people whose public values are equal: the defended twin."""
    classes = np.unique(np.stack(people.features), axis=1, return_inverse=True)[1]
    order = np.argsort(classes, kind="stable")
    found = [
        which[anatomy(people.secret[which], l, rng)]
        for which in np.split(order, np.flatnonzero(np.diff(classes[order])) + 1)
    ]
    return np.concatenate([each for each in found if len(each)] or [np.zeros((0, l), np.int64)])
