"""Theorems 2 and 3 of Li, Qardaji and Su, and repeated fresh samples (section 2.7)."""

from fractions import Fraction
from typing import Any

from crowdproof.proofs.engines.kernel import sentence
from crowdproof.proofs.rounding import against, off_by_one
from crowdproof.proofs.statement import (
    Finite,
    Implication,
    Obligation,
    Printed,
    Registered,
    Statement,
    adding,
    at,
    case,
    edge,
    goal,
    without,
)

THEOREM2 = Statement(
    "thm2",
    "LQS Thm 2",
    sentence("thm2"),
    Registered.PROVED,
    (
        Obligation(
            "no-output",
            "Over no outputs at all, what O receives and the excess are both 0 (base).",
            Implication(("A <= 0", "E >= 0"), "A <= E", (edge(A=0, E=0),)),
            (without("E >= 0"), without("A <= 0")),
        ),
        Obligation(
            "kept-output",
            "An output with p > x p' adds at most its excess, whatever q of it the post-processing sends to O (step).",
            Implication(
                ("A <= E", "p > x*r", "q <= 1"),
                "A + (p*q - x*r*q) <= E + (p - x*r)",
                (at(A=0, E=0, p=1, x=1, r=0, q=1), at(A=0, E=0, p=1, x=2, r="1/4", q="1/2")),
            ),
            (without("p > x*r"), without("q <= 1"), goal("A + (p*q - x*r*q) <= E")),
        ),
        Obligation(
            "other-output",
            "An output with p <= x p' adds nothing (step).",
            Implication(
                ("A <= E", "p <= x*r", "q >= 0"),
                "A + (p*q - x*r*q) <= E",
                (at(A=0, E=0, p=1, x=1, r=1, q=0), at(A=0, E=0, p=1, x=1, r=1, q=1)),
            ),
            (without("p <= x*r"), without("q >= 0")),
        ),
        Obligation(
            "conclusion",
            "The excess E over the outputs with p > x p' is at most delta, hence so is that of any event afterwards.",
            Implication(
                ("P - x*Q <= E", "E <= d"), "P <= x*Q + d", (at(P=1, x=1, Q=1, E=0, d=0), at(P=1, x=1, Q=0, E=1, d=1))
            ),
            (without("E <= d"), goal("P <= x*Q")),
        ),
    ),
    duty=("The post-processing does not see the data or the sample.",),
    theorem="thm2",
)

THEOREM2_STRICT = Statement(
    "thm2-strict",
    "LQS Thm 2, proof",
    "For outputs with p > e^eps p' the proof states p(1-q) > e^eps p'(1-q).",
    Registered.REFUTED,
    printed=Printed(
        "p > x p' implies p (1-q) > x p' (1-q)",
        Implication(("p > x*r", "q <= 1"), "p*(1 - q) > x*r*(1 - q)", (at(p=1, x=1, r=0, q=0),)),
        "Only >= holds: where the post-processing surely sends the output to O, q = 1 and both sides are 0. The "
        "theorem "
        "is unharmed.",
        (goal("p*(1 - q) >= x*r*(1 - q)", ">= for >"), adding("q < 1")),
        at(p=1, x=1, r=0, q=1),
    ),
)

THEOREM3 = Statement(
    "thm3",
    "LQS Thm 3",
    sentence("thm3"),
    Registered.PROVED,
    (
        Obligation(
            "mixture",
            "The bound passes to the mixture of two events' probabilities.",
            Implication(
                ("P <= x*Q + d", "R <= x*S + d", "p >= 0", "p <= 1"),
                "p*P + (1 - p)*R <= x*(p*Q + (1 - p)*S) + d",
                (at(P=1, Q=1, R=1, S=1, x=1, d=0, p=0), at(P=1, Q=1, R=1, S=1, x=1, d=0, p=1)),
            ),
            (
                without("p <= 1"),
                without("R <= x*S + d"),
                goal("p*P + (1 - p)*R <= x*(p*Q + (1 - p)*S)", "delta forgotten"),
            ),
        ),
    ),
    duty=("The coin does not depend on the data.",),
    theorem="thm3",
)


