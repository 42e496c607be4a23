"""Sections 2.2 and 2.6 of Li, Qardaji and Su: what does not compose, with exact probabilities."""

from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import Any

from flint import arb

from crowdproof.proofs.binomial import mass
from crowdproof.proofs.engines.finite import lift
from crowdproof.proofs.engines.kernel import sentence
from crowdproof.proofs.laws import both_ways, guess, law, sampled
from crowdproof.proofs.rounding import against, off_by_one
from crowdproof.proofs.statement import (
    Finite,
    Identity,
    Obligation,
    Printed,
    Registered,
    Statement,
    at,
    case,
    goal,
)

HALF = Fraction(1, 2)

# --- 2.2: parity and parity XOR secret --------------------------------------------------------------------------


def _parity(n: int, beta: Fraction, x: Fraction) -> dict[str, Fraction]:
    """D is the target and n - 1 others. Deltas of the parity, of parity XOR secret, and of both together."""

    def pair(m: int, b: int) -> tuple[int, int]:
        return (m + b) % 2, m % 2

    laws = {target: sampled(n - 1, beta, pair, target) for target in (True, False)}
    first = {target: law((key[0], p) for key, p in each.items()) for target, each in laws.items()}  # type: ignore[index]
    second = {target: law((key[1], p) for key, p in each.items()) for target, each in laws.items()}  # type: ignore[index]
    return {
        "pair": both_ways(laws[True], laws[False], x),
        "parity": both_ways(first[True], first[False], x),
        "masked": both_ways(second[True], second[False], x),
        "beta": beta,
    }


def _gains(n: int, beta: Fraction) -> dict[str, Fraction]:
    """How much better r(T), and s(T), is guessed from both outputs than from the better one alone."""
    joint = sampled(n - 1, beta, lambda m, b: ((m + b) % 2, m % 2, b), target=True)

    def best(*seen: int, of: int) -> Fraction:
        return guess(law(((tuple(key[i] for i in seen), key[of]), p) for key, p in joint.items()))  # type: ignore[arg-type,index]

    return {
        "r_gain": sum((p for key, p in joint.items()), Fraction(0)) - best(0, of=0),
        "s_gain": best(0, 1, of=2) - max(best(0, of=2), best(1, of=2)),
    }


_PAIRS = tuple(
    {"n": n, "beta": Fraction(beta), "x": Fraction(x)} for n in range(1, 9) for beta in ("1/2", "1/5") for x in (1, 5)
)

XOR = Statement(
    "xor",
    "LQS 2.2",
    sentence("xor"),
    Registered.PROVED,
    (
        Obligation(
            "parity-step",
            "The parity of n rows is odd with probability (1 - (1-2b)^n)/2 (induction step, y for (1-2b)^(n-1)).",
            Identity("(1 - b)*(1 - y)/2 + b*(1 - (1 - y)/2) == (1 - (1 - 2*b)*y)/2", (at(b="1/3", y="1/9"),)),
            (goal("(1 - b)*(1 - y)/2 + b*(1 - (1 - y)/2) == (1 - (1 - b)*y)/2"),),
        ),
        Obligation(
            "masked",
            "Parity XOR secret is the parity of the others: the target changes nothing at any rate and any eps.",
            Finite(_parity, "masked == 0", _PAIRS),
            (goal("masked == beta"),),
        ),
        Obligation(
            "parity-alone",
            "At rate 1/2 and at least two rows the parity alone is perfectly private.",
            Finite(_parity, "parity == 0", tuple({"n": n, "beta": HALF, "x": Fraction(1)} for n in range(2, 12))),
            (case(n=1), case(beta=Fraction(1, 3))),
        ),
        Obligation(
            "pair",
            "The pair has delta = beta, at every eps.",
            Finite(_parity, "pair == beta", _PAIRS),
            (goal("pair < beta"), goal("pair == masked")),
        ),
    ),
    remark="For all n by the induction step; the enumerations show that the laws are the ones meant.",
    theorem="xor",
)

XOR_LEAK = Statement(
    "xor-leak",
    "LQS 2.2",
    "The text says that the composition leaks r(D).",
    Registered.REFUTED,
    printed=Printed(
        "the composition of the two leaks r(D)",
        Finite(_gains, "r_gain >= s_gain", ({"n": 4, "beta": Fraction(1, 2)},)),
        "It leaks s(D): r(D) is already the output of the first algorithm, and s is guessed right with certainty from "
        "both "
        "outputs, with probability 1/2 from either alone.",
        (
            goal("s_gain == 1/2", "s is what the pair gives away"),
            goal("r_gain == 0", "nothing new of r"),
        ),
    ),
)

XOR_TINY = Statement(
    "xor-tiny",
    "LQS 2.2",
    "Plain parity is offered as private under uncertainty, for datasets of any size.",
    Registered.REFUTED,
    printed=Printed(
        "parity of the sample is DPS with some delta < beta",
        Finite(_parity, "parity < beta", ({"n": 1, "beta": Fraction(1, 2), "x": Fraction(1)},)),
        "For the dataset of the target alone against the empty one, 'odd' has probability beta against 0. The parity "
        "needs a "
        "size threshold; see dps-dp-repaired, whose blocks of length 1 are the parity.",
        (case("two rows or more", n=2),),
    ),
)

# --- 2.6: the example as printed ----------------------------------------------------------------------------------


