"""Findings as they look in earnest: every verdict, witness, certainty and kind of evidence occurs."""

import math
from fractions import Fraction

from crowdproof.claims import DP, DPS, Assertion, CrowdBlending, KAnonymity, Neighbours, Safe
from crowdproof.findings import (
    ByProof,
    Chart,
    Confidence,
    Cost,
    Counterexample,
    Estimate,
    Event,
    Exact,
    Finding,
    Measured,
    Note,
    NotRefuted,
    PairWitness,
    Proved,
    Refuted,
    Reproduce,
    Series,
    Skipped,
    Table,
    Undecided,
)

VERSIONS = {"crowdproof": "0.1.0", "python": "3.11.2", "numpy": "2.4.6"}


def _binomial_tail(n: int, beta: float, least: int) -> float:
    return sum(math.comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(least, n + 1))


def _profile() -> Chart:
    epsilons = tuple(i / 20 for i in range(1, 41))
    certified = tuple(min(1.0, 0.42 * math.exp(-5.2 * e)) for e in epsilons)
    measured = tuple(max(1e-9, 0.325 - 0.008 * math.expm1(e)) for e in epsilons)
    return Chart(
        "Privacy profile",
        "ε",
        "δ",
        (
            Series("certified for a safe algorithm", epsilons, certified),
            Series(
                "measured, at least",
                epsilons,
                measured,
                tuple(0.93 * y for y in measured),
                tuple(min(1.0, 1.05 * y) for y in measured),
            ),
            Series("claimed", (1.0,), (0.0193,), points=True),
        ),
        log_y=True,
    )


def _wealth() -> Finding:
    others = [{"age": 30 + i % 9, "zip": f"100{10 + i % 3}", "wealth": 900_000 + 12_500 * i} for i in range(19)]
    rich = {"age": 57, "zip": "10011", "wealth": 35_000_000}
    return Finding(
        subject="anonypy.Preserver.anonymize_k_anonymity",
        claim=DPS("0.5", 1, "0.0193"),
        verdict=Refuted(
            PairWitness(
                left=[*others[:11], rich, *others[11:]],
                right=others,
                event=Event("some released range of wealth ends at 35000000", {"column": "wealth", "high": 35_000_000}),
                p_left=Estimate.exactly(Fraction(83, 256)),
                p_right=Estimate.exactly(Fraction(0)),
                excess=Estimate.exactly(Fraction(83, 256)),
            )
        ),
        certainty=Exact(),
        evidence=(
            _profile(),
            Chart(
                "How likely a group of k forms",
                "rows of the data",
                "probability",
                (
                    Series(
                        "at least 10 of n sampled",
                        tuple(map(float, range(10, 41))),
                        tuple(_binomial_tail(n, 0.5, 10) for n in range(10, 41)),
                    ),
                ),
            ),
            Note(
                "Why",
                "The recoding publishes the smallest and largest value of each group. One extreme row is thus read off "
                "the release whenever it was sampled into a group that is kept.",
            ),
            Note("Remedy", "Choose the ranges without looking at the data: a fixed hierarchy, or fixed bins."),
            Table(
                "Where the outputs go",
                ("released range of wealth", "with the row", "without it"),
                (
                    ("[900000, 35000000]", "0.3242", "0"),
                    ("[900000, 1125000]", "0.3379", "0.6621"),
                    ("(nothing released)", "0.3379", "0.3379"),
                ),
            ),
        ),
        cost=Cost(runs=2048, seconds=3.42),
        reproduce=Reproduce(
            "crowdproof audit examples.mondrian:anonymize --claim 'dps(beta=0.5, epsilon=1, delta=0.0193)' --seed 1742",
            1742,
            {"k": 10, "engine": "exact"},
            VERSIONS,
        ),
    )


def _noise() -> Finding:
    looks = tuple(float(i * 1000) for i in range(1, 61))
    wealth = tuple(10 ** (0.12 * i + 0.6 * math.sin(i / 3)) for i in range(1, 61))
    return Finding(
        subject="release.noisy_count",
        claim=DP("0.5"),
        verdict=Refuted(
            PairWitness(
                left=[1, 1, 1, 0],
                right=[1, 1, 1],
                event=Event("the released count is above 4.02"),
                p_left=Estimate(Fraction(482, 1000), Fraction(497, 1000)),
                p_right=Estimate(Fraction(176, 1000), Fraction(189, 1000)),
                excess=Estimate(Fraction(1704, 10_000), Fraction(2068, 10_000)),
            )
        ),
        certainty=Confidence(Fraction(1, 10**6)),
        evidence=(
            Chart(
                "Evidence against the claim, as it came in",
                "runs of the target",
                "e-value",
                (
                    Series("e-process", looks, wealth),
                    Series("needed to refute", (0.0, 60_000.0), (1e6, 1e6)),
                ),
                log_y=True,
            ),
            Note("Event", "Chosen by the test itself on the runs before; no run is used twice."),
        ),
        cost=Cost(60_000, 1.9),
        reproduce=Reproduce("crowdproof audit release:noisy_count --claim 'dp(epsilon=0.5)' --seed 7", 7, {}, VERSIONS),
    )


