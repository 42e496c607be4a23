"""The laws at the heart of the nulls: which answer comes of which dataset, in whole-number weights.

A law is a table of weights, one row for each case of the data and one column for each answer. An answer is drawn by one
uniform whole number, so its probabilities are exactly the fractions that are written here.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from crowdproof.errors import ParameterError

Cases: TypeAlias = tuple[int, int]
"""The cases of two neighbouring datasets."""
LARGEST = 2**62
"""A row of weights sums to less than this, so that numpy draws the answer by one whole number of 64 bits.
Derived, with a bit to spare."""
FINE = 2**16
"""e^epsilon is rounded down to a multiple of one part in so many: the law is then inside the claim by that much.
A guess: too little to be seen in as many runs as there are."""


@frozen
class Law:
    """Weights of the answers in each case; the probability of an answer is its weight over the sum of the row."""

    name: str
    weights: tuple[tuple[int, ...], ...] = field()

    @weights.validator
    def _drawable(self, _attribute: object, rows: tuple[tuple[int, ...], ...]) -> None:
        if not all(0 < sum(row) < LARGEST and min(row) >= 0 for row in rows):
            raise ParameterError(f"the law '{self.name}' has weights that cannot be drawn: take smaller fractions.")

    @property
    def answers(self) -> int:
        """How many answers there are."""
        return len(self.weights[0])

    def probabilities(self, case: int) -> tuple[Fraction, ...]:
        """The exact law of the answer in this case."""
        row = self.weights[case]
        return tuple(Fraction(each, sum(row)) for each in row)

    def ends(self) -> tuple[NDArray[np.int64], ...]:
        """For each case the running sums of the weights: the answer is the place of a uniform number among them."""
        return tuple(np.cumsum(np.array(row, np.int64)) for row in self.weights)


def edge(law: Law, pairs: Iterable[Cases], x: Fraction) -> Fraction:
    """The exact smallest delta for which no event is likelier than x times its probability on the other side."""
    return max((_excess(law.probabilities(a), law.probabilities(b), x) for a, b in _both_ways(pairs)), default=_NONE)


def loss(law: Law, pairs: Iterable[Cases]) -> Fraction | None:
    """The exact smallest e^epsilon at delta 0, or None where an answer is possible on one side only."""
    ratios = []
    for a, b in _both_ways(pairs):
        for p, q in zip(law.probabilities(a), law.probabilities(b), strict=True):
            if p and not q:
                return None
            ratios.append(p / q if p else _NONE)
    return max(ratios)


_NONE = Fraction(0)
"""No probability at all, as a fraction, so that sums stay exact."""


def _excess(one: Sequence[Fraction], two: Sequence[Fraction], x: Fraction) -> Fraction:
    return sum((max(p - x * q, _NONE) for p, q in zip(one, two, strict=True)), _NONE)


def _both_ways(pairs: Iterable[Cases]) -> list[Cases]:
    return [each for a, b in pairs for each in ((a, b), (b, a))]


def below_exp(epsilon: float) -> Fraction:
    """A fraction that is at most e^epsilon, and less by two parts in `FINE` at most."""
    return Fraction(max(math.floor(math.exp(epsilon) * FINE) - 1, FINE), FINE)


def response(x: Fraction, delta: Fraction, size: int) -> Law:
    """Randomized response: the case itself with odds x against each other answer; told outright with chance delta.

    Every set of honest answers that holds the case meets the bound with equality, and so does being told.
    """
    p, q, d, n = x.numerator, x.denominator, delta.numerator, delta.denominator

    def row(case: int) -> tuple[int, ...]:
        honest = [(n - d) * q] * size
        honest[case] = (n - d) * p
        if not d:
            return tuple(honest)
        told = [0] * size
        told[case] = d * (p + (size - 1) * q)
        return (*honest, *told)

    return Law(f"randomized response among {size}", tuple(map(row, range(size))))


def geometric(step: Fraction, steps: int, cases: int) -> Law:
    """Two-sided geometric noise on a grid, clamped to its ends: Laplace noise of a count, `steps` points to each unit.

    The odds of neighbouring points are `step`, so those of neighbouring cases are step^steps, with equality for every
    answer beyond the two.
    """
    p, q, top = step.numerator, step.denominator, (cases - 1) * steps

    def weight(distance: int, *, end: bool) -> int:
        return int((p if end else p - q) * q**distance * p ** (top - distance))

    rows = tuple(
        tuple(weight(abs(answer - case * steps), end=answer in (0, top)) for answer in range(top + 1))
        for case in range(cases)
    )
    return Law(f"geometric noise on {top + 1} points", rows)


def groups(k: int, rows: int) -> Law:
    """What a strongly safe k-anonymizer shows of a group of so many equal rows: their count, or none of them."""

    def row(case: int) -> tuple[int, ...]:
        shown = case if case >= k else 0
        return tuple(int(answer == shown) for answer in range(rows + 1))

    return Law(f"groups of {k} of up to {rows} rows", tuple(map(row, range(rows + 1))))


def ignoring(weights: Sequence[int], cases: int) -> Law:
    """A law that gives the same answers whatever the data: every claim about it is true."""
    return Law("data ignored", (tuple(weights),) * cases)


def chances(name: str, each: Sequence[Fraction]) -> Law:
    """Answer 1 with the given probability in each case, and else 0."""
    return Law(name, tuple(_whole((1 - chance, chance)) for chance in each))


def sampled(law: Law, beta: Fraction) -> Law:
    """The law on a Poisson sample, where the case is the number of rows and each row is kept with probability beta."""

    def row(rows: int) -> tuple[Fraction, ...]:
        kept = [math.comb(rows, j) * beta**j * (1 - beta) ** (rows - j) for j in range(rows + 1)]
        parts = [[chance * p for p in law.probabilities(j)] for j, chance in enumerate(kept)]
        return tuple(sum(column, _NONE) for column in zip(*parts, strict=True))

    return Law(f"{law.name}, sampled at {beta}", tuple(_whole(row(case)) for case in range(len(law.weights))))


def _whole(row: Sequence[Fraction]) -> tuple[int, ...]:
    scale = math.lcm(*(each.denominator for each in row))
    return tuple(int(each * scale) for each in row)


def crowds(x: Fraction, k: int, most: int) -> Law:
    """Two groups of up to `most` rows: the count of each from k on, else its parity by randomized response with odds x.

    A case is (rows of a) * (most + 1) + (rows of b). Below k, one row less turns the parity over, which the response
    hides with equality at e^epsilon = x: the row is ignored. From k on, a row has k rows just like it to blend with.
    """
    one = [_crowd(x, k, most, count) for count in range(most + 1)]
    rows = tuple(tuple(p * q for p, q in product(one[a], one[b])) for a, b in product(range(most + 1), repeat=2))
    return Law(f"crowds of {k} among two groups", rows)


def _crowd(x: Fraction, k: int, most: int, count: int) -> tuple[int, ...]:
    p, q = x.numerator, x.denominator
    told = [(p + q) * int(count == each) for each in range(k, most + 1)]
    if count >= k:
        return (0, 0, *told)
    return (q, p, *told) if count % 2 else (p, q, *told)
