"""Theorem 5 of Li, Qardaji and Su, step by step. x is e^eps, b beta, g gamma; f and h are f(j; n) and f(j; n-1)."""

from fractions import Fraction

from crowdproof.proofs.binomial import at_most, mass
from crowdproof.proofs.engines.kernel import sentence
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

GAMMA = Statement(
    "gamma",
    "LQS 3.3",
    sentence("gamma_above_beta"),
    Registered.PROVED,
    (
        Obligation(
            "identity",
            "The difference.",
            Identity("(x - 1 + b)/x - b == (x - 1)*(1 - b)/x", (at(x=3, b="1/4"),)),
            (goal("(x - 1 + b)/x - b == (x - 1)*(1 + b)/x"),),
        ),
        Obligation(
            "above-beta",
            "gamma > beta.",
            Implication(
                ("g*x == x - 1 + b", "x > 1", "b < 1"),
                "g > b",
                (at(g="5/8", x=2, b="1/4"), at(g="1/2", x="3/2", b="1/4")),
            ),
            (without("x > 1"), without("b < 1")),
        ),
        Obligation(
            "below-one",
            "gamma < 1.",
            Implication(
                ("g*x == x - 1 + b", "x > 0", "b < 1", "o == 1"),
                "g < o",
                (at(g=0, x=1, b=0, o=1), at(g="1/2", x=1, b="1/2", o=1), at(g=-1, x="1/2", b=0, o=1)),
            ),
            (without("b < 1"), without("x > 0")),
        ),
    ),
    checked=("eps > 0", "beta < 1"),
    theorem="gamma_above_beta",
)

_RATIO = "f*(n - j) == n*(1 - b)*h"
"""f(j; n) (n - j) = n (1 - b) f(j; n - 1): obligation mass-ratio."""
_GOOD = at(f="4/9", n=2, j=1, b="1/3", h="1/3", x="3/2")

