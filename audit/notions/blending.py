"""Whether a row of a dataset is ignored, and with how many rows it may blend: by comparisons of two datasets each."""

import math

from attrs import Factory, define, evolve

from crowdproof.audit.allowance import Allowance
from crowdproof.audit.compare.betting import Ended
from crowdproof.audit.compare.betting_story import require_answers
from crowdproof.audit.compare.comparison import INTERRUPTED, Comparison, compare
from crowdproof.audit.compare.conclusion import suspicious
from crowdproof.audit.compare.exact import NotDeterministicError
from crowdproof.audit.compare.question import Question
from crowdproof.audit.notions.suspects import Suspect
from crowdproof.audit.request import Pair
from crowdproof.findings import PairWitness

SHARE = 4
"""A test by betting takes at most one part in so many of what is left of the budget: a guess, so that several rows are
looked at."""
OTHERS = 16
"""Kinds of other rows that a row is compared with: a guess. Each comparison takes a part of the error."""


@define(eq=False)
class Examination:
    """Compares the datasets that crowd-blending speaks of; all comparisons together have the error of the audit."""

    question: Question
    """What is asked of each pair, but for the pair itself."""
    k: int
    allowance: Allowance
    tests: int
    """How many comparisons there may be."""
    rows: list[tuple[str, ...]] = Factory(list)
    made: int = 0
    """Comparisons so far."""
    suspected: bool = False
    """Whether the last comparison saw something that could not be confirmed with what was left of the budget."""
    unconfirmed: bool = False
    """Whether the claim would be refuted if all that was only suspected were so."""
    drifts: bool = False
    """Whether releases changed in the course of a bet, though the runs were declared to be independent."""
    shares_noise: bool = False
    """Whether runs of a bet seemed to share their noise."""
    blind: bool = False
    """Whether the budget of the last comparison was too small for anything to show."""
    agreed: int = 0
    """Runs of the enumeration: no two on the same data differed."""
    random: bool = False
    """Whether the target turned out to be random, though it was taken to be deterministic."""
    clean: bool = False
    """Whether it came to its end, and saw nothing that would have to be confirmed."""

    def told_apart(self, pair: Pair) -> PairWitness | None:
        """What tells the two datasets apart beyond e^epsilon, if anything does."""
        known = self.question.known
        share = 1 if known.finite else SHARE
        allowance = self.allowance.part(share).comparison(self.made, tests=self.tests)
        self.made += 1
        asked = evolve(self.question, pairs=[pair], neighbours=pair.relation)
        comparison = compare(asked, allowance, going_on=False, bounds=False)
        if comparison.ended == INTERRUPTED:
            raise KeyboardInterrupt
        if known.finite and comparison.enumeration.not_deterministic:
            raise NotDeterministicError
        self._note(comparison)
        return comparison.witness

    def _note(self, comparison: Comparison) -> None:
        """Keep what a comparison says about the examination as a whole."""
        enumerated, tested = comparison.enumeration, comparison.tested
        self.agreed += enumerated.agreed
        self.suspected = enumerated.refuting is not None and not enumerated.sure
        self.blind = not enumerated.examined
        if tested is not None:
            self.drifts |= tested.ended is Ended.DRIFT
            self.shares_noise |= tested.ended is Ended.SHARED_NOISE
            self.suspected |= tested.refuted is None and suspicious(tested.log_e, -math.log(comparison.error))
            self.blind = tested.detectable.nothing or not tested.bet
            if tested.refuted is None:
                require_answers(tested)

    def refutes(self, suspect: Suspect) -> PairWitness | None:
        """The witness that the row is not ignored, if it also blends with fewer than k rows."""
        seen = self.told_apart(suspect.without())
        if seen is None and not self.suspected:
            if not self.blind:
                self.rows.append((suspect.origin, "no", "ignored, as far as seen"))
            return None
        most, least = self._blending(suspect)
        if seen is None or most >= self.k:
            self.unconfirmed |= least < self.k
            self.rows.append((suspect.origin, "perhaps" if seen is None else "yes", f"{most:,}"))
            return None
        self.rows.append((suspect.origin, "yes", f"{most:,}"))
        return seen

    def _blending(self, suspect: Suspect) -> tuple[int, int]:
        """How many rows the row may blend with: by what was shown, and if all were so that was only suspected.

        It stops where both are at least k.
        """
        counts = suspect.counts
        most = least = counts[suspect.kind]
        others = sorted((i for i in range(len(counts)) if i != suspect.kind), key=lambda i: -counts[i])
        for place, other in enumerate(others):
            if least >= self.k:
                break
            if place >= OTHERS:  # not compared, so they may blend
                rest = sum(counts[i] for i in others[place:])
                return most + rest, least + rest
            if self.told_apart(suspect.exchanged(other)) is None:
                most += counts[other]
                least += 0 if self.suspected else counts[other]
        return most, least
