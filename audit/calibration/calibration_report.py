"""Writes a calibration up as a finding about the auditor itself."""

from fractions import Fraction
from itertools import count
from typing import Any

from crowdproof.audit.calibration.perform import STOPPING, Outcome, Result
from crowdproof.audit.calibration.rates import DOUBT, Calibration, Rate
from crowdproof.claims import Assertion
from crowdproof.exact import show
from crowdproof.findings import (
    Confidence,
    Cost,
    Counterexample,
    Finding,
    NotRefuted,
    Refuted,
    Reproduce,
    Table,
    Undecided,
    Verdict,
)

LIKELY = 0.9
"""How likely a rate is to be seen as too high that is told to be detectable: the usual power."""


def finding(calibration: Calibration, seed: int, seconds: float = 0.0) -> Finding:
    """What the audits say about the promise: a true claim is refuted with probability at most the level."""
    levels = sorted({rate.error for rate in calibration.rates})
    promise = " or ".join(map(show, levels))
    audits = sum(rate.audits for rate in calibration.rates)
    parameters: dict[str, Any] = {"audits": audits, "workers": list(calibration.workers)}
    return Finding(
        subject="crowdproof's sequential auditor",
        claim=Assertion(
            "calibration", f"a true claim is refuted with probability at most {promise}, whenever one looks"
        ),
        verdict=_verdict(calibration),
        certainty=Confidence(Fraction(DOUBT).limit_denominator(1000)),
        evidence=(table(calibration),),
        cost=Cost(calibration.runs, seconds),
        reproduce=Reproduce(seed=seed, parameters=parameters),
    )


def _verdict(calibration: Calibration) -> Verdict:
    if not calibration.sound:
        alarms = {rate.null: str(rate.alarms) for rate in calibration.rates}
        return Refuted(Counterexample(complaint(calibration), alarms))
    if not any(each.result is Result.NOT_REFUTED for _, each in calibration.outcomes):
        return Undecided("no audit came to a verdict: ask for at least one, with more runs.")
    seen = detectable(max(calibration.rates, key=lambda rate: rate.error), len(calibration.rates))
    return NotRefuted(f"A false-alarm rate above {seen:.3g} on any null would have been seen.")


def detectable(rate: Rate, rates: int) -> float:
    """The false-alarm rate that so many audits would have shown to be too high with probability 0.9."""
    from scipy.stats import beta  # noqa: PLC0415  (slow to load)

    alarmed = (Rate("", "", error=rate.error, outcomes=_with(alarms, rate.audits)) for alarms in count(1))
    limit = next(each.alarms for each in alarmed if each.alarms >= rate.audits or each.too_many(DOUBT / rates))
    return float(beta.ppf(LIKELY, limit, max(rate.audits - limit + 1, 1)))


def _with(alarms: int, audits: int) -> tuple[Outcome, ...]:
    return (Outcome(Result.REFUTED),) * alarms + (Outcome(Result.NOT_REFUTED),) * (audits - alarms)


def complaint(calibration: Calibration) -> str:
    """The sentence that says what is wrong: it names the worst case, and what repeats it."""
    if calibration.differing:
        return f"the same audit gave different results on different numbers of workers ({calibration.differing[0]})"
    if calibration.above:
        worst = max(calibration.above, key=lambda rate: rate.alarms / rate.audits)
        level = f"at a level of {show(worst.error)}"
        return f"{worst.alarms} of {worst.audits} audits of a true claim {level} ended in a refutation ({worst.null})"
    rate, outcome = calibration.crashes[0]
    return f"an audit of a true claim crashed: {outcome.text} ({rate.null}, seed {outcome.seed})"


def table(calibration: Calibration) -> Table:
    """The table with a row for each null."""
    rows = tuple(
        (
            *(rate.null, show(rate.error), str(rate.audits), str(rate.alarms)),
            *(str(rate.count(Result.CRASH)), str(rate.count(Result.NO_VERDICT))),
            *(f"{mean:.3f}" for mean in rate.means),
        )
        for rate in calibration.rates
    )
    rules = tuple(f"mean e-value {rule}" for rule in STOPPING)
    columns = ("null", "level", "audits", "false alarms", "crashes", "no verdict", *rules)
    return Table("True claims, only just", columns, rows)