def _percentage(half: int, which: str, printed: str, moved: int = 0) -> dict[str, Any]:
    """Pr[male share >= 1/2 and A1 = false] at rate 1/2 with `half` men and `half` women, noise left out.

    A difference of binomials at rate 1/2 is a shifted binomial: Bin(a) - Bin(b) + b is Bin(a + b).
    """
    rows = 2 * half
    tie = Fraction(comb(rows, half), 2**rows)  # of rows and of rows - 1 alike: C(2h, h)/2^2h = C(2h-1, h)/2^(2h-1)
    upper = HALF  # Pr[Bin(2h - 1, 1/2) >= h]
    value = {
        "without": tie,
        "male": HALF * upper + HALF * tie,
        "female": HALF * (upper - tie) + HALF * tie,
    }[which]
    return against(value, printed, moved)


def _all_male(rows: int, threshold: int, x: Fraction, digits: int) -> dict[str, Fraction]:
    """A1 on an all-male D with the target against D without: gain of the event 'false'."""
    small = Fraction(sum(comb(rows - 1, m) for m in range(threshold)), 2 ** (rows - 1))
    smaller = small - mass(threshold - 1, rows - 1, HALF)
    with_target = HALF * (1 - smaller) + HALF * small + HALF * smaller
    return {"delta": with_target - x * small, "limit": HALF - Fraction(1, 10**digits)}


def _sensitivity(size: int) -> dict[str, Fraction]:
    """The largest change of the male share when one row of a dataset of that size is replaced."""
    shares = [Fraction(men, size) for men in range(size + 1)]
    return {"sensitivity": max(b - a for a, b in pairwise(shares)), "one": Fraction(1)}


def _noisy(half: int, epsilon: int) -> dict[str, Any]:
    """Pr[more men than women | share + Laplace(1/eps) >= 1/2] at rate 1/2, with noise for sensitivity 1."""
    weights = [mass(m, half, HALF) for m in range(half + 1)]
    joint = {True: arb(0), False: arb(0)}
    for men, p in enumerate(weights):
        for women, q in enumerate(weights):
            gap = Fraction(men, men + women or 1) - HALF
            above = lift(-epsilon * abs(gap)).exp() / 2
            joint[men > women] += lift(p * q) * (above if gap < 0 else 1 - above)
    return {"posterior": joint[True] / (joint[True] + joint[False]), "claimed": lift(Fraction(9, 10))}


_VALUES = (
    {"half": 5000, "which": "without", "printed": "0.00798"},
    {"half": 5000, "which": "male", "printed": "0.2540"},
    {"half": 5000, "which": "female", "printed": "0.2500"},
)

DPS_DP = Statement(
    "dps-dp",
    "LQS 2.6",
    sentence="The example: A1 = r(T) XOR s(T) for r 'more men than women', on at least 1000 rows, is said to be DPS.",
    verdict=Registered.REFUTED,
    obligations=(
        Obligation(
            "values",
            "For 5000 men and 5000 women the event has probability 0.00798 without the target (ties), 0.2540 with a "
            "male and "
            "0.2500 with a female target; the text has 0 and 1/4.",
            Finite(_percentage, "shown == printed", _VALUES),
            (case("no ties", which="without", printed="0.00000"), *off_by_one(_VALUES)),
        ),
        Obligation(
            "tie-identity",
            "Ties are as likely with the target's row left out: C(2h, h)/4^h = C(2h-1, h)/2^(2h-1).",
            Identity("binomial(2*h, h) == 2*binomial(2*h - 1, h)", (at(h=3),)),
            (goal("binomial(2*h, h) == 2*binomial(2*h - 1, h + 1)"),),
        ),
    ),
    printed=Printed(
        "A1 satisfies (beta, eps, delta)-DPS for a delta below beta = 1/2 on large datasets",
        Finite(
            _all_male, "delta <= limit", ({"rows": 10_000, "threshold": 1000, "x": Fraction(10**6), "digits": 900},)
        ),
        "On an all-male dataset r is certainly true, so that A1 outputs NOT s: delta is beta times the probability of "
        "at "
        "least 1000 rows, within 1e-900 of 1/2 for 10,000 rows. The phenomenon is right; dps-dp-repaired has an "
        "example.",
        (goal("delta <= 1/2", "delta = beta is all that can be said"),),
    ),
)

DPS_DP_NOISE = Statement(
    "dps-dp-noise",
    "LQS 2.6",
    sentence="The example: A2, the male share with Laplace noise, is said to be eps-DP and to reveal r(T).",
    verdict=Registered.REFUTED,
    obligations=(
        Obligation(
            "sensitivity",
            "The share of one row changes by 1 when the row is replaced.",
            Finite(_sensitivity, "sensitivity == one", ({"size": 1},)),
            (case(size=2), goal("sensitivity < one")),
        ),
    ),
    printed=Printed(
        "Pr[r(T) | A2(T) >= 1/2] is about 1",
        Finite(_noisy, "posterior >= claimed", ({"half": 60, "epsilon": 1},), "balls"),
        "A share has sensitivity 1, not 1/|T|. With the noise that this takes, A2 tells next to nothing of r: for 60 "
        "men and "
        "60 women the posterior stays below 0.51.",
        (goal("posterior <= 51/100", "next to nothing"),),
    ),
)

STATEMENTS = (XOR, XOR_LEAK, XOR_TINY, DPS_DP, DPS_DP_NOISE)
