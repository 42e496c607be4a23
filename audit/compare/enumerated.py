"""What enumeration has found: pairs whose output law is known, what follows for the claim, and how it is told."""

from collections.abc import Sequence
from fractions import Fraction

from attrs import Factory, define, evolve, frozen

from crowdproof.audit.allowance import Allowance
from crowdproof.audit.compare.exact import ExactResult, Excess, ease, exact_report, worst_excess
from crowdproof.audit.compare.measured import ASSUMED, UNCONFIRMED, if_deterministic
from crowdproof.audit.compare.question import Question
from crowdproof.audit.request import Pair
from crowdproof.claims import Point
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

SOURCES = 2
"""Where pairs come from: made by hand, and from the user's own data. Counted."""


@frozen(eq=False)
class Examined:
    """A pair whose law is known, and the event that tells its datasets apart best at one point of the claim."""

    result: ExactResult
    excess: Excess
    flipped: bool
    point: Point
    """Of the points that are broken, the one that the fewest fresh runs confirm; else the one that is nearest to it."""
    of_many: bool = False
    """Whether the claim has other points as well."""
    open: bool = False
    """Whether some point of the claim may be broken by samples that were not run."""

    @classmethod
    def of(cls, result: ExactResult, curve: Sequence[Point]) -> "Examined":
        """The pair at all points of the claim."""
        found = [cls(result, *worst_excess(result.law, point.epsilon), point) for point in curve]
        broken = [each for each in found if each.refutes]
        if broken:
            worst = max(broken, key=lambda each: ease(each.excess, each.point.delta))
        else:
            worst = max(found, key=lambda each: each.beyond)
        unsure = not result.complete and any(each.excess.bounds().high > each.point.delta for each in found)
        return evolve(worst, of_many=len(curve) > 1, open=unsure and not worst.refutes)

    @property
    def refutes(self) -> bool:
        """Whether its point is certainly broken."""
        return self.excess.above(self.point.delta)

    def witness(self) -> PairWitness:
        """What refutes, where it does."""
        found = exact_report.witness(self.result, self.excess, self.flipped)
        return evolve(found, point=self.point) if self.of_many else found

    @property
    def beyond(self) -> Fraction:
        """By how much delta is exceeded, or less than 0 where it is not."""
        return self.delta - self.point.delta

    @property
    def delta(self) -> Fraction:
        """A proved lower bound of delta on this pair, at the epsilon of its point."""
        return self.excess.bounds().low


@define(eq=False)
class Enumerated:
    """All that enumeration has found so far: an interrupt loses none of it."""

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

    def forget(self, error: TargetError) -> None:
        """Drop all that was enumerated, since the target turned out to be random."""
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
                f"Enumeration shows a delta of {exact_report.number(self.refuting.excess.bounds())} if the target is "
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
        """The pairs that were enumerated, the one with the largest delta first."""
        ranked = sorted(self.examined, key=lambda each: each.beyond, reverse=True)
        return [each.result.pair for each in ranked]

    @property
    def worst(self) -> Examined | None:
        """The pair that exceeds the claim most, or is nearest to it."""
        return max(self.examined, key=lambda each: each.beyond, default=None)

    @property
    def refuting(self) -> Examined | None:
        """The pair that exceeds the claim most, if that refutes it."""
        worst = self.worst
        return worst if worst is not None and worst.refutes else None

    @property
    def gap(self) -> str | None:
        """What kept pairs from being examined, where the target broke on them: then nothing holds for all."""
        if not self.broken:
            return None
        return (
            f"The target broke on {_pairs(len(self.broken))} of neighbours that were to be examined: {self.broken[0]}"
        )

    def seen(self) -> str:
        """What enumeration has shown, in two sentences."""
        pairs = f"{_pairs(len(self.examined))} of neighbours"
        if self.not_reached:
            planned = len(self.examined) + len(self.unaffordable) + self.not_reached
            pairs = f"{len(self.examined):,} of {planned:,} pairs of neighbours, when the budget was spent"
        surely = f"Exact on {pairs}"
        if self.question.known.distrusted:
            surely = f"On {pairs}, {if_deterministic(self.agreed)}"
        if self.question.many:
            looked_at = f"none of the {len(self.question.curve)} points of the curve that were looked at is exceeded"
            return f"{surely}: {looked_at}. Other pairs were not enumerated."
        most = max(max(0.0, float(each.excess.bounds().high)) for each in self.examined)
        return f"{surely}: delta at the claimed epsilon is at most {most:.6g}. Other pairs were not enumerated."

    def evidence(self) -> tuple[Evidence, ...]:
        """The worst pair in full, and all pairs in a table."""
        worst = self.worst
        if worst is None:
            return tuple(self.notes)
        question, result = self.question, worst.result
        return (
            Note("Pair", result.pair.origin),
            exact_report.how(result, self.question.beta),
            *([ASSUMED] if self.question.known.distrusted else []),
            Note("What would hold", exact_report.needed_epsilon(result, worst.point.delta)),
            *exact_report.profile(result, worst.point.epsilon, question.curve),
            *exact_report.failures(result),
            self._overview(),
            *self.notes,
        )

    def _overview(self) -> Table:
        rows = [(each.result.pair.origin, f"{each.result.runs:,}", self._delta(each)) for each in self.examined]
        if self.refuting is None:
            rows += [(pair.origin, "-", f"not enumerated: {reason}") for pair, reason in self.unaffordable]
        where = "delta where it is nearest to the curve" if self.question.many else "delta at the claimed epsilon"
        return Table("Pairs", ("pair", "runs", where), tuple(rows))

    def _delta(self, examined: Examined) -> str:
        """The delta on the pair; of a curve also the point at which it was worked out."""
        delta = exact_report.number(examined.excess.bounds())
        if not self.question.many:
            return delta
        return f"{delta} at ε = {examined.point.epsilon}, claimed {show(examined.point.delta)}"


def _pairs(number: int) -> str:
    return f"{number:,} pair{'' if number == 1 else 's'}"
