"""The auditor audited: how often does it refute claims that are true, and only just?

Every null here satisfies its claim with equality for many events, which is where a false alarm is likeliest. A
refutation looks at the wealth after every block, so its rate covers every rule for when to stop; the mean of the
e-value at several such rules is measured too and must not exceed 1. The same audits run on several numbers of workers,
and must agree.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray
from scipy.stats import beta as beta_law

from crowdproof.audit.inline import Inline
from crowdproof.audit.interface import Budget, Pair, Runner
from crowdproof.audit.sequential import Ended, SequentialResult, sequential_audit
from crowdproof.claims import Assertion, Neighbours
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, show
from crowdproof.findings import Confidence, Cost, Finding, NotRefuted, Refuted, Reproduce, Table, Undecided
from crowdproof.findings import Counterexample as Shown
from crowdproof.mechanism import Mechanism

Floats: TypeAlias = NDArray[np.float64]
Path: TypeAlias = tuple[float, ...]
"""Log e after each block."""
SURE = Fraction(1, 10**6)
"""Error of the statement that the auditor's false-alarm rate is above the promised one."""
AGAIN = 3
"""Audits of each null that are run again on every number of workers."""


@frozen
class Response:
    """Randomized response among `size` answers, told outright with probability delta, beside as many useless `marks`.

    Both sides answer `data` with odds e^epsilon against each other answer: the claim is met with equality both ways.
    """

    x: float
    delta: float
    size: int = 2
    marks: int = 1

    def batch(self, data: int, rng: np.random.Generator, size: int) -> Floats:
        """Answer, whether it was told outright, and a mark."""
        told = rng.random(size) < self.delta
        honest = rng.random(size) < self.x / (self.x + self.size - 1)
        other = (data + rng.integers(1, self.size, size)) % self.size
        answer = np.where(told | honest, data, other)
        return np.stack([answer, told, rng.integers(self.marks, size=size)], axis=1).astype(float)

    def __call__(self, data: int, rng: np.random.Generator) -> tuple[float, ...]:
        """One run."""
        return tuple(self.batch(data, rng, 1)[0].tolist())


@frozen
class Noise:
    """Laplace noise on a grid fine enough to look continuous, and coarse enough to hide the holes of doubles."""

    x: float
    delta: float
    grid: float = 2.0**-16

    def batch(self, data: int, rng: np.random.Generator, size: int) -> Floats:
        """The noisy number, or with probability delta the number itself, far away."""
        noisy = np.round((data + rng.laplace(0, 1 / math.log(self.x), size)) / self.grid) * self.grid
        return np.where(rng.random(size) < self.delta, 1e6 + data, noisy)

    def __call__(self, data: int, rng: np.random.Generator) -> float:
        """One run."""
        return float(self.batch(data, rng, 1)[0])


@frozen
class SampledGroup:
    """What a strongly safe k-anonymizer shows of a sampled group of `data` equal rows: their count, or none."""

    k: int
    beta: float

    def batch(self, data: int, rng: np.random.Generator, size: int) -> Floats:
        """Counts."""
        counts = rng.binomial(data, self.beta, size).astype(float)
        return np.where(counts < self.k, 0.0, counts)

    def __call__(self, data: int, rng: np.random.Generator) -> float:
        """One run."""
        return float(self.batch(data, rng, 1)[0])


@frozen
class Null:
    """A mechanism and a claim that it satisfies with nothing to spare."""

    name: str
    mechanism: Mechanism
    pairs: tuple[Pair, ...]
    epsilon: Epsilon
    delta: Fraction


def nulls(epsilon: Epsilon, delta: Fraction) -> tuple[Null, ...]:
    """Nulls at the edge of this claim; the sampled group is at the edge of a claim of the same epsilon."""
    x = epsilon.exp()
    if not 1 < x < 1e6:
        raise ParameterError(f"epsilon is {epsilon}: the nulls are made for an epsilon above 0 and below 13.")
    spare = float(delta)
    pairs = tuple(Pair(each, each + 1, Neighbours.REPLACE, f"{each} against {each + 1}") for each in range(0, 8, 2))
    star = tuple(Pair(0, each, Neighbours.REPLACE, f"0 against {each}") for each in range(1, 5))
    group = Pair(12, 11, Neighbours.ADD_REMOVE, "12 equal rows against 11")
    sampled, tight = SampledGroup(4, 0.25), group_delta(12, 4, Fraction(1, 4), x)
    return (
        Null("randomized response", Response(x, spare), pairs[:1], epsilon, delta),
        Null("many answers, marks and pairs", Response(x, spare, size=8, marks=6), pairs, epsilon, delta),
        Null("pairs that share a dataset", Response(x, spare, size=8), star, epsilon, delta),
        Null("Laplace noise", Noise(x, spare), pairs[:1], epsilon, delta),
        Null("sampled safe k-anonymization", sampled, (group,), epsilon, tight),
    )


def group_delta(rows: int, k: int, beta: Fraction, x: float) -> Fraction:
    """The exact smallest delta, rounded up in its x, for the counts of a sampled group of `rows` or one row less."""
    most, less = _counts_law(rows, k, beta), _counts_law(rows - 1, k, beta)
    ratio = Fraction(x)
    return max(
        sum((max(one[j] - ratio * two[j], Fraction(0)) for j in range(rows + 1)), Fraction(0))
        for one, two in ((most, less), (less, most))
    )


def _counts_law(rows: int, k: int, beta: Fraction) -> list[Fraction]:
    law = [math.comb(rows, j) * beta**j * (1 - beta) ** (rows - j) for j in range(rows + 1)] + [Fraction(0)]
    return [sum(law[:k], Fraction(0)), *([Fraction(0)] * (k - 1)), *law[k:]]


