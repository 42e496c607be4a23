"""Theorem 6 of Li, Qardaji and Su: refuted as stated, and what holds instead. x1 is e^eps1, x is e^eps."""

from fractions import Fraction
from functools import cache
from typing import Any

from crowdproof.exact import rational
from crowdproof.proofs.binomial import mass
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
from crowdproof.proofs.theorem6 import (
    Case,
    Choice,
    Worst,
    claimed,
    delta,
    factor,
    find_counterexamples,
    worst_first_step,
)

TABLE: Choice = (
    (Fraction(1, 5), Fraction(4, 5), Fraction(1, 5), Fraction(1, 20)),
    (Fraction(4, 5), Fraction(1, 5), Fraction(4, 5), Fraction(1, 5)),
)
"""p(m, 0) and p(m, 1): the probability of recoding A on m others without and with the target."""


def _table(n: int, k: int, beta: str, x1: int, x: int, *, choice: Choice = TABLE) -> dict[str, Any]:
    """The stored first step: its privacy factor, its delta on D against D', and what Theorem 6 claims."""
    setting = Case.of(n, k, beta, x1, x)
    found = factor(choice)
    return {
        "factor": Fraction(10**9) if found is None else found,
        "x1": setting.x1,
        "actual": delta(setting, choice),
        "claimed": claimed(setting),
    }


@cache
def _worst(n: int, k: int, beta: str, x1: str, x: str) -> Worst:
    return worst_first_step(n, k, beta, x1, x)


def _lp(n: int, k: int, beta: str, x1: str, x: str, *, known: str = "0") -> dict[str, Any]:
    worst = _worst(n, k, beta, x1, x)
    return {"worst": worst.delta, "claimed": worst.claimed, "loose": _loose(worst.case), "known": rational(known)}


def _loose(setting: Case) -> Fraction:
    """The proved bound for this n when both steps see the same sample: a tilted binomial above gamma'."""
    b, x1, x = setting.beta, setting.x1, setting.x
    tilted = b * x1 / (1 - b + b * x1)
    limit = (x - 1 + b) / (x - 1 + b + (1 - b) * x1**2)
    counts = (j for j in range(setting.k, setting.n + 1) if j > limit * setting.n)
    return sum((mass(j, setting.n, tilted) for j in counts), Fraction(0))


def _search(k: int, beta: str, x1: str, ratios: tuple[str, ...]) -> dict[str, Any]:
    found = find_counterexamples(k, beta, x1, ratios)
    return {"found": Fraction(len(found)), "x1": rational(x1)}


_CASE = {"n": 4, "k": 3, "beta": "1/4", "x1": 4, "x": 12}
_LARGE = {"n": 16, "k": 8, "beta": "1/2", "x1": "8", "x": "16", "known": "14421/131072"}
_SWAPPED: Choice = (TABLE[1], TABLE[0])