def _single_outputs(outputs: int, x: Fraction) -> dict[str, Fraction]:
    """Uniform on some outputs against uniform on as many others: the gain of one output, and of all."""
    one = Fraction(1, outputs)
    return {"one": one, "all": one * outputs - x * 0, "delta": one}


THEOREM3_EVENT = Statement(
    "thm3-event",
    "LQS Thm 3, proof",
    "The proof takes O to be an element of the range.",
    Registered.REFUTED,
    printed=Printed(
        "it is enough to bound Pr[o] <= e^eps Pr'[o] + delta for every single output o",
        Finite(_single_outputs, "all <= delta", ({"outputs": 10, "x": Fraction(100)},)),
        "O has to range over the subsets: two disjoint uniform laws on ten outputs meet the bound with delta = 1/10 "
        "output by output, and the event of all ten has gain 1.",
        (goal("one <= delta", "single outputs only"),),
    ),
    remark="The computation in the proof is right for subsets. May be the scan's.",
)


def _budget(times: int, each: Fraction) -> dict[str, Fraction]:
    return {"total": times * each}


def _unused(times: int, beta: Fraction, printed: str, moved: int = 0) -> dict[str, Any]:
    """The probability of being in none of the samples."""
    return against((1 - beta) ** times, printed, moved)


_FIFTY = {"times": 50, "beta": Fraction(1, 5), "printed": "1.427e-5"}

FRESH = Statement(
    "fresh",
    "LQS 2.7",
    sentence("fresh"),
    Registered.PROVED,
    (
        Obligation(
            "product",
            "The likelihood ratio of independent releases is at most the product of the bounds (induction step).",
            Implication(
                ("P <= X*Q", "p <= x*q", "P >= 0", "q >= 0", "x >= 0"),
                "P*p <= X*x*Q*q",
                (at(P=0, X=1, Q=0, p=0, x=0, q=0), at(P=2, X=2, Q=1, p=3, x=3, q=1)),
            ),
            (without("p <= x*q"), without("P <= X*Q"), goal("P*p <= X*Q*q")),
        ),
        Obligation(
            "budget",
            "Fifty times 0.02 is 1.",
            Finite(_budget, "total == 1", ({"times": 50, "each": Fraction(1, 50)},)),
            (case(times=51), goal("total == 2")),
        ),
        Obligation(
            "used",
            "A row is in none of the samples with probability 0.8^50 = 1.427e-5.",
            Finite(_unused, "shown == printed", (_FIFTY,)),
            (*off_by_one((_FIFTY,)), case(times=49), case(beta=Fraction(19, 100))),
        ),
    ),
    duty=("The samples are drawn independently, and nothing else is computed from them.",),
    theorem="fresh",
)

COMPOSITION = Statement(
    "composition",
    "basic composition",
    sentence("composition"),
    Registered.PROVED,
    (
        Obligation(
            "one-more",
            "One release more, induction step: A is the chance of an event of all, on D, and at most B + e for weights "
            "of at most 1 on the outputs of one release (e bounds the others' delta); B keeps x and d, and on D' the "
            "weights keep X.",
            Implication(
                ("A <= B + e", "B <= x*C + d", "C <= X*S", "x >= 0"),
                "A <= x*X*S + d + e",
                (at(A=0, B=0, C=0, S=0, d=0, e=0, x=0, X=1), edge(A=6, B=5, C=2, S=1, d=1, e=1, x=2, X=2)),
            ),
            (without("A <= B + e"), without("C <= X*S"), without("x >= 0"), goal("A <= x*X*S + d", "one delta only")),
        ),
    ),
    duty=("The samples are drawn independently, and nothing else is computed from them.",),
    remark="Of many releases of a strongly safe k-anonymization much more is known than this: see `compose`.",
    theorem="composition",
)

STATEMENTS = (THEOREM2, THEOREM2_STRICT, THEOREM3, THEOREM3_EVENT, FRESH, COMPOSITION)
