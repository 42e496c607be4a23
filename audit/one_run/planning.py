"""What one run can show, worked out before anything runs: how many right guesses a refutation takes."""

import math
from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import frozen

from crowdproof.audit.one_run.comparing import Compared
from crowdproof.audit.one_run.judging import judge
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
    'By one run with 1,000 canaries the claim is refuted if the release tells for sure of 57 of them.'
    """
    stakes = Stakes.of(epsilon, delta, canaries)
    needed = -math.log(float(error)) / runs
    told = bisect_left(_log_wealths(stakes), needed, key=stakes.log_evidence) + 1
    return Plan(canaries, runs, told if told <= canaries else None)


@lru_cache(maxsize=4)
def _log_wealths(stakes: Stakes) -> list[float]:
    """The largest ln of the wealth up to each canary, by the bets of an audit on a release that tells of all of them.

    Every other canary is in. One feature says so, which the bets have to learn like any other.
    """
    coins = np.arange(stakes.canaries) % 2 == 0
    kinds = ("canary",) * stakes.canaries
    release = Compared(names=("tells for sure",), matrix=coins[np.newaxis].astype(float), kinds=kinds)
    wealths: list[float] = np.maximum.accumulate(judge(release, coins, stakes).log_wealths).tolist()
    return wealths


def remedy(epsilon: Epsilon, delta: Fraction, *, canaries: int, error: Fraction) -> str:
    """What to do where one run can show nothing: how many runs could, and whether fewer canaries would do."""
    for runs in range(2, MOST_RUNS + 1):
        if plan(epsilon, delta, canaries=canaries, runs=runs, error=error).told is not None:
            return f"give --repeat {runs}, so that the target runs {runs} times."
    return "a claim with so large an epsilon or delta allows what canaries show: audit it on small tables."


MOST_RUNS = 100
"""Runs of a target that takes an hour: nobody waits for more."""