THEOREM6 = Statement(
    "thm6",
    "LQS Thm 6, App A.3",
    sentence="An eps1-safe k-anonymization, both steps on the same sample, is said to be (beta, eps, delta)-DPS with "
    "delta = d(k, beta, eps - eps1), for eps >= eps1 - ln(1-beta).",
    verdict=Registered.REFUTED,
    obligations=(
        Obligation(
            "first-step-safe",
            "The first step of the counterexample is eps1-DP: no factor above 4 between neighbouring samples, for A "
            "and for B.",
            Finite(_table, "factor == x1", (_CASE,)),
            (
                goal("factor < x1"),
                case("x1 = 3", x1=3),
                case("p(3, 0) = 1/40", choice=((*TABLE[0][:3], Fraction(1, 40)), TABLE[1])),
            ),
        ),
        Obligation(
            "actual",
            "Its delta on the target with three others against the three others is 119/5120.",
            Finite(_table, "actual == 119/5120", (_CASE,)),
            (goal("actual == 1/64"), case("the rows of p exchanged", choice=_SWAPPED)),
        ),
        Obligation(
            "claimed",
            "Theorem 6 claims 1/64 there.",
            Finite(_table, "claimed == 1/64", (_CASE,)),
            (case("k = 5", k=5), goal("claimed == actual")),
        ),
        Obligation(
            "lp-optimum",
            "No eps1-safe first step of the family does worse: the linear program's certified optimum is 119/5120 as "
            "well.",
            Finite(_lp, "worst == 119/5120", ({**_CASE, "x1": "4", "x": "12"},), "lp"),
            (case("x1 = 3", x1="3"), goal("worst == 1/64")),
        ),
        Obligation(
            "lp-large",
            "For beta = 1/2, e^eps1 = 8, e^eps = 16, k = 8, n = 16 the program finds a delta of at least "
            "14421/131072, twice the claimed 7/128.",
            Finite(_lp, "worst >= known", (_LARGE,), "lp"),
            (case("at least 15/128", known="15/128"), case("n = 10", n=10)),
        ),
        Obligation(
            "lp-large-claimed",
            "The claim there.",
            Finite(_lp, "claimed == 7/128", (_LARGE,), "lp"),
            (goal("claimed == worst"),),
        ),
        Obligation(
            "more",
            "Among k = 2, 3, beta = 1/4, e^eps1 = 4, e^(eps - eps1) = 2, 3, 4 and n <= k + 2 the search finds three "
            "counterexamples for k = 3.",
            Finite(_search, "found == 3", ({"k": 3, "beta": "1/4", "x1": "4", "ratios": ("2", "3", "4")},), "lp"),
            (case("k = 2", k=2), case("e^eps1 = 1: strongly safe", x1="1"), goal("found == 0")),
        ),
        Obligation(
            "two-edits",
            "Why it fails: 'target in, j - 1 others' and 'target out, j others' are two edits apart, so A_m adds "
            "x1^2, not x1.",
            Implication(
                ("p <= x1*q", "q <= x1*r", "x1 >= 0"),
                "p <= x1**2*r",
                (at(p=4, x1=2, q=2, r=1), at(p=0, x1=0, q=0, r=1)),
            ),
            (goal("p <= x1*r", "one factor only"), without("q <= x1*r"), without("x1 >= 0")),
        ),
    ),
    printed=Printed(
        "delta = d(k, beta, eps - eps1)",
        Finite(_table, "actual <= claimed", (_CASE,)),
        "The proof treats A_m's choice as independent of the sample that it is applied to, and Definition 3 runs both "
        "on one sample. With "
        "n = 4, k = 3, beta = 1/4, e^eps1 = 4, e^eps = 12 and p(m, 0) = 1/5, 4/5, 1/5, 1/20, p(m, 1) = 4/5, 1/5, 4/5, "
        "1/5 the delta is "
        "119/5120, above the claimed 1/64. The printed delta holds when A_m runs on a sample of its own "
        "(thm6-two-samples).",
        (
            goal("actual > claimed", "it is larger"),
            case("a constant first step", choice=((Fraction(1, 2),) * 4, (Fraction(1, 2),) * 4)),
        ),
    ),
)

_SMALL = {"n": 3, "k": 2, "beta": "1/3", "x1": "4", "x": "8"}

FAILS = Statement(
    "thm6-fails",
    "LQS Thm 6, App A.3",
    sentence("thm6_fails"),
    Registered.PROVED,
    (
        Obligation(
            "smallest",
            "Three rows, k = 2, beta = 1/3, e^eps1 = 4, e^eps = 8: the worst first step has delta 31/270.",
            Finite(_lp, "worst == 31/270", (_SMALL,), "lp"),
            (case("n = 2", n=2), goal("worst == 1/9")),
        ),
        Obligation(
            "smallest-claimed",
            "The claim there is 1/9, which is less.",
            Finite(_lp, "claimed == 1/9", (_SMALL,), "lp"),
            (goal("claimed == worst"),),
        ),
    ),
    remark="The counterexample, by its first step, is in `proofs/coq/Counterexample.v`; thm6 has another one.",
    theorem="thm6_fails",
)

