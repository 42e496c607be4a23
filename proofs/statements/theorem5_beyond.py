"""About d of Theorem 5: its order, a closed form above it, and that the exact delta is below it."""

from crowdproof.proofs.engines.kernel import sentence
from crowdproof.proofs.statement import (
    Identity,
    Implication,
    Obligation,
    Registered,
    Statement,
    at,
    edge,
    goal,
    without,
)

TIGHT = Statement(
    "thm5-below-d",
    "beyond LQS Thm 5",
    sentence("thm5_below_d"),
    Registered.PROVED,
    (
        Obligation(
            "term",
            "One bad count (and the sum, by adding up).",
            Implication(("h >= 0", "x >= 0"), "f - x*h <= f", (at(h=0, x=0, f=0), at(h=1, x=1, f=1))),
            (without("h >= 0"), goal("f - x*h <= 0")),
        ),
        Obligation(
            "sum",
            "Adding up (induction step).",
            Implication(("E <= D", "e <= f"), "E + e <= D + f", (at(E=0, D=0, e=0, f=0),)),
            (without("e <= f"),),
        ),
    ),
    theorem="thm5_below_d",
)

CLOSED = Statement(
    "d-closed-form",
    "beyond LQS Thm 5",
    sentence("d_closed_form"),
    Registered.PROVED,
    (
        Obligation(
            "tilt",
            "The tilted mass per row: 1 - b + b s = x for s = g x/b, g x = x - 1 + b.",
            Identity("1 - b + b*(x - 1 + b)/b == x", (at(b="1/4", x=3),)),
            (goal("1 - b + b*(x - 1 - b)/b == x"),),
        ),
        Obligation(
            "markov-step",
            "s^j >= s^m for j >= m (induction step): t for s^j, u for s^m.",
            Implication(("t >= u", "u >= 0", "s >= 1"), "t*s >= u", (at(t=0, u=0, s=1), at(t=2, u=2, s=1))),
            (without("s >= 1"), without("t >= u")),
        ),
        Obligation(
            "markov",
            "So Pr[Bin >= m] s^m is at most the sum of f(j) s^j over j >= m (induction step).",
            Implication(
                ("A <= B", "f >= 0", "u <= t"),
                "A + f*u <= B + f*t",
                (at(A=0, B=0, f=0, u=0, t=0), at(A=1, B=1, f=1, u=1, t=1)),
            ),
            (without("f >= 0"), without("u <= t")),
        ),
        Obligation(
            "s-above-one",
            "s >= 1, since gamma x >= beta.",
            Implication(
                ("s*b == x - 1 + b", "x >= 1", "b > 0"), "s >= 1", (edge(s=1, b=1, x=1), at(s=4, b="1/2", x="5/2"))
            ),
            (without("x >= 1"), goal("s > 1")),
        ),
    ),
    remark="Every tail is at most x^n/s^m with s = gamma x/beta and n <= m/gamma.",
    theorem="d_closed_form",
)

MAXIMUM = Statement(
    "d-maximum",
    "beyond LQS Thm 5",
    sentence("d_maximum"),
    Registered.PROVED,
    (
        Obligation(
            "one-apart",
            "One row set apart: Pr[Bin(n + 1) >= m + 1] = b u + (1-b) v is at most u = Pr[Bin(n) >= m], with "
            "v = Pr[Bin(n) >= m + 1]. So one number stands for all later counts with as many rows left out.",
            Implication(
                ("t == b*u + (1 - b)*v", "v <= u", "b <= 1"),
                "t <= u",
                (edge(t=1, b=1, u=1, v=0), at(t="1/4", b="1/2", u="1/2", v=0), at(t=0, b=0, u=1, v=0)),
            ),
            (without("v <= u"), without("b <= 1"), goal("t <= v")),
        ),
    ),
    remark="This is how the maximum is worked out by `bound` and `plan`; its certificate names the numbers examined.",
    theorem="d_maximum",
)

ORDER = Statement(
    "d-order",
    "LQS 3.3",
    sentence("d_order"),
    Registered.PROVED,
    (
        Obligation(
            "gamma-grows",
            "gamma grows with x.",
            Implication(
                ("g*x == x - 1 + b", "h*y == y - 1 + b", "x <= y", "b <= 1", "x > 0"),
                "g <= h",
                (at(g="3/4", x=2, h="3/4", y=2, b="1/2"), at(g=1, x=1, h=1, y=2, b=1)),
            ),
            (without("x <= y"), without("b <= 1")),
        ),
        Obligation(
            "fewer-bad",
            "A count that is bad for the larger gamma is bad for the smaller, so each n's sum does not grow.",
            Implication(
                ("j > h*n", "g <= h", "n >= 0"),
                "j > g*n",
                (at(j=1, h="1/2", g="1/2", n=0), at(j=2, h="1/2", g="1/4", n=3)),
            ),
            (without("g <= h"), without("n >= 0")),
        ),
        Obligation(
            "fewer-shown",
            "A count of at least K is at least k, for K >= k.",
            Implication(("j >= K", "K >= k"), "j >= k", (edge(j=1, k=1, K=1), at(j=2, k=1, K=2))),
            (without("j >= K"), without("K >= k")),
        ),
        Obligation(
            "maximum",
            "If every n's value is at most M, then so is the largest (induction step: v the next value, w its bound).",
            Implication(("v <= w", "w <= M"), "v <= M", (at(v=0, w=0, M=0),)),
            (without("w <= M"),),
        ),
    ),
    theorem="d_order",
    remark="d is the maximum over all n of Pr[Bin(n) >= k and > gamma n]: below n_m these grow with n (tail-grows).",
)

STATEMENTS = (TIGHT, CLOSED, MAXIMUM, ORDER)
