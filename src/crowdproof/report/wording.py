"""The words that all reports share: what is claimed, what came of it and how sure that is, in plain sentences."""

from collections.abc import Sequence
from fractions import Fraction

from attrs import evolve

from crowdproof.claims import DP, DPS, Assertion, Claim, CrowdBlending, KAnonymity, Neighbours, Safe
from crowdproof.exact import Epsilon, show
from crowdproof.findings import (
    ByProof,
    Certainty,
    Confidence,
    Cost,
    Counterexample,
    Estimate,
    Exact,
    Finding,
    Json,
    Measured,
    NotRefuted,
    PairWitness,
    Proved,
    Refuted,
    Skipped,
    Table,
    Undecided,
    Verdict,
)

VERDICTS: tuple[type[Verdict], ...] = (Refuted, Skipped, Undecided, NotRefuted, Proved)
"""The order in which a reader wants to hear of them."""

LABELS = {each.name: each.name.replace("_", " ").capitalize() for each in VERDICTS}
"""Name of a verdict -> as it is written in prose."""

SYMBOLS = {"REFUTED": "✗", "SKIPPED": "–", "UNDECIDED": "?", "NOT_REFUTED": "○", "PROVED": "✓"}
"""So that a verdict is never told by colour alone."""

_ALONE = {
    "REFUTED": "The claim is refuted.",
    "SKIPPED": "The claim could not be examined.",
    "UNDECIDED": "The claim could not be decided.",
    "NOT_REFUTED": "No leak was found.",
    "PROVED": "The claim is proved.",
}
"""The headline of a single finding."""


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, those that need attention first."""
    return sorted(findings, key=lambda each: VERDICTS.index(type(each.verdict)))


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """How many findings there are of each verdict that occurs, in reading order."""
    names = [each.verdict.name for each in ordered(findings)]
    return {name: names.count(name) for name in dict.fromkeys(names)}


def headline(findings: Sequence[Finding]) -> str:
    """The outcome in one sentence, which never promises more than was shown."""
    number, found = len(findings), counts(findings)
    if number <= 1:
        return _ALONE[next(iter(found))] if found else "Nothing was examined."
    if refuted := found.get("REFUTED", 0):
        return f"{refuted} of {number} claims {'is' if refuted == 1 else 'are'} refuted."
    if open_ended := found.get("SKIPPED", 0) + found.get("UNDECIDED", 0):
        return f"No claim is refuted, but {open_ended} of {number} could not be decided."
    return (
        f"All {number} claims are proved."
        if found.get("PROVED") == number
        else f"No leak was found in {number} claims."
    )


def tally(findings: Sequence[Finding]) -> str:
    """The counts in one line: '7 claims: 2 refuted, 1 undecided, 4 proved'."""
    number = len(findings)
    parts = ", ".join(f"{count} {LABELS[name].lower()}" for name, count in counts(findings).items())
    return f"{number} claim{'' if number == 1 else 's'}: {parts or 'nothing was examined'}"


def sentence(finding: Finding) -> str:
    """The verdict in plain words."""
    match finding.verdict:
        case Proved():
            return "The claim holds."
        case Refuted(witness):
            told = witness.words if isinstance(witness, Counterexample) else _contrast(finding.claim, witness)
            return f"The claim is false. {told}"
        case NotRefuted(detectable):
            return f"No leak was found; this is not a proof of privacy. {detectable}"
        case Undecided(reason):
            return f"No verdict was reached. {reason}"
        case Skipped(reason):
            return f"Nothing could be examined. {reason}"


def _contrast(claim: Claim, witness: PairWitness) -> str:
    told = (
        f"On one dataset, “{witness.event.words}” has probability {number(witness.p_left)}; "
        f"on its neighbour, {number(witness.p_right)}."
    )
    limit = allowed(claim, witness)
    if limit is None:
        return told
    if limit.high < witness.p_left.low:
        return f"{told} The claim would allow at most {brief(float(limit.high))} on the first."
    return f"{told} Each estimate is loose by itself; the test that refutes the claim weighs all runs together."


def allowed(claim: Claim, witness: PairWitness) -> Estimate | None:
    """The most that the claim allows for the event on the left, e^eps Pr[right] + delta, if it sets such a bound."""
    epsilon = getattr(claim, "epsilon", None)
    if not isinstance(epsilon, Epsilon) or epsilon.exp() == float("inf"):
        return None
    factor = epsilon.exp_exact or Fraction(epsilon.exp())
    delta: Fraction = getattr(claim, "delta", Fraction(0))
    low, high = (min(Fraction(1), factor * p + delta) for p in (witness.p_right.low, witness.p_right.high))
    return Estimate(low, high)


def number(estimate: Estimate) -> str:
    """The number as a person reads it: short, and a fraction with its decimal.

    >>> number(Estimate.exactly(Fraction(119, 5120)))
    '0.02324'
    >>> number(Estimate(Fraction(1, 4), Fraction(1, 3)))
    'between 0.25 and 0.3333'
    """
    if estimate.exact:
        return brief(float(estimate.low))
    return f"between {brief(float(estimate.low))} and {brief(float(estimate.high))}"


def brief(value: float) -> str:
    """Four significant digits.

    >>> brief(0.0000000016125), brief(2.0), brief(12345.6)
    ('1.612e-9', '2', '12346')
    """
    if abs(value) >= 1e4 and abs(value) < 1e7:
        return f"{value:.0f}"
    text = f"{value:.4g}"
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else text


def claim_words(claim: Claim) -> str:  # noqa: PLR0911  (one sentence for each notion)
    """What the claim promises, for a reader who does not know the notion."""
    match claim:
        case DP(epsilon, delta, neighbours):
            return f"{_person(neighbours)} changes the probability of any output {_by(epsilon, delta)}."
        case DPS(beta, epsilon, delta, neighbours):
            return (
                f"When each row is kept with probability {show(beta)} before the release is made, "
                f"{_person(neighbours, first=False)} changes the probability of any output {_by(epsilon, delta)}."
            )
        case CrowdBlending(k, epsilon):
            return (
                f"Each person blends with at least {k} people of the data, counting themselves "
                f"(outputs differ {_by(epsilon, Fraction(0))}), or is ignored altogether."
            )
        case Safe(epsilon) if epsilon == Epsilon(Fraction(0)):
            return "How values are generalised does not depend on the data at all."
        case Safe(epsilon, neighbours):
            return (
                f"{_person(neighbours)} changes the probability of any choice of how values are generalised "
                f"{_by(epsilon, Fraction(0))}."
            )
        case KAnonymity(k, columns):
            seen = "" if columns is None else f", seen through {', '.join(columns)},"
            return f"Every row of the release{seen} appears at least {k} times."
        case Assertion(_, sentence):
            return sentence
        case _:
            return str(claim)


def _person(neighbours: Neighbours, *, first: bool = True) -> str:
    words = "replacing one person’s row" if neighbours is Neighbours.REPLACE else "adding or removing one person"
    return words.capitalize() if first else words


def _by(epsilon: Epsilon, delta: Fraction) -> str:
    slack = f", save for a slack of {show(delta)}" if delta else ""
    if epsilon == Epsilon(Fraction(0)):
        return f"by nothing at all{slack}"
    return f"by a factor of at most {brief(epsilon.exp())} (ε = {epsilon}){slack}"


def certainty_words(certainty: Certainty) -> str:
    """How sure a finding is."""
    match certainty:
        case Exact():
            return "Exact arithmetic, with no statistical error."
        case Measured(runs):
            return (
                "Exact arithmetic on the outputs that were seen. That the target is deterministic was measured in "
                f"{runs:,} runs, not declared; a rare random release could have been missed."
            )
        case ByProof(engines):
            return f"Proved by {', '.join(engines)}; every mutant was refuted."
        case Confidence(error):
            return f"Statistical: a true claim is refuted with probability at most {show(error)}."


def cost_words(cost: Cost) -> str:
    """What was spent, or nothing where nothing was."""
    runs = f"{cost.runs:,} run{'' if cost.runs == 1 else 's'}" if cost.runs else ""
    seconds = f"{cost.seconds:.3g} s" if 0 < cost.seconds < 100 else f"{cost.seconds:,.0f} s" if cost.seconds else ""
    return ", ".join(filter(None, (runs, seconds)))


def squared(table: Table, most: int | None = None) -> Table:
    """The first `most` rows of the table, each cut or filled up to the columns."""
    width = len(table.columns)
    return evolve(table, rows=tuple((*row[:width], *[""] * (width - len(row))) for row in table.rows[:most]))


def plain(value: Json) -> str:
    """A parameter as a person would write it; what is not set is left out.

    >>> plain({"spec": "shop:recode", "timeout": 60.0, "memory": None, "isolate": True, "columns": ["age", "zip"]})
    'spec shop:recode, timeout 60, isolate yes, columns age zip'
    """
    match value:
        case dict():
            return ", ".join(f"{name} {told}" for name, each in value.items() if (told := plain(each)))
        case list() | tuple():
            return " ".join(filter(None, map(plain, value)))
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return brief(value)
        case _:
            return str(value)
