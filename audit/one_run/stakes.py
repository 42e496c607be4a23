"""What right guesses about fair coins say against a claim, as evidence that may be looked at any time.

**delta = 0.** Canary i is in the data if its fair coin S says so. Under epsilon-DP, whatever the other coins are, the
release is at most e^epsilon times likelier with the canary than without it, and the other way round. So by Bayes' rule,
given the release and any other coins, either side of the coin has probability at most p = e^epsilon / (1 + e^epsilon).
A bet that multiplies the wealth by a where the guess is right and by b where it is wrong, with p a + (1 - p) b = 1 and
a >= b, therefore leaves it no larger in the mean. Which canary comes next, what is guessed and how much is staked may
depend on the release and on all coins revealed so far. By Ville's inequality the wealth of a true claim ever reaches
1 / error with probability at most error.

**delta > 0.** Let q be the probability that a guess is right, given the release and all other coins. Fix these other
coins, and let P and Q be the laws of the release with and without the canary. For the guess "in" the mean of
(q - p)^+ is the integral of ((1 - p) P - p Q)^+ / 2 = (1 - p) (P - e^epsilon Q)^+ / 2, at most (1 - p) delta / 2; for
"out" likewise. So the mean of the larger of the two is at most (1 - p) delta = delta / (1 + e^epsilon). With fewer
coins known, q is a mean of such values, and the positive part of a mean is at most the mean of positive parts. So the
bound holds whichever coins were revealed before, and in whatever order.

Now look at the concave function  psi(w) = w / c  for w <= c,  1 + ln(w / c)  beyond. One step takes the mean of psi up
by at most (q - p)^+ (psi(a w) - psi(b w)), and that difference is at most ln(a / b), since psi grows by at most 1 where
ln w grows by 1. If ln(a / b) <= L for every bet, the mean of psi(wealth), at any time at which one stops, is at most 1
/ c + m L delta / (1 + e^epsilon) for m canaries, each of which is bet on once. So

    psi(wealth) / (1 / c + m L delta / (1 + e^epsilon))

has mean at most 1: evidence of the same kind, which multiplies over runs with fresh coins. It grows with the logarithm
of the wealth only, in proportion to r / (m delta) for r right guesses. No form could do much better: a mechanism may
publish everything with probability delta, so that no single run refutes at an error below that.
"""

import math
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from crowdproof.exact import Epsilon

Floats: TypeAlias = NDArray[np.float64]

RATIO_WITH_DELTA = 2.0
"""L where delta > 0: a bet pays at most e^2 = 7 times as much for a right guess as for a wrong one. The price of delta
is in proportion to L, and a right guess earns little more with a larger one: at epsilon 0.5 it multiplies the wealth by
1.48, and never by more than 1.61."""
RATIO_WITHOUT_DELTA = 8.0
"""L where delta = 0, and costs nothing: only a wrong guess among thousands of right ones keeps it from being larger."""
ROUNDING = 1e-12
"""Relative. Probabilities are taken larger by it, which is far more than the rounding errors of their computation."""


@frozen
class Stakes:
    """What is claimed, as far as bets on guesses go."""

    epsilon: float
    """Rounded up."""
    delta: float
    """Rounded up."""
    canaries: int
    """How many are bet on in a run at most."""

    @classmethod
    def of(cls, epsilon: Epsilon, delta: Fraction, canaries: int) -> "Stakes":
        """For a claim and a number of canaries, rounded so that a true claim is never the worse for it."""
        return cls(float(epsilon) * (1 + ROUNDING) + ROUNDING, float(delta) * (1 + ROUNDING), canaries)

    @property
    def most(self) -> float:
        """The largest probability of a right guess under epsilon-DP."""
        return min(1.0, (1 + ROUNDING) / (1 + math.exp(-min(self.epsilon, 700.0))))

    @property
    def ratio(self) -> float:
        """L, the most that ln(a / b) of a bet may be."""
        return RATIO_WITH_DELTA if self.delta > 0 else RATIO_WITHOUT_DELTA

    @property
    def surest(self) -> float:
        """The largest probability of a right guess that a bet may go by, so that ln(a / b) is at most L."""
        return 1 / (1 + math.exp(-min(self.ratio + self.epsilon, 700.0)))

    @property
    def slack(self) -> float:
        """By how much delta may raise the mean of psi in one run."""
        return self.canaries * self.ratio * self.delta / (1 + math.exp(min(self.epsilon, 700.0)))

    def gains(self, expected: Floats, coins: NDArray[np.bool_]) -> Floats:
        """What each bet adds to ln of the wealth; `expected` is the probability, to the bettor, that a canary is in.

        The likelihood ratio of what is expected against the best that the claim allows: in the mean, no other bet makes
        the wealth grow faster if the expectation is right. Where the claim allows as much, nothing is staked.

        >>> Stakes(0.0, 0.0, 3).gains(np.array([0.75, 0.75, 0.5]), np.array([True, False, True])).round(2).tolist()
        [0.41, -0.69, 0.0]
        """
        if self.most >= 1:
            return np.zeros(len(expected))
        sure = np.minimum(np.maximum(expected, 1 - expected), self.surest)
        is_right = (expected > 0.5) == coins
        gain = np.where(is_right, np.log(sure / self.most), np.log1p(-sure) - math.log1p(-self.most))
        return np.where(sure > self.most, gain, 0.0)

    def log_evidence(self, log_wealth: float) -> float:
        """ln of the evidence of one run against the claim, whose mean is at most 1 if it is true.

        >>> Stakes(1.0, 0.0, 100).log_evidence(5.0)
        5.0
        >>> Stakes(1.0, 1e-6, 100).log_evidence(50.0) < Stakes(1.0, 1e-9, 100).log_evidence(50.0) < 50
        True
        """
        if self.slack <= 0:
            return log_wealth
        log_c = max(0.0, math.log(2 / self.slack))  # 1 / c is half of the slack: hardly more to pay, for a small c
        psi = log_wealth - log_c if log_wealth <= log_c else math.log1p(log_wealth - log_c)
        return psi - math.log(math.exp(-log_c) + self.slack)
