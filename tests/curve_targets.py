"""Mechanisms whose law is known, at the edge of a claim and beyond it."""

from fractions import Fraction

import numpy as np
from attrs import frozen

from crowdproof.audit import Pair
from crowdproof.claims import Neighbours

ZERO_ONE = Pair([0], [1], Neighbours.ADD_REMOVE, "0 against 1")


@frozen
class Response:
    """Three answers: two that tell the datasets apart by a factor, and one that tells with a small probability."""

    odds: Fraction
    telling: Fraction
    """Probability of an answer that only one dataset gives."""

    def law(self, data):
        bit, rest = data[0], 1 - self.telling
        true, false = rest * self.odds / (1 + self.odds), rest / (1 + self.odds)
        return [(f"surely {bit}", self.telling), (f"perhaps {bit}", true), (f"perhaps {1 - bit}", false)]

    def __call__(self, data, rng):
        return self.batch(data, rng, 1)[0]

    def batch(self, data, rng, size):
        answers, weights = zip(*self.law(data), strict=True)
        return [answers[place] for place in rng.choice(3, size, p=[float(each) for each in weights])]


@frozen
class Gaussian:
    """Normal noise, rounded to a grid, so that no bits of a float tell anything."""

    sigma: float

    def __call__(self, data, rng):
        return int(self.batch(data, rng, 1)[0])

    def batch(self, data, rng, size):
        return np.round(20 * (data[0] + rng.normal(0, self.sigma, size))).astype(int)
