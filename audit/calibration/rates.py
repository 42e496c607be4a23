"""How often the auditor is wrong about nulls, and whether that is more often than it promises."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice

import numpy as np
from attrs import frozen
from scipy.stats import binom

from crowdproof.audit.calibration.null import Null
from crowdproof.audit.calibration.perform import LOOSE, STOPPING, SURE, Outcome, Result, Trial, perform, trials
from crowdproof.audit.request import Runner
from crowdproof.audit.runners.inline import Inline

DOUBT = 0.001
"""Error of the statement that a rate is above its level, over all rates of a table: a guess, small since calibrations
are run often."""
NEVER = Fraction(1, 1000)
"""At a level below this a refutation is no bad luck: a guess, one over more audits than a calibration has of a null."""
REPEATED = 2
"""Audits of each null at each level that are repeated on every further number of workers: a guess that bounds time."""


@frozen
class Rate:
    """What came of the audits of one null at one level."""

    null: str
    kind: str
    """Its kind of output."""
    error: Fraction
    outcomes: tuple[Outcome, ...]

    @property
    def audits(self) -> int:
        """How many there were."""
        return len(self.outcomes)

    def count(self, result: Result) -> int:
        """How many of the audits ended with this result."""
        return sum(each.result is result for each in self.outcomes)

    @property
    def alarms(self) -> int:
        """The number of false alarms, which are refutations of a claim that is true."""
        return self.count(Result.REFUTED)

    @property
    def means(self) -> tuple[float, ...]:
        """Mean e-value at each rule of `STOPPING`; a true claim keeps each of them at 1 or below, but for chance."""
        found = [each.e_values for each in self.outcomes if each.e_values]
        return tuple(np.mean(found, axis=0).tolist()) if found else (0.0,) * len(STOPPING)

    def too_many(self, doubt: float) -> bool:
        """Whether chance gives so many alarms with less than this probability. At a tiny level one alarm is enough.

        >>> outcomes = (Outcome(Result.REFUTED),) * 9 + (Outcome(Result.NOT_REFUTED),) * 31
        >>> Rate("coin", "int", Fraction(1, 20), outcomes).too_many(0.001)
        True
        """
        if self.error < NEVER:
            return self.alarms > 0
        return self.alarms > 0 and float(binom.sf(self.alarms - 1, self.audits, float(self.error))) < doubt


@frozen
class Calibration:
    """The auditor's own false-alarm rates."""

    rates: tuple[Rate, ...]
    workers: tuple[int, ...] = (1,)
    differing: tuple[str, ...] = ()
    """Nulls of which the same audit came out differently on another number of workers."""

    @property
    def outcomes(self) -> Iterator[tuple[Rate, Outcome]]:
        """All audits."""
        return ((rate, each) for rate in self.rates for each in rate.outcomes)

    @property
    def runs(self) -> int:
        """Runs of the nulls in all."""
        return sum(each.runs for _, each in self.outcomes)

    @property
    def above(self) -> tuple[Rate, ...]:
        """The rates that are above their level, with a correction for how many were looked at."""
        return tuple(rate for rate in self.rates if rate.too_many(DOUBT / len(self.rates)))

    @property
    def crashes(self) -> tuple[tuple[Rate, Outcome], ...]:
        """Audits that crashed."""
        return tuple((rate, each) for rate, each in self.outcomes if each.result is Result.CRASH)

    @property
    def sound(self) -> bool:
        """Whether the promise is kept: not too many alarms, no crash, and no result that depends on the workers."""
        return not (self.above or self.crashes or self.differing)

    def by_kind(self) -> tuple["Rate", ...]:
        """The rates of all nulls of one kind and level added up."""
        merged: dict[tuple[str, Fraction], list[Outcome]] = {}
        for rate in self.rates:
            merged.setdefault((rate.kind, rate.error), []).extend(rate.outcomes)
        return tuple(Rate(kind, kind, error, tuple(found)) for (kind, error), found in merged.items())


def calibrate(
    nulls: Sequence[Null],
    *,
    audits: int,
    runs: int,
    seed: int = 0,
    levels: Sequence[Fraction] = (SURE, LOOSE),
    runner: Runner | None = None,
    runners: Sequence[Runner] = (),
    progress: Callable[[Rate], None] | None = None,
) -> Calibration:
    """Audit each null `audits` times at each level, `runs` runs each.

    The audits are handed out to `runner`, which changes nothing about them. A few are run again with their trials on
    each of the `runners`, and must come out the same where the null remembers nothing.
    """
    rates, differing = list[Rate](), dict[str, None]()
    for error in levels:
        planned = list(trials(nulls, error, audits=audits, runs=runs, seed=seed))
        outcomes = iter((runner or Inline()).map(perform, planned))
        for place, null in enumerate(nulls):
            found = list(islice(outcomes, audits))
            for other in runners:
                again = _again(planned[place * audits :][: min(REPEATED, audits)], other)
                if not null.remembers and again != found[: len(again)]:
                    differing[null.name] = None
                found += again if null.remembers else []
            rates.append(Rate(null.name, kind_of(null), error, tuple(found)))
            if progress is not None:
                progress(rates[-1])
    return Calibration(tuple(rates), (1, *(each.workers for each in runners)), tuple(differing))


def _again(planned: Iterable[Trial], runner: Runner) -> list[Outcome]:
    return list(map(partial(perform, runner=runner), planned))


def kind_of(null: Null) -> str:
    """The kind of a null's outputs, without their weights. A null with a name of its own is a kind of its own."""
    return null.title or null.dressing.name.partition(",")[0]
