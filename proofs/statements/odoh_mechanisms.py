"""Odoh 2024, section 5.1: the mechanisms that the epsilon is given to, and what delta is."""

from fractions import Fraction
from typing import Any

from flint import arb

from crowdproof.proofs.engines.finite import lift
from crowdproof.proofs.statement import (
    Finite,
    Implication,
    Obligation,
    Printed,
    Registered,
    Statement,
    at,
    case,
    goal,
    without,
)
from crowdproof.proofs.statements.odoh import TENTH, epsilon_of


def _laplace(p: Fraction, reach: int) -> dict[str, Any]:
    """The posterior that a Laplace scale allows at distance R: loss R/scale, against p + d."""
    epsilon = epsilon_of(p, TENTH, reach)
    loss = {"twice": epsilon, "once": epsilon * reach}  # scale R/eps and scale 1/eps

    def posterior(value: Any) -> Any:
        return lift(p) * value.exp() / (lift(p) * value.exp() + 1 - lift(p))

    return {
        "twice": posterior(loss["twice"]) - lift(p),
        "once": posterior(loss["once"]) - lift(p),
        "d": lift(TENTH),
        "half": lift(TENTH / 2),
    }


LAPLACE = Statement(
    "odoh-laplace",
    "Odoh 5.1",
    "The Laplace mechanism is given the scale R/eps with the eps of equation 3.",
    Registered.REFUTED,
    printed=Printed(
        "that scale lets an attacker gain the advantage d that eps was computed for: at least half of it",
        Finite(_laplace, "twice >= half", ({"p": Fraction(2, 3), "reach": 60},), "balls"),
        "Equation 3 carries 1/R already, and Lap(R/eps) divides by R again: for p = 2/3, R = 60 the advantage is "
        "0.0018 and not 0.1. Lap(1/eps) is "
        "the scale that belongs to it. Too much noise, so on the safe side.",
        (goal("50*twice <= d"), goal("1000*(d - once) <= d", "Lap(1/eps) reaches it")),
    ),
)


def _gaussian(epsilon: Fraction, delta: Fraction) -> dict[str, Any]:
    """The exact delta of the Gaussian mechanism with sigma^2 = 2 ln(1.25/delta)/eps^2 and sensitivity 1."""
    eps = lift(epsilon)
    sigma = (2 * lift(Fraction(5, 4) / delta).log()).sqrt() / eps

    def normal(z: Any) -> Any:
        return (-z / arb(2).sqrt()).erfc() / 2

    exact = normal(1 / (2 * sigma) - eps * sigma) - eps.exp() * normal(-1 / (2 * sigma) - eps * sigma)
    return {"exact": exact, "delta": lift(delta)}


GAUSSIAN = Statement(
    "odoh-gauss",
    "Odoh 5.1",
    "The Gaussian mechanism with sigma^2 = 2 R^2 ln(1.25/delta)/eps^2 is said to be (eps, delta)-DP, with no "
    "condition on eps.",
    Registered.REFUTED,
    printed=Printed(
        "(eps, delta)-DP for every eps",
        Finite(_gaussian, "exact <= delta", ({"epsilon": Fraction(10), "delta": TENTH},), "balls"),
        "The classical formula needs eps < 1. At eps = 10, delta = 0.1 the exact delta is 0.4056.",
        (
            case("eps = 1/2", epsilon=Fraction(1, 2)),
            case("eps = 9/10, delta = 1e-5", epsilon=Fraction(9, 10), delta=Fraction(1, 10**5)),
        ),
    ),
)


def _advantage(p: Fraction, x: Fraction) -> dict[str, Fraction]:
    """Randomized response with e^eps = x: its DP delta is 0, and the guessing advantage is not."""
    posterior = p * x / (p * x + 1 - p)
    right, wrong = x / (1 + x), 1 / (1 + x)
    return {"dp": max(right - x * wrong, Fraction(0)), "advantage": posterior - p}


ADVANTAGE = Statement(
    "odoh-delta",
    "Odoh Def 2",
    "The guessing advantage is identified with the delta of (eps, delta)-DP.",
    Registered.REFUTED,
    printed=Printed(
        "the guessing advantage is at most the delta of (eps, delta)-DP",
        Finite(_advantage, "advantage <= dp", ({"p": Fraction(1, 2), "x": Fraction(3, 2)},)),
        "They are different numbers: randomized response with e^eps = 3/2 is (ln 3/2, 0)-DP, and moves a guess from "
        "1/2 to 3/5.",
        (goal("advantage == 1/10"), case("e^eps = 1", x=Fraction(1))),
    ),
)


def _exponential(scores: tuple[int, int], x: Fraction) -> dict[str, Fraction]:
    """Two outputs with weights x^(u/2) on scores that differ by one unit: y = x^(1/2) is rational here."""
    y = {Fraction(4): Fraction(2), Fraction(9): Fraction(3)}[x]
    one = [y ** scores[0], y ** scores[1]]
    two = [y ** (scores[0] + 1), y ** (scores[1] - 1)]
    ratios = [(b / sum(two)) / (a / sum(one)) for a, b in zip(one, two, strict=True)]
    return {"ratio": max(*ratios, *(1 / each for each in ratios)), "x": x}


MECHANISMS = Statement(
    "odoh-mech",
    "Odoh 5.1",
    "Given a right eps, the Laplace and the exponential mechanisms are eps-DP.",
    Registered.PROVED,
    (
        Obligation(
            "laplace",
            "Laplace: |z| <= |z - s| + |s|, so the density changes by at most e^(|s|/scale); the case 0 <= z, the "
            "other is its mirror image.",
            Implication(("a >= z - s",), "z <= a + s", (at(a=0, z=0, s=0), at(a=1, z=2, s=1))),
            (without("a >= z - s"), goal("z <= a")),
        ),
        Obligation(
            "exponential-weight",
            "Exponential: a weight changes by at most y = e^(eps/2), and so does the sum of the weights (induction "
            "step).",
            Implication(
                ("w <= y*v", "S <= y*T"),
                "S + w <= y*(T + v)",
                (at(w=1, y=1, v=1, S=1, T=1), at(w=2, y=2, v=1, S=2, T=1)),
            ),
            (without("w <= y*v"), goal("S + w <= T + v")),
        ),
        Obligation(
            "exponential-ratio",
            "So a probability w/S changes by at most y^2 = e^eps.",
            Implication(
                ("w <= y*v", "T <= y*S", "T >= 0", "y >= 0", "v >= 0"),
                "w*T <= y**2*v*S",
                (at(w=0, y=0, v=0, T=0, S=0), at(w=2, y=2, v=1, T=2, S=1)),
            ),
            (without("w <= y*v"), without("T <= y*S"), goal("w*T <= y*v*S")),
        ),
        Obligation(
            "exponential-small",
            "Two outputs, scores that move by 1 in opposite directions: within e^eps.",
            Finite(
                _exponential,
                "ratio <= x",
                tuple({"scores": (a, b), "x": Fraction(x)} for a in (0, 1, 3) for b in (0, 2) for x in (4, 9)),
            ),
            (goal("2*ratio <= x"), goal("ratio > x")),
        ),
    ),
    duty=(
        "The sensitivity is the largest change of the function, or the score, between neighbours.",
        "For the Gaussian mechanism see odoh-gauss.",
    ),
)

STATEMENTS = (LAPLACE, GAUSSIAN, ADVANTAGE, MECHANISMS)
