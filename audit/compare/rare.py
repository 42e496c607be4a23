"""Rare events of sampled mechanisms: probabilities far below one over the number of runs, with rigorous bounds.

The sampling step is ours, so its randomness need not be waited for. The samples fall into strata whose probabilities
are known exactly: how many were drawn of each run of equal rows, or, where these are too many, how many rows. In a
stratum the target is run by itself, and Pr[event] = sum of weight times Pr[event | stratum]. A deterministic target
settles a stratum of equal samples with one run; elsewhere a stratum has a Clopper-Pearson interval, at a share of the
error. The rows keep their order; for a target that does not look at it, sort the data, so that equal rows are one run.

The lower end is as sharp as the event is certain in the strata where it happens. The upper end can be small only if the
heavy strata are settled: a stratum of weight w that never showed the event in m runs may still hide 14 w / m of it.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from attrs import define, frozen

from crowdproof.audit.compare.exact.enumerate import LIMIT
from crowdproof.audit.compare.exact.law import checked
from crowdproof.audit.compare.exact.profile import exp_bounds
from crowdproof.audit.compare.exact.samples import Unaffordable, plan
from crowdproof.audit.data.copies import own_copy
from crowdproof.audit.data.rows import Counts, GroupedPair, in_order, take
from crowdproof.audit.proportion import clopper_pearson
from crowdproof.audit.request import Pair
from crowdproof.audit.targets.run import attempt
from crowdproof.exact import Epsilon
from crowdproof.findings import Estimate
from crowdproof.mechanism import Capabilities, Mechanism, is_deterministic
from crowdproof.proofs.binomial import mass

FIRST = 16
"""Runs that a stratum gets at first; each further look at it doubles them. A guess: with more, strata that hardly
matter take runs from others; with fewer, there are more looks, which share the error."""

Weigh = Callable[[Fraction, Fraction], Fraction]
"""The weight of a stratum in the sum, from its probabilities on the left and on the right."""
Membership = Callable[[Any], bool]
"""Whether an output is in the event. A run without a release is in no event."""


@frozen
class Measurement:
    """A number that lies in the interval, except with the error that was asked for (never, if `exact`)."""

    value: Estimate
    exact: bool
    runs: int
    strata: int


def measure(
    mechanism: Mechanism,
    data: Any,
    beta: Fraction,
    event: Membership,
    *,
    error: Fraction = Fraction(1, 10**6),
    runs: int = 100_000,
    seed: int = 0,
) -> Measurement:
    """Pr[the mechanism's output on a Poisson sample of the data at rate beta is in the event].

    >>> class Count:
    ...     deterministic = True
    ...     def __call__(self, data, rng):
    ...         return len(data)
    >>> found = measure(Count(), [0] * 22, Fraction(1, 20), lambda rows: rows >= 20)
    >>> found.value.low == sum(mass(j, 22, Fraction(1, 20)) for j in (20, 21, 22))
    True
    """
    strata = _strata(in_order(data, data), beta, lambda left, _: left)
    return _measure(strata, mechanism, event, error=error, runs=runs, seed=seed)


def measure_excess(
    mechanism: Mechanism,
    pair: Pair,
    beta: Fraction,
    epsilon: Epsilon,
    event: Membership,
    *,
    error: Fraction = Fraction(1, 10**6),
    runs: int = 100_000,
    seed: int = 0,
) -> Measurement:
    """Pr[left in event] - e^eps Pr[right in event], for an event that was chosen beforehand.

    Both sides share their strata, so only the difference of the weights counts: there is one set of runs, not two.
    """
    x = exp_bounds(epsilon)[1]
    strata = _strata(in_order(pair.left, pair.right), beta, lambda left, right: left - x * right)
    return _measure(strata, mechanism, event, error=error, runs=runs, seed=seed)


@define(eq=False)
class Stratum:
    """Samples that are drawn together: their weight in the sum, and what is known of the event among them."""

    weight: Fraction
    draw: Callable[[np.random.Generator], Any]
    single: bool
    """Whether all samples of the stratum are the same table."""
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)
    runs: int = 0
    hits: int = 0
    looks: int = 0

    @property
    def uncertainty(self) -> Fraction:
        """How much the sum may still change."""
        return abs(self.weight) * (self.high - self.low)

    def bounds(self) -> tuple[Fraction, Fraction]:
        """The least and the largest contribution to the sum."""
        ends = self.weight * self.low, self.weight * self.high
        return min(ends), max(ends)

    def settle(self, probability: Fraction) -> None:
        """The probability is known."""
        self.low = self.high = probability

    def look(self, hits: int, runs: int, error: float) -> None:
        """Add runs and look at all of them so far; the errors of all looks sum to less than the given one."""
        self.hits, self.runs, self.looks = self.hits + hits, self.runs + runs, self.looks + 1
        seen = clopper_pearson(self.hits, self.runs, error / (self.looks * (self.looks + 1)))
        self.low, self.high = seen.low, seen.high


def _measure(
    strata: Sequence[Stratum], mechanism: Mechanism, event: Membership, *, error: Fraction, runs: int, seed: int
) -> Measurement:
    rng = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    judge = _Judge(mechanism, event)
    for stratum in (each for each in strata if each.single):
        judge.settle(stratum)
    while judge.runs < runs:
        widest = max(strata, key=lambda each: each.uncertainty)
        if widest.uncertainty == 0:
            break
        count = min(max(FIRST, widest.runs), runs - judge.runs)
        judge.look(widest, count, error=float(error) / len(strata), rng=rng)
    ends = [each.bounds() for each in strata]
    value = Estimate(sum((low for low, _ in ends), Fraction(0)), sum((high for _, high in ends), Fraction(0)))
    return Measurement(value, value.exact, runs=judge.runs, strata=len(strata))


@define(eq=False)
class _Judge:
    """Runs the target and tells whether the event happened."""

    mechanism: Mechanism
    event: Membership
    runs: int = 0

    def settle(self, stratum: Stratum) -> None:
        """One run, or the declared law, settles a stratum of equal samples."""
        data = stratum.draw(np.random.default_rng(0))
        if Capabilities.of(self.mechanism).declares_law:
            law = checked(self.mechanism.law(own_copy(data)))  # type: ignore[attr-defined]
            stratum.settle(sum((p for output, p in law if self.event(output)), Fraction(0)))
        elif is_deterministic(self.mechanism):
            stratum.settle(Fraction(self._run(data, np.random.default_rng(0))))
        else:
            return
        self.runs += 1

    def look(self, stratum: Stratum, count: int, error: float, rng: np.random.Generator) -> None:
        """So many more runs in a stratum."""
        stratum.look(sum(self._run(stratum.draw(rng), rng) for _ in range(count)), count, error)
        self.runs += count

    def _run(self, data: Any, rng: np.random.Generator) -> bool:
        outcome = attempt(self.mechanism, data, rng)
        return outcome.failure is None and bool(self.event(outcome.output))


def _strata(pair: GroupedPair, beta: Fraction, weigh: Weigh) -> list[Stratum]:
    chosen = plan(pair, beta, limit=LIMIT, tolerance=Fraction(0))
    if isinstance(chosen, Unaffordable):
        return list(_by_size(pair, beta, weigh))
    return [
        Stratum(
            weigh(Fraction(sample.left, chosen.left_total), Fraction(sample.right, chosen.right_total)),
            _Whole(pair, sample.counts),
            single=True,
        )
        for sample in chosen.samples
    ]


def _by_size(pair: GroupedPair, beta: Fraction, weigh: Weigh) -> Iterator[Stratum]:
    """Strata by how many of the common rows were drawn, and by how many of those that only one side has."""
    shared = tuple(map(min, pair.left, pair.right))
    n, common = sum(shared), _Subset.of(pair, shared, shared)
    left, right = (_Subset.of(pair, side, shared) for side in (pair.left, pair.right))
    none = [(1 - beta) ** len(each.extras) for each in (left, right)]
    for drawn in range(n + 1):
        weight = mass(drawn, n, beta)
        yield Stratum(weigh(weight * none[0], weight * none[1]), partial(common, drawn, 0), single=False)
        for side in (left, right):
            for extra in range(1, len(side.extras) + 1):
                own = weight * mass(extra, len(side.extras), beta)
                both = (own, Fraction(0)) if side is left else (Fraction(0), own)
                yield Stratum(weigh(*both), partial(side, drawn, extra), single=False)


@frozen(eq=False)
class _Whole:
    """The one sample with these counts."""

    pair: GroupedPair
    counts: Counts

    def __call__(self, _: np.random.Generator) -> Any:
        return self.pair.dataset(self.counts)


@frozen(eq=False)
class _Subset:
    """Draws so many of the rows that both sides have, and so many of the others, and keeps them in their order."""

    rows: Any
    common: np.ndarray
    extras: np.ndarray

    @classmethod
    def of(cls, pair: GroupedPair, counts: Counts, shared: Counts) -> "_Subset":
        """The dataset with these counts, of which `shared` are common."""
        is_common = np.repeat(
            [True, False] * len(counts), [n for c, s in zip(counts, shared, strict=True) for n in (s, c - s)]
        )
        return cls(pair.dataset(counts), np.flatnonzero(is_common), np.flatnonzero(~is_common))

    def __call__(self, drawn: int, extra: int, rng: np.random.Generator) -> Any:
        chosen = [
            rng.choice(places, count, replace=False) for places, count in ((self.common, drawn), (self.extras, extra))
        ]
        return take(self.rows, np.sort(np.concatenate(chosen)))
