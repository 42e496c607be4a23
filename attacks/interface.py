"""The one shape of every attack: what the adversary knows, sees and infers, how often that is right, the defence."""

from collections.abc import Callable
from enum import Enum
from fractions import Fraction

from attrs import field, frozen

from crowdproof.attacks.references import REFERENCES
from crowdproof.claims import Assertion
from crowdproof.errors import ParameterError
from crowdproof.exact import show
from crowdproof.findings import (
    Certainty,
    Chart,
    Cost,
    Counterexample,
    Estimate,
    Evidence,
    Finding,
    Json,
    Note,
    NotRefuted,
    Refuted,
    Reproduce,
    Series,
    Table,
    Undecided,
    Verdict,
)


class Severity(Enum):
    """How much harm is done where the attack succeeds."""

    PRESENCE = "presence: that a person is in the data"
    ATTRIBUTE = "attribute: a value of a person that the adversary did not know"
    IDENTITY = "identity: which record is whose"


def _said(_: object, attribute: object, value: str) -> None:
    if not value.strip():
        raise ParameterError(f"an attack must say its {getattr(attribute, 'name', 'part')}: fill it in.")


@frozen
class Attack:
    """What is told of an attack before it runs; one that leaves any of it out cannot be declared."""

    id: str = field(validator=_said)
    title: str = field(validator=_said)
    knows: str = field(validator=_said)
    """What the adversary knows beforehand."""
    sees: str = field(validator=_said)
    """What is published."""
    infers: str = field(validator=_said)
    """What the adversary concludes, and how."""
    claim: str = field(validator=_said)
    """The sentence about the release that a success refutes."""
    remedy: str = field(validator=_said)
    """The variant of the mechanism that defeats the attack."""
    source: str = field(validator=_said)
    severity: Severity


class Measure(Enum):
    """What success is. The value names it with the release, and the same of the same adversary without it."""

    PERSON = ("right about a person", "right without the release")
    EVENT = ("true positives", "false positives")
    RECORDS = ("groups recovered exactly", "recovered without the reasoning")
    RECORD = ("a person's record recovered", "recovered without the release")
    COUNT = ("a small count recovered", "recovered from one release")


@frozen(eq=False)
class Yardstick:
    """What the claim lets an adversary reach: one rule for the victim and for its twin.

    >>> from crowdproof.attacks.measure import at_most
    >>> rule = at_most(Fraction(1, 2), "1/l")
    >>> rule.allowed(Fraction(1, 3)), rule.allowed(Fraction(2, 3))
    (Fraction(1, 2), Fraction(2, 3))
    """

    measure: Measure
    words: str
    """The rule, as a report prints it."""
    allowed: Callable[[Fraction], Fraction]
    """The most that success may be, by the success without the release."""


@frozen
class Rows:
    """How much is published: the median number of rows of a release, and how many there are to publish."""

    published: int
    given: int

    def __str__(self) -> str:
        return f"{self.published:,} of {self.given:,}"


@frozen
class Outcome:
    """The attack on one release mechanism: how often it is right, against the same adversary without the release."""

    against: str
    """The mechanism."""
    success: Estimate
    baseline: Estimate
    certainty: Certainty
    """Exact, or the probability that one of the intervals misses."""
    yardstick: Yardstick = field(eq=False)
    rows: Rows | None = None
    """None where a law was worked out that is not of rows."""
    trials: int = 0
    """How often the mechanism was run; 0 where the number was worked out."""
    bound: Fraction | None = None
    """A certified bound on the advantage, where the defence comes with one."""

    @property
    def advantage(self) -> Estimate:
        """Success minus baseline: what the release gave the adversary."""
        return Estimate(self.success.low - self.baseline.high, self.success.high - self.baseline.low)

    @property
    def allowed(self) -> Fraction:
        """The most that the claim allows; it is no less where the baseline is known to lie in an interval only."""
        return self.yardstick.allowed(self.baseline.high)

    @property
    def succeeds(self) -> bool:
        """Whether success is certainly above what the claim allows."""
        return self.success.low > self.allowed

    def as_json(self) -> dict[str, Json]:
        """The numbers; of rows those that are published and those that there are."""
        found = {"success": self.success, "baseline": self.baseline}
        numbers: dict[str, Json] = {name: [float(each.low), float(each.high)] for name, each in found.items()}
        shown = None if self.rows is None else [self.rows.published, self.rows.given]
        return {**numbers, "allowed": float(self.allowed), "rows": shown}


