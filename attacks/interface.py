"""The one shape of every attack: what the adversary knows, sees and infers, how often that is right, the defence."""

from enum import Enum
from fractions import Fraction

from attrs import field, frozen

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
    Note,
    NotRefuted,
    Refuted,
    Reproduce,
    Series,
    Table,
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


@frozen
class Outcome:
    """The attack on one release mechanism: how often it is right, against guessing without the release."""

    against: str
    """The mechanism."""
    success: Estimate
    baseline: Estimate
    certainty: Certainty
    """Exact, or the probability that one of the intervals misses."""
    trials: int = 0
    """How often the mechanism was run; 0 where the number was worked out."""
    bound: Fraction | None = None
    """A certified bound on the advantage, where the defence comes with one."""

    @property
    def advantage(self) -> Estimate:
        """Success minus baseline: what the release gave the adversary."""
        return Estimate(self.success.low - self.baseline.high, self.success.high - self.baseline.low)

    @property
    def succeeds(self) -> bool:
        """Whether the adversary certainly gains more than the mechanism's certified bound, or than nothing."""
        return self.advantage.low > (self.bound or 0)


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
        )

    def _verdict(self) -> Verdict:
        if self.victim.succeeds:
            words = self.learned[0] if self.learned else self.attack.infers
            values = {
                "success": self.victim.success,
                "baseline": self.victim.baseline,
                "advantage": self.victim.advantage,
            }
            return Refuted(Counterexample(words, {name: str(value) for name, value in values.items()}))
        gain = show_short(self.victim.advantage.high)
        return NotRefuted(f"This attack gains at most {gain} over guessing here; others may gain more.")

    def _table(self) -> Table:
        outcomes = [self.victim, *([self.defended] if self.defended else [])]
        return Table(
            "Success of the attack",
            ("against", "right with the release", "right without it", "advantage", "attack"),
            tuple(_row(each) for each in outcomes),
        )

    def _chart(self) -> tuple[Chart, ...]:
        """Before and after, with the intervals; without a twin there is nothing to compare."""
        if self.defended is None:
            return ()
        outcomes = (self.victim, self.defended)
        return (
            Chart(
                f"Before and after: 1 is {self.victim.against}, 2 is {self.defended.against}",
                "release",
                "probability of being right",
                (
                    _marks("with the release", [each.success for each in outcomes]),
                    _marks("without it", [each.baseline for each in outcomes]),
                ),
            ),
        )


def _marks(name: str, estimates: list[Estimate]) -> Series:
    low, high = (tuple(float(getattr(each, end)) for each in estimates) for end in ("low", "high"))
    middle = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
    return Series(name, (1.0, 2.0), middle, low, high, points=True)


def _row(outcome: Outcome) -> tuple[str, ...]:
    told = "succeeds" if outcome.succeeds else "fails"
    return (outcome.against, str(outcome.success), str(outcome.baseline), str(outcome.advantage), told)


def show_short(number: Fraction) -> str:
    """The number exactly where that is short, else in four digits."""
    text = show(number)
    return text if len(text) <= 8 else f"{float(number):.4g}"
