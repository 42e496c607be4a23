"""Crowd-blending privacy after sampling (Gehrke, Hay, Lui, Pass): the main theorem, with explicit constants."""

from fractions import Fraction
from itertools import compress, product
from typing import Any

from flint import arb

from crowdproof.proofs.binomial import at_least, mass
from crowdproof.proofs.engines.finite import lift
from crowdproof.proofs.engines.kernel import sentence
from crowdproof.proofs.laws import both_ways, law
from crowdproof.proofs.rounding import against, off_by_one
from crowdproof.proofs.statement import (
    Finite,
    Identity,
    Implication,
    Obligation,
    Registered,
    Statement,
    at,
    case,
    edge,
    goal,
    without,
)


def _small_case(n: int, k: int, p: Fraction) -> dict[str, Fraction]:
    """The sampled histogram of n equal rows: exact delta at e^eps' = 1/(1-p), delta', and Theorem 5's sum."""
    x, limit = 1 / (1 - p), 1 - (1 - p) ** 2
    laws = []
    for rows in (n, n - 1):
        shown = {j: mass(j, rows, p) for j in range(k, rows + 1)}
        laws.append({**shown, 0: 1 - sum(shown.values(), Fraction(0))})
    bad = [j for j in range(k, n + 1) if j > limit * n]
    return {
        "exact": both_ways(laws[0], laws[1], x),
        "blending": sum((Fraction(j, n) * mass(j, n, p) for j in bad), Fraction(0)),
        "theorem5": sum((mass(j, n, p) for j in bad), Fraction(0)),
    }


_SAMPLED = tuple(
    {"n": n, "k": k, "p": Fraction(p)} for n in range(1, 15) for k in (1, 2, 4) for p in ("1/2", "1/4", "1/10")
)


def _exponent(printed: str, moved: int = 0) -> dict[str, Any]:
    return against(arb(2).log() - lift(Fraction(1, 2)), printed, moved)


_EXPONENT = ({"printed": "0.1931"},)


