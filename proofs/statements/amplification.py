"""Theorem 1 of Li, Qardaji and Su: a smaller sampling rate amplifies privacy. x is e^eps1, b is beta2/beta1."""

from fractions import Fraction
from typing import Any

from flint import arb

from crowdproof.proofs.engines.finite import lift
from crowdproof.proofs.engines.kernel import sentence
from crowdproof.proofs.rounding import against, off_by_one
from crowdproof.proofs.statement import (
    Finite,
    Identity,
    Implication,
    Obligation,
    Printed,
    Registered,
    Statement,
    at,
    case,
    edge,
    goal,
    without,
)

_STEP = Implication(
    ("SY <= x*SX + d*SW", "y <= x*p + d", "w >= 0"),
    "SY + w*y <= x*(SX + w*p) + d*(SW + w)",
    (at(SY=0, SX=0, SW=0, x=1, d=0, y=0, p=0, w=0), at(SY=1, SX=1, SW=1, x=1, d=0, y=1, p=1, w=1)),
)


def _table1(x1: Fraction, ratio: Fraction, printed: str, moved: int = 0) -> dict[str, Any]:
    """eps2 against the printed value; x1 = 0 stands for eps1 = 1."""
    x = arb(1).exp() if x1 == 0 else lift(x1)
    return against((1 + lift(ratio) * (x - 1)).log(), printed, moved)


_TABLE1 = (
    {"x1": Fraction(11), "ratio": Fraction(1), "printed": "2.40"},
    {"x1": Fraction(11), "ratio": Fraction(1, 10), "printed": "0.69"},
    {"x1": Fraction(11), "ratio": Fraction(1, 100), "printed": "0.095"},
    {"x1": Fraction(0), "ratio": Fraction(1, 10), "printed": "0.159"},
    {"x1": Fraction(0), "ratio": Fraction(1, 100), "printed": "0.017"},
)


def _table1_delta(delta1: Fraction, ratio: Fraction) -> dict[str, Fraction]:
    return {"delta2": ratio * delta1, "x2": 1 + ratio * 10}


THEOREM1 = Statement(
    "thm1",
    "LQS Thm 1, App A.1",
    sentence("thm1"),
    Registered.PROVED,
    (
        Obligation(
            "two-stages",
            "Sampling at b and then at beta1 is sampling at b beta1 (generating function of one row).",
            Identity("1 - b + b*(1 - c + c*z) == 1 - b*c + b*c*z", (at(b="1/2", c="1/3", z=2),)),
            (goal("1 - b + b*(1 - c + c*z) == 1 - b*c + b*z"),),
        ),
        Obligation(
            "average-base",
            "Y <= x X + delta1 for a single sample, weighted.",
            Implication(
                ("y <= x*p + d", "w >= 0"),
                "w*y <= x*(w*p) + d*w",
                (at(y=1, x=1, p=1, d=0, w=0), at(y=1, x=1, p=1, d=0, w=1)),
            ),
            (without("w >= 0"), goal("w*y <= x*(w*p)")),
        ),
        Obligation(
            "average-step",
            "The same for the average over all samples (induction step; the weights add up to 1).",
            _STEP,
            (without("y <= x*p + d"), without("w >= 0"), goal("SY + w*y <= x*(SX + w*p) + d*SW")),
        ),
        Obligation(
            "forward",
            "Z = (1-b) X + b Y is at most (1 + b (x-1)) X + b delta1.",
            Implication(
                ("Y <= x*X + d", "b >= 0"),
                "(1 - b)*X + b*Y <= (1 + b*(x - 1))*X + b*d",
                (at(Y=1, X=1, x=1, d=0, b=0), at(Y=1, X="1/2", x=2, d=0, b=1)),
            ),
            (
                without("Y <= x*X + d"),
                goal("(1 - b)*X + b*Y <= (1 + b*(x - 1))*X", "delta forgotten"),
                goal("(1 - b)*X + b*Y <= (1 + b*(x - 2))*X + b*d", "a smaller factor"),
            ),
        ),
        Obligation(
            "reverse",
            "X is at most (1 + b (x-1)) Z + b delta1.",
            Implication(
                ("X <= x*Y + d", "X >= 0", "d >= 0", "b >= 0", "b <= 1", "x >= 1"),
                "X <= (1 + b*(x - 1))*((1 - b)*X + b*Y) + b*d",
                (
                    at(X=0, Y=0, d=0, b=0, x=1),
                    edge(X=1, Y=1, d=0, b=0, x=1),
                    edge(X=1, Y=1, d=0, b=1, x=1),
                    at(X="1/2", Y="1/4", d=0, b="1/2", x=2),
                ),
            ),
            (
                without("x >= 1"),
                without("b <= 1"),
                goal("X <= (1 + b*(x - 1))*((1 - b)*X + b*Y)", "delta forgotten"),
                goal("X <= (1 + b*(x - 2))*((1 - b)*X + b*Y) + b*d", "a smaller factor"),
            ),
        ),
        Obligation(
            "paper-identity",
            "The appendix's last equivalence.",
            Identity("(1 + b*(x - 1))*(1 - b*(1 - 1/x)) - 1 == (x + 1/x - 2)*(b - b**2)", (at(b="1/3", x=3),)),
            (goal("(1 + b*(x - 1))*(1 - b*(1 - 1/x)) - 1 == (x + 1/x - 2)*(b + b**2)"),),
        ),
        Obligation(
            "still-dps",
            "delta2 < beta2, as Definition 3 asks.",
            Implication(("d < c", "b > 0"), "b*d < b*c", (at(d=0, c="1/4", b="1/2"),)),
            (without("d < c"), without("b > 0")),
        ),
        Obligation(
            "tight",
            "The factor is attained: randomized response on 'is the target there' has the ratio 1 + b (x-1).",
            Identity(
                "((1 - b)/(1 + x) + b*x/(1 + x))/(1/(1 + x)) == 1 + b*(x - 1)",
                (at(b="1/3", x=3),),
            ),
            (goal("((1 - b)/(1 + x) + b*x/(1 + x))/(1/(1 + x)) == 1 + b*x"),),
        ),
        Obligation(
            "table1-epsilon",
            "Table 1's epsilons are right to the last printed digit.",
            Finite(_table1, "shown == printed", _TABLE1, "balls"),
            off_by_one(_TABLE1),
        ),
        Obligation(
            "table1-delta",
            "Table 1's deltas and e^eps: 1e-5 and 11 become 1e-6 and 2 at rate 0.1.",
            Finite(
                _table1_delta, "delta2*x2 == 2/1000000", ({"delta1": Fraction(1, 10**5), "ratio": Fraction(1, 10)},)
            ),
            (goal("delta2*x2 == 2/100000"), case(ratio=Fraction(1, 5)), case(delta1=Fraction(1, 10**4))),
        ),
        Obligation(
            "table1-delta-2",
            "And 1e-7 and 1.1 at rate 0.01.",
            Finite(
                _table1_delta, "delta2*x2 == 11/100000000", ({"delta1": Fraction(1, 10**5), "ratio": Fraction(1, 100)},)
            ),
            (goal("delta2*x2 == 11/10000000"), case(ratio=Fraction(1, 50)), case(delta1=Fraction(1, 10**4))),
        ),
    ),
    checked=("0 < b <= 1", "e^eps1 >= 1", "delta1 >= 0"),
    duty=("Rows are sampled independently; datasets are neighbours if one has one row more.",),
    theorem="thm1",
)