def _theorem6() -> Finding:
    return Finding(
        subject="Li, Qardaji, Su: Theorem 6",
        claim=Assertion("thm6", "An ε₁-safe recoding after sampling is DPS with δ = d(k, β, ε − ε₁)."),
        verdict=Refuted(
            Counterexample(
                "Two recodings, chosen on the same sample that is released, give a larger δ than the theorem states.",
                {"n": "4", "k": "3", "beta": "1/4", "e^eps": "12", "claimed": "1/64", "actual": "119/5120"},
            )
        ),
        certainty=Exact(),
        evidence=(
            Table(
                "Obligations",
                ("obligation", "engine", "answer", "mutants refuted"),
                tuple((f"step {i}", "z3, cvc5", "unsat", str(1 + i % 3)) for i in range(1, 17)),
            ),
        ),
        cost=Cost(0, 0.8),
        reproduce=Reproduce("crowdproof prove thm6", None, {}, VERSIONS),
    )


def _attack() -> Finding:
    return Finding(
        subject="people-2019.csv, 1,204 rows",
        claim=Assertion("downcoding", "The generalised cells of the release hide the values below them."),
        verdict=Refuted(
            Counterexample(
                "The adversary recovers 811 of 1,204 ages exactly from the release alone.", {"rate": "0.674"}
            )
        ),
        certainty=Confidence(Fraction(1, 10**9)),
        evidence=(
            Note("The adversary knew", "which algorithm was used, and k = 5; nothing about any person."),
            Note("The release shows", "ranges that are as narrow as k allows, and no narrower."),
            Note(
                "The adversary learned", "the exact age of 811 people, since wider ranges would not have been needed."
            ),
            Table(
                "Before and after",
                ("row", "released", "recovered", "true"),
                (("17", "[20, 40)", "38", "38"), ("18", "[20, 40)", "21", "21"), ("19", "*", "67", "67")),
            ),
            Chart(
                "Recovered, by size of the group",
                "rows in the group",
                "share recovered",
                (
                    Series("minimal recoding", (5.0, 6.0, 8.0, 12.0, 20.0), (0.91, 0.8, 0.66, 0.41, 0.2), points=True),
                    Series("fixed bins", (5.0, 6.0, 8.0, 12.0, 20.0), (0.06, 0.05, 0.05, 0.04, 0.04), points=True),
                ),
                log_x=True,
            ),
        ),
        cost=Cost(1, 0.31),
        reproduce=Reproduce(
            "crowdproof attack downcoding --release people-2019.csv", 3, {"file": "people-2019.csv"}, VERSIONS
        ),
    )


def _thm5() -> Finding:
    return Finding(
        subject="StronglySafe(k=20)",
        claim=DPS("0.1", "0.5", "1.62e-9"),
        verdict=Proved(),
        certainty=ByProof(("z3 5.4", "cvc5 1.4", "python-flint 0.9")),
        evidence=(
            Table(
                "Certified δ",
                ("β", "theorem 5", "tight"),
                (("0.05", "1.7e-14", "3.433e-16"), ("0.1", "1.61e-9", "2.632e-11"), ("0.2", "9.4e-6", "3.109e-7")),
            ),
        ),
        cost=Cost(0, 0.04),
        reproduce=Reproduce("crowdproof bound --k 20 --beta 0.1 --epsilon 0.5", None, {"k": 20}, VERSIONS),
    )


SAMPLES = (
    _wealth(),
    _thm5(),
    _noise(),
    _theorem6(),
    _attack(),
    Finding(
        "release:sizes",
        DP("ln 3", neighbours=Neighbours.REPLACE),
        NotRefuted(
            "If the target is deterministic, delta is at most 0. If it is not: ε = 1.16 would have been caught with "
            "probability 0.9.",
            epsilon=1.16,
        ),
        Measured(2_000_000),
        (Note("Searched", "12 pairs of neighbours: extreme values, a group at the threshold, all rows alike."),),
        Cost(2_000_000, 41.7),
        Reproduce("crowdproof audit release:sizes --claim 'dp(epsilon=ln 3, neighbours=replace)'", 11),
    ),
    Finding(
        "histogram with threshold",
        CrowdBlending(20),
        Undecided("The time budget of 60 s was spent after 312 of 1,024 samples; raise it with --seconds."),
        cost=Cost(312, 60.0),
        reproduce=Reproduce("crowdproof audit release:histogram --claim 'crowd-blending(k=20)' --seconds 600", 5),
    ),
    Finding("release:recode", Safe("0.2"), Skipped("The target raised KeyError: 'zip' on the first dataset.")),
    Finding(
        "people-2019.csv",
        KAnonymity(5, ("age", "zip")),
        Proved(),
        Exact(),
        cost=Cost(0, 0.002),
        reproduce=Reproduce("crowdproof check people-2019.csv --k 5 --columns age,zip"),
    ),
)
"""All of them, in no particular order."""
