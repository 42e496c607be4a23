"""Run the target once for each sample of two neighbouring datasets, and weigh."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from attrs import Factory, define, evolve, frozen

from crowdproof.audit.allowance import Allowance, Stream
from crowdproof.audit.compare.exact.law import PairLaw, Weighted, collect
from crowdproof.audit.compare.exact.sample_runs import RunSample
from crowdproof.audit.compare.exact.samples import Sample, Unaffordable, plan
from crowdproof.audit.data.rows import GroupedPair, group
from crowdproof.audit.request import Pair, Runner
from crowdproof.audit.targets.run import Outcome
from crowdproof.mechanism import Capabilities, Mechanism

LIMIT = 50_000
"""Runs for one pair up to which enumeration counts as affordable, where no budget says otherwise: a guess at what a
user who named the pair will wait for."""


@frozen(eq=False)
class ExactResult:
    """The law of the release on a pair whose equal rows were put together."""

    pair: Pair
    law: PairLaw
    runs: int
    failures: Mapping[str, int]
    """What the target said where it released nothing, and on how many samples."""
    grouped: GroupedPair
    ran: tuple[tuple[Sample, str], ...]
    """Each sample that was run, with the key of what came of it."""

    @property
    def complete(self) -> bool:
        """Whether nothing was left out."""
        return self.law.unseen_left == 0 == self.law.unseen_right


def exact_law(
    pair: Pair,
    mechanism: Mechanism,
    beta: Fraction | None,
    *,
    runner: Runner,
    allowance: Allowance,
    limit: int = LIMIT,
    tolerance: Fraction = Fraction(0),
    distrust: bool = False,
    partial: bool = False,
) -> ExactResult | Unaffordable:
    """The law of Poisson sampling at rate beta (None: no sampling) followed by the mechanism, on both datasets.

    A budget spent on the way leaves the rest of the samples unseen: the law then counts them against any excess. A
    deterministic target is run twice on some samples, with `distrust` on all, each with seeds of its own, and must
    answer alike. With `partial` the likeliest samples up to the limit will do.
    """
    grouped = _grouped(pair, beta)
    chosen = plan(grouped, beta, limit=limit, tolerance=tolerance, partial=partial)
    if isinstance(chosen, Unaffordable):
        return chosen
    before = allowance.runs
    stream = allowance.stream(Stream.ENUMERATING, before)
    run = RunSample(mechanism, grouped, stream, law=Capabilities.of(mechanism).declares_law)
    record = _Record()
    outcomes = _outcomes(chosen.samples, run, runner=runner, allowance=allowance, distrust=distrust)
    weighed = list(record.weighed(outcomes))
    law = collect(weighed, chosen.left_total, chosen.right_total)
    shown = pair
    if beta is not None:
        shown = evolve(pair, left=grouped.dataset(grouped.left), right=grouped.dataset(grouped.right))
    return ExactResult(
        pair=shown,
        law=law,
        runs=allowance.runs - before,
        failures=dict(record.failures),
        grouped=grouped,
        ran=tuple(record.ran),
    )


@define(eq=False)
class _Record:
    """What was run, and what the target said where it released nothing."""

    ran: list[tuple[Sample, str]] = Factory(list)
    failures: Counter[str] = Factory(Counter)

    def weighed(self, outcomes: "Iterable[tuple[Sample, str, Outcome, int | Fraction]]") -> Iterator[Weighted]:
        """The releases with their weights on either side, each written down on its way."""
        for sample, key, outcome, p in outcomes:
            self.ran.append((sample, key))
            if outcome.failure is not None:
                self.failures[outcome.failure] += 1
            yield key, outcome.output, sample.left * p, sample.right * p


def _outcomes(
    samples: Iterable[Sample], run: RunSample, runner: Runner, allowance: Allowance, *, distrust: bool
) -> Iterator[tuple[Sample, str, Outcome, int | Fraction]]:
    tasks = [(sample, not run.law and (distrust or _is_power_of_two(i + 1))) for i, sample in enumerate(samples)]
    for (sample, again), outcomes in zip(tasks, runner.map(run, tasks), strict=True):
        for key, outcome, p in outcomes:
            yield sample, key, outcome, p
        if not allowance.draw(1 + again, "enumerating samples"):
            return


def _is_power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def _grouped(pair: Pair, beta: Fraction | None) -> GroupedPair:
    # without sampling the datasets need have no rows at all: they are the two 'samples'
    return group(pair.left, pair.right) if beta is not None else _Whole([pair.left, pair.right], (1, 0), (0, 1))


class _Whole(GroupedPair):
    """Datasets that are taken whole."""

    def dataset(self, counts: Any) -> Any:
        return self.distinct[0 if counts[0] else 1]
