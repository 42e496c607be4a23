"""Section 2.6 of Li, Qardaji and Su, repaired: a DPS and a DP algorithm that do not compose, certified."""

from fractions import Fraction
from math import comb
from typing import Any

from flint import arb

from crowdproof.proofs.laws import both_ways, sampled
from crowdproof.proofs.rounding import against, off_by_one
from crowdproof.proofs.statement import (
    Finite,
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

HALF = Fraction(1, 2)


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
    return {**against(bounds[which], printed, moved), "miss": miss}


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
            "Where both answers gain, they gain e together, which is no more, since e <= 2 B.",
            Implication(("e <= 2*B",), "e <= e/2 + B", (edge(e=0, B=0), edge(e=2, B=1))),
            (without("e <= 2*B"), goal("e <= B")),
        ),
        Obligation(
            "residues",
            "No place in the blocks has more than 1/L plus the largest mass M: by peak-high it has at most M more than "
            "any other; added up over n of the L places (induction step).",
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

STATEMENTS = (DPS_DP_REPAIRED,)