TWO_SAMPLES = Statement(
    "thm6-two-samples",
    "LQS Thm 6, repaired here",
    sentence("thm6_two_samples"),
    Registered.PROVED,
    (
        Obligation(
            "choice-private",
            "A_m on its own sample is eps1-DP in the full data: 1 + beta (x1 - 1) <= x1.",
            Implication(("x1 >= 1", "b <= 1"), "1 + b*(x1 - 1) <= x1", (edge(x1=1, b=1), at(x1=2, b="1/2"))),
            (without("b <= 1"), without("x1 >= 1")),
        ),
        Obligation(
            "good-part",
            "For a mapping g chosen with probability a, against c: good outputs keep the factor x1 y (y = e^(eps - "
            "eps1)).",
            Implication(
                ("a <= x1*c", "G <= y*H", "a >= 0", "H >= 0", "y >= 0"),
                "a*G <= x1*y*c*H",
                (at(a=0, x1=1, c=0, G=0, y=0, H=0), at(a=2, x1=2, c=1, G=3, y=3, H=1)),
            ),
            (without("a <= x1*c"), without("G <= y*H"), goal("a*G <= x1*c*H")),
        ),
        Obligation(
            "sum-step",
            "Adding up over the mappings, with bad outputs of probability at most delta under each (induction step).",
            Implication(
                ("P <= X*Q + d*W", "u <= X*v", "B <= d", "a >= 0"),
                "P + u + a*B <= X*(Q + v) + d*(W + a)",
                (at(P=0, X=1, Q=0, d=0, W=0, u=0, v=0, B=0, a=0), at(P=1, X=1, Q=1, d=0, W=1, u=1, v=1, B=0, a=1)),
            ),
            (without("B <= d"), without("u <= X*v"), goal("P + u + a*B <= X*(Q + v) + d*W")),
        ),
        Obligation(
            "weights",
            "The probabilities of the mappings add up to W = 1, so that delta is counted once.",
            Implication(
                ("P <= X*Q + d*W", "W == 1"), "P <= X*Q + d", (at(P=1, X=1, Q=1, d=0, W=1), at(P=1, X=1, Q=0, d=1, W=1))
            ),
            (without("W == 1"), goal("P <= X*Q")),
        ),
        Obligation(
            "reverse",
            "The other direction has no bad outputs: each output's ratio is at least 1/y under every mapping (thm5), "
            "and at least 1/(x1 y) "
            "with the choice.",
            Implication(
                ("c <= x1*a", "H <= y*G", "c >= 0", "G >= 0", "y >= 0"),
                "c*H <= x1*y*a*G",
                (at(c=0, x1=1, a=0, H=0, y=0, G=0), at(c=2, x1=2, a=1, H=3, y=3, G=1)),
            ),
            (without("c <= x1*a"), without("H <= y*G")),
        ),
    ),
    checked=("eps - eps1 >= -ln(1-beta), through thm5",),
    duty=("The two samples are drawn independently.", "A_m is eps1-DP for the same neighbour relation."),
    theorem="thm6_two_samples",
)