MAIN = Statement(
    "cbp-main",
    "slides; CRYPTO 2012",
    sentence("cbp_main"),
    Registered.PROVED,
    (
        Obligation(
            "swap",
            "Target and j - 1 of its n - 1 look-alikes sampled: exchanging the target for one of the n - j others "
            "costs a factor x; each "
            "sample without the target is reached j times.",
            Implication(
                ("P*(n - j) <= R*j", "j <= g*n", "n > 0", "R >= 0", "P >= 0"),
                "P*(1 - g) <= R*g",
                (edge(P=1, n=2, j=1, R=1, g="1/2"), edge(P=0, n=1, j=0, R=0, g=0)),
            ),
            (without("j <= g*n"), without("P*(n - j) <= R*j"), goal("P <= R*g")),
        ),
        Obligation(
            "good-factor",
            "With g = 1-(1-p)^2, (1-p) g/(1-g) = p(2-p)/(1-p).",
            Identity("(1 - p)*(1 - (1 - p)**2)/(1 - p)**2 == p*(2 - p)/(1 - p)", (at(p="1/3"),)),
            (goal("(1 - p)*(1 - (1 - p)**2)/(1 - p)**2 == p*(1 - p)/(2 - p)"),),
        ),
        Obligation(
            "ignored-factor",
            "An ignored target costs p x, which is less: p(2-p)/(1-p) - p = p/(1-p) > 0.",
            Identity("p*(2 - p)/(1 - p) - p == p/(1 - p)", (at(p="1/3"),)),
            (goal("p*(2 - p)/(1 - p) - p == -p/(1 - p)"),),
        ),
        Obligation(
            "add-up",
            "Target out: (1-p) Q. Target in: ignored or good, at most t x Q in all (disjoint numbers of "
            "look-alikes), or bad, at most delta.",
            Implication(
                ("P <= (1 - p)*Q + I + G + B", "I <= t*x*R", "G <= t*x*S", "R + S <= Q", "B <= d", "t*x >= 0"),
                "P <= (t*x + 1 - p)*Q + d",
                (
                    at(P=1, p=0, Q=1, I=0, G=0, B=0, t=0, x=1, R=0, S=0, d=0),
                    at(P=2, p=0, Q=1, I=1, G=0, B=0, t=1, x=1, R=1, S=0, d=0),
                ),
            ),
            (without("B <= d"), without("R + S <= Q"), goal("P <= (t*x + 1 - p)*Q")),
        ),
        Obligation(
            "bad-mass",
            "The bad part: the target is among j of n sampled look-alikes with probability j/n: p f(j-1; n-1, p) = "
            "(j/n) f(j; n, p).",
            Identity(
                "p*binomial(n - 1, j - 1)*p**(j - 1)*(1 - p)**(n - j) == j/n*binomial(n, j)*p**j*(1 - p)**(n - j)",
                (at(p="1/3", n=5, j=2),),
            ),
            (goal("p*binomial(n - 1, j - 1)*p**(j - 1)*(1 - p)**(n - j) == binomial(n, j)*p**j*(1 - p)**(n - j)"),),
        ),
        Obligation(
            "reverse-identity",
            "At eps = 0, e^eps' is 1/(1-p), Theorem 5's smallest.",
            Identity("p*(2 - p)/(1 - p) + (1 - p) == 1/(1 - p)", (at(p="1/3"),)),
            (goal("p*(2 - p)/(1 - p) + (1 - p) == 2/(1 - p)"),),
        ),
        Obligation(
            "reverse",
            "So the other direction needs no delta: P >= (1-p) Q, and e^eps' (1-p) >= 1 (y for e^eps').",
            Implication(
                ("P >= (1 - p)*Q", "y*(1 - p) >= 1", "Q >= 0", "y >= 0"),
                "y*P >= Q",
                (edge(P="1/2", p="1/2", Q=1, y=2), edge(P=2, p=-1, Q=1, y="1/2"), at(P=0, p=0, Q=0, y=1)),
            ),
            (without("P >= (1 - p)*Q"), without("y*(1 - p) >= 1")),
        ),
        Obligation(
            "gamma",
            "Theorem 5's gamma at eps = -ln(1-p) is 1-(1-p)^2.",
            Identity("(1/(1 - p) - 1 + p)/(1/(1 - p)) == 1 - (1 - p)**2", (at(p="1/3"),)),
            (goal("(1/(1 - p) - 1 + p)/(1/(1 - p)) == 1 - (1 - p)"),),
        ),
        Obligation(
            "below-d",
            "j/n <= 1, so delta' is at most d.",
            Implication(("j <= n", "f >= 0"), "j*f <= n*f", (at(j=1, n=1, f=0), at(j=1, n=2, f=1))),
            (without("j <= n"), without("f >= 0")),
        ),
        Obligation(
            "below-theorem5",
            "For up to 14 rows of one kind: the exact delta of the sampled histogram is at most delta' (which is at "
            "most Theorem 5's sum).",
            Finite(_small_case, "exact <= blending", _SAMPLED),
            (goal("2*exact <= blending"), goal("theorem5 <= blending")),
        ),
        Obligation(
            "rho",
            "rho of d-closed-form at eps = -ln(1-p), without its power: b/(x-1+b) = (1-p)/(2-p).",
            Identity("p/(1/(1 - p) - 1 + p) == (1 - p)/(2 - p)", (at(p="1/3"),)),
            (goal("p/(1/(1 - p) - 1 + p) == (1 - p)/2"),),
        ),
        Obligation(
            "log-bound",
            "ln q >= (q^2-1)/(2q) on (0, 1]: equal at 1, and the difference has the derivative -(q-1)^2/(2q^2) <= 0.",
            Identity("diff(log(q) - (q**2 - 1)/(2*q), q) == -(q - 1)**2/(2*q**2)", (at(q="1/3"),)),
            (goal("diff(log(q) - (q**2 - 1)/(2*q), q) == (q - 1)**2/(2*q**2)"),),
        ),
        Obligation(
            "concave",
            "c(q) >= h(q) + (ln 2 - 1/2) q^2 with q = 1-p and h = ln(1+q) - q/2 - (ln 2 - 1/2) q^2, which is concave.",
            Identity(
                "diff(diff(log(1 + q) - a*q - c*q**2, q), q) == -1/(1 + q)**2 - 2*c", (at(q="1/3", c="1/5", a="1/2"),)
            ),
            (goal("diff(diff(log(1 + q) - a*q - c*q**2, q), q) == 1/(1 + q)**2 - 2*c"),),
        ),
        Obligation(
            "concave-chord",
            "A concave h with h(0) = a >= 0 and h(1) = z >= 0 is >= 0 between: it is above its chord.",
            Implication(
                ("h >= w*a + q*z", "a >= 0", "z >= 0", "w >= 0", "q >= 0"),
                "h >= 0",
                (edge(h=0, w=1, a=0, q=0, z=0), edge(h=0, w=0, a=0, q=1, z=0)),
            ),
            (without("z >= 0"), without("a >= 0"), goal("h > 0")),
        ),
        Obligation(
            "positive-exponent",
            "ln 2 - 1/2 is 0.1931, which is positive.",
            Finite(_exponent, "shown == printed", _EXPONENT, "balls"),
            off_by_one(_EXPONENT),
        ),
    ),
    checked=("0 <= p < 1", "whole n, j, k"),
    duty=(
        "Each row is sampled with the same probability p; where they differ, a swap costs the ratio of the odds too.",
        "From a derivative's sign to monotony, and from a second derivative's to concavity: calculus.",
    ),
    remark="The DP part of the theorem; cbp-zero-knowledge is the other.",
    theorem="cbp_main",
)

