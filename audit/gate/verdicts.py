"""From the evidence of a statistical test to a finding."""

import math
from collections.abc import Iterator

from crowdproof import wire
from crowdproof.audit.compare.conclusion import suspicious
from crowdproof.audit.compare.constant import constant
from crowdproof.audit.gate.rounds import Bout
from crowdproof.findings import (
    Certainty,
    Confidence,
    Cost,
    Counterexample,
    Finding,
    Note,
    NotRefuted,
    Refuted,
    Skipped,
    Undecided,
    Verdict,
    Witness,
)
from crowdproof.findings import Evidence as Shown


def concluded(bout: Bout) -> Finding:
    """What the evidence amounts to, of this gate and of those before."""
    entry, verdict = bout.case.entry, _verdict(bout)
    notes: tuple[Note, ...] = () if bout.crash is not None else (_so_far(bout),)
    if bout.case.passing is not None:
        notes += (Note("Evidence does not add up", f"This run stands alone: {bout.case.passing}."),)
    notes += constant(bout.case.keys)
    shown = [*bout.case.shown, *_enumeration(bout, verdict)]
    runs = bout.spent + sum(found.cost.runs for found in bout.case.enumerated)
    return Finding(
        entry.name, entry.claim, verdict, _certainty(bout, verdict), (*notes, *shown), Cost(runs, bout.seconds)
    )


def _enumeration(bout: Bout, verdict: Verdict) -> Iterator[Shown]:
    """What enumeration showed; a refutation on the same pairs undoes it."""
    for found in bout.case.enumerated:
        if isinstance(verdict, Refuted):
            text = "The target looked deterministic, and enumerated as such it showed no leak; the slices saw one."
            yield Note("Not deterministic after all", text)
        else:
            yield from found.evidence


def _certainty(bout: Bout, verdict: Verdict) -> Certainty | None:
    if isinstance(verdict, Refuted):
        return Confidence(bout.alpha)
    if isinstance(verdict, NotRefuted) and bout.case.enumerated:
        return bout.case.enumerated[0].certainty
    if isinstance(verdict, NotRefuted) and not bout.sees:  # it rests on what was enumerated alone
        return bout.case.exact[0][1]
    return None


def _verdict(bout: Bout) -> Verdict:
    if bout.crash is not None:
        return Skipped(f"The target could not be run: {bout.crash}")
    if bout.refuted:
        return Refuted(_witness(bout))
    needed = -math.log(bout.alpha)
    if suspicious(bout.standing.log_e, needed):
        share = bout.standing.log_e / needed
        return Undecided(
            f"What looks like a leak was seen, with {share:.0%} of the evidence that a refutation needs: run the gate "
            "again, or raise its runs."
        )
    held = bout.case.enumerated[0].verdict if bout.case.enumerated else None
    if isinstance(held, NotRefuted):
        return _held(bout, held)
    if not bout.sees and not bout.case.exact:
        return Undecided(_too_few(bout))
    tested = [bout.detectable] if bout.sees else []
    return NotRefuted(" ".join([*tested, *(sentence for sentence, _ in bout.case.exact)]))


def _too_few(bout: Bout) -> str:
    """Why no leak could have been seen, with the remedy."""
    spent = f"{bout.spent:,} runs are too few to find any leak beyond this claim"
    if bout.done < bout.case.runs:
        return f"{spent}, and the time of the gate was spent: raise --seconds."
    return f"{spent}: raise its runs."


def _held(bout: Bout, held: NotRefuted) -> Verdict:
    """What enumeration shows if the target is deterministic, and what the test would have seen if it is not."""
    if not bout.sees:
        return held
    return NotRefuted(f"{held.detectable} If it is not: {bout.detectable[0].lower()}{bout.detectable[1:]}")


def _witness(bout: Bout) -> Witness:
    stored = bout.standing.witness
    if isinstance(stored, dict):
        verdict = wire.from_json(stored).verdict
        if isinstance(verdict, Refuted):
            return verdict.witness
    return Counterexample("The evidence of many small slices adds up; none of them shows an event by itself.")


def _so_far(bout: Bout) -> Note:
    standing = bout.standing
    cut_short = ""
    if bout.done < bout.case.runs:
        cut_short = f" The time of this gate ended after {bout.spent:,} of {bout.case.runs:,} runs."
    gates = "this run" if standing.gates <= 1 else f"{standing.gates} runs of the gate"
    return Note(
        "Evidence so far",
        f"An e-value of {_power(standing.log_e)} (at most {_power(standing.peak)}) from {standing.runs:,} runs of the "
        f"target in {gates}; the claim is refuted from {_power(-math.log(bout.alpha))} on."
        f"{cut_short}",
    )


def _power(log: float) -> str:
    """A power of ten, for a number that may be beyond the floats."""
    return f"10^{log / math.log(10):.1f}"
