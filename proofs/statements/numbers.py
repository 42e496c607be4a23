"""Table 2 and the figures of Li, Qardaji and Su, by the certified bounds; and what is said about them."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from flint import arb

from crowdproof.findings import Estimate
from crowdproof.proofs.bounds import tight
from crowdproof.proofs.bounds.theorem5 import theorem5
from crowdproof.proofs.engines.finite import lift
from crowdproof.proofs.engines.kernel import sentence
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

EPSILONS = ("0.25", "0.5", "0.75", "1", "1.5", "2")
TABLE2 = {
    "0.05": ("6.83e-10", "2.50e-14", "3.19e-17", "1.76e-19", "3.97e-22", "2.00e-24"),
    "0.1": ("4.19e-06", "1.61e-09", "3.44e-12", "4.07e-14", "3.22e-16", "1.89e-18"),
    "0.2": ("2.16e-03", "8.02e-06", "1.89e-07", "6.03e-09", "4.79e-11", "1.59e-12"),
}
TIGHT = {
    "0.05": ("6.704e-12", "3.433e-16", "7.071e-19", "8.560e-21", "2.337e-23", "5.888e-25"),
    "0.1": ("6.310e-8", "2.632e-11", "1.267e-13", "2.761e-15", "1.243e-17", "4.871e-19"),
    "0.2": ("5.092e-5", "3.109e-7", "6.417e-9", "2.768e-10", "3.719e-12", "2.704e-13"),
}


@cache
def _d(k: int, beta: str, epsilon: str) -> tuple[Estimate, int]:
    found = theorem5(k, beta, epsilon)
    return found.interval, found.n


@cache
def _tight(k: int, beta: str, epsilon: str) -> Estimate:
    return tight(k, beta, epsilon).interval


def _cell(k: int, beta: str, epsilon: str, printed: str, moved: int = 0) -> dict[str, Any]:
    """d against the printed value, and where the maximum is attained."""
    value, n = _d(k, beta, epsilon)
    x = lift(Fraction(epsilon)).exp()
    gamma = (x - 1 + lift(Fraction(beta))) / x
    return {**against(value, printed, moved), "below": gamma * n, "above": gamma * (n + 1), "k": arb(k)}


def _tight_cell(k: int, beta: str, epsilon: str, printed: str, moved: int = 0) -> dict[str, Any]:
    value = _tight(k, beta, epsilon)
    return {**against(value, printed, moved), "tight": value, "d": _d(k, beta, epsilon)[0]}


def _grid(table: Mapping[str, tuple[str, ...]], **more: Any) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"k": 20, "beta": beta, "epsilon": epsilon, "printed": printed, **more}
        for beta, row in table.items()
        for epsilon, printed in zip(EPSILONS, row, strict=True)
    )


TABLE = Statement(
    "table2",
    "LQS Table 2",
    "All 18 values of delta = d(20, beta, eps) are right to the last printed digit, and each maximum is attained at "
    "n_m.",
    Registered.PROVED,
    (
        Obligation(
            "cells",
            "Each certified d rounds to the printed value.",
            Finite(_cell, "shown == printed", _grid(TABLE2), "balls"),
            off_by_one(_grid(TABLE2)),
        ),
        Obligation(
            "at-n-m",
            "The maximum is attained at an n with gamma n < k.",
            Finite(_cell, "below < k", _grid(TABLE2), "balls"),
            (goal("above < k"), goal("below > k")),
        ),
        Obligation(
            "at-n-m-largest",
            "And k <= gamma (n+1), so that n is n_m.",
            Finite(_cell, "above >= k", _grid(TABLE2), "balls"),
            (goal("below >= k"), goal("above >= k + 1")),
        ),
    ),
    extent="the 18 printed cells",
)

TIGHT_TABLE = Statement(
    "thm5-tight",
    "beyond LQS Thm 5",
    sentence("thm5_tight"),
    Registered.PROVED,
    (
        Obligation(
            "grid",
            "The certified values for k = 20 on Table 2's grid, to four digits.",
            Finite(_tight_cell, "shown == printed", _grid(TIGHT), "balls"),
            off_by_one(_grid(TIGHT)),
        ),
        Obligation(
            "below-d",
            "Each is below Theorem 5's delta.",
            Finite(_tight_cell, "tight < d", _grid(TIGHT), "balls"),
            (goal("tight > d"), goal("4*tight < d")),
        ),
    ),
    remark="Certified for both neighbour relations by crowdproof.proofs.bounds.",
    theorem="thm5_tight",
)


def _below(epsilon: str, printed: str, moved: int = 0) -> dict[str, Any]:
    return against(_tight(20, "0.1", epsilon), printed, moved)


_BELOW = ({"epsilon": "0.1", "printed": "5.325e-5"}, {"epsilon": "0.05", "printed": "7.519e-4"})

BELOW = Statement(
    "thm5-small-eps",
    "beyond LQS Thm 5",
    sentence("thm5_small_eps"),
    Registered.PROVED,
    (
        Obligation(
            "values",
            "The certified tight deltas.",
            Finite(_below, "shown == printed", _BELOW, "balls"),
            off_by_one(_BELOW),
        ),
    ),
    theorem="thm5_small_eps",
)


def _threshold(k: int, beta: str) -> dict[str, Any]:
    """d at eps = -ln(1-beta) against beta."""
    rate = Fraction(beta)
    return {"d": lift(theorem5(k, rate, f"-ln {1 - rate}").interval), "beta": lift(rate)}


_ENOUGH = (("0.025", 12), ("0.05", 9), ("0.1", 6), ("0.2", 4))

NONTRIVIAL = Statement(
    "thm5-nontrivial",
    "LQS Thm 5 with Def 3",
    sentence="Theorem 5 is stated for every k, and Definition 3 asks for delta < beta.",
    verdict=Registered.REFUTED,
    obligations=(
        Obligation(
            "enough",
            "At eps = -ln(1-beta), d < beta from k = 12, 9, 6, 4 on for beta = 0.025, 0.05, 0.1, 0.2 (d falls with "
            "k: d-order).",
            Finite(_threshold, "d < beta", tuple({"k": k, "beta": beta} for beta, k in _ENOUGH), "balls"),
            tuple(case(f"k = {k - 1} at beta = {beta}", k=k - 1, beta=beta) for beta, k in _ENOUGH),
        ),
        Obligation(
            "not-before",
            "And not before.",
            Finite(_threshold, "d >= beta", tuple({"k": k - 1, "beta": beta} for beta, k in _ENOUGH), "balls"),
            tuple(case(f"k = {k} at beta = {beta}", k=k, beta=beta) for beta, k in _ENOUGH),
        ),
    ),
    printed=Printed(
        "d(k, beta, eps) < beta, as DPS requires, for every k >= 1 and eps >= -ln(1-beta)",
        Finite(_threshold, "d < beta", ({"k": 1, "beta": "0.1"},), "balls"),
        "Theorem 5 is a DPS statement only where d < beta: at eps = -ln(1-beta) that takes k >= 12, 9, 6, 4 for beta "
        "= 0.025, 0.05, 0.1, "
        "0.2. Its (eps, d)-DP part holds for every k.",
        (case("k = 6", k=6),),
    ),
)


def _beta_step(beta: str, smaller: str) -> dict[str, Any]:
    return {"d": lift(_d(20, beta, "1")[0]), "smaller": lift(_d(20, smaller, "1")[0])}


BETA = Statement(
    "d-beta",
    "LQS 3.3, on Table 2",
    "With k and eps fixed, delta is said to decrease as beta decreases.",
    Registered.REFUTED,
    printed=Printed(
        "for k = 20 and eps = 1, a smaller beta gives a smaller d",
        Finite(_beta_step, "smaller <= d", ({"beta": "0.157", "smaller": "0.156"},), "balls"),
        "Not in general: from beta = 0.157 to 0.156 d rises from 7.06e-11 to 1.72e-10, because n_m jumps by one. On "
        "Table 2's grid it does "
        "decrease.",
        (goal("smaller > d", "it rises"), case("on the grid", beta="0.2", smaller="0.1")),
    ),
)


def _single(epsilon: str) -> dict[str, Any]:
    value, n = _d(1, "0.025", epsilon)
    return {"d": lift(value), "beta": lift(Fraction("0.025")), "n": arb(n)}


def _single_cell(epsilon: str, printed: str, moved: int = 0) -> dict[str, Any]:
    return against(_d(1, "0.025", epsilon)[0], printed, moved)


_SINGLE = ({"epsilon": "0.25", "printed": "9.63e-2"}, {"epsilon": "0.5", "printed": "4.94e-2"})

FIG5 = Statement(
    "fig5-k1",
    "LQS 3.3, on Fig 5",
    sentence="For k = 1 and beta = 0.025 the obtained delta is said to be less than beta.",
    verdict=Registered.REFUTED,
    obligations=(
        Obligation(
            "n-m-at-least-one",
            "For k = 1, n = 1 has gamma n < k; n_m is the largest such n (thm5), so that n_m >= 1.",
            Implication(("g < 1", "k == 1"), "g*1 < k", (at(g="1/2", k=1), at(g=0, k=1))),
            (without("g < 1"), without("k == 1")),
        ),
        Obligation(
            "at-least-beta-base",
            "Pr[Bin(1) >= 1] = 1 - (1-b) is b.",
            Identity("1 - (1 - b) == b", (at(b="1/3"),)),
            (goal("1 - (1 - b) == 1 - b"),),
        ),
        Obligation(
            "at-least-beta",
            "Pr[Bin(n) >= 1] = 1 - (1-b)^n >= b for every n >= 1 (induction step: y for (1-b)^n).",
            Implication(
                ("1 - y >= b", "y >= 0", "b >= 0"),
                "1 - y*(1 - b) >= b",
                (edge(y=1, b=0), at(y=0, b=0), edge(y=0, b=1), at(y="1/2", b="1/2")),
            ),
            (without("1 - y >= b"), goal("1 - y*(1 - b) > b")),
        ),
        Obligation(
            "values",
            "d(1, 0.025, eps) is 0.0963 at eps = 0.25 and 0.0494 at eps = 0.5.",
            Finite(_single_cell, "shown == printed", _SINGLE, "balls"),
            off_by_one(_SINGLE),
        ),
    ),
    printed=Printed(
        "d(1, 0.025, eps) < 0.025",
        Finite(_single, "d < beta", tuple({"epsilon": each} for each in ("0.5", "0.25")), "balls"),
        "d(1, beta, eps) >= beta at every eps: n_m >= 1, and one row already shows with probability beta. At eps = "
        "0.5 it is 0.0494, at "
        "0.25 it is 0.0963.",
        (goal("d >= beta"),),
    ),
)


def _tenfold(k: int, printed: str, moved: int = 0) -> dict[str, Any]:
    """The factor that ten more make, against its printed value; and the difference, against the one in the text."""
    a, b = lift(_d(k, "0.2", "2")[0]), lift(_d(k + 10, "0.2", "2")[0])
    return {**against(b / a, printed, moved), "factor": b / a, "drop": a - b, "claimed": lift(Fraction(1, 10**6))}


_FACTORS = tuple(
    {"k": k, "printed": printed}
    for k, printed in zip(
        range(5, 45, 5),
        ("1.33e-6", "1.72e-6", "1.36e-5", "1.94e-6", "2.05e-6", "2.04e-6", "2.11e-6", "1.58e-5"),
        strict=True,
    )
)

FIG2 = Statement(
    "fig2-k10",
    "LQS 3.3, on Fig 2",
    sentence="When eps = 2, increasing k by 10 is said to decrease delta by about 1e-5.",
    verdict=Registered.REFUTED,
    obligations=(
        Obligation(
            "factors",
            "For beta = 0.2 and k = 5, 10, .., 40 the factors are 1.33e-6, 1.72e-6, 1.36e-5, .., 1.58e-5.",
            Finite(_tenfold, "shown == printed", _FACTORS, "balls"),
            off_by_one(_FACTORS),
        ),
    ),
    printed=Printed(
        "d(k, 0.2, 2) - d(k + 10, 0.2, 2) is about 1e-5: at least 1e-6",
        Finite(_tenfold, "drop >= claimed", ({"k": 20, "printed": "1.94e-6"},), "balls"),
        "It is a factor, not a difference: between 1.3e-6 and 1.6e-5 for k = 5, 10, .., 40. The difference at k = 20 "
        "is "
        "1.6e-12.",
        (goal("factor >= claimed", "as a factor"),),
    ),
)


def _decades_off(beta: str, k: int) -> Any:
    """The average distance in decades between d(k, beta, .) and d(15, 0.05, .), over eps = 0.55, 0.65, .., 1.95."""
    grid = [str(Fraction(55 + 10 * i, 100)) for i in range(15)]
    gaps = [abs((lift(_d(k, beta, each)[0]) / lift(_d(15, "0.05", each)[0])).log()) for each in grid]
    return sum(gaps, arb(0)) / (len(gaps) * arb(10).log())


def _average(beta: str, k: int, printed: str, moved: int = 0) -> dict[str, Any]:
    decades = _decades_off(beta, k)
    return {**against(decades, printed, moved), "decades": decades, "limit": lift(Fraction(1, 2))}


_FIG4 = (
    {"beta": "0.1", "k": 22, "printed": "0.69"},
    {"beta": "0.2", "k": 35, "printed": "1.17"},
    {"beta": "0.4", "k": 60, "printed": "2.25"},
)
_NEARER = (
    {"beta": "0.1", "k": 21, "printed": "0.46"},
    {"beta": "0.2", "k": 33, "printed": "1.05"},
    {"beta": "0.4", "k": 65, "printed": "1.84"},
)

FIG4 = Statement(
    "fig4-k",
    "LQS 3.3, on Fig 4",
    sentence="Doubling beta from 0.05 is said to need k = 22, 35, 60 for about the same privacy as k = 15.",
    verdict=Registered.REFUTED,
    obligations=(
        Obligation(
            "off",
            "On the average over eps = 0.55 .. 1.95 they are 0.69, 1.17 and 2.25 decades off.",
            Finite(_average, "shown == printed", _FIG4, "balls"),
            off_by_one(_FIG4),
        ),
        Obligation(
            "nearer",
            "k = 21, 33, 65 are nearer: 0.46, 1.05, 1.84 decades.",
            Finite(_average, "shown == printed", _NEARER, "balls"),
            off_by_one(_NEARER),
        ),
    ),
    printed=Printed(
        "with those k the deltas agree within half a decade on the average over eps = 0.55 .. 1.95",
        Finite(_average, "decades <= limit", _FIG4, "balls"),
        "They are 0.69, 1.17 and 2.25 decades off on the average. k = 21, 33 and 65 are nearer.",
        (goal("decades > limit", "further"),),
    ),
    remark="'Similar' is the paper's word; the half decade and the range of eps are ours.",
)

STATEMENTS = (TABLE, TIGHT_TABLE, BELOW, NONTRIVIAL, BETA, FIG5, FIG2, FIG4)
