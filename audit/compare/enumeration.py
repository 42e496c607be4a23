"""The exact part of a comparison: enumerate where that is affordable, then let the search look for more."""

from collections.abc import Sequence

from attrs import define

from crowdproof.audit.allowance import Allowance, Stream
from crowdproof.audit.compare.enumerated import Enumerated, Examined
from crowdproof.audit.compare.exact import ExactResult, Unaffordable, confirmed, exact_law
from crowdproof.audit.compare.exact.enumerate import LIMIT
from crowdproof.audit.compare.odd_rows import odd_pairs
from crowdproof.audit.request import Pair
from crowdproof.audit.targets.interface import started_afresh
from crowdproof.errors import TargetError
from crowdproof.exact import show
from crowdproof.findings import Note

GLANCE = 400
"""Runs up to which further pairs are looked at after a refutation, for a larger leak to show. A guess: the claim is
broken already, so that more would only delay the finding, and with fewer it tells the first leak, not the largest."""
PROPOSED_LIMIT = 3_000
"""Runs that a pair may take that the auditor chose itself. A guess: there are many such pairs, so that more would spend
the budget on the first ones, and fewer leave larger tables to the bets."""
PAIR_SHARE = 3
"""And at most one part in so many of the runs that are left: a guess, so that small budgets see several pairs."""
SEARCH_LIMIT = 150
"""Runs that a pair of the search may take: a guess, so that the search tries many small pairs."""
SEARCH_SHARE = 2
"""The search takes at most one part in so many of what is left of the budget: half of it, and as much is left for what
comes after."""
TOLERANCE = 1000
"""What samples that are not run may weigh: one part in so many of the claimed delta. A guess: a claim that misses its
delta by less may stay unrefuted, and a smaller part takes more runs."""


@define(eq=False)
class Enumeration(Enumerated):
    """Enumerates pairs of neighbours, one after the other."""

    def examine(self, pairs: Sequence[Pair]) -> None:
        """Examine the pairs one after the other; a pair on which the target breaks is noted and passed over."""
        for place, pair in enumerate(pairs):
            refuted = self.refuting is not None
            if self.allowance.spent or (refuted and self.allowance.runs >= GLANCE):
                self.not_reached = len(pairs) - place
                return
            try:
                self._one(pair, GLANCE if refuted else self._limit)
            except TargetError as error:
                self._broke(pair, error)

    def look_at_rows(self) -> None:
        """Examine the rows that a pilot finds odd; where they cannot be enumerated, they come first among the bets."""
        if self.refuting is not None or self.allowance.spent:
            return
        before = len(self.unaffordable)
        self.examine(odd_pairs(self.question, self.allowance))
        self.unaffordable[:] = [*self.unaffordable[before:], *self.unaffordable[:before]]

    def search(self) -> None:
        """Let the guided search look for a pair that refutes the claim, and keep it made small."""

        def score(pair: Pair) -> float | None:
            if own.spent or len(self.broken) > broken:
                return None
            try:
                law = self._law(pair, own, limit=SEARCH_LIMIT, partial=True)
            except TargetError as error:
                self._broke(pair, error)
                return None
            if not isinstance(law, ExactResult):
                return None
            return float(Examined.of(law, question.curve).beyond)

        question, own, broken = self.question, self.allowance.part(SEARCH_SHARE), len(self.broken)
        seed = self.allowance.number(Stream.SEARCHING)
        climb = question.proposals.search(score, examples=question.search, seed=seed)
        if climb is None:
            return
        text = f"A guided search tried {climb.tried} pairs of small tables"
        self.notes.append(Note("Search", f"{text} and {'found one' if climb.smallest else 'found none'} that refutes."))
        if (climb.smallest or climb.best) is not None:
            self._one(climb.smallest or climb.best, self._limit)  # type: ignore[arg-type]

    def confirm(self) -> None:
        """Confirm a refutation by fresh runs, at half of the error, where determinism was only measured."""
        worst = self.refuting
        if worst is None or not self.question.known.distrusted:
            return
        runs, error = self.allowance.runs, self.allowance.error / 2
        with started_afresh(self.question.mechanism) as mechanism:
            self.confirmed = confirmed(
                worst.result,
                worst.excess,
                flipped=worst.flipped,
                mechanism=mechanism,
                delta=worst.point.delta,
                error=error,
                seed=self.allowance.stream(Stream.CONFIRMING),
                runner=self.question.runner,
                allowance=self.allowance,
            )
        if self.confirmed:
            self.notes.append(
                Note(
                    "Confirmed",
                    f"{self.allowance.runs - runs:,} fresh runs, with other seeds and on samples drawn by their "
                    "weights, all came out as enumerated. Had the claim been true they would have done so with a "
                    f"probability of at most {show(error)}, whether or not the target is deterministic.",
                )
            )

    def _broke(self, pair: Pair, error: TargetError) -> None:
        """Pass over a pair on which the target crashed or hung; other errors say more than that."""
        if type(error) is not TargetError:
            raise error
        self.broken.append(str(error))
        self.notes.append(Note(f"Not examined: {pair.origin}", str(error)))

    def _one(self, pair: Pair, limit: int) -> None:
        result = self._law(pair, self.allowance, limit=limit)
        if isinstance(result, Unaffordable):
            self.unaffordable.append((pair, result.reason))
            return
        examined = Examined.of(result, self.question.curve)
        if examined.open:
            self.unaffordable.append((pair, "the budget was spent before all its samples were run"))
        else:
            self.examined.append(examined)
            self.allowance.found = f"delta is at least {max(0.0, float(self.worst.delta)):.4g}"  # type: ignore[union-attr]

    def _law(
        self, pair: Pair, allowance: Allowance, *, limit: int, partial: bool = False
    ) -> ExactResult | Unaffordable:
        question = self.question
        return exact_law(
            pair,
            question.mechanism,
            question.beta,
            runner=question.runner,
            allowance=allowance,
            limit=limit,
            partial=partial,
            tolerance=min(each.delta for each in question.curve) / TOLERANCE,
            distrust=question.known.distrusted,
        )

    @property
    def _limit(self) -> int:
        """Runs that a pair may take: a pair that the auditor chose leaves something for the others."""
        if self.question.pairs is not None:
            return LIMIT
        left = self.allowance.left().runs
        return PROPOSED_LIMIT if left is None else min(PROPOSED_LIMIT, left // PAIR_SHARE)
