"""From the evidence of a statistical test to a finding."""

import math
from collections.abc import Iterator

from crowdproof import wire
from crowdproof.audit.compare.conclusion import suspicious
from crowdproof.audit.compare.constant import constant
from crowdproof.audit.compare.measured import IF_NOT
from crowdproof.audit.gate.code_hash import unfollowed
from crowdproof.audit.gate.rounds import ClaimUnderTest
from crowdproof.findings import (
    Certainty,
    Confidence,
    Cost,
    Counterexample,
    Evidence,
    Finding,
    Note,
    NotRefuted,
    Refuted,
    Skipped,
    Undecided,
    Verdict,
    Witness,
)

NOT_FOLLOWED = Note(
    "Code that is not followed",
    "Evidence adds up as long as the program, the files that its command names and what these import stay the same. "
    "What else the target loads or reads as it runs is not seen: name it under sources.",
)

ALONE = Note(
    "Evidence was not kept",
    "The evidence file could not be used any more, so this run went on by itself, with a share of the error of its "
    "own. The next run does not know what it found.",
)


def concluded(test: ClaimUnderTest) -> Finding:
    """The finding about a claim, from the evidence of this run of the gate and of the runs before it."""
    entry, verdict = test.case.entry, _verdict(test)
    notes: tuple[Note, ...] = () if test.failure is not None else (_so_far(test),)
    if test.account.alone:
        notes += (ALONE,)
    if test.case.passing is not None:
        notes += (Note("Evidence does not add up", f"This run stands alone: {test.case.passing}."),)
    elif unfollowed(entry, test.case.loaded):
        notes += (NOT_FOLLOWED,)
    notes += constant(test.case.keys)
    shown = [*test.case.shown, *_enumeration(test, verdict)]
    runs = test.spent + sum(found.cost.runs for found in test.case.enumerated)
    return Finding(
        subject=entry.name,
        claim=entry.claim,
        verdict=verdict,
        certainty=_certainty(test, verdict),
        evidence=(*notes, *shown),
        cost=Cost(runs, test.seconds),
    )


def _enumeration(test: ClaimUnderTest, verdict: Verdict) -> Iterator[Evidence]:
    """What enumeration showed before the test; or, where the test refuted the claim, that it no longer counts."""
    for found in test.case.enumerated:
        if isinstance(verdict, Refuted):
            text = "The target looked deterministic, and enumerated as such it showed no leak; the slices saw one."
            yield Note("Not deterministic after all", text)
        else:
            yield from found.evidence


def _certainty(test: ClaimUnderTest, verdict: Verdict) -> Certainty | None:
    if isinstance(verdict, Refuted):
        return Confidence(test.alpha)
    if isinstance(verdict, NotRefuted) and test.case.enumerated:
        return test.case.enumerated[0].certainty
    if isinstance(verdict, NotRefuted) and not test.sees:  # it rests on what was enumerated alone
        return test.case.exact[0][1]
    return None


def _verdict(test: ClaimUnderTest) -> Verdict:
    if test.failure is not None:
        return Skipped(test.failure)
    if test.refuted:
        return Refuted(_witness(test))
    open_ = _open(test)
    if open_ is not None:
        return open_
    held = test.case.enumerated[0].verdict if test.case.enumerated else None
    if isinstance(held, NotRefuted):
        return _held(test, held)
    if not test.sees and not test.case.exact:
        return Undecided(_too_few(test))
    tested = [test.detectable] if test.sees else []
    return NotRefuted(" ".join([*(sentence for sentence, _ in test.case.exact), *tested]))


def _open(test: ClaimUnderTest) -> Undecided | None:
    """What leaves the claim open, though a leak could have shown."""
    if test.doubt:
        return Undecided(test.doubt)
    needed = -math.log(test.account.own or test.alpha)
    if not suspicious(test.standing.log_e, needed):
        return None
    if test.account.alone:
        return Undecided(
            "What looks like a leak was seen, and the evidence file failed: see that it can be used, and run the gate "
            "again."
        )
    return Undecided(
        f"What looks like a leak was seen, with {test.standing.log_e / needed:.0%} of the evidence that a refutation "
        "needs: run the gate again, or raise its runs."
    )


def _too_few(test: ClaimUnderTest) -> str:
    """Why no leak could have been seen, with the remedy."""
    spent = f"{test.spent:,} runs are too few to find any leak beyond this claim"
    if test.done < test.case.runs:
        return f"{spent}, and the time of the gate was spent: raise --seconds."
    return f"{spent}: raise its runs."


def _held(test: ClaimUnderTest, held: NotRefuted) -> Verdict:
    """What enumeration shows if the target is deterministic, and which leak the test would have found if it is not."""
    if not test.sees:
        return held
    return NotRefuted(f"{held.detectable} {IF_NOT} {test.detectable}")


def _witness(test: ClaimUnderTest) -> Witness:
    stored = test.standing.witness
    if isinstance(stored, dict):
        verdict = wire.from_json(stored).verdict
        if isinstance(verdict, Refuted):
            return verdict.witness
    return Counterexample("The evidence of many small slices adds up; none of them shows an event by itself.")


def _so_far(test: ClaimUnderTest) -> Note:
    standing = test.standing
    cut_short = ""
    if test.done < test.case.runs:
        cut_short = f" The time of this gate ended after {test.spent:,} of {test.case.runs:,} runs."
    gates = "this run" if standing.gates <= 1 else f"{standing.gates} runs of the gate"
    return Note(
        "Evidence so far",
        f"An e-value of {_power(standing.log_e)} (at most {_power(standing.peak)}) from {standing.runs:,} runs of the "
        f"target in {gates}; the claim is refuted from {_power(-math.log(test.alpha))} on."
        f"{cut_short}",
    )


def _power(log: float) -> str:
    """A power of ten, for a number that may be beyond the floats."""
    return f"10^{log / math.log(10):.1f}"