SAME_SAMPLE = Statement(
    "thm6-same-sample",
    "LQS Thm 6, repaired here",
    "With both steps on the same sample: (eps, delta)-DP with delta = the largest Pr[Bin(n, b') >= k and > gamma' n], "
    "for b' = beta x1/(1 - "
    "beta + beta x1) and gamma' = (x-1+beta)/(x-1+beta+(1-beta) x1^2), where x (1-beta) >= 1 and x >= 1 + beta (x1-1).",
    Registered.PROVED,
    (
        Obligation(
            "ratio",
            "The likelihood ratio (1-b)(1 + j x1^2/(n-j)) is n(1-b)/(n-j) (1 + (j/n)(x1^2 - 1)).",
            Identity(
                "(1 - b)*(1 + j*x1**2/(n - j)) == n*(1 - b)/(n - j)*(1 + j/n*(x1**2 - 1))",
                (at(b="1/4", j=2, x1=3, n=5),),
            ),
            (goal("(1 - b)*(1 + j*x1/(n - j)) == n*(1 - b)/(n - j)*(1 + j/n*(x1**2 - 1))", "one factor only"),),
        ),
        Obligation(
            "swap",
            "Target in with j - 1 of the cell's others, P, against target out with j, (1-b) Q: each sample of the "
            "first kind is two edits from "
            "n - j of the second, and each of those from j of the first.",
            Implication(
                ("P*(n - j) <= x1**2*j*(1 - b)*Q",),
                "(P + (1 - b)*Q)*(n - j) <= (1 - b)*Q*(n - j + j*x1**2)",
                (at(P=1, n=2, j=1, x1=1, b=0, Q=1), at(P=0, n=2, j=1, x1=1, b=1, Q=1)),
            ),
            (without("P*(n - j) <= x1**2*j*(1 - b)*Q"), goal("(P + (1 - b)*Q)*(n - j) <= (1 - b)*Q*(n - j + j*x1)")),
        ),
        Obligation(
            "good",
            "A count of at most gamma' n is good.",
            Implication(
                ("j*(x - 1 + b + (1 - b)*s) <= (x - 1 + b)*n",),
                "(1 - b)*(n - j + j*s) <= x*(n - j)",
                (at(j=0, x=1, b=0, s=1, n=0), at(j=1, x=2, b="1/2", s=1, n=2)),
            ),
            (without("j*(x - 1 + b + (1 - b)*s) <= (x - 1 + b)*n"), goal("(1 - b)*(n - j + j*s) <= (n - j)")),
        ),
        Obligation(
            "dropped",
            "Nothing shown of the cell: the ratio is at most 1 + b (x1 - 1), since the target's being in is one edit.",
            Implication(
                ("P <= x1*Q", "b >= 0"),
                "(1 - b)*Q + b*P <= (1 + b*(x1 - 1))*Q",
                (at(P=1, x1=1, Q=1, b=0), at(P=2, x1=2, Q=1, b=1)),
            ),
            (without("P <= x1*Q"), without("b >= 0")),
        ),
        Obligation(
            "reverse",
            "The other direction: the target is out with probability 1 - b, and x (1-b) >= 1.",
            Implication(
                ("P >= (1 - b)*Q", "x*(1 - b) >= 1", "Q >= 0", "x >= 0"),
                "x*P >= Q",
                (edge(P="1/2", b="1/2", Q=1, x=2), edge(P=2, b=-1, Q=1, x="1/2"), at(P=0, b=0, Q=0, x=1)),
            ),
            (without("P >= (1 - b)*Q"), without("x*(1 - b) >= 1")),
        ),
        Obligation(
            "tilt",
            "Given the choice, the count's odds f(j+1) h(j+1)/(f(j) h(j)) are at most x1 times the binomial's: those "
            "of rate b'.",
            Identity("(b*x1/(1 - b + b*x1))/(1 - b*x1/(1 - b + b*x1)) == x1*b/(1 - b)", (at(b="1/4", x1=3),)),
            (goal("(b*x1/(1 - b + b*x1))/(1 - b*x1/(1 - b + b*x1)) == b/(1 - b)"),),
        ),
        Obligation(
            "dominated",
            "Likelihood ratios that fall with the count make upper tails smaller: U the tail, L the rest, u and l "
            "those of the tilted law.",
            Implication(
                ("U <= r*u", "L >= r*l", "l >= 0", "u >= 0"),
                "U*l <= u*L",
                (at(U=0, r=0, u=0, L=0, l=0), at(U=1, r=1, u=1, L=1, l=1)),
            ),
            (without("U <= r*u"), without("L >= r*l")),
        ),
        Obligation(
            "lp-below",
            "The linear program's worst first steps stay below the bound.",
            Finite(
                _lp, "worst <= loose", ({**_CASE, "x1": "4", "x": "12"}, {**_CASE, "n": 5, "x1": "4", "x": "16"}), "lp"
            ),
            (goal("worst <= claimed", "as printed"),),
        ),
    ),
    checked=("x (1-beta) >= 1", "x >= 1 + beta (x1 - 1)"),
    duty=("The maximum over n of the tilted tail is worked out for the parameters in use.",),
    remark="Sound but loose; a first step on a sample of its own is much better (thm6-two-samples).",
)


STATEMENTS = (THEOREM6, FAILS, TWO_SAMPLES, SAME_SAMPLE)
