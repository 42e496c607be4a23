"""What a comparison amounts to: the verdict, how sure it is, and the evidence.

The verdict depends on what was examined, never on which budget ended first. NOT_REFUTED says that a leak could have
been seen, and which. UNDECIDED says that none could, or that something was seen which was not confirmed in time.
"""

import math

from crowdproof.audit.compare import betting_story
from crowdproof.audit.compare.betting import Ended, SequentialResult
from crowdproof.audit.compare.betting.drift import DRIFT, SHARED
from crowdproof.audit.compare.comparison import INTERRUPTED, Comparison
from crowdproof.audit.compare.constant import constant
from crowdproof.audit.compare.measured import IF_NOT
from crowdproof.audit.request import Conclusion
from crowdproof.findings import Certainty, Confidence, Evidence, NotRefuted, Refuted, Skipped, Undecided, Verdict

SUSPICIOUS = 0.5
"""The share of the evidence for a refutation, in logarithms, from which on a test that ends is not called clean.

At an error of 1e-6 that is an e-value of 1,000, which a true claim reaches with probability 1/1,000 at most: seldom
enough that an honest gate is not held up, and a leak that lacks a few runs is not waved through."""
MORE_RUNS = "raise --runs or --seconds, or give more outputs."
"""The remedy for a test that could not see a leak."""
FEW_RUNS = (
    f"{MORE_RUNS} Where the same data always give the same release, say so with --deterministic: few runs do then."
)
"""The same where hardly anything was run: a program that takes seconds may be decided by a handful of runs."""


def conclude(comparison: Comparison) -> Conclusion:
    """The verdict with its certainty and its evidence."""
    verdict = _verdict(comparison)
    evidence = (*constant(comparison.keys), *_evidence(comparison), *comparison.question.known.notes)
    return Conclusion(verdict, _certainty(comparison, verdict), evidence, comparison.allowance.runs)


def suspicious(log_e: float, log_needed: float) -> bool:
    """Whether the evidence at the end of a test is more than chance would explain, and less than a refutation needs."""
    return log_e >= SUSPICIOUS * log_needed


def _evidence(comparison: Comparison) -> tuple[Evidence, ...]:
    part, tested = comparison.enumeration, comparison.tested
    if tested is None or part.refuting is not None:
        return part.evidence()
    told = betting_story.evidence(tested, comparison.pairs, comparison.error, of_many=comparison.question.many)
    return (*told, *part.evidence())


def _verdict(comparison: Comparison) -> Verdict:
    part = comparison.enumeration
    if part.refuting is not None:
        return part.verdict()
    if comparison.tested is not None:
        return _tested(comparison, comparison.tested)
    if part.gap:
        return Skipped(part.gap)
    if part.worst is None:
        return _nothing_examined(comparison)
    return _enumerated(comparison)


def _enumerated(comparison: Comparison) -> Verdict:
    """What enumeration says by itself, where it refutes nothing."""
    part = comparison.enumeration
    if comparison.ended == INTERRUPTED:
        return Undecided(f"No leak was found before {comparison.ended}.")
    if part.too_few:
        return Undecided(f"The budget was spent before enough was examined. {part.seen()} Raise --runs or --seconds.")
    return part.verdict()


def _nothing_examined(comparison: Comparison) -> Verdict:
    """Why there is nothing to go by."""
    notes, allowance = comparison.enumeration.notes, comparison.allowance
    if comparison.ended == INTERRUPTED:
        return Undecided(f"Nothing was examined before {comparison.ended}.")
    if notes:
        return Skipped(notes[0].text)
    if allowance.spent:
        return Undecided(
            f"Nothing was examined before {comparison.ended or 'the budget of runs was spent'}: {FEW_RUNS}"
        )
    return Skipped("Nothing was examined: there was no pair.")


def _certainty(comparison: Comparison, verdict: Verdict) -> Certainty | None:
    part = comparison.enumeration
    if isinstance(verdict, Skipped):
        return None
    if part.refuting is not None or comparison.tested is None:
        return None if isinstance(verdict, Undecided) else part.certainty
    if isinstance(verdict, NotRefuted) and part.settled:
        return part.certainty
    return Confidence(comparison.allowance.error)


def _tested(comparison: Comparison, tested: SequentialResult) -> Verdict:
    """What a test by betting says, and what enumeration has shown beside it."""
    if tested.refuted is not None:
        return Refuted(betting_story.witness(tested.refuted, comparison.pairs))
    part = comparison.enumeration
    reason = part.gap or betting_story.out_of_order(tested)
    if reason is not None:
        return Skipped(reason)
    exact = f"{part.seen()} " if part.worst is not None else ""
    if tested.ended is Ended.FAILED:
        return Skipped(f"The target failed after {tested.trials:,} runs: {tested.failure} {exact}".rstrip())
    open_ = _undecided(comparison, tested, exact)
    if open_ is not None:
        return open_
    if tested.detectable.nothing or not tested.bet:
        return _too_few(comparison, tested)
    return _not_found(comparison, tested, exact)


def _undecided(comparison: Comparison, tested: SequentialResult, exact: str) -> Undecided | None:
    """Why the test leaves the claim open, where it could have seen a leak."""
    if tested.ended is Ended.DRIFT:
        return Undecided(DRIFT)
    if tested.ended is Ended.SHARED_NOISE:
        return Undecided(SHARED)
    if tested.ended is Ended.INTERRUPTED:
        return Undecided(f"No leak was found before {tested.ended.value}. {exact}{tested.detectable.words}")
    needed = -math.log(comparison.error)
    if suspicious(tested.log_e, needed):
        return Undecided(
            f"What looks like a leak was seen, with {tested.log_e / needed:.0%} of the evidence that a refutation "
            f"needs when {tested.ended.value}: {MORE_RUNS}"
        )
    return None


def _not_found(comparison: Comparison, tested: SequentialResult, exact: str) -> Verdict:
    """What was established exactly, and then which leak the bets would have found."""
    seen = tested.detectable
    between = ""
    if comparison.enumeration.settled:
        between = f"{IF_NOT} "
    elif exact:
        between = "Beyond that, pairs were tested by betting. "
    return NotRefuted(f"{exact}{between}{seen.words}", seen.epsilon, seen.delta)


def _too_few(comparison: Comparison, tested: SequentialResult) -> Verdict:
    """What may be said where no leak could have shown in the test."""
    part = comparison.enumeration
    if part.worst is not None and not part.too_few:
        return NotRefuted(part.seen())
    return Undecided(f"{tested.trials:,} runs are too few to find any leak beyond this claim: {FEW_RUNS}")
