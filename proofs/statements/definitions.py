"""Definitions 1 to 3 of Li, Qardaji and Su, and what they come to."""

from fractions import Fraction
from itertools import product

from crowdproof.proofs.statement import (
    Finite,
    Implication,
    Obligation,
    Registered,
    Statement,
    at,
    edge,
    goal,
    without,
)


def _worst_event(x: Fraction, p: tuple[Fraction, ...], q: tuple[Fraction, ...]) -> dict[str, Fraction]:
    """The largest Pr_p[O] - x Pr_q[O] over all events O, and the sum of the positive parts."""
    events = product((0, 1), repeat=len(p))
    worst = max(
        sum((a - x * b for a, b, taken in zip(p, q, event, strict=True) if taken), Fraction(0)) for event in events
    )
    positive = sum((max(a - x * b, Fraction(0)) for a, b in zip(p, q, strict=True)), Fraction(0))
    return {"worst": worst, "positive": positive}


_THIRD, _SIXTH = Fraction(1, 3), Fraction(1, 6)
_LAWS = [(_THIRD, _THIRD, _THIRD), (_SIXTH, _THIRD, 3 * _SIXTH), (0 * _THIRD, 0 * _THIRD, 3 * _THIRD)]

DP = Statement(
    "def-dp",
    "LQS Def 1 and 2",
    "(eps, delta)-DP for one pair of datasets says that the sum of the positive parts of Pr[o] - e^eps Pr'[o] over the "
    "outputs o is at most delta; eps-DP is the case delta = 0, and then holds output by output.",
    Registered.PROVED,
    (
        Obligation(
            "in-the-event",
            "Adding an output with positive gain to the worst event keeps it the worst (induction step).",
            Implication(
                ("worst <= total", "p - x*q <= gain"),
                "worst + (p - x*q) <= total + gain",
                (at(worst=0, total=0, p=1, q=0, x=1, gain=1), at(worst=0, total=0, p=0, q=0, x=1, gain=0)),
            ),
            (without("p - x*q <= gain"), goal("worst + (p - x*q) <= total")),
        ),
        Obligation(
            "left-out",
            "Leaving an output out loses nothing that the sum of positive parts does not allow (induction step).",
            Implication(
                ("worst <= total", "gain >= 0"),
                "worst <= total + gain",
                (at(worst=0, total=0, gain=0),),
            ),
            (without("gain >= 0"), goal("worst <= total - gain")),
        ),
        Obligation(
            "pure",
            "With delta = 0 the bound passes from single outputs to events (induction step).",
            Implication(
                ("P <= x*Q", "p <= x*q"),
                "P + p <= x*(Q + q)",
                (at(P=0, Q=0, p=0, q=0, x=1), at(P=1, Q=1, p=2, q=1, x=2)),
            ),
            (without("p <= x*q"), goal("P + p <= x*Q + q")),
        ),
        Obligation(
            "worst-event",
            "For laws on three outputs the largest gain of an event is the sum of the positive parts.",
            Finite(
                _worst_event,
                "worst == positive",
                tuple({"x": Fraction(x), "p": p, "q": q} for x in (1, 2) for p in _LAWS for q in _LAWS),
            ),
            (goal("worst < positive"), goal("worst == 2*positive")),
        ),
    ),
    duty=("For infinite output spaces: sums are integrals, and the events are measurable.",),
)


def _reveal(beta: Fraction, x: Fraction) -> dict[str, Fraction]:
    """Release the sample of a one-row dataset against the empty one: the gain of the event 'the row is there'."""
    return {"delta": beta - x * 0, "beta": beta}


TRIVIAL = Statement(
    "def-dps",
    "LQS Def 3",
    "(beta, eps, delta)-DPS asks for delta < beta: with delta >= beta every algorithm satisfies it even at eps = 0, "
    "since "
    "the target is not sampled with probability 1 - beta; and at delta < beta not every algorithm does.",
    Registered.PROVED,
    (
        Obligation(
            "with-the-target",
            "Pr on D = (1-b) X + b Y is at most X + delta, for X the probability without the target, Y with it "
            "sampled.",
            Implication(
                ("X >= 0", "Y <= 1", "b >= 0", "b <= d"),
                "(1 - b)*X + b*Y <= X + d",
                (edge(X=1, Y=1, b=0, d=0), edge(X=0, Y=1, b="1/2", d="1/2"), edge(X=0, Y=1, b=1, d=1)),
            ),
            (without("b <= d"), goal("(1 - b)*X + b*Y < X + d")),
        ),
        Obligation(
            "without-the-target",
            "And X is at most that probability plus delta.",
            Implication(
                ("X <= 1", "Y >= 0", "b >= 0", "b <= d"),
                "X <= (1 - b)*X + b*Y + d",
                (edge(X=1, Y=0, b=0, d=0), edge(X=1, Y=0, b="1/2", d="1/2"), edge(X=1, Y=0, b=1, d=1)),
            ),
            (without("b <= d"), goal("X < (1 - b)*X + b*Y + d")),
        ),
        Obligation(
            "not-below",
            "Releasing the sample itself has delta = beta at every eps, so that delta < beta does ask for something.",
            Finite(
                _reveal,
                "delta == beta",
                tuple({"beta": Fraction(1, b), "x": Fraction(x)} for b in (2, 3, 10) for x in (1, 2, 100)),
            ),
            (goal("delta < beta"),),
        ),
    ),
    checked=("delta >= beta",),
    duty=("Rows are sampled independently of each other, each with probability beta.",),
)

STATEMENTS = (DP, TRIVIAL)
