"""A release judged by the coins of its canaries: bet on one after the other, and the evidence that this gives."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.audit.one_run.comparing import Compared, Floats
from crowdproof.audit.one_run.guessing import Learner
from crowdproof.audit.one_run.stakes import ROUNDING, Stakes
from crowdproof.exact import Epsilon

STEPS = 400
"""Values of epsilon at which the certified lower bound is looked for: it is given to two digits."""


@frozen(eq=False)
class Judgement:
    """What came of one run."""

    stakes: Stakes
    coins: NDArray[np.bool_]
    expected: Floats
    """For each canary, in the order of betting, how likely it was taken to be in before its coin was revealed."""
    features: tuple[str, ...]

    @property
    def log_wealths(self) -> Floats:
        """ln of the wealth after each canary."""
        return np.cumsum(self.stakes.gains(self.expected, self.coins))

    @property
    def log_evidence(self) -> float:
        """ln of the evidence against the claim."""
        return self.stakes.log_evidence(float(self.log_wealths[-1]) if len(self.coins) else 0.0)

    @property
    def guessed(self) -> NDArray[np.bool_]:
        """Which canaries were bet on."""
        sure = np.maximum(self.expected, 1 - self.expected)
        return sure > self.stakes.most

    @property
    def right(self) -> int:
        """How many of these guesses were right."""
        return int(((self.expected > 0.5) == self.coins)[self.guessed].sum())


def judge(compared: Compared, coins: NDArray[np.bool_], stakes: Stakes) -> Judgement:
    """Bet on the canaries in their order, which is random; each coin is revealed after its bet."""
    learner = Learner.of(compared)
    expected = np.empty(len(coins))
    for canary, coin in enumerate(coins):
        expected[canary] = learner.expected(canary)
        learner.told(canary, inside=bool(coin))
    return Judgement(stakes, coins, expected, compared.names)


def least_epsilon(judgements: Sequence[Judgement], delta: Fraction, error: Fraction) -> float:
    """A lower bound of epsilon at this delta that is too large with probability at most `error`.

    The largest value up to which each value that was tried is refuted: if the truth is refuted, the bound is wrong, and
    that happens with probability at most `error`.
    """
    needed = -float(np.log(float(error)))
    bound = 0.0
    for epsilon in np.geomspace(1e-3, 12.0, STEPS):
        exact = Epsilon.of(float(epsilon))
        found = 0.0
        for each in judgements:
            stakes = Stakes.of(exact, delta, each.stakes.canaries)
            found += stakes.log_evidence(float(stakes.gains(each.expected, each.coins).sum()))
        if found < needed:
            break
        bound = float(epsilon)
    return bound


def enough(judgements: Sequence[Judgement], error: Fraction) -> bool:
    """Whether the evidence of all runs together refutes the claim."""
    return sum(each.log_evidence for each in judgements) >= -math.log(float(error)) + ROUNDING