MAXIMUM = Statement(
    "cbp-maximum",
    "beyond the slides",
    sentence("cbp_maximum"),
    Registered.PROVED,
    (
        Obligation(
            "weighted",
            "The sum of (j/n) f(j; n, p) is p times a tail u of one row less, and at most the tail t = p u + (1-p) v "
            "of all rows.",
            Implication(
                ("t == p*u + (1 - p)*v", "v >= 0", "p <= 1"),
                "p*u <= t",
                (edge(t=1, p=1, u=1, v=0), at(t="3/4", p="1/2", u=1, v="1/2"), at(t=1, p=0, u=1, v=1)),
            ),
            (without("v >= 0"), without("p <= 1"), goal("u <= t")),
        ),
    ),
    remark="This is how `bound` works out the delta of cbp-main.",
    theorem="cbp_maximum",
)


def _biased(n: int, k: int, low: Fraction, high: Fraction) -> dict[str, Fraction]:
    """The sampled histogram of n equal rows, the target at one rate and the others at the other: both ways round.

    The largest exact delta at the proved e^eps', and the bound: Pr[Bin(n, high) >= k and > g n].
    """
    limit = 1 - (1 - high) ** 2
    odds = high * (1 - low) / (low * (1 - high))
    x = odds * (1 - low) * limit / (1 - high) ** 2 + 1 - low
    worst = Fraction(0)
    for own, rest in ((low, high), (high, low)):
        others = [mass(j, n - 1, rest) for j in range(n)] + [Fraction(0)]
        full = [own * (others[j - 1] if j else 0) + (1 - own) * others[j] for j in range(n + 1)]
        laws = [
            {**{j: p for j, p in enumerate(each) if j >= k}, -1: sum(each[:k], Fraction(0))} for each in (full, others)
        ]
        worst = max(worst, both_ways(laws[0], laws[1], x))
    return {"exact": worst, "bound": sum((mass(j, n, high) for j in range(k, n + 1) if j > limit * n), Fraction(0))}


_RATES = ((Fraction(1, 4), Fraction(1, 3)), (Fraction(1, 10), Fraction(1, 8)), (Fraction(2, 5), Fraction(1, 2)))

