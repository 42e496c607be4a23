"""Calls to refute a claim that is 100%, 30% and 10% too good, against an oracle that knows the best pair and event.

The oracle runs the likelihood-ratio test of that one event at the same level, of the size at which it refutes in half
of all cases. We search all the pairs and learn the event. The median of a few audits is shown as a ratio to the
oracle's calls.

These mechanisms declare that their runs are independent. The last column is the price of not believing them: the calls
where a coin decides on which dataset each run is, as a ratio to the calls without coins.
"""

import math
import statistics
import sys
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr
from scipy.stats import norm

from benchmarks.laws import LAWS
from benchmarks.standard import SUBJECTS, Subject
from crowdproof.audit.compare.betting import sequential_audit
from crowdproof.audit.request import Budget
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import Point

Floats: TypeAlias = NDArray[np.float64]

ERROR = Fraction(1, 10**6)
EXCESS = (1.0, 0.3, 0.1)
REPEATS = 7
MANY_REPEATS = 25
"""Where the oracle needs less than `QUICK` calls: single audits differ by a factor of three."""
QUICK = 1e6
DEAR = 1e5
"""Calls of the oracle beyond which runs one by one would take too long."""


def oracle(subject: Subject, x: float) -> float:
    """Calls of the best fixed-size test of the best event over all pairs, by their exact laws."""
    law = LAWS[subject.name]
    sides = [(law(pair.left), law(pair.right)) for pair in subject.pairs]
    both = [*sides, *(side[::-1] for side in sides)]
    return min(_calls(p, q, x) for heavy, light in both for p, q in _events(heavy, light))


def _events(heavy: Floats, light: Floats) -> list[tuple[float, float]]:
    """Probabilities on both sides of the events that a likelihood-ratio test may choose from."""
    place = np.unique(np.round(np.log(light / heavy), 9), return_inverse=True)[1]
    p, q = np.cumsum(np.bincount(place, heavy)), np.cumsum(np.bincount(place, light))
    return list(zip(p[:-1].tolist(), q[:-1].tolist(), strict=True))


def _calls(p: float, q: float, x: float) -> float:
    """Both sides together: the signed root of twice the log-likelihood ratio is a standard normal number at the edge.

    So the typical distance of the outputs from the claim has to be half the square of the level's quantile.
    """
    if p <= x * q:
        return math.inf

    def distance(edge: float) -> float:
        """Of the law from the one on the claim's edge that has this probability on the lighter side."""
        return _kl(p, x * edge) + _kl(q, edge)

    nearest = minimize_scalar(distance, bounds=(q, min(p, 1 - 1e-12) / x), method="bounded", options={"xatol": 1e-12})
    return float(norm.isf(float(ERROR))) ** 2 / float(nearest.fun)


def _kl(p: float, q: float) -> float:
    return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


@frozen
class Doubted:
    """A mechanism that is run one by one, as a foreign function is."""

    mechanism: Any

    def __call__(self, data: Any, rng: np.random.Generator) -> Any:
        """One run."""
        return self.mechanism(data, rng)


def main(*names: str) -> None:
    """Print one line for each mechanism."""
    chosen = set(LAWS) & set(names) or set(LAWS)
    titles = [f"{each:.0%} too good: oracle, ours" for each in EXCESS]
    print(f"{'mechanism':20}" + "".join(f"{title:>34}" for title in titles) + f"{'coins':>9}")
    for subject in SUBJECTS:
        if subject.name in chosen:
            lines = "".join(f"{_line(subject, each):>34}" for each in EXCESS)
            print(f"{subject.name:20}{lines}{_price(subject):>9}", flush=True)


def _price(subject: Subject) -> str:
    """The ratio of calls with coins to calls without, for a claim that is twice as good as the truth."""
    claim = subject.truth / 2
    best = oracle(subject, math.exp(claim))
    if best > DEAR:
        return "-"
    doubted = evolve(subject, mechanism=Doubted(subject.mechanism))
    with_coins, without = (
        statistics.median(_refute(each, claim, best, seed) for seed in range(REPEATS)) for each in (doubted, subject)
    )
    return f"x {with_coins / without:.2f}"


def _line(subject: Subject, excess: float) -> str:
    claim = subject.truth / (1 + excess)
    best = oracle(subject, math.exp(claim))
    seeds = range(MANY_REPEATS if best < QUICK else REPEATS)
    ours = statistics.median(_refute(subject, claim, best, seed) for seed in seeds)
    return f"{best:10.2e} {ours:10.2e}  x {ours / best:.2f}"


def _refute(subject: Subject, claim: float, best: float, seed: int) -> float:
    result = sequential_audit(
        subject.pairs,
        subject.mechanism,
        [Point(round(claim, 6))],
        error=ERROR,
        budget=Budget(runs=int(min(max(20 * best, 1e5), 6e7))),
        seed=np.random.SeedSequence(seed),
        runner=Inline(),
        bounds=False,
    )
    return float(result.trials) if result.refuted else math.inf


if __name__ == "__main__":
    main(*sys.argv[1:])