STEPS = (
    Obligation(
        "mass-ratio",
        "f(j; n) (n-j) = n (1-b) f(j; n-1): the likelihood ratio of a shown count.",
        Identity(
            "binomial(n, j)*b**j*(1 - b)**(n - j)*(n - j) == n*(1 - b)*binomial(n - 1, j)*b**j*(1 - b)**(n - 1 - j)",
            (at(n=5, j=2, b="1/3"),),
        ),
        (
            goal(
                "binomial(n, j)*b**j*(1 - b)**(n - j)*(n - j) == n*binomial(n - 1, j)*b**j*(1 - b)**(n - 1 - j)",
                "without the factor 1-b",
            ),
        ),
    ),
    Obligation(
        "pascal",
        "f(j; n) = (1-b) f(j; n-1) + b f(j-1; n-1).",
        Identity(
            "binomial(n, j)*b**j*(1 - b)**(n - j) == "
            "(1 - b)*binomial(n - 1, j)*b**j*(1 - b)**(n - 1 - j) + b*binomial(n - 1, j - 1)*b**(j - 1)*(1 - b)**(n "
            "- j)",
            (at(n=5, j=2, b="1/3"),),
        ),
        (
            goal(
                "binomial(n, j)*b**j*(1 - b)**(n - j) == "
                "b*binomial(n - 1, j)*b**j*(1 - b)**(n - 1 - j) + b*binomial(n - 1, j - 1)*b**(j - 1)*(1 - b)**(n - j)"
            ),
        ),
    ),
    Obligation(
        "telescope-base",
        "F(0; n) = F(0; n-1) - b f(0; n-1): both sides are (1-b)^n (y for (1-b)^(n-1)).",
        Identity("y*(1 - b) == y - b*y", (at(y="1/3", b="1/4"),)),
        (goal("y*(1 - b) == y + b*y"),),
    ),
    Obligation(
        "telescope",
        "F(j; n) = F(j; n-1) - b f(j; n-1), by induction on j: H for F(j-1; n-1), p for f(j-1; n-1), q for f(j; n-1).",
        Identity("(H - b*p) + ((1 - b)*q + b*p) == (H + q) - b*q", (at(H="1/2", b="1/3", p="1/4", q="1/5"),)),
        (goal("(H - b*p) + ((1 - b)*q + b*p) == (H + q) + b*q"),),
    ),
    Obligation(
        "dropped-above",
        "Nothing shown: F(k-1; n) <= F(k-1; n-1), so the ratio is at most 1.",
        Implication(
            ("F == G - b*q", "b >= 0", "q >= 0"), "F <= G", (at(F=0, G=0, b=0, q=0), at(F="1/2", G=1, b="1/2", q=1))
        ),
        (without("q >= 0"), goal("F < G", "'always less', as printed")),
    ),
    Obligation(
        "dropped-below-step",
        "Nothing shown: F(k-1; n) >= (1-b) F(k-1; n-1), term by term (induction step, from empty sums).",
        Implication(
            (_RATIO, "S >= (1 - b)*T", "j >= 0", "j < n", "h >= 0", "b <= 1"),
            "S + f >= (1 - b)*(T + h)",
            (
                {**_GOOD, "S": Fraction(2, 3), "T": Fraction(1)},
                at(f=0, n=1, j=0, b=1, h=1, S=0, T=0),
                at(f=0, n=1, j=0, b=0, h=0, S=0, T=0),
            ),
        ),
        (without("S >= (1 - b)*T"), without("j < n"), goal("S + f >= T + h")),
    ),
    Obligation(
        "dropped-below",
        "With x (1-b) >= 1, that is eps >= -ln(1-b), the ratio of 'nothing shown' is at least 1/x.",
        Implication(
            ("S >= (1 - b)*T", "x*(1 - b) >= 1", "x > 0", "T >= 0"),
            "x*S >= T",
            (at(S="1/2", T=1, b="1/2", x=2), at(S=0, T=0, b=0, x=1)),
        ),
        (without("x*(1 - b) >= 1"), without("S >= (1 - b)*T")),
    ),
    Obligation(
        "shown-below",
        "A shown count j < n: the ratio is at least 1/x as well.",
        Implication(
            (_RATIO, "x*(1 - b) >= 1", "j >= 0", "j < n", "h >= 0"),
            "x*f >= h",
            (_GOOD, at(f=1, n=1, j=0, b=0, h=1, x=1)),
        ),
        (without("x*(1 - b) >= 1"), without("h >= 0")),
    ),
    Obligation(
        "bad-if-above",
        "A count above gamma n is bad: n (1-b) > x (n-j).",
        Implication(
            ("g*x == x - 1 + b", "j > g*n", "x > 0"),
            "n*(1 - b) > x*(n - j)",
            (at(g="3/4", x=2, b="1/2", j=1, n=1), at(g="1/4", x=1, b="1/4", j=1, n=2)),
        ),
        (without("j > g*n"), without("x > 0"), goal("n*(1 - b) > x*n")),
    ),
    Obligation(
        "bad-only-above",
        "And only such a count is.",
        Implication(
            ("g*x == x - 1 + b", "n*(1 - b) > x*(n - j)", "x > 0"),
            "j > g*n",
            (at(g="3/4", x=2, b="1/2", j=1, n=1), at(g="1/4", x=1, b="1/4", j=1, n=2)),
        ),
        (without("n*(1 - b) > x*(n - j)"), goal("j > n")),
    ),
    Obligation(
        "small-n",
        "For n <= n_m every shown count is bad: the condition is j >= k alone.",
        Implication(
            ("g*m < k", "n <= m", "j >= k", "g > 0"),
            "j > g*n",
            (at(g="1/2", m=3, k=2, n=3, j=2), at(g="3/4", m=0, k=1, n=0, j=1)),
        ),
        (without("n <= m"), without("j >= k"), goal("j > n")),
    ),
    Obligation(
        "large-n",
        "For n > n_m a bad count is above k: the condition is j > gamma n alone.",
        Implication(
            ("k <= g*(m + 1)", "n >= m + 1", "j > g*n", "g > 0"),
            "j > k",
            (at(k=2, g="1/2", m=3, n=4, j=3), at(k=1, g="3/4", m=1, n=2, j=2)),
        ),
        (without("n >= m + 1"), goal("j > k + 1")),
    ),
    Obligation(
        "at-n-m-plus-1",
        "At n_m + 1 a bad count is at least k + 1.",
        Implication(
            ("k <= g*(m + 1)", "j > g*(m + 1)"),
            "j >= k + 1",
            (edge(k=2, g="1/2", m=3, j=3), edge(k=1, g="1/2", m=1, j=2)),
            ("k", "j", "m"),
        ),
        (without("k <= g*(m + 1)"), goal("j >= k + 2")),
    ),
    Obligation(
        "k-plus-1-is-bad",
        "And k + 1 is bad there.",
        Implication(
            ("g*m < k", "g <= 1", "K == k + 1"),
            "K > g*(m + 1)",
            (at(g=1, m=0, k=1, K=2), at(g="1/2", m=3, k=2, K=3)),
        ),
        (without("g*m < k"), without("g <= 1"), without("K == k + 1")),
    ),
    Obligation(
        "tail-grows",
        "Pr[Bin(n) >= k] grows with n, for all n: it is 1 - F(k-1; n), and F falls by b f(k-1; n-1).",
        Implication(
            ("F == G - b*q", "b >= 0", "q >= 0"),
            "1 - F >= 1 - G",
            (edge(F=0, G=0, b=0, q=0), at(F="1/2", G=1, b="1/2", q=1)),
        ),
        (without("b >= 0"), without("q >= 0")),
    ),
    Obligation(
        "other-side-smaller",
        "A bad count j < n is at least as likely on D as without the target: the D_-t side needs no delta of its own.",
        Implication(
            (_RATIO, "n*(1 - b) > x*(n - j)", "x >= 1", "j < n", "h >= 0"),
            "f >= h",
            (at(f=4, n=4, j=3, b=0, h=1, x=1), at(f=3, n=4, j=3, b="1/4", h=1, x=2), at(f=0, n=4, j=3, b=0, h=0, x=1)),
        ),
        (without("n*(1 - b) > x*(n - j)"), without("x >= 1")),
    ),
    Obligation(
        "to-dp",
        "Good counts within x, bad ones of total probability at most delta: that is (eps, delta)-DP.",
        Implication(
            ("P <= x*Q", "R <= d", "S >= 0", "x >= 0"),
            "P + R <= x*(Q + S) + d",
            (at(P=0, x=0, Q=0, R=0, d=0, S=0), at(P=1, x=1, Q=1, R=0, d=0, S=0)),
        ),
        (without("R <= d"), without("S >= 0"), goal("P + R <= x*(Q + S)")),
    ),
    Obligation(
        "other-cells",
        "The counts of the other cells are independent of the target's, so their probability r cancels.",
        Identity("(f*r)/(h*r) == f/h", (at(f="1/2", h="1/3", r="1/7"),)),
        (goal("(f*r)/h == f/h"),),
    ),
)


