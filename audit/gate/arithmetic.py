"""Does the claim follow from how it is meant to be achieved? Decided by certified numbers, without running anything.

A claim is called wrong only against the *tight* delta, which a real pair of datasets attains. Theorem 5 gives an upper
bound: a claim below Theorem 5's number and above the tight one is right, and the note says which of the two carries it.
"""

from fractions import Fraction

from attrs import frozen
from flint import arb

from crowdproof.audit.gate.config import Entry
from crowdproof.audit.gate.recipes import Gaussian, Laplace, StronglySafe
from crowdproof.claims import DP, DPS, Neighbours
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon, show
from crowdproof.findings import Counterexample, Estimate, Exact, Finding, Note, Refuted
from crowdproof.proofs.bounds import theorem5, tight, worst_pair
from crowdproof.proofs.bounds.balls import Ball, Setting, ball, certified, scientific

NOTHING_RUN = "Nothing was run"
"""The title of the note on a finding that rests on arithmetic alone."""


@frozen
class Sum:
    """What a recipe yields: the delta that it attains at the claimed epsilon, and what else is known."""

    given: str
    """The recipe, in words."""
    tight: Estimate
    attained: str
    """The pair of datasets that attains it, in words."""
    upper: Estimate | None = None
    """Theorem 5's number, where it applies."""


def mismatch(entry: Entry) -> str | None:
    """Why the recipe says nothing about such a claim; None where it does."""
    match entry.mechanism, entry.claim:
        case (None, _) | (StronglySafe(beta=None), DPS()):
            return None
        case StronglySafe(beta=None), DP():
            return "a dp claim does not state the sampling rate: give mechanism.beta."
        case StronglySafe(beta=beta), DPS() as claim if beta != claim.beta:
            return f"mechanism.beta and the claim's beta, {show(claim.beta)}, are not the same: make them agree."
        case (StronglySafe(), DPS() | DP()) | (Laplace() | Gaussian(), DP()):
            return None
        case recipe, claim:
            return (
                f"a {recipe.kind if recipe else ''} mechanism says nothing about a {claim.notion} claim: leave it out."
            )


def contradiction(entry: Entry) -> Finding | None:
    """The finding that the claim is wrong by its own arithmetic; None where it is not, or nothing is stated."""
    total = _sum(entry)
    if total is None or not isinstance(entry.claim, DP | DPS) or entry.claim.delta >= total.tight.low:
        return None
    words = (
        f"{total.given} gives delta {scientific(total.tight.low)} at epsilon {entry.claim.epsilon}, "
        f"you claim {show(entry.claim.delta)}. It is attained by {total.attained}."
    )
    values = {"tight delta": scientific(total.tight.low, 12, "down"), "claimed delta": show(entry.claim.delta)}
    note = Note(NOTHING_RUN, "The claim contradicts the mechanism that is stated for it.")
    return Finding(
        entry.name, entry.claim, verdict=Refuted(Counterexample(words, values)), certainty=Exact(), evidence=(note,)
    )


def support(entry: Entry) -> Note | None:
    """What the recipe yields for a claim that it does not contradict."""
    total = _sum(entry)
    if total is None or not isinstance(entry.claim, DP | DPS):
        return None
    claimed, tight = show(entry.claim.delta), scientific(total.tight.high)
    text = f"{total.given} gives delta {tight} at epsilon {entry.claim.epsilon} (tight), you claim {claimed}"
    if total.upper is not None and entry.claim.delta < total.upper.high:
        text += (
            f"; Theorem 5 gives only {scientific(total.upper.high)}, so it is the tight number that carries the claim"
        )
    elif total.upper is not None:
        text += f"; Theorem 5's {scientific(total.upper.high)} carries the claim as well"
    return Note("Arithmetic", f"{text}. That the target is such a mechanism is what the audit examines.")


def _sum(entry: Entry) -> Sum | None:
    claim = entry.claim
    if not isinstance(claim, DP | DPS):
        return None
    match entry.mechanism:
        case StronglySafe(k, beta):
            return _strongly_safe(k, claim.beta if isinstance(claim, DPS) else _stated(beta), claim)
        case Laplace() | Gaussian() as noise:
            return _additive(noise, claim.epsilon)
        case None:
            return None


def _stated(beta: Fraction | None) -> Fraction:
    if beta is None:
        raise ParameterError("a dp claim does not state the sampling rate: give mechanism.beta.")
    return beta


def _strongly_safe(k: int, beta: Fraction, claim: DP | DPS) -> Sum:
    found = tight(k, beta, claim.epsilon, claim.neighbours)
    pair = worst_pair(k, beta, claim.epsilon, claim.neighbours)
    applies = claim.neighbours is Neighbours.ADD_REMOVE and Setting.of(beta, claim.epsilon).compare_with_rate() >= 0
    return Sum(
        f"k = {k}, beta = {show(beta)}",
        found.interval,
        f"{_rows(pair.likelier)} against {_rows(pair.other)}",
        theorem5(k, beta, claim.epsilon).interval if applies else None,
    )


def _rows(cells: tuple[int, ...]) -> str:
    return " and ".join(f"{count} equal rows" for count in cells)


def _additive(noise: Laplace | Gaussian, epsilon: Epsilon) -> Sum:
    sensitivity = show(noise.sensitivity)
    attained = f"two neighbours whose numbers are {sensitivity} apart"
    if isinstance(noise, Gaussian):
        given = f"Gaussian noise with sigma = {show(noise.sigma)} and sensitivity {sensitivity}"
        return Sum(given, certified(lambda: _gaussian(noise, epsilon)), attained)
    given = f"Laplace noise of scale {show(noise.scale)} and sensitivity {sensitivity}"
    if epsilon >= Epsilon.of(noise.sensitivity / noise.scale):
        return Sum(given, Estimate.exactly(Fraction(0)), attained)
    return Sum(given, certified(lambda: _laplace(noise, epsilon)), attained)


def _laplace(noise: Laplace, epsilon: Epsilon) -> Ball:
    """1 - exp((eps - eps0)/2) with eps0 = sensitivity/scale, for eps < eps0."""
    return -((_ball(epsilon) - ball(noise.sensitivity / noise.scale)) / 2).expm1()


def _gaussian(noise: Gaussian, epsilon: Epsilon) -> Ball:
    """Phi(a - eps/(2a)) - e^eps Phi(-a - eps/(2a)) with a = sensitivity/(2 sigma)."""
    a = ball(noise.sensitivity / (2 * noise.sigma))
    shift = _ball(epsilon) / (2 * a)
    return _phi(a - shift) - _ball(epsilon).exp() * _phi(-a - shift)


def _phi(z: Ball) -> Ball:
    return (-z / arb(2).sqrt()).erfc() / 2


def _ball(epsilon: Epsilon) -> Ball:
    value = ball(epsilon.value)
    return value.log() if epsilon.logarithm else value