@frozen
class Story:
    """An attack that was run: on its victim, and on the defended twin."""

    attack: Attack
    victim: Outcome
    defended: Outcome | None
    """None where the victim is somebody's release file, of which there is no twin."""
    learned: tuple[str, ...] = ()
    """What the adversary learned, in sentences about this very run."""
    evidence: tuple[Evidence, ...] = ()
    reproduce: Reproduce = field(factory=Reproduce)
    seconds: float = 0.0
    unmet: str = ""
    """Why the claim does not speak of this release, where it does not: then nothing was refuted."""

    def __attrs_post_init__(self) -> None:
        if self.defended is not None and self.defended.yardstick is not self.victim.yardstick:
            raise ParameterError(f"{self.attack.id}: measure the twin by the yardstick of the victim.")

    def finding(self) -> Finding:
        """The story for any report."""
        attack = self.attack
        notes = (
            Note("What the adversary knows", attack.knows),
            Note("What is published", attack.sees),
            Note("What is inferred", attack.infers),
            *(Note("What was learned", sentence) for sentence in self.learned[self.victim.succeeds :]),
        )
        closing = (
            Note("Remedy", attack.remedy),
            Note("Severity", attack.severity.value),
            Note("Source", attack.source),
        )
        return Finding(
            self.victim.against,
            Assertion(attack.id, attack.claim),
            verdict=self._verdict(),
            certainty=self.victim.certainty,
            evidence=(*notes, self._table(), *self._chart(), *self.evidence, *closing),
            cost=Cost(self.victim.trials + (self.defended.trials if self.defended else 0), self.seconds),
            reproduce=self.reproduce,
            measures=self._measures(),
        )

    def _measures(self) -> dict[str, Json]:
        """The numbers for programs, and the literature for whoever cites the finding."""
        outcomes = {"victim": self.victim, **({"defended": self.defended} if self.defended else {})}
        numbers = {name: each.as_json() for name, each in outcomes.items()}
        return {**numbers, "references": [each.as_json() for each in REFERENCES.get(self.attack.id, ())]}

    def _verdict(self) -> Verdict:
        if self.unmet:
            return Undecided(self.unmet)
        victim = self.victim
        if victim.succeeds:
            words = self.learned[0] if self.learned else self.attack.infers
            values = {
                "success": str(victim.success),
                "baseline": str(victim.baseline),
                "advantage": str(victim.advantage),
                "allowed": show_short(victim.allowed),
            }
            return Refuted(Counterexample(words, values))
        return NotRefuted(
            f"Success is {victim.success}, and the claim allows {show_short(victim.allowed)} "
            f"({victim.yardstick.words}). This attack does not exceed that here; others may."
        )

    def _table(self) -> Table:
        outcomes = [self.victim, *([self.defended] if self.defended else [])]
        rule = self.victim.yardstick
        return Table(
            f"Success of the attack; the claim allows {rule.words}",
            ("against", *rule.measure.value, "the claim allows", "certified gain", "rows published", "attack"),
            tuple(_row(each) for each in outcomes),
        )

    def _chart(self) -> tuple[Chart, ...]:
        """Before and after, with the intervals; without a twin there is nothing to compare."""
        if self.defended is None:
            return ()
        outcomes = (self.victim, self.defended)
        with_it, without = self.victim.yardstick.measure.value
        return (
            Chart(
                f"Before and after: 1 is {self.victim.against}, 2 is {self.defended.against}",
                "release",
                "share",
                (
                    _marks(with_it, [each.success for each in outcomes]),
                    _marks(without, [each.baseline for each in outcomes]),
                ),
            ),
        )


def _marks(name: str, estimates: list[Estimate]) -> Series:
    low, high = (tuple(float(getattr(each, end)) for each in estimates) for end in ("low", "high"))
    middle = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
    return Series(name, (1.0, 2.0), middle, low, high, points=True)


def _row(outcome: Outcome) -> tuple[str, ...]:
    return (
        outcome.against,
        str(outcome.success),
        str(outcome.baseline),
        show_short(outcome.allowed),
        "none" if outcome.bound is None else f"at most {show_short(outcome.bound)}",
        "law worked out" if outcome.rows is None else str(outcome.rows),
        "succeeds" if outcome.succeeds else "fails",
    )


def show_short(number: Fraction) -> str:
    """The number exactly where that is short, else in four digits."""
    text = show(number)
    return text if len(text) <= 8 else f"{float(number):.4g}"
