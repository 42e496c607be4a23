"""A second route to the numbers: laws of releases in exact fractions, by going through all samples."""

from fractions import Fraction
from itertools import product
from math import comb


def by_samples(rows, k, beta):
    """The law of the counts shown, for cells with these many rows, by going through every single sample."""
    law = {}
    cells = [cell for cell, count in enumerate(rows) for _ in range(count)]
    for drawn in product((0, 1), repeat=len(cells)):
        counts = [0] * len(rows)
        weight = Fraction(1)
        for cell, taken in zip(cells, drawn, strict=True):
            counts[cell] += taken
            weight *= beta if taken else 1 - beta
        shown = tuple(count if count >= k else 0 for count in counts)
        law[shown] = law.get(shown, Fraction(0)) + weight
    return law


def by_counts(rows, k, beta):
    """The same, by binomial weights of each cell."""
    law = {(): Fraction(1)}
    for n in rows:
        cell = {}
        for j in range(n + 1):
            shown = j if j >= k else 0
            cell[shown] = cell.get(shown, Fraction(0)) + comb(n, j) * beta**j * (1 - beta) ** (n - j)
        law = {(*seen, j): p * mass for seen, p in law.items() for j, mass in cell.items()}
    return law


def excess(left, right, x):
    """sum over outputs of (left - x right)+."""
    return sum((max(p - x * right.get(shown, 0), Fraction(0)) for shown, p in left.items()), Fraction(0))