def _misprint(epsilon: Fraction, b: Fraction) -> dict[str, Any]:
    """Randomized response with e^eps under sampling, against the factor as misprinted."""
    x, rate = lift(epsilon).exp(), lift(b)
    return {"ratio": 1 + rate * (x - 1), "printed": 1 + rate * (lift(epsilon) - 1)}


TYPO = Statement(
    "thm1-appendix",
    "LQS App A.1, and the introduction of the arXiv version",
    "The appendix restates Theorem 1 with eps1 - 1 in place of e^eps1 - 1.",
    Registered.REFUTED,
    printed=Printed(
        "eps2 = ln(1 + (beta2/beta1)(eps1 - 1))",
        Finite(_misprint, "ratio <= printed", ({"epsilon": Fraction(1), "b": Fraction(1, 10)},), "balls"),
        "eps2 = ln(1 + (beta2/beta1)(e^eps1 - 1)), as in the body. Randomized response at eps1 = 1, sampled at 0.1, "
        "has the "
        "likelihood ratio 1.1718, and the misprint would promise 1.",
        (goal("ratio <= 1172/1000", "with e^eps1 - 1 = 1.71828..."),),
    ),
    remark="May be the scan's: the printed version has e^eps - 1 in its introduction.",
)


def _a1_sum(beta: Fraction, absent: Fraction, present: Fraction) -> dict[str, Fraction]:
    """One row: the probability of an event on D, and the appendix's two sums."""
    return {
        "Z": (1 - beta) * absent + beta * present,
        "printed": (1 - beta) * absent + beta * absent,
        "right": (1 - beta) * absent + beta * present,
    }


A1_SUM = Statement(
    "thm1-sum",
    "LQS App A.1",
    "In the decomposition of Z the second sum is printed over A(T_-t).",
    Registered.REFUTED,
    printed=Printed(
        "Z = sum (1-b) Pr[T] Pr[A(T)] + sum b Pr[T_-t] Pr[A(T_-t)]",
        Finite(
            _a1_sum,
            "Z == printed",
            ({"beta": Fraction(1, 2), "absent": Fraction(2, 3), "present": Fraction(1, 3)},),
        ),
        "The second sum is over A(T_+t), the sample with the target, as the next line of the proof defines Y. As "
        "printed, both sums are X and sampling would have no effect at all.",
        (goal("Z == right", "with A(T_+t)"),),
    ),
    remark="May be the scan's.",
)

STATEMENTS = (THEOREM1, TYPO, A1_SUM)
