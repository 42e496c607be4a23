"""Lower bounds of epsilon against the truth: how many of 3,000 are above it, where at most a tenth may be.

`python -m benchmarks.bounds_truth 30` measures each mechanism as many times.
"""

import math
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen
from scipy.stats import binom

from benchmarks.standard import SUBJECTS
from crowdproof.audit.calibration import Null, laws
from crowdproof.audit.calibration.dressings import dressing_named
from crowdproof.audit.calibration.laws import Law
from crowdproof.audit.calibration.rates import DOUBT
from crowdproof.audit.compare.betting import sequential_audit
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.runners.cores import Cores
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import DP, Neighbours, Point

ERROR = Fraction(1, 10)
EACH = 300
STANDARD = {"Laplace": 20_000, "TruncatedGeometric": 20_000, "NoisyHist2": 10_000, "OneTimeRAPPOR": 20_000}
"""Those of the standard mechanisms whose epsilon is known in closed form, with the runs of an audit: so many that the
bounds come near enough to the truth for a wrong one to show."""


@frozen(eq=False)
class Known:
    """A mechanism, its pairs, and the exact supremum of epsilon over these."""

    name: str
    mechanism: Any
    pairs: Sequence[Pair]
    truth: float
    runs: int


def known() -> tuple[Known, ...]:
    """Ten of them, of different epsilons and kinds of output."""
    standard = [
        Known(each.name, each.mechanism, each.pairs, each.truth, STANDARD[each.name])
        for each in SUBJECTS
        if each.name in STANDARD
    ]
    e, tenth = laws.below_exp(1.0), laws.below_exp(0.1)
    noise = laws.sampled(laws.geometric(Fraction(2), 1, 7), Fraction(1, 2))
    return (
        *standard,
        _own("response, e = 1", laws.response(e, Fraction(0), 3), (0, 1), "float", 4000),
        _own("response, e = 2", laws.response(laws.below_exp(2.0), Fraction(0), 4), (0, 1), "int", 4000),
        _own("response, e = 0.1, text", laws.response(tenth, Fraction(0), 2), (0, 1), "text", 2000),
        _own("geometric count, e = 1", laws.geometric(e, 1, 4), (1, 2), "int", 4000),
        _own("sampled noisy count", noise, (5, 4), "number or exception, rare", 2000),
        _own("response, e = ln 3, tables", laws.response(Fraction(3), Fraction(0), 2), (0, 1), "polars", 1000),
    )


def _own(name: str, law: Law, cases: tuple[int, int], kind: str, runs: int) -> Known:
    null = Null(law, DP(0, 0, Neighbours.REPLACE), (cases,), dressing_named(kind))
    odds = laws.loss(law, [cases])
    assert odds is not None
    return Known(name, null.mechanism(), null.pairs, math.log(odds), runs)


def bound(planned: tuple[int, int]) -> float:
    """The lower bound of one audit of the mechanism in this place."""
    place, seed = planned
    each = known()[place]
    found = sequential_audit(
        each.pairs,
        each.mechanism,
        [Point(0)],
        error=ERROR,
        budget=Budget(runs=each.runs),
        seed=np.random.SeedSequence([seed, place]),
        runner=Inline(),
        measure=True,
        bounds=False,
    )
    return found.epsilon_low


def main(audits: int = EACH) -> None:
    """Print the share of bounds above the truth, and whether that is more than chance explains over the table."""
    start, wrong = time.monotonic(), []
    print(f"{'mechanism':30}{'epsilon':>9}{'median bound':>14}{'above':>7}{'of':>6}{'share':>8}")
    with Cores() as cores:
        lows = list(cores.map(bound, [(place, seed) for place in range(len(known())) for seed in range(audits)]))
    for place, each in enumerate(known()):
        found = lows[place * audits : (place + 1) * audits]
        above = sum(low > each.truth for low in found)
        middle = float(np.median(found))
        print(f"{each.name:30}{each.truth:9.4f}{middle:14.4f}{above:7}{audits:6}{above / audits:8.3f}")
        if binom.sf(above - 1, audits, float(ERROR)) < DOUBT / len(known()):
            wrong.append(each.name)
    print(f"{time.monotonic() - start:.0f} s; more often above than promised: {', '.join(wrong) or 'none'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