STOPPING: dict[str, Callable[[Path], float]] = {
    "when the budget is spent": lambda path: path[-1],
    "as soon as it gains": lambda path: next((each for each in path if each > 0.1), path[-1]),
    "as soon as it has doubled": lambda path: next((each for each in path if each > math.log(2)), path[-1]),
    "as soon as it loses": lambda path: next((each for each in path if each < -0.1), path[-1]),
}
"""Rules for when to stop, each by the log of the e-value at which it does."""


@frozen
class Rate:
    """What came of many audits of one null."""

    null: str
    audits: int
    alarms: int
    means: tuple[float, ...]
    """Mean e-value at each rule of `STOPPING`."""

    @property
    def low(self) -> float:
        """The false-alarm rate is above this, except with error `SURE`."""
        return float(beta_law.ppf(float(SURE), self.alarms, self.audits - self.alarms + 1)) if self.alarms else 0.0


@frozen
class Calibration:
    """The auditor's own false-alarm rates."""

    error: Fraction
    rates: tuple[Rate, ...]
    workers: tuple[int, ...]
    agree: bool
    """Whether every number of workers gave the same results."""
    runs: int

    @property
    def sound(self) -> bool:
        """False if the promise is broken for certain: too many alarms, or results that depend on the workers."""
        return self.agree and all(rate.low <= self.error for rate in self.rates)


def calibrate(
    epsilon: Epsilon,
    delta: Fraction,
    *,
    error: Fraction = Fraction(1, 20),
    audits: int = 200,
    runs: int = 2000,
    seed: int = 0,
    runners: Sequence[Runner] = (),
) -> Calibration:
    """Audit each null `audits` times at this error, `runs` runs each, and a few again on each of the runners."""
    found, agree, total = [], True, 0
    for place, null in enumerate(nulls(epsilon, delta)):
        seeds = [(seed, place, each) for each in range(audits)]
        results = list(_audits(null, error, seeds, runs))
        for runner in runners:
            again = _audits(null, error, seeds[:AGAIN], runs, runner)
            agree &= all(one == two for one, two in zip(again, results[:AGAIN], strict=True))
        found.append(_rate(null.name, results))
        total += sum(each.trials for each in results)
    return Calibration(error, tuple(found), (1, *(runner.workers for runner in runners)), agree, total)


def _audits(
    null: Null, error: Fraction, seeds: Sequence[tuple[int, ...]], runs: int, runner: Runner | None = None
) -> Iterator[SequentialResult]:
    for seed in seeds:
        yield sequential_audit(
            null.pairs,
            null.mechanism,
            null.epsilon,
            null.delta,
            error=error,
            budget=Budget(runs=runs),
            seed=np.random.SeedSequence(seed),
            runner=runner or Inline(),
            bounds=False,
        )


def _rate(name: str, results: Sequence[SequentialResult]) -> Rate:
    for each in results:
        assert each.ended is not Ended.FAILED, each.failure
    paths = [tuple(log_e for _, log_e in each.trace) for each in results]
    means = tuple(float(np.mean(np.exp([rule(path) for path in paths]))) for rule in STOPPING.values())
    return Rate(name, len(results), sum(each.refuted is not None for each in results), means)


def finding(calibration: Calibration, seed: int, seconds: float = 0.0) -> Finding:
    """The calibration as a finding about the auditor itself."""
    error = show(calibration.error)
    claim = Assertion("calibration", f"a true claim is refuted with probability at most {error}, whenever one looks")
    audits = sum(rate.audits for rate in calibration.rates)
    if not calibration.sound:
        verdict: Any = Refuted(
            Shown(_complaint(calibration), {rate.null: str(rate.alarms) for rate in calibration.rates})
        )
    elif not audits:
        verdict = Undecided("no audits were run: ask for at least one.")
    else:
        verdict = NotRefuted(
            f"A false-alarm rate above {_detectable(calibration):.3g} on any null would have been seen."
        )
    return Finding(
        subject="crowdproof's sequential auditor",
        claim=claim,
        verdict=verdict,
        certainty=Confidence(SURE),
        evidence=(_table(calibration),),
        cost=Cost(calibration.runs, seconds),
        reproduce=Reproduce(seed=seed, parameters={"audits": audits, "workers": list(calibration.workers)}),
    )


def _detectable(calibration: Calibration) -> float:
    """The rate that would have been seen to be too high with probability 0.9."""
    audits = min(rate.audits for rate in calibration.rates)
    limit = next(
        (n for n in range(audits + 1) if evolve(calibration.rates[0], audits=audits, alarms=n).low > calibration.error),
        audits,
    )
    return float(beta_law.ppf(0.9, limit, max(audits - limit + 1, 1))) if limit else 0.0


def _complaint(calibration: Calibration) -> str:
    if not calibration.agree:
        return "the same audit gave different results on different numbers of workers"
    worst = max(calibration.rates, key=lambda rate: rate.low)
    return f"{worst.alarms} of {worst.audits} audits of a true claim ({worst.null}) ended in a refutation"


def _table(calibration: Calibration) -> Table:
    rows = tuple(
        (rate.null, str(rate.audits), str(rate.alarms), *(f"{mean:.3f}" for mean in rate.means))
        for rate in calibration.rates
    )
    rules = tuple(f"mean e-value {rule}" for rule in STOPPING)
    return Table("True claims, only just", ("null", "audits", "false alarms", *rules), rows)
