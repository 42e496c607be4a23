"""Performs audits of nulls, many at once. Each depends on its null, its level and its seed, and on nothing else."""

import math
import traceback
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from fractions import Fraction
from typing import TypeAlias, assert_never

import numpy as np
from attrs import field, frozen

from crowdproof.audit.auditor import audit
from crowdproof.audit.calibration.null import Null
from crowdproof.audit.compare.betting import Ended, SequentialResult, sequential_audit
from crowdproof.audit.request import Budget, Runner, Sampling
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import DP
from crowdproof.findings import NotRefuted, PairWitness, Proved, Refuted, Skipped, Undecided, Verdict

Path: TypeAlias = tuple[float, ...]
"""Log e after each block."""
SURE = Fraction(1, 10**6)
"""The level at which not a single refutation of a true claim is acceptable: the auditor's default."""
LOOSE = Fraction(1, 20)
"""The level at which refutations of true claims are frequent enough to be counted: the usual one."""
TRACED = 3
"""Places in the code that the text of a crash tells, from the innermost. A guess: one is often a helper that many call,
and more than three make the line of a table too long."""


class Result(Enum):
    """What came of one audit of a true claim."""

    REFUTED = "refuted"
    NOT_REFUTED = "not refuted"
    NO_VERDICT = "no verdict"
    """It was skipped or undecided, so it tested nothing."""
    CRASH = "crash"


@frozen
class Trial:
    """One audit that is to be performed."""

    null: Null
    error: Fraction
    runs: int
    seed: tuple[int, ...]
    """Words of a SeedSequence."""


@frozen
class Outcome:
    """What came of it."""

    result: Result
    text: str = ""
    """Why there was no verdict, or what crashed and where."""
    e_values: tuple[float, ...] = ()
    """At each rule of `STOPPING`; empty where there was no test by betting alone."""
    runs: int = 0
    seed: tuple[int, ...] = field(default=(), eq=False)
    """With the null, what repeats it."""


STOPPING: dict[str, Callable[[Path], float]] = {
    "when the budget is spent": lambda path: path[-1],
    "as soon as it gains": lambda path: next((each for each in path if each > 0.1), path[-1]),
    "as soon as it has doubled": lambda path: next((each for each in path if each > math.log(2)), path[-1]),
    "as soon as it loses": lambda path: next((each for each in path if each < -0.1), path[-1]),
}
"""Rules for when to stop, each by the log of the e-value at which it does."""


def perform(trial: Trial, runner: Runner | None = None) -> Outcome:
    """Run the audit; whatever it raises is a crash of the auditor, since a null is a target like any other."""
    try:
        outcome = (_at_the_door if trial.null.at_the_door else _at_the_engine)(trial, runner or Inline())
    except Exception as error:  # noqa: BLE001  (a crash is what is looked for)
        outcome = Outcome(Result.CRASH, _where(error))
    return Outcome(outcome.result, outcome.text, outcome.e_values, outcome.runs, trial.seed)


def _where(error: Exception) -> str:
    places = reversed(traceback.extract_tb(error.__traceback__)[-TRACED:])
    path = " < ".join(f"{each.filename.rpartition('/')[2]}:{each.name}" for each in places)
    return f"{type(error).__name__}: {ascii(str(error))[1:-1][:200]} ({path})"


def _at_the_engine(trial: Trial, runner: Runner) -> Outcome:
    """Audit the null by the test by betting alone."""
    claim = trial.null.claim
    assert isinstance(claim, DP)
    found = sequential_audit(
        trial.null.pairs,
        trial.null.mechanism(),
        claim.points,
        error=trial.error,
        budget=Budget(runs=trial.runs),
        seed=np.random.SeedSequence(trial.seed),
        runner=runner,
        bounds=False,
    )
    return Outcome(*_judged(found), _e_values(found), found.trials)


def _judged(found: SequentialResult) -> tuple[Result, str]:
    if found.refuted is not None:
        return Result.REFUTED, found.refuted.event.words
    if found.ended in {Ended.FAILED, Ended.DRIFT, Ended.SHARED_NOISE}:
        return Result.NO_VERDICT, found.failure or found.ended.value
    if found.detectable.nothing or not found.bet:
        return Result.NO_VERDICT, "the runs are too few to find any leak"
    return Result.NOT_REFUTED, ""


def _e_values(found: SequentialResult) -> tuple[float, ...]:
    path = tuple(log_e for _, log_e in found.trace)
    return tuple(math.exp(rule(path)) for rule in STOPPING.values()) if path else ()


def _at_the_door(trial: Trial, runner: Runner) -> Outcome:
    null = trial.null
    seed = int(np.random.SeedSequence(trial.seed).generate_state(1)[0])
    finding = audit(
        null.mechanism(),
        null.claim,
        pairs=null.pairs,
        budget=Budget(runs=trial.runs),
        error=trial.error,
        seed=seed,
        runner=runner,
        sampling=null.sampling or Sampling.AUDITOR,
    )
    return Outcome(*told(finding.verdict), runs=finding.cost.runs)


def told(verdict: Verdict) -> tuple[Result, str]:
    """What the verdict of a finding says about a trial."""
    match verdict:
        case Refuted(witness):
            return Result.REFUTED, witness.event.words if isinstance(witness, PairWitness) else ""
        case NotRefuted() | Proved():
            return Result.NOT_REFUTED, ""
        case Undecided(reason) | Skipped(reason):
            return Result.NO_VERDICT, reason
        case _:
            assert_never(verdict)


def trials(nulls: Sequence[Null], error: Fraction, *, audits: int, runs: int, seed: int) -> Iterator[Trial]:
    """The trials that audit each null several times at this level, each with a seed of its own."""
    level = error.denominator
    for place, null in enumerate(nulls):
        for number in range(audits):
            yield Trial(null, error, runs, (seed, level, place, number))
