"""A refutation that rests on measured determinism is confirmed by fresh runs, or it is none."""

import math
from fractions import Fraction
from itertools import count

import numpy as np
import polars as pl
import pytest

from crowdproof import DP, DPS, CrowdBlending, Epsilon, NotRefuted, Refuted, Safe, Undecided
from crowdproof.audit import Budget, audit
from crowdproof.audit.compare.exact.confirm import planned
from crowdproof.audit.compare.exact.profile import Excess
from crowdproof.audit.targets import load_target
from crowdproof.findings import Confidence, Exact

PEOPLE = pl.DataFrame({"age": [30 + i % 7 for i in range(60)]})
FEW = Budget(runs=8_000)


@pytest.mark.parametrize("epsilon", ["0", "0.1", "1", "ln 9"])
@pytest.mark.parametrize(("p", "q", "delta"), [("1", "0", "0"), ("1/10", "0", "1/1000"), ("9/10", "1/50", "1/100")])
def test_the_runs_rule_out_every_law_that_the_claim_allows(epsilon, p, q, delta):
    excess = Excess(Epsilon.of(epsilon), (), Fraction(p), Fraction(q))
    error = Fraction(1, 10**6)
    plan = planned(excess, Fraction(delta), error)
    x, heavy, light, slack = math.exp(float(Epsilon.of(epsilon))), *map(float, map(Fraction, (p, q, delta)))
    rho = np.linspace(0, 1, 100_001)  # of the other samples; pi is then as large as a true claim allows
    pi = np.minimum(1, (x * (light + (1 - light) * rho) + slack) / heavy)
    heavy_run = float(plan.heavy)
    worst = (heavy_run * pi + (1 - heavy_run) * (1 - rho)).max()
    assert worst**plan.runs <= error < worst ** (plan.runs - 2)


@pytest.mark.parametrize("x", [Fraction(1), Fraction(3, 2), Fraction(9)])
def test_a_target_that_remembers_every_run_agrees_no_more_often(x):
    """The best that a true claim allows, run after run, with all earlier runs known: worked out backwards, exactly.

    It agrees with probability pi on the one dataset and 1 - rho on the other, pi <= x rho, both chosen anew each time.
    """
    error = Fraction(1, 1000)
    plan = planned(Excess(Epsilon.of(f"ln({x})"), (), Fraction(1), Fraction(0)), Fraction(0), error)
    corners = [(Fraction(0), Fraction(0)), (Fraction(1), 1 / x)]  # linear in (pi, rho): a corner is best
    best = Fraction(1)
    for _ in range(plan.runs):
        best *= max(plan.heavy * pi + (1 - plan.heavy) * (1 - rho) for pi, rho in corners)
    assert best <= error
    # where each kind has a fixed number of runs in random order, memory of what came before would break the promise
    half = plan.runs // 2
    left = {(0, 0): Fraction(1)}
    for a in range(half + 1):
        for b in range(half + 1):
            if a + b:
                on_first = Fraction(a, a + b) * left.get((a - 1, b), 0), Fraction(b, a + b) * left.get((a, b - 1), 0)
                left[a, b] = max(on_first[0] * pi + on_first[1] * (1 - rho) for pi, rho in corners)
    independent = max(pi * (1 - rho) for pi, rho in [*corners, (min(Fraction(1), x / 2), Fraction(1, 2))])
    assert left[half, half] > independent**half


@pytest.mark.parametrize(("epsilon", "p"), [("800", "1"), ("9000", "1/2"), ("1", "1e-400")])
def test_numbers_beyond_the_floats_take_more_runs_than_there_are(epsilon, p):
    excess = Excess(Epsilon.of(epsilon), (), Fraction(p), Fraction(0))
    assert planned(excess, Fraction(0), Fraction(1, 10**6)) is None


def truthful(people: pl.DataFrame) -> int:
    return people.height % 2


def coin(seeds_matter: float):
    def release(people: pl.DataFrame, rng: np.random.Generator) -> int:
        bit = people.height % 2
        return bit if rng.random() < seeds_matter else 1 - bit

    return release


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_randomized_response_is_not_refuted_at_its_own_epsilon(seed):
    """True by a hair: 0.9 against 0.1 at ln 9. False-alarm rate 1e-6 a run."""
    finding = audit(load_target(coin(0.9), isolate="none"), DP("ln 9"), data=PEOPLE, budget=FEW, seed=seed)
    assert isinstance(finding.verdict, NotRefuted)


def test_its_truthful_twin_is_refuted_with_a_confidence_and_exactly_where_determinism_is_declared():
    target = load_target(truthful, isolate="none")
    measured = audit(target, DP("ln 9"), data=PEOPLE, budget=FEW)
    assert isinstance(measured.verdict, Refuted)
    assert measured.certainty == Confidence(Fraction(1, 10**6))
    assert "Confirmed" in [getattr(each, "title", "") for each in measured.evidence]
    declared = audit(target, DP("ln 9"), data=PEOPLE, budget=FEW, deterministic=True)
    assert isinstance(declared.verdict, Refuted)
    assert declared.certainty == Exact()


def test_what_cannot_be_confirmed_is_undecided_and_says_what_to_do():
    finding = audit(load_target(truthful, isolate="none"), DP("6"), data=PEOPLE, budget=Budget(runs=2_000), search=0)
    assert isinstance(finding.verdict, Undecided)
    assert "--deterministic" in finding.verdict.reason
    assert finding.certainty is None


@pytest.mark.long
@pytest.mark.parametrize("claim", [DPS("1/2", "0.1", "0.001"), CrowdBlending(3)], ids=["dps", "crowd-blending"])
@pytest.mark.parametrize("calls", [40, 50, 60, 70, 80, 90])
def test_a_target_that_changes_its_answer_after_some_calls_is_not_refuted(claim, calls):
    """It never looks at the people."""
    called = count()
    target = load_target(lambda people: "v1" if next(called) < calls else "v2", isolate="none")
    assert not isinstance(audit(target, claim, data=PEOPLE, budget=FEW, search=0).verdict, Refuted)


@pytest.mark.parametrize("order", ["blocks", "alternating"])
@pytest.mark.parametrize("calls", [4, 6, 8, 12, 20, 28])
def test_a_recoding_that_changes_with_time_is_not_refuted_as_unsafe(order, calls):
    """It never looks at the people: it would be caught only by who tries one dataset and then the other."""
    called = count()

    def recode(people: pl.DataFrame) -> pl.DataFrame:
        number = next(called)
        wide = number >= calls if order == "blocks" else number // calls % 2
        return people.with_columns(age=pl.col("age") // (10 if wide else 5))

    finding = audit(load_target(recode, isolate="none"), Safe("ln 2"), data=PEOPLE, budget=FEW, search=0)
    assert not isinstance(finding.verdict, Refuted)


def test_a_recoding_that_depends_on_the_data_is_refuted_as_unsafe():
    def recode(people: pl.DataFrame) -> pl.DataFrame:
        return people.with_columns(age=pl.col("age") // (10 if people.height % 2 else 5))

    finding = audit(load_target(recode, isolate="none"), Safe("ln 2"), data=PEOPLE, budget=FEW, search=0)
    assert isinstance(finding.verdict, Refuted)
