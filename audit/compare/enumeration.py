"""The exact part of a comparison: enumerate where that is affordable, then let the search look for more."""

from collections.abc import Sequence
from fractions import Fraction

from attrs import Factory, define, frozen

from crowdproof.audit.allowance import Allowance, Stream
from crowdproof.audit.compare.exact import ExactResult, Excess, Unaffordable, confirmed, exact_law, worst_excess
from crowdproof.audit.compare.exact import exact_report as report
from crowdproof.audit.compare.exact.enumerate import LIMIT
from crowdproof.audit.compare.measured import ASSUMED, UNCONFIRMED, if_deterministic
from crowdproof.audit.compare.question import Question
from crowdproof.audit.request import Pair
from crowdproof.errors import TargetError
from crowdproof.exact import show
from crowdproof.findings import (
    Certainty,
    Confidence,
    Evidence,
    Exact,
    Measured,
    Note,
    NotRefuted,
    PairWitness,
    Refuted,
    Skipped,
    Table,
    Undecided,
    Verdict,
)

GLANCE = 400
"""Runs up to which further pairs are looked at after a refutation, for a larger leak to show."""
PROPOSED_LIMIT = 3_000
"""Runs that a pair may take that the auditor chose itself: there are many of them."""
PAIR_SHARE = 3
"""And at most one part in so many of the runs that are left: a guess, so that small budgets see several pairs."""
SEARCH_LIMIT = 150
"""Runs that a pair of the search may take."""
SOURCES = 2
"""Where pairs come from: made by hand, and from the user's own data."""
SEARCH_SHARE = 2
"""The search takes at most one part in so many of what is left of the budget."""


@frozen(eq=False)
class Examined:
    """A pair whose law is known, and the event that tells its datasets apart best."""

    result: ExactResult
    excess: Excess
    flipped: bool

    def witness(self) -> PairWitness:
        """What refutes, where it does."""
        return report.witness(self.result, self.excess, self.flipped)

    @property
    def delta(self) -> Fraction:
        """What is certainly exceeded."""
        return self.excess.bounds().low