BIASED = Statement(
    "cbp-biased",
    "slides; CRYPTO 2012",
    "The same where the rows are sampled independently with probabilities between l and h: with w = h(1-l)/(l(1-h)), "
    "the largest ratio of "
    "odds, and g = 1-(1-h)^2, e^eps' = w (1-l) g/(1-g) e^eps + (1-l), and delta' is at most d(k, h, -ln(1-h)).",
    Registered.PROVED,
    (
        Obligation(
            "odds",
            "Exchanging the target, sampled with probability a, for a look-alike, sampled with c, costs at most w.",
            Implication(
                ("l <= c", "a <= h", "l >= 0", "h <= 1", "a >= 0", "c <= 1"),
                "a*(1 - c)*l*(1 - h) <= h*(1 - l)*(1 - a)*c",
                (edge(l="1/2", a="1/2", c="1/2", h="1/2"), edge(l=0, a=0, c=0, h=1), at(l=0, a=1, c=1, h=1)),
            ),
            (without("l <= c"), without("a <= h"), goal("a*(1 - c) <= (1 - a)*c")),
        ),
        Obligation(
            "swap",
            "So the good part is at most w g/(1-g) times the part without the target (R stands for x (1-a) Q).",
            Implication(
                ("P*(n - j) <= w*R*j", "j <= g*n", "n > 0", "w*R >= 0", "P >= 0"),
                "P*(1 - g) <= w*R*g",
                (edge(P=1, n=2, j=1, R=1, w=1, g="1/2"), edge(P=0, n=1, j=0, R=0, w=1, g=0)),
            ),
            (without("j <= g*n"), goal("P*(1 - g) <= R*g")),
        ),
        Obligation(
            "tails-grow",
            "An upper tail grows with each row's probability: (1-a) U + a V for V >= U.",
            Implication(
                ("a <= h", "U <= V"),
                "(1 - a)*U + a*V <= (1 - h)*U + h*V",
                (edge(a=0, h=0, U=0, V=1), edge(a=0, h=1, U=1, V=1)),
            ),
            (without("a <= h"), without("U <= V")),
        ),
        Obligation(
            "reverse",
            "e^eps' is at least 1/(1-h), so that the other direction needs no delta (q for 1-h, r for 1-l, v for w "
            "e^eps).",
            Implication(
                ("v >= 1", "r >= q", "q > 0", "q <= 1"),
                "(v*r*(1 - q**2) + r*q**2)*q >= q**2",
                (edge(v=1, r="1/2", q="1/2"), edge(v=1, r=1, q=1)),
            ),
            (without("v >= 1"), without("r >= q")),
        ),
        Obligation(
            "small-cases",
            "For up to ten rows of one kind and three pairs of rates: the exact delta is within the bound.",
            Finite(
                _biased,
                "exact <= bound",
                tuple(
                    {"n": n, "k": k, "low": low, "high": high}
                    for n in range(1, 11)
                    for k in (1, 3)
                    for low, high in _RATES
                ),
            ),
            (goal("2*exact <= bound"), goal("exact == bound")),
        ),
    ),
    duty=(
        "Rows are sampled independently of each other and of the data; rows outside [l, h] count as no look-alikes.",
    ),
    remark="With l = h = p these are the constants of cbp-main.",
)


def _shown(sample: tuple[int, ...], k: int) -> tuple[int, ...]:
    """The histogram of a sample's rows by kind, counts below k set to 0."""
    return tuple(count if count >= k else 0 for count in sample)


def _simulated(first: int, second: int, k: int, p: Fraction, rate: Fraction | None = None) -> dict[str, Fraction]:
    """How far the release of a few rows of two kinds is from what a simulator makes of a sample that it is given.

    The release by binomial counts; the simulator by all subsets of the rows, each with its own probability.
    """
    rows, given = (0,) * first + (1,) * second, p if rate is None else rate
    released = law(
        (_shown((i, j), k), mass(i, first, p) * mass(j, second, p)) for i in range(first + 1) for j in range(second + 1)
    )
    subsets = (tuple(compress(rows, kept)) for kept in product((0, 1), repeat=len(rows)))
    simulated = law(
        (_shown((each.count(0), each.count(1)), k), given ** len(each) * (1 - given) ** (len(rows) - len(each)))
        for each in subsets
    )
    return {"apart": both_ways(released, simulated, Fraction(1))}


