"""Sections 2.2 and 2.6 of Li, Qardaji and Su: what does not compose, with exact probabilities."""

from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import Any

from flint import arb

from crowdproof.proofs.binomial import mass
from crowdproof.proofs.engines.finite import lift
from crowdproof.proofs.laws import both_ways, guess, law, sampled
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
    "The parity r(T) of a sample and r(T) XOR s(T), for s(T) 'the target is sampled', do not compose: at rate 1/2 and "
    "two "
    "or more rows each alone is perfectly private, and the pair reveals s(T), with delta = beta at every eps.",
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
    "The example: A1 = r(T) XOR s(T) for r 'more men than women', on at least 1000 rows, is said to be DPS.",
    Registered.REFUTED,
    (
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
    Printed(
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
    "The example: A2, the male share with Laplace noise, is said to be eps-DP and to reveal r(T).",
    Registered.REFUTED,
    (
        Obligation(
            "sensitivity",
            "The share of one row changes by 1 when the row is replaced.",
            Finite(_sensitivity, "sensitivity == one", ({"size": 1},)),
            (case(size=2), goal("sensitivity < one")),
        ),
    ),
    Printed(
        "Pr[r(T) | A2(T) >= 1/2] is about 1",
        Finite(_noisy, "posterior >= claimed", ({"half": 60, "epsilon": 1},), "balls"),
        "A share has sensitivity 1, not 1/|T|. With the noise that this takes, A2 tells next to nothing of r: for 60 "
        "men and "
        "60 women the posterior stays below 0.51.",
        (goal("posterior <= 51/100", "next to nothing"),),
    ),
)

# --- 2.6 repaired: blocks of the sample size ----------------------------------------------------------------------


def _blocks(n: int, length: int, threshold: int) -> dict[str, Fraction]:
    """A1 on n rows, without the target or another row: the larger delta at eps = 0, and the bound proved here."""

    def output(m: int, b: int) -> int | None:
        return None if m + b < threshold else (m + b) // length % 2 ^ b

    full = sampled(n - 1, HALF, output, target=True)
    without_target = sampled(n - 1, HALF, output, target=False)
    without_another = sampled(max(n - 2, 0), HALF, output, target=True)
    peak = Fraction(comb(threshold - 1, (threshold - 1) // 2), 2 ** (threshold - 1))
    return {
        "delta": max(both_ways(full, each, Fraction(1)) for each in (without_target, without_another)),
        "bound": HALF * (length + HALF) * peak,
        "peak": peak,
    }


def _certified(threshold: int, length: int, which: str, printed: str, moved: int = 0) -> dict[str, Any]:
    """Proved bounds: on delta of A1 alone, and of A1 with |T| + geometric noise at eps = ln 2, on 4 N0 rows."""
    n = arb(threshold)  # N0 even: the largest mass of Bin(N0 - 1, 1/2) is that of Bin(N0, 1/2)
    peak = ((n + 1).lgamma() - 2 * (n / 2 + 1).lgamma() - n * arb(2).log()).exp()
    miss = (4 * n * (arb(2) / 3 * arb(3).root(4)).log()).exp()  # Chernoff: Pr[Bin(4 N0, 1/2) <= N0]
    wrong = (arb(4) / 3) * (1 / arb(length) + peak) + miss
    bounds = {"alone": (length + arb(1) / 2) * peak / 2, "pair": (1 - wrong) / 2 - 2 * wrong}
    return against(bounds[which], printed, moved)


def _crossing(length: int) -> dict[str, Fraction]:
    """How often noise with Pr[Z = z] = (1/3) 2^-|z| leaves the block, summed over the places in the block."""
    tail = [Fraction(1, 2**i) / (1 + HALF) for i in range(length + 1)]  # Pr[Z >= i]
    total = sum((tail[place + 1] + tail[length - place] for place in range(length)), Fraction(0))
    return {"total": total, "most": Fraction(4, 3), "rest": Fraction(4, 3) / 2**length}


_ALONE = {"threshold": 10**8, "length": 64, "which": "alone", "printed": "0.00257"}
_PAIR = {"threshold": 10**8, "length": 64, "which": "pair", "printed": "0.4477"}

DPS_DP_REPAIRED = Statement(
    "dps-dp-repaired",
    "LQS 2.6, repaired here",
    "At rate 1/2 let A1 output [floor(|T|/L) odd] XOR s(T) where |T| >= N0, and A2 output |T| with geometric noise of "
    "ratio "
    "1/2, which is ln 2-DP. A1 is (1/2, 0, (L + 1/2)/2 times the largest mass of Bin(N0 - 1, 1/2))-DPS: below 0.0026 "
    "for L = 64, "
    "N0 = 1e8. The pair has delta above 0.44 at eps = ln 2, where adding up the budgets would promise 0.0026.",
    Registered.PROVED,
    (
        Obligation(
            "log-concave",
            "f(j+1; n, 1/2)/f(j; n, 1/2) = (n-j)/(j+1) falls with j, so the masses rise to a peak and then fall.",
            Implication(
                ("n >= 0",),
                "(n - j - 1)*(j + 1) < (n - j)*(j + 2)",
                (at(j=0, n=0), at(j=2, n=4)),
                ("j", "n"),
            ),
            (goal("(n - j - 1)*(j + 1) < (n - j)*(j + 1)"), without("n >= 0")),
        ),
        Obligation(
            "blocks-fall",
            "Where every mass of a block is at most its partner one block before, so is the sum (induction step).",
            Implication(("later <= sooner", "f <= g"), "later + f <= sooner + g", (at(later=0, sooner=0, f=0, g=0),)),
            (without("f <= g"),),
        ),
        Obligation(
            "alternating-low",
            "An alternating sum of falling terms is at least 0 (induction step).",
            Implication(("s <= a", "a <= c"), "c - s >= 0", (at(s=0, a=0, c=0), edge(s=1, a=1, c=1))),
            (without("a <= c"), without("s <= a")),
        ),
        Obligation(
            "alternating-high",
            "And at most its first term.",
            Implication(("s >= 0",), "c - s <= c", (at(s=0, c=0),)),
            (without("s >= 0"), goal("c - s <= 0")),
        ),
        Obligation(
            "peak-low",
            "So the alternating sum of terms that rise to a peak a and fall is at least -a.",
            Implication(("left <= a", "right <= a"), "a - left - right >= -a", (at(left=0, right=0, a=0),)),
            (without("left <= a"), goal("a - left - right >= 0")),
        ),
        Obligation(
            "peak-high",
            "And at most a.",
            Implication(("left >= 0", "right >= 0"), "a - left - right <= a", (at(left=0, right=0, a=0),)),
            (without("left >= 0"),),
        ),
        Obligation(
            "peak-shrinks",
            "The largest mass does not grow with the number of rows.",
            Implication(
                ("P <= M", "Q <= M", "b >= 0", "b <= 1"),
                "(1 - b)*P + b*Q <= M",
                (at(P=1, Q=1, M=1, b=0), at(P=1, Q=1, M=1, b=1)),
            ),
            (without("Q <= M"), without("b <= 1")),
        ),
        Obligation(
            "output-moves",
            "One answer's probability moves by at most half the mass e at the threshold plus the largest block B.",
            Implication(
                ("A0 - A1 >= -B", "C0 - C1 <= B", "C0 + C1 == A0 + A1 + e"),
                "C0 - A0 <= e/2 + B",
                (at(A0=0, A1=0, B=0, C0=0, C1=0, e=0), at(A0=0, A1=1, B=1, C0=1, C1=0, e=0)),
            ),
            (without("A0 - A1 >= -B"), goal("C0 - A0 <= e/2")),
        ),
        Obligation(
            "both-answers-move",
            "Where both answers gain, they gain e together, which is no more: e <= 2 B, since a block holds the threshold.",
            Implication(("e <= 2*B",), "e <= e/2 + B", (edge(e=0, B=0), edge(e=2, B=1))),
            (without("e <= 2*B"), goal("e <= B")),
        ),
        Obligation(
            "residues",
            "No place in the blocks has more than 1/L plus the largest mass M: by peak-high it has at most M more than any "
            "other; added up over n of the L places (induction step).",
            Implication(
                ("n*R <= S + n*M", "R <= r + M"),
                "(n + 1)*R <= (S + r) + (n + 1)*M",
                (edge(n=1, R=1, S=1, M=0, r=1), at(n=0, R=0, S=0, M=0, r=0)),
            ),
            (without("R <= r + M"), goal("(n + 1)*R <= (S + r) + n*M")),
        ),
        Obligation(
            "blocks-small",
            "By enumeration for N0 = 12, L = 3 and up to 60 rows the delta is within the bound.",
            Finite(_blocks, "delta <= bound", tuple({"n": n, "length": 3, "threshold": 12} for n in range(1, 61))),
            (goal("2*delta <= peak", "half the largest mass"), goal("delta == 0")),
        ),
        Obligation(
            "crossing",
            "Summed over the places in a block, the noise leaves the block with weight 4/3 (1 - 2^-L).",
            Finite(_crossing, "total == most - rest", tuple({"length": length} for length in (1, 2, 16, 64))),
            (goal("total == most"), goal("total > most")),
        ),
        Obligation(
            "noise",
            "Noise with Pr[Z = z] proportional to a^|z| on a count is ln(1/a)-DP: a^|z-1| <= a^|z|/a (y for a^|z|).",
            Implication(("a <= 1", "y >= 0"), "y*a <= y", (at(a=1, y=0), at(a="1/2", y=1))),
            (without("a <= 1"), goal("y <= y*a")),
        ),
        Obligation(
            "alone",
            "A1 alone: delta <= 0.00257 (rounded) at eps = 0.",
            Finite(_certified, "shown == printed", (_ALONE,), "balls"),
            (*off_by_one((_ALONE,)), case(threshold=10**7)),
        ),
        Obligation(
            "pair",
            "The pair: delta >= 0.4477 (rounded) at eps = ln 2.",
            Finite(_certified, "shown == printed", (_PAIR,), "balls"),
            (*off_by_one((_PAIR,)), case(length=32)),
        ),
    ),
    checked=("L divides N0, N0 is even", "rate 1/2", "4 N0 rows in D for the pair"),
    duty=("s(T) is 'the target is sampled'; neighbours add or remove one row.",),
    remark="A larger N0, and then a larger L, bring the first delta to 0 and the second to 1/2.",
)

STATEMENTS = (XOR, XOR_LEAK, XOR_TINY, DPS_DP, DPS_DP_NOISE, DPS_DP_REPAIRED)
