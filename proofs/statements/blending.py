"""Crowd-blending privacy (Gehrke, Hay, Lui, Pass): the slides' statements about the definition."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

from crowdproof.proofs.crowd_blending import (
    Blends,
    FiniteMechanism,
    crowd_blending_check,
    datasets,
    histogram,
    synthetic,
)
from crowdproof.proofs.engines.kernel import sentence
from crowdproof.proofs.laws import both_ways
from crowdproof.proofs.statement import (
    Finite,
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
    extent="datasets of 5 rows",
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
    sentence("cbp_first"),
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
    theorem="cbp_first",
)


def _histogram(k: int) -> dict[str, Any]:
    """The histogram suppressed below k: crowd-blending, its DP delta, and where it differs from Apply."""
    mechanism, most = histogram(_BINS, k), k + 2
    full, less = ("ann",) * k, ("ann",) * (k - 1)
    apart = sum(mechanism(each) != {_apply(each, k): Fraction(1)} for each in datasets(tuple(_BINS), most))
    return {
        "rows": most,
        "blends": _blends(mechanism, k, Fraction(1), most),
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
    sentence("cbp_hist"),
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
    theorem="cbp_hist",
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
    extent="datasets of 4 rows",
)

STATEMENTS = (DEFINITION, FIRST, HISTOGRAM, COUNT, SYNTHETIC)