def _small(n: int, k: int, b: Fraction, x: Fraction) -> dict[str, Fraction]:
    """The exact delta of n rows against n - 1, and the probability of the bad counts that Theorem 5 sums."""
    gains = [at_most(k - 1, n, b) - x * at_most(k - 1, n - 1, b)]
    gains += [mass(j, n, b) - x * mass(j, n - 1, b) for j in range(k, n + 1)]
    losses = [at_most(k - 1, n - 1, b) - x * at_most(k - 1, n, b)]
    losses += [mass(j, n - 1, b) - x * mass(j, n, b) for j in range(k, n + 1)]
    gamma = (x - 1 + b) / x
    bad = sum((mass(j, n, b) for j in range(k, n + 1) if j > gamma * n), Fraction(0))
    forth, back = (sum((g for g in each if g > 0), Fraction(0)) for each in (gains, losses))
    return {"exact": max(forth, back), "forth": forth, "back": back, "bad": bad}


_SMALL = tuple(
    {"n": n, "k": k, "b": Fraction(b), "x": Fraction(x)}
    for n in range(1, 13)
    for k in (1, 2, 4)
    for b, x in (("1/2", "2"), ("1/2", "4"), ("1/4", "3/2"), ("1/10", "2"))
)

THEOREM5 = Statement(
    "thm5",
    "LQS Thm 5, App A.2",
    sentence("thm5"),
    Registered.PROVED,
    (
        *STEPS,
        Obligation(
            "n-m-ceiling",
            "n_m = ceil(k/gamma - 1) is the whole number with gamma n_m < k <= gamma (n_m + 1): v for k/gamma - 1, "
            "below.",
            Implication(("g*(v + 1) == k", "m < v + 1", "g > 0"), "g*m < k", (at(g="1/2", v=3, k=2, m=3),)),
            (without("m < v + 1"), without("g > 0")),
        ),
        Obligation(
            "n-m-ceiling-above",
            "And above.",
            Implication(
                ("g*(v + 1) == k", "m >= v", "g > 0"),
                "k <= g*(m + 1)",
                (edge(g="1/2", v=3, k=2, m=3), edge(g="1/4", v=0, k="1/4", m=0)),
            ),
            (without("m >= v"), goal("k <= g*m")),
        ),
        Obligation(
            "small-cases",
            "For up to 12 rows: the exact delta is at most the probability of the bad counts.",
            Finite(_small, "exact <= bad", _SMALL),
            (goal("2*exact <= bad"), goal("exact == bad")),
        ),
    ),
    checked=("0 <= beta < 1", "x (1-beta) >= 1", "whole n, k, j"),
    duty=(
        "The recoding does not depend on the data; no row numbers, suppressed rows or totals are released.",
        "d < beta, if the claim is to be DPS by Definition 3 (see thm5-nontrivial).",
    ),
    theorem="thm5",
)


