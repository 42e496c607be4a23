"""Odoh's epsilon: from the probability of a right guess and the advantage that is allowed."""

from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from math import prod

from crowdproof.errors import ParameterError
from crowdproof.exact import Number, rational, show
from crowdproof.findings import Estimate
from crowdproof.mechanisms.odoh import uniqueness
from crowdproof.proofs.bounds.balls import ball, certified


class Groups(Enum):
    """What the adversary guesses: all groups at once, or at least one of them."""

    AND = "and"
    OR = "or"


def guessing_epsilon(prior: Number, advantage: Number, spread: Number = 1) -> Estimate:
    """The epsilon at which a guess of this prior gains at most the advantage, for data within the spread R.

    The largest epsilon R for which Bayes' rule keeps the posterior at prior + advantage. This is a bound on guessing
    one value; the advantage is not the delta of (epsilon, delta)-DP.

    >>> round(float(guessing_epsilon("2/3", "0.1", 60).high), 6)
    0.008274
    """
    p, gain, size = rational(prior, "prior"), rational(advantage, "advantage"), rational(spread, "spread")
    if not (p > 0 and gain >= 0 and p + gain < 1):
        raise ParameterError(
            f"prior is {show(p)} and advantage {show(gain)}: the formula needs 0 < prior and prior + advantage < 1."
        )
    if size <= 0:
        raise ParameterError(f"spread is {show(size)}: it must be above 0.")
    odds = (1 - p) * (p + gain) / (p * (1 - p - gain))
    return certified(lambda: ball(odds - 1).log1p() / ball(size))


def groups_epsilon(
    groups: Sequence[tuple[Number, Number]], advantage: Number, spread: Number = 1, guess: Groups = Groups.OR
) -> Estimate:
    """Odoh's equations 4 and 5 for groups (k_i, N_i): all guessed at once, or the group with the smallest epsilon."""
    priors = [uniqueness(k, size) for k, size in groups]
    if not priors:
        raise ParameterError("groups is empty: give at least one (k, N).")
    if guess is Groups.AND:
        return guessing_epsilon(prod(priors, start=Fraction(1)), advantage, spread)
    return min((guessing_epsilon(each, advantage, spread) for each in priors), key=lambda each: each.high)
