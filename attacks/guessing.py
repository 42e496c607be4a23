"""A guessing advantage that was promised to be small and is not: Odoh's case study takes the wrong probability."""

import time
from fractions import Fraction

from crowdproof.attacks.interface import Attack, Outcome, Severity, Story, show_short
from crowdproof.attacks.measure import at_most
from crowdproof.exact import Number, rational
from crowdproof.findings import Chart, Estimate, Exact, Reproduce, Series, Table
from crowdproof.mechanisms.odoh import uniqueness
from crowdproof.proofs.bounds.balls import ball, certified
from crowdproof.proofs.bounds.guessing import guessing_epsilon

ATTACK = Attack(
    id="guessing",
    title="The case study that promised too much",
    knows="That the hidden value is one of two that lie the whole range apart, one of them with the prior probability.",
    sees="The value with Laplace noise of scale 1/epsilon, epsilon taken from the case study.",
    infers="By Bayes' rule the likelier of the two values, given the answer: no guess is right more often.",
    claim="With the printed epsilon, guessing gains at most the promised advantage.",
    remedy="Take epsilon from equation 3, at the prior probability that the adversary really has.",
    source="Odoh 2024, section 5; refuted in the ledger as odoh-case",
    severity=Severity.ATTRIBUTE,
)


def run(
    *,
    epsilon: Number = "0.049",
    advantage: Number = "0.1",
    spread: Number = 60,
    prior: Number | None = None,
    seed: int = 0,
) -> Story:
    """How often the best guess is right, certified, with the printed epsilon and with the corrected one."""
    start = time.monotonic()
    p = uniqueness(2, 3) if prior is None else rational(prior, "prior")
    promised, size, printed = rational(advantage, "advantage"), rational(spread, "spread"), rational(epsilon, "epsilon")
    corrected = guessing_epsilon(p, promised, size).low
    yardstick = at_most(max(p, 1 - p) + promised, f"the promised advantage of {show_short(promised)} over the prior")
    victim, defended = (
        Outcome(
            f"Laplace, epsilon {show_short(each)}",
            best_guess(p, each, size),
            baseline=Estimate.exactly(max(p, 1 - p)),
            certainty=Exact(),
            yardstick=yardstick,
        )
        for each in (printed, corrected)
    )
    return Story(
        ATTACK,
        victim,
        defended=defended,
        learned=(_learned(victim),),
        evidence=(_table(p, promised, size, (printed, corrected)), _curve(p, promised, size, printed)),
        reproduce=Reproduce(seed=seed, parameters={"epsilon": str(printed), "prior": str(p), "spread": str(size)}),
        seconds=time.monotonic() - start,
    )


def _posterior(prior: Fraction, epsilon: Fraction, spread: Fraction) -> Estimate:
    """prior / (prior + (1 - prior) e^(-epsilon R)): attained by every answer beyond the likelier value."""
    return certified(lambda: ball(prior) / (ball(prior) + ball(1 - prior) * (-ball(epsilon * spread)).exp()))


def best_guess(prior: Fraction, epsilon: Fraction, spread: Fraction) -> Estimate:
    """How often the likelier value, given the answer, is the true one: no guess is right more often.

    The answer has the density (epsilon/2) e^(-epsilon |y - value|). A guess by the answer helps where the odds of the
    prior lie within e^(epsilon R); its success is then 1 - sqrt(p (1 - p)) e^(-epsilon R/2), p the prior.

    >>> float(best_guess(Fraction(1, 2), Fraction(0), Fraction(60)).low)
    0.5
    """
    likelier = max(prior, 1 - prior)
    reach = certified(lambda: (ball(epsilon * spread)).exp())
    if likelier >= (1 - likelier) * reach.high:
        return Estimate.exactly(likelier)
    found = certified(lambda: 1 - (ball(prior * (1 - prior))).sqrt() * (-ball(epsilon * spread / 2)).exp())
    return Estimate(max(found.low, likelier), max(found.high, likelier))


def _learned(victim: Outcome) -> str:
    return (
        f"The guess is right in {float(victim.success.high):.1%} of all cases, and without the release in "
        f"{float(victim.baseline.high):.1%}. At most {float(victim.allowed):.1%} was promised."
    )


def _table(prior: Fraction, promised: Fraction, spread: Fraction, epsilons: tuple[Fraction, Fraction]) -> Table:
    rows = tuple(
        (
            name,
            f"{float(each):.6g}",
            f"{float(best_guess(prior, each, spread).high):.4f}",
            f"{float(_posterior(prior, each, spread).high):.4f}",
            f"{float(max(prior, 1 - prior) + promised):.4f}",
        )
        for name, each in zip(("as printed", "corrected"), epsilons, strict=True)
    )
    return Table(
        "How often the guess is right, and how sure the adversary gets of the value with the prior",
        ("epsilon", "value", "guess right", "largest posterior", "promised"),
        rows,
    )


def _curve(prior: Fraction, promised: Fraction, spread: Fraction, printed: Fraction) -> Chart:
    grid = [printed * i / 40 for i in range(51)]
    x = tuple(map(float, grid))
    return Chart(
        "Posterior of the likelier value",
        "epsilon",
        "probability",
        (
            Series("after the release", x, tuple(float(_posterior(prior, each, spread).high) for each in grid)),
            Series("promised", x, tuple(float(prior + promised) for _ in grid)),
            Series("before", x, tuple(float(prior) for _ in grid)),
        ),
    )
