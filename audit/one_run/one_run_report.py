"""What a one-run audit found, in words, tables and a picture."""

import math
from fractions import Fraction

import numpy as np
from attrs import frozen

from crowdproof.audit.one_run.judging import Judgement, enough, least_epsilon
from crowdproof.audit.one_run.planning import plan, remedy
from crowdproof.audit.request import Conclusion, OneRunTerms
from crowdproof.claims import DP, DPS
from crowdproof.exact import show
from crowdproof.findings import (
    Chart,
    Confidence,
    Counterexample,
    Evidence,
    Note,
    NotRefuted,
    Refuted,
    Series,
    Table,
    Undecided,
    Verdict,
)

METHOD = Note(
    "Method",
    "Rows made for this audit (canaries) were put into the data, each by a fair coin of its own. The target ran on all "
    "of it, and the auditor guessed from the release which canaries were in, one after the other. If the claim is "
    "true, a guess is right with a limited probability, whatever was released. The guesses were bet on, and the "
    "winnings are the evidence.",
)

USED_UP = Undecided(
    "The errors of all judgements by these keys add up to 1 or more, so that none of them says anything. What to do: "
    "make new canaries, and run the pipeline once more."
)


@frozen(eq=False)
class Told:
    """All that there is to tell."""

    claim: DP | DPS
    terms: OneRunTerms
    error: Fraction
    """The evidence is compared with it."""
    judgements: tuple[Judgement, ...]
    interrupted: bool = False
    whole: Fraction | None = None
    """The error of this and of earlier judgements together, where there were any: it is what a reader may rely on."""

    @property
    def relied_on(self) -> Fraction:
        """The probability of being wrong that the finding states."""
        return self.error if self.whole is None else min(self.whole, Fraction(1))

    @property
    def guesses(self) -> int:
        """How many guesses were bet on."""
        return sum(int(each.guessed.sum()) for each in self.judgements)

    @property
    def right(self) -> int:
        """How many of them were right."""
        return sum(each.right for each in self.judgements)

    @property
    def log_evidence(self) -> float:
        """ln of the evidence of all runs."""
        return sum(each.log_evidence for each in self.judgements)


def conclude(told: Told) -> Conclusion:
    """The verdict and what it rests on."""
    verdict = _verdict(told)
    certainty = None if isinstance(verdict, Undecided) else Confidence(told.relied_on)
    return Conclusion(verdict, certainty, tuple(_evidence(told)), len(told.judgements), measures=_measures(told))


def _verdict(told: Told) -> Verdict:
    if not told.judgements:
        return Undecided("It was interrupted before the first run was judged.")
    if enough(told.judgements, told.error):
        return Refuted(_witness(told)) if told.relied_on < 1 else USED_UP
    claim, canaries = told.claim, told.terms.canaries
    asked = plan(claim.epsilon, claim.delta, canaries=canaries, runs=len(told.judgements), error=told.error)
    if asked.told is None:
        advice = remedy(claim.epsilon, claim.delta, canaries=canaries, error=told.error)
        return Undecided(f"{asked} What to do: {advice}")
    if not any(each.features for each in told.judgements):
        return Undecided("Nothing in the release can be compared with the canaries: audit the target on small tables.")
    if told.log_evidence >= -math.log(float(told.error)) / 2:
        return Undecided("A leak was seen, and it is not confirmed: raise --repeat or --canaries.")
    return NotRefuted(f"{asked} This is one kind of leak: what the canaries do not show was not looked for.")


def _witness(told: Told) -> Counterexample:
    runs = "one release" if len(told.judgements) == 1 else f"{len(told.judgements)} releases"
    most = told.judgements[0].stakes.most
    slack = "" if told.claim.delta == 0 else f", and slightly more for its delta of {show(told.claim.delta)}"
    words = (
        f"From {runs} the auditor guessed of {told.guesses:,} planted rows whether they were in the data, and "
        f"{told.right:,} of the guesses were right. The claim allows each guess to be right with a probability of "
        f"{most:.3g} at most{slack}."
    )
    values = {"guesses": str(told.guesses), "right": str(told.right), "most": f"{most:.6g}"}
    return Counterexample(words, values)


def _evidence(told: Told) -> list[Evidence]:
    if not told.judgements:
        return [METHOD]
    bound = least_epsilon(told.judgements, told.claim.delta, told.error)
    notes: list[Evidence] = [METHOD]
    if told.interrupted:
        notes.append(Note("Interrupted", "What is told here is what the runs before the interrupt showed."))
    if bound > 0 and told.relied_on < 1:
        notes.append(
            Note(
                "Lower bound",
                f"At delta = {show(told.claim.delta)} the target is not private with an epsilon below {bound:.3g} "
                f"(wrong with probability at most {show(told.relied_on)}).",
            )
        )
    return [*notes, _table(told), _chart(told)]


def _table(told: Told) -> Table:
    rows = tuple(
        (
            str(place),
            f"{len(each.coins):,}",
            f"{int(each.coins.sum()):,}",
            f"{int(each.guessed.sum()):,}",
            f"{each.right:,}",
            f"{max(0.0, each.log_evidence / -math.log(float(told.error))):.0%}",
        )
        for place, each in enumerate(told.judgements, 1)
    )
    columns = ("run", "canaries", "in the data", "guesses", "right", "evidence")
    return Table("Guesses (evidence: the share of what a refutation needs)", columns, rows)


def _chart(told: Told) -> Chart:
    """How the winnings grew, canary by canary."""
    needed = -math.log10(float(told.error))
    lines = []
    for place, each in enumerate(told.judgements, 1):
        wealths = each.log_wealths / math.log(10)
        lines.append(
            Series(f"run {place}", tuple(float(n) for n in range(1, len(wealths) + 1)), tuple(wealths.tolist()))
        )
    most = max(len(each.coins) for each in told.judgements)
    lines.append(Series("a refutation at delta = 0", (1.0, float(most)), (needed, needed)))
    return Chart("Winnings of the bets", "canaries revealed", "winnings, as a power of ten", tuple(lines))


def _measures(told: Told) -> dict[str, float | int]:
    """The numbers, for programs."""
    if not told.judgements:
        return {}
    return {
        "runs": len(told.judgements),
        "canaries": told.terms.canaries,
        "guesses": told.guesses,
        "right": told.right,
        "log_evidence": told.log_evidence,
        "least_epsilon": least_epsilon(told.judgements, told.claim.delta, told.error),
        "expected_right_at_most": float(np.float64(told.judgements[0].stakes.most)),
    }