def _thinned(n: int, p: Fraction, rate: Fraction, again: Fraction | None = None) -> dict[str, Fraction]:
    """How far a sample at a higher rate, sampled again, is from a sample at rate p."""
    second = p / rate if again is None else again
    twice = law((j, mass(i, n, rate) * mass(j, i, second)) for i in range(n + 1) for j in range(i + 1))
    return {"apart": both_ways({j: mass(j, n, p) for j in range(n + 1)}, twice, Fraction(1))}


def _blind(n: int, k: int, p: Fraction) -> dict[str, Any]:
    """The least delta of any simulator that is given nothing, and more than what the theorem needs with a sample.

    Of n rows of one kind the release shows their kind with probability `shown`; of n rows of another kind it never
    does. So `shown` <= x S + d and S <= d, where S is how often the simulator shows it.
    """
    shown = at_least(k, n, p)
    needed = (-(arb(2).log() - lift(Fraction(1, 2))) * lift((1 - p) ** 2 * k)).exp()
    return {"least": lift(shown / (1 + 1 / (1 - p))), "needed": needed}


ZERO_KNOWLEDGE = Statement(
    "cbp-zero-knowledge",
    "slides; CRYPTO 2012",
    "The same process is (eps', delta')-zero-knowledge private for samples at rate p: whatever an observer makes of "
    "the release, a simulator makes nearly as well of a sample at rate p, or more, of the data without the target.",
    Registered.PROVED,
    (
        Obligation(
            "simulator",
            "The simulator treats the sample that it is given as the process does: this has the law of the release "
            "without the target, so the bounds of cbp-main are those of the simulation.",
            Finite(
                _simulated,
                "apart == 0",
                tuple(
                    {"first": first, "second": second, "k": k, "p": p}
                    for first in range(5)
                    for second in range(1, 4)
                    for k in (1, 2)
                    for p in (Fraction(1, 2), Fraction(1, 10))
                ),
            ),
            (case(rate=Fraction(1, 4)), goal("apart > 0")),
        ),
        Obligation(
            "larger-sample",
            "A sample at a higher rate r, sampled again at rate p/r, is a sample at rate p.",
            Finite(
                _thinned,
                "apart == 0",
                tuple(
                    {"n": n, "p": Fraction(1, 10), "rate": r}
                    for n in range(1, 9)
                    for r in (Fraction(1, 4), Fraction(1))
                ),
            ),
            (case(again=Fraction(1, 10)), case(again=Fraction(1, 2))),
        ),
        Obligation(
            "hence-dp",
            "Two datasets that differ in the target have one simulation: P is near S and S near Q, so P is near Q.",
            Implication(
                ("P <= x*S + d", "S <= x*Q + d", "x >= 0"),
                "P <= x**2*Q + (1 + x)*d",
                (edge(P=0, S=0, Q=0, x=0, d=0), edge(P=3, S=1, Q=0, x=2, d=1)),
            ),
            (without("P <= x*S + d"), without("S <= x*Q + d"), goal("P <= x**2*Q + d"), goal("P <= x*Q + (1 + x)*d")),
        ),
        Obligation(
            "not-from-nothing",
            "A simulator without any sample fails: for 200 rows of one kind it errs more than the theorem allows.",
            Finite(
                _blind,
                "least > needed",
                tuple({"n": 200, "k": k, "p": Fraction(1, 4)} for k in (15, 25, 35)),
                "balls",
            ),
            (case(k=100), goal("least > 8*needed")),
        ),
    ),
    duty=(
        "An observer's other knowledge may depend on the data without the target, and the simulator has it too.",
        "From the release to what the observer makes of it: thm2.",
    ),
    remark="With the target replaced by another row instead of left out, hence-dp tells what DP follows.",
)

STATEMENTS = (MAIN, MAXIMUM, BIASED, ZERO_KNOWLEDGE)
