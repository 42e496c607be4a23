"""Crowd-blending privacy (Gehrke, Hay, Lui, Pass): the slides' statements, the sampling theorem with its constants."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

from flint import arb

from crowdproof.proofs.binomial import mass
from crowdproof.proofs.crowd_blending import (
    Blends,
    FiniteMechanism,
    crowd_blending_check,
    datasets,
    histogram,
    synthetic,
)
from crowdproof.proofs.engines.finite import lift
from crowdproof.proofs.laws import both_ways
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

_BINS = {"ann": 0, "ben": 0, "cyd": 1}
_CELLS = {"ann": 0, "ben": 0, "cyd": 1}


def _blends(mechanism: FiniteMechanism, k: int, x: Fraction, size: int, *, count_self: bool = True) -> Fraction:
    checked = crowd_blending_check(mechanism, tuple(_BINS), k, x, size, count_self=count_self)
    return Fraction(isinstance(checked, Blends))


def _exact_histogram(k: int, promised: int) -> dict[str, Any]:
    """The checker on the histogram that suppresses below k, for the promise (promised, 0)."""
    return {"blends": _blends(histogram(_BINS, k), promised, Fraction(1), k + 2)}


def _response(k: int, x: Fraction) -> dict[str, Any]:
    """The checker on randomized response with e^eps = 2, on datasets of up to four rows."""

    def release(dataset: tuple[str, ...]) -> dict[Any, Fraction]:
        truth = bool(dataset)
        return {truth: Fraction(2, 3), not truth: Fraction(1, 3)}

    return {"blends": _blends(release, k, x, 4)}


DEFINITION = Statement(
    "cbp-def",
    "slides",
    "(k, eps)-crowd-blending privacy: each row of each dataset is eps-indistinguishable from at least k rows of it, "
    "itself counted, or is "
    "ignored. It can be checked on finite mechanisms, and DP with eps is (k, eps)-crowd-blending for every k.",
    Registered.PROVED,
    (
        Obligation(
            "checker",
            "The checker accepts the histogram suppressed below k as (k, 0)-crowd-blending.",
            Finite(_exact_histogram, "blends == 1", tuple({"k": k, "promised": k} for k in (1, 2, 3))),
            (case("a larger crowd than is suppressed for", k=1, promised=2), case(k=2, promised=3)),
        ),
        Obligation(
            "weaker-than-dp",
            "Randomized response on 'is there any row', with e^eps = 2, is ln 2-DP and so (k, ln 2)-crowd-blending "
            "for k = 9.",
            Finite(_response, "blends == 1", ({"k": 9, "x": Fraction(2)},)),
            (case("a smaller eps", x=Fraction(3, 2)),),
        ),
    ),
    duty=("The checker examines datasets up to the size it is given.",),
)


def _first_attempt(k: int, universe: int) -> dict[str, Any]:
    """How many relations 't blends with u' pass 'k - 1 others in every dataset of k rows' and leave a pair apart."""
    pairs = list(combinations(range(universe), 2))
    apart = 0
    for flags in product((False, True), repeat=len(pairs)):
        alike = {pair for pair, flag in zip(pairs, flags, strict=True) if flag} | {(i, i) for i in range(universe)}

        def blends(a: int, b: int, alike: set[tuple[int, int]] = alike) -> bool:
            return (min(a, b), max(a, b)) in alike

        crowded = all(
            sum(blends(row, other) for other in dataset) - 1 >= k - 1
            for dataset in combinations_with_replacement(range(universe), k)
            for row in dataset
        )
        apart += crowded and not all(flags)
    return {"apart": Fraction(apart)}


FIRST = Statement(
    "cbp-first",
    "slides",
    "The first attempt, without the clause on ignored rows, is differential privacy for replaced rows: if in every "
    "dataset of k >= 2 or more "
    "rows each row is indistinguishable from k - 1 others, then every two rows are indistinguishable.",
    Registered.PROVED,
    (
        Obligation(
            "collapse",
            "In (t, u, .., u) all o = k - 1 others are u: with r = 1 if t and u blend, else 0, o r >= o forces r = 1.",
            Implication(
                ("o*r >= o", "o == k - 1", "k >= 2"),
                "r >= 1",
                (edge(k=2, o=1, r=1), edge(k=3, o=2, r=1)),
                ("k", "o", "r"),
            ),
            (without("k >= 2"), without("o*r >= o")),
        ),
        Obligation(
            "relations",
            "Over all symmetric relations on up to four values and k = 2, 3: none that leaves a pair apart passes.",
            Finite(
                _first_attempt, "apart == 0", tuple({"k": k, "universe": size} for k in (2, 3) for size in (2, 3, 4))
            ),
            (case("k = 1", k=1), goal("apart > 0")),
        ),
    ),
)


def _histogram(k: int) -> dict[str, Any]:
    """The histogram suppressed below k: crowd-blending, its DP delta, and where it differs from Apply."""
    mechanism = histogram(_BINS, k)
    full, less = ("ann",) * k, ("ann",) * (k - 1)
    apart = sum(mechanism(each) != {_apply(each, k): Fraction(1)} for each in datasets(tuple(_BINS), k + 2))
    return {
        "blends": _blends(mechanism, k, Fraction(1), k + 2),
        "delta": both_ways(mechanism(full), mechanism(less), Fraction(1000)),
        "apart": Fraction(apart),
    }


def _apply(dataset: tuple[str, ...], k: int) -> tuple[int, ...]:
    """Apply with the bins as recoding: the released multiset, as counts."""
    recoded = [_BINS[row] for row in dataset]
    released = [each for each in recoded if recoded.count(each) >= k]
    return tuple(released.count(each) for each in (0, 1))


_KS = tuple({"k": k} for k in (1, 2, 3))

HISTOGRAM = Statement(
    "cbp-hist",
    "slides",
    "The histogram with counts below k set to 0 is (k, 0)-crowd-blending, is not (eps, delta)-DP for any delta < 1, "
    "and is the strongly safe "
    "k-anonymization with the bins as its recoding.",
    Registered.PROVED,
    (
        Obligation(
            "small-bin",
            "A row in a bin of c < k is ignored: with it and with s <= c rows, as without it, the bin is suppressed.",
            Implication(("c < k", "s <= c"), "s < k", (at(c=1, s=1, k=2), at(c=0, s=0, k=1)), ("c", "s", "k")),
            (without("c < k"), without("s <= c"), goal("s + 1 < k")),
        ),
        Obligation(
            "checked",
            "Checked against the definition on all datasets of up to k + 2 rows of three values in two bins.",
            Finite(_histogram, "blends == 1", _KS),
            (goal("blends == 0"),),
        ),
        Obligation(
            "not-dp",
            "k rows against k - 1: delta = 1.",
            Finite(_histogram, "delta == 1", _KS),
            (goal("delta < 1"),),
        ),
        Obligation(
            "same-algorithm",
            "It releases what Apply releases.",
            Finite(_histogram, "apart == 0", _KS),
            (goal("apart > 0"),),
        ),
    ),
)


def _others(k: int, count_self: bool) -> dict[str, Any]:
    return {"blends": _blends(histogram(_BINS, k), k, Fraction(1), k + 1, count_self=count_self)}


COUNT = Statement(
    "cbp-count",
    "slides",
    "The definition on the slides asks for at least k individuals in D that t is indistinguishable from.",
    Registered.REFUTED,
    printed=Printed(
        "with 'at least k individuals' meaning others than t, the histogram suppressed below k is (k, "
        "0)-crowd-blending",
        Finite(_others, "blends == 1", ({"k": 2, "count_self": False},)),
        "t itself has to be counted: in a dataset of k equal rows each has only k - 1 others, and removing one "
        "changes the count from k to 0.",
        (case("t counted", count_self=True),),
    ),
)


def _synthetic(k: int, promised: int, x: int, claimed: int) -> dict[str, Any]:
    mechanism = synthetic(_CELLS, k, Fraction(x))
    return {"blends": _blends(mechanism, promised, Fraction(claimed), k + 1)}


SYNTHETIC = Statement(
    "cbp-synth",
    "slides",
    "Synthetic points are (k, eps)-crowd-blending: rows of cells with fewer than k are dropped, the others are moved "
    "within their cell by a "
    "randomization that keeps points of one cell within e^eps of each other.",
    Registered.PROVED,
    (
        Obligation(
            "move",
            "A row stays with weight x, and goes to each other point of its cell with weight 1: factors at most x.",
            Implication(("x >= 1", "w > 0"), "w <= x*w", (at(x=1, w=1), at(x=2, w="1/2"))),
            (without("x >= 1"), goal("x*w <= w")),
        ),
        Obligation(
            "checked",
            "Checked against the definition on all datasets of up to k + 1 rows.",
            Finite(
                _synthetic,
                "blends == 1",
                ({"k": 2, "promised": 2, "x": 3, "claimed": 3}, {"k": 1, "promised": 1, "x": 2, "claimed": 2}),
            ),
            (
                case("a smaller eps", k=2, promised=2, x=3, claimed=2),
                case("a larger crowd", k=2, promised=3, x=3, claimed=3),
            ),
        ),
    ),
)

# --- the sampling theorem -------------------------------------------------------------------------------------------


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
    "A (k, eps)-crowd-blending mechanism after sampling at rate p is (eps', delta')-DP with e^eps' = p(2-p)/(1-p) "
    "e^eps + (1-p) and delta' "
    "the largest over n of the sum of (j/n) f(j; n, p) over j >= k, j > (1-(1-p)^2) n; delta' <= d(k, p, -ln(1-p)) <= "
    "exp(-c k) with c "
    ">= (ln 2 - 1/2)(1-p)^2.",
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
    remark="The DP part of the theorem; that the process is zero-knowledge private is not examined here.",
)

STATEMENTS = (DEFINITION, FIRST, HISTOGRAM, COUNT, SYNTHETIC, MAIN)