def _strict(k: int, n: int, b: Fraction) -> dict[str, Fraction]:
    return {"F": at_most(k - 1, n, b), "G": at_most(k - 1, n - 1, b)}


STRICT = Statement(
    "thm5-strict",
    "LQS App A.2",
    "The proof says that F(k-1; n, beta) is always less than F(k-1; n-1, beta).",
    Registered.REFUTED,
    printed=Printed(
        "F(k-1; n, beta) < F(k-1; n-1, beta)",
        Finite(_strict, "F < G", ({"k": 2, "n": 1, "b": Fraction(1, 2)},)),
        "Only <= holds: both are 1 where n < k. The proof needs no more than <=.",
        (goal("F <= G", "<= for <"), case("n >= k", n=2)),
    ),
)


def _at_n(n: int, b: Fraction) -> dict[str, Fraction]:
    return {"shown": mass(n, n, b), "other": mass(n, n - 1, b), "beyond": mass(n + 1, n, b), "huge": Fraction(10**9)}


DOMAIN = Statement(
    "thm5-ratio",
    "LQS App A.2",
    sentence="The ratio of f(j; n) to f(j; n-1) is printed as n(1-beta)/(n-j) for n >= j, and as 1 for n < j.",
    verdict=Registered.REFUTED,
    obligations=(
        Obligation(
            "beyond",
            "Beyond n both probabilities are 0: there is no ratio, and no such output.",
            Finite(_at_n, "other + beyond == 0", tuple({"n": n, "b": Fraction(1, 3)} for n in (1, 2, 5))),
            (goal("shown + beyond == 0"),),
        ),
    ),
    printed=Printed(
        "f(j; n) (n-j) = n (1-beta) f(j; n-1) has a finite ratio at j = n",
        Finite(_at_n, "shown <= huge*other", ({"n": 3, "b": Fraction(1, 3)},)),
        "At j = n the ratio is infinite: f(n; n-1) = 0 and f(n; n) = beta^n. Such outputs are bad and are counted in "
        "delta, so the "
        "theorem is unharmed; beyond n there is nothing.",
        (goal("shown > huge*other", "infinite"),),
    ),
)

STATEMENTS = (GAMMA, THEOREM5, STRICT, DOMAIN)
