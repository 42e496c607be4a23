"""What one run can show, worked out before anything runs: how many right guesses a refutation takes."""

import math
from fractions import Fraction

from attrs import frozen

from crowdproof.audit.one_run.guessing import PRIOR
from crowdproof.audit.one_run.stakes import Stakes
from crowdproof.exact import Epsilon


@frozen
class Plan:
    """The fewest canaries that a release must tell of for sure, to be refuted by so many runs."""

    canaries: int
    runs: int
    told: int | None
    """In each run; None where not even all of them are enough."""

    def __str__(self) -> str:
        runs = "one run" if self.runs == 1 else f"{self.runs} runs"
        if self.told is None:
            return f"No release can refute the claim by {runs} with {self.canaries:,} canaries."
        each = "" if self.runs == 1 else " each"
        return (
            f"By {runs} with {self.canaries:,} canaries the claim is refuted if the release tells for sure of "
            f"{self.told:,} of them{each}."
        )


def plan(epsilon: Epsilon, delta: Fraction, *, canaries: int, runs: int, error: Fraction) -> Plan:
    """How many canaries a release must tell of, of which the auditor first has to learn how it tells.

    >>> str(plan(Epsilon.of(1), Fraction(0), canaries=1000, runs=1, error=Fraction(1, 10**6)))
    'By one run with 1,000 canaries the claim is refuted if the release tells for sure of 58 of them.'
    """
    stakes = Stakes.of(epsilon, delta, canaries)
    needed = -math.log(float(error)) / runs
    low, high = 0, canaries + 1
    while high - low > 1:
        middle = (low + high) // 2
        if stakes.log_evidence(_log_wealth(middle, stakes)) >= needed:
            high = middle
        else:
            low = middle
    return Plan(canaries, runs, high if high <= canaries else None)


def _log_wealth(told: int, stakes: Stakes) -> float:
    """ln of the wealth after so many sure canaries, all of them alike: the first teach how sure they are."""
    return max(0.0, sum(_gain(before, stakes) for before in range(told)))


def _gain(before: int, stakes: Stakes) -> float:
    sure = min((before + PRIOR) / (before + 2 * PRIOR), stakes.surest)
    return math.log(sure / stakes.most) if sure > stakes.most else 0.0


def remedy(epsilon: Epsilon, delta: Fraction, *, canaries: int, error: Fraction) -> str:
    """What to do where one run can show nothing: how many runs could, and whether fewer canaries would do."""
    for runs in range(2, MOST_RUNS + 1):
        if plan(epsilon, delta, canaries=canaries, runs=runs, error=error).told is not None:
            return f"give --repeat {runs}, so that the target runs {runs} times."
    return "a claim with so large an epsilon or delta allows what canaries show: audit it on small tables."


MOST_RUNS = 100
"""Runs of a target that takes an hour: nobody waits for more."""
