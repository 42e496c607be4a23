"""Replaced rows: a bound on the exact delta of sampling and a strongly safe k-anonymization, for all pairs of cells.

The target leaves a cell with n rows, with laws P_n and P_{n-1} of what it shows, and its replacement joins a cell that
then has m. The words are those of `bounds.cover`.
"""

from fractions import Fraction

from crowdproof.proofs.binomial import mass
from crowdproof.proofs.bounds.replace import replace
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

_ROWS = 7
"""Rows of either cell in the small cases, at most."""


def _law(rows: int, k: int, beta: Fraction) -> dict[int, Fraction]:
    """The count that a cell shows."""
    law: dict[int, Fraction] = {}
    for j in range(rows + 1):
        shown = j if j >= k else 0
        law[shown] = law.get(shown, Fraction(0)) + mass(j, rows, beta)
    return law


def _worst(k: int, beta: str, x: int) -> dict[str, Fraction]:
    """The exact delta of the worst pair of small cells at e^eps = x, by enumeration, and the bound for all pairs."""
    rate, worst = Fraction(beta), Fraction(0)
    laws = [_law(rows, k, rate) for rows in range(_ROWS + 1)]
    for n in range(1, _ROWS + 1):
        for m in range(1, _ROWS + 1):
            one, fewer, other, more = laws[n], laws[n - 1], laws[m - 1], laws[m]
            gains = (
                one[i] * other.get(j, Fraction(0)) - x * fewer.get(i, Fraction(0)) * more[j] for i in one for j in more
            )
            worst = max(worst, sum((each for each in gains if each > 0), Fraction(0)))
    return {"worst": worst, "bound": replace(k, beta, f"ln {x}").high, "beta": rate}


_CASES = tuple({"k": k, "beta": beta, "x": x} for k in (1, 2, 3) for beta in ("1/10", "1/2", "4/5") for x in (1, 2, 5))

COVER = Statement(
    "replace-cover",
    "beyond LQS Thm 5",
    "For a replaced row no pair of cells, no recoding and no event has a larger delta than the sum of c_i D(t_i). Here "
    "B(y) is the largest sum of (P_{m-1}(j) - y P_m(j))+ over all m, D(t) the largest sum of "
    "(t P_n(i) - x P_{n-1}(i))+ over all n, and the c_i are the changes of slope of a broken line "
    "above B, with corners t_i.",
    Registered.PROVED,
    (
        Obligation(
            "two-cells",
            "The two cells are sampled independently: a pair of counts gains P = P_n(i) times what the second cell "
            "gains at the level y = x Q/P, for Q = P_{n-1}(i).",
            Implication(
                ("y*P <= x*Q", "B >= 0"),
                "P*A - x*Q*B <= P*(A - y*B)",
                (edge(y=2, P=1, x=2, Q=1, A=1, B="1/2"), edge(y=0, P=1, x=1, Q=0, A=0, B=0)),
            ),
            (without("y*P <= x*Q"), without("B >= 0"), goal("P*A - x*Q*B <= P*(A - x*B)")),
        ),
        Obligation(
            "best-event",
            "Whatever part w of a pair of counts an event takes, it gains at most the positive part h of its gain.",
            Implication(
                ("g <= h", "h >= 0", "w >= 0", "w <= 1"),
                "w*g <= h",
                (edge(g=0, h=0, w=1), at(g=-1, h=0, w="1/2"), edge(g=1, h=1, w=1)),
            ),
            (without("h >= 0"), without("w <= 1"), without("g <= h")),
        ),
        Obligation(
            "chord",
            "A hinge (s - y)+ lies below its chord from t0 = y - a to t1 = y + c, and so does B, a largest sum of "
            "hinges: where the hinge is h = s - y. It is u at t0 and v at t1.",
            Implication(
                ("a >= 0", "c >= 0", "u >= h + a", "v >= h - c"),
                "(a + c)*h <= c*u + a*v",
                (edge(a=1, c=1, h=2, u=3, v=1), at(a=0, c=1, h=1, u=1, v=0), at(a=0, c=0, h=0, u=0, v=0)),
            ),
            (without("a >= 0"), without("c >= 0"), without("u >= h + a"), without("v >= h - c")),
        ),
        Obligation(
            "chord-at-zero",
            "And where the hinge is 0.",
            Implication(
                ("a >= 0", "c >= 0", "u >= 0", "v >= 0"),
                "c*u + a*v >= 0",
                (edge(a=0, c=0, u=1, v=1), at(a=1, c=1, u=1, v=0), edge(a=1, c=1, u=0, v=0)),
            ),
            (without("u >= 0"), without("v >= 0"), without("a >= 0")),
        ),
        Obligation(
            "corners",
            "A broken line that ends at 0 is a sum of c_i (t_i - y)+, and P_n(i) times that adds up to D_n(t_i), which "
            "is at most D(t_i) (induction step).",
            Implication(
                ("S <= T", "d <= D", "c >= 0"),
                "S + c*d <= T + c*D",
                (edge(S=0, T=0, d=0, D=0, c=0), at(S=1, T=1, d=1, D=2, c=1)),
            ),
            (without("S <= T"), without("d <= D"), without("c >= 0")),
        ),
        Obligation(
            "small-cases",
            "Cells of up to seven rows, all pairs: the exact delta is within the bound that `bound` gives.",
            Finite(_worst, "worst <= bound", _CASES),
            (goal("worst > bound"), goal("beta <= worst")),
        ),
    ),
    duty=(
        "The recoding does not depend on the data; no row numbers, suppressed rows or totals are released.",
        "That B(y) and D(t) are largest at the numbers of rows worked out: thm5-tight at the levels y and x/t.",
    ),
    remark="`bound` takes the smaller of this and of a search over ranges of both numbers of rows.",
)

STATEMENTS = (COVER,)