@define(eq=False)
class Enumeration:
    """What enumeration has found so far: an interrupt loses none of it."""

    question: Question
    allowance: Allowance
    examined: list[Examined] = Factory(list)
    unaffordable: list[tuple[Pair, str]] = Factory(list)
    notes: list[Note] = Factory(list)
    confirmed: bool = False
    """Whether fresh runs agreed with a refutation, where that the target is deterministic was only measured."""
    broken: list[str] = Factory(list)
    """What the target did on pairs where it broke: of those nothing is known."""
    not_deterministic: bool = False
    """Whether the target turned out to be random, so that what was enumerated is no evidence."""
    not_reached: int = 0
    """Pairs that were to be examined when the budget was spent."""
    watched: int = 0
    """Runs after the enumeration that were watched, and did not differ from it."""

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
            return float(worst_excess(law.law, question.epsilon)[0].bounds().low - question.delta)

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
        self.confirmed = confirmed(
            worst.result,
            worst.excess,
            flipped=worst.flipped,
            mechanism=self.question.mechanism,
            delta=self.question.delta,
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

    def forget(self, error: TargetError) -> None:
        """What was enumerated is no evidence: the target turned out to be random."""
        self.examined.clear()
        self.unaffordable.clear()
        self.broken.clear()
        self.watched = 0
        self.not_deterministic = True
        self.notes[:] = [Note("Not deterministic after all", str(error))]

    def verdict(self) -> Verdict:
        """What enumeration says, once some pair was examined."""
        if self.refuting is None:
            return NotRefuted(self.seen()) if self.gap is None else Skipped(self.gap)
        if not self.sure:
            return Undecided(
                f"Enumeration shows a delta of {report.number(self.refuting.excess.bounds())} if the target is "
                + UNCONFIRMED
            )
        return Refuted(self.refuting.witness())

    @property
    def certainty(self) -> Certainty:
        """Exact where the target is known to be deterministic, and else by how many runs agreed."""
        if self.confirmed:
            return Confidence(self.allowance.error)
        return Measured(self.agreed) if self.question.known.distrusted else Exact()

    @property
    def sure(self) -> bool:
        """Whether a refutation stands: determinism was declared, or fresh runs confirmed what was enumerated."""
        return self.confirmed or not self.question.known.distrusted

    @property
    def too_few(self) -> bool:
        """Whether the budget was spent before a pair of each source, hand-made and own data, was examined."""
        return self.not_reached > 0 and len(self.examined) < SOURCES

    @property
    def agreed(self) -> int:
        """How many runs of the target did not differ from one another on the same data."""
        return sum(each.result.runs for each in self.examined) + self.watched

    @property
    def settled(self) -> bool:
        """Whether every pair that was looked at was enumerated."""
        return bool(self.examined) and not self.unaffordable and not self.broken

    @property
    def keys(self) -> frozenset[str]:
        """Keys of all releases of the pairs that were enumerated."""
        return frozenset(key for each in self.examined for _, key in each.result.ran)

    def worst_first(self) -> list[Pair]:
        """The pairs that were enumerated."""
        ranked = sorted(self.examined, key=lambda each: each.delta, reverse=True)
        return [each.result.pair for each in ranked]

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
        examined = Examined(result, *worst_excess(result.law, self.question.epsilon))
        if self.allowance.left().runs == 0 and not result.complete and not examined.excess.above(self.question.delta):
            self.unaffordable.append((pair, "the budget of runs was spent before all its samples were run"))
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
            tolerance=question.delta / 1000,
            distrust=question.known.distrusted,
        )

    @property
    def _limit(self) -> int:
        """Runs that a pair may take: a pair that the auditor chose leaves something for the others."""
        if self.question.pairs is not None:
            return LIMIT
        left = self.allowance.left().runs
        return PROPOSED_LIMIT if left is None else min(PROPOSED_LIMIT, left // PAIR_SHARE)

    @property
    def worst(self) -> Examined | None:
        """The pair with the largest excess."""
        return max(self.examined, key=lambda each: each.delta, default=None)

    @property
    def refuting(self) -> Examined | None:
        """The pair with the largest excess, if that refutes the claim."""
        worst = self.worst
        return worst if worst is not None and worst.excess.above(self.question.delta) else None

    @property
    def gap(self) -> str | None:
        """What kept pairs from being examined, where the target broke on them: then nothing holds for all."""
        if not self.broken:
            return None
        return (
            f"The target broke on {_pairs(len(self.broken))} of neighbours that were to be examined: {self.broken[0]}"
        )

    def seen(self) -> str:
        """What enumeration has shown, in a sentence."""
        most = max(max(0.0, float(each.excess.bounds().high)) for each in self.examined)
        pairs = f"{_pairs(len(self.examined))} of neighbours"
        if self.not_reached:
            planned = len(self.examined) + len(self.unaffordable) + self.not_reached
            pairs = f"{len(self.examined):,} of {planned:,} pairs of neighbours, when the budget was spent"
        surely = f"Exact on {pairs}"
        if self.question.known.distrusted:
            surely = f"On {pairs}, {if_deterministic(self.agreed)}"
        return f"{surely}: delta at the claimed epsilon is at most {most:.6g}, and other pairs were not enumerated."

    def evidence(self) -> tuple[Evidence, ...]:
        """The worst pair in full, and all pairs in a table."""
        worst = self.worst
        if worst is None:
            return tuple(self.notes)
        question, result = self.question, worst.result
        return (
            Note("Pair", result.pair.origin),
            report.how(result, self.question.beta),
            *([ASSUMED] if self.question.known.distrusted else []),
            Note("What would hold", report.needed_epsilon(result, question.delta)),
            *report.profile(result, question.epsilon, question.delta),
            *report.failures(result),
            self._overview(),
            *self.notes,
        )

    def _overview(self) -> Table:
        rows = [
            (each.result.pair.origin, f"{each.result.runs:,}", report.number(each.excess.bounds()))
            for each in self.examined
        ]
        if self.refuting is None:
            rows += [(pair.origin, "-", f"not enumerated: {reason}") for pair, reason in self.unaffordable]
        return Table("Pairs", ("pair", "runs", "delta at the claimed epsilon"), tuple(rows))


def _pairs(number: int) -> str:
    return f"{number:,} pair{'' if number == 1 else 's'}"
