"""The words that all reports share: what is claimed, what came of it and how sure that is, in plain sentences."""

from collections.abc import Sequence
from fractions import Fraction

from attrs import evolve

from crowdproof.claims import Claim, DistributionClaim
from crowdproof.exact import Epsilon, brief, show
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
    Note,
    NotRefuted,
    PairWitness,
    Proved,
    Refuted,
    Skipped,
    Table,
    Undecided,
    Verdict,
)
from crowdproof.report.datasets import differing
from crowdproof.report.remedies import remedy_for

VERDICTS: tuple[type[Verdict], ...] = (Refuted, Skipped, Undecided, NotRefuted, Proved)
"""The order in which a reader wants to hear of them."""

LABELS = {each.name: each.name.replace("_", " ").capitalize() for each in VERDICTS}
"""Name of a verdict -> as it is written in prose."""

KERNEL_CHECKED = "kernel-checked"
"""The basis of a proof that a proof kernel has checked as a whole."""

SYMBOLS = {"REFUTED": "✗", "SKIPPED": "–", "UNDECIDED": "?", "NOT_REFUTED": "○", "PROVED": "✓"}
"""So that a verdict is never told by colour alone."""

LOOK_FURTHER = (
    "To find smaller leaks, let it look longer with more --runs or --seconds, or check the claim in every run of CI "
    "with 'crowdproof gate', which adds the evidence up."
)
"""The next step after runs that refuted nothing."""

RUN_ALONE = "Call the target on this data by itself, without Crowdproof, and correct what it raises."
"""The next step after a target that raised an exception on every dataset."""

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
        case Proved(basis):
            return f"The claim holds: {basis}." if basis else "The claim holds."
        case Refuted(witness):
            if isinstance(witness, Counterexample):
                return f"The claim is false. {witness.words}"
            return f"The claim is false: {_meaning(finding.claim, witness)} {_contrast(finding.claim, witness)}"
        case NotRefuted(detectable):
            return f"No leak was found; this is not a proof of privacy. {detectable}"
        case Undecided(reason):
            return f"No verdict was reached. {reason}"
        case Skipped(reason):
            return f"Nothing could be examined. {_begun(reason)}"


def _begun(reason: str) -> str:
    """The reason as a sentence: errors begin with a small letter, and so may the names of targets, which keep it."""
    return f"{reason[0].upper()}{reason[1:]}" if reason.startswith(("there is ", "cannot ")) else reason


def sides(witness: PairWitness) -> tuple[str, str]:
    """How the two datasets of a witness are called: by the person whose row only one of them has, where it is so.

    >>> from crowdproof.findings import Event
    >>> nothing = Estimate.exactly(Fraction(0))
    >>> sides(PairWitness([1, 2], [1], Event("any"), nothing, nothing, nothing))
    ('with the person', 'without the person')
    """
    _, left, right = differing(witness)
    if len(left) == 1 and not right:
        return "with the person", "without the person"
    if len(right) == 1 and not left:
        return "without the person", "with the person"
    if len(left) == len(right) == 1:
        return "with the one person", "with the other in their place"
    return "on one dataset", "on its neighbour"


def _meaning(claim: Claim, witness: PairWitness) -> str:
    """What a refutation means, in a sentence that anybody can repeat."""
    if claim.notion == "safe":
        return "how values are recoded depends on one person's row."
    match sides(witness):
        case ("with the person", _) | ("without the person", _):
            return "the release tells more than is promised about whether one person is in the data."
        case ("with the one person", _):
            return "the release tells more than is promised about which of two people is in the data."
        case _:
            return "the release tells two neighbouring datasets apart better than is promised."


def what_to_do(finding: Finding) -> str | None:
    """What leaks and what helps where a pair of datasets refutes the claim; how to look further where runs did not.

    None elsewhere: what is proved needs nothing, and what could not be decided says itself what helps.
    """
    if isinstance(finding.verdict, Refuted) and isinstance(finding.verdict.witness, PairWitness):
        columns, left, right = differing(finding.verdict.witness)
        rows = [dict(zip(columns, each, strict=False)) for each in (*left, *right)]
        return str(remedy_for(finding.verdict.witness.event.words, rows))
    if isinstance(finding.verdict, Skipped) and finding.verdict.reason.startswith("The target released nothing: "):
        return RUN_ALONE if " raised " in finding.verdict.reason else None
    by_runs = isinstance(finding.claim, DistributionClaim) and isinstance(finding.certainty, Confidence)
    if isinstance(finding.verdict, NotRefuted) and by_runs:
        return LOOK_FURTHER
    return None


def noted_remedy(finding: Finding) -> str | None:
    """What a refutation without a pair of datasets says is to be done, where it says so."""
    notes = (each.text for each in finding.evidence if isinstance(each, Note) and each.title == "What to do")
    return next(notes, None) if isinstance(finding.verdict, Refuted) else None


def title(verdict: Verdict) -> str:
    """The verdict's name; PROVED stands alone unless it rests on less than a proof kernel or an exact count."""
    if isinstance(verdict, Proved) and verdict.basis not in {"", KERNEL_CHECKED}:
        return f"{verdict.name} ({verdict.basis})"
    return verdict.name


def _contrast(claim: Claim, witness: PairWitness) -> str:
    first, second = sides(witness)
    told = (
        f"{first[0].upper()}{first[1:]}, “{witness.event.words}” has probability {number(witness.p_left)}; "
        f"{second}, {number(witness.p_right)}."
    )
    limit = allowed(claim, witness)
    if limit is None:
        return told
    if limit.high < witness.p_left.low:
        since = "" if witness.point is None else f", since it implies {witness.point.words}"
        return f"{told} The claim would allow at most {brief(float(limit.high))} {first}{since}."
    return f"{told} Each estimate is loose by itself; the test that refutes the claim weighs all runs together."


def allowed(claim: Claim, witness: PairWitness) -> Estimate | None:
    """The most that the claim allows for the event on the left, e^eps Pr[right] + delta, if it sets such a bound."""
    point = claim if witness.point is None else witness.point
    epsilon = getattr(point, "epsilon", None)
    if not isinstance(epsilon, Epsilon) or epsilon.exp() == float("inf"):
        return None
    factor = epsilon.exp_exact or Fraction(epsilon.exp())
    delta: Fraction = getattr(point, "delta", Fraction(0))
    low, high = (min(Fraction(1), factor * p + delta) for p in (witness.p_right.low, witness.p_right.high))
    return Estimate(low, high)


def number(estimate: Estimate) -> str:
    """The number as a person reads it: short, and a fraction with its decimal.

    >>> number(Estimate.exactly(Fraction(119, 5120)))
    '0.02324'
    >>> number(Estimate(Fraction(1, 4), Fraction(1, 3)))
    'between 0.25 and 0.3333'
    """
    low, high = brief(float(estimate.low)), brief(float(estimate.high))
    return low if low == high else f"between {low} and {high}"


def claim_words(claim: Claim) -> str:
    """What the claim promises, for a reader who does not know the notion."""
    return claim.meaning


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
