"""A refutation that rests on measured determinism is confirmed by fresh runs, or it is none."""

import math
from fractions import Fraction
from itertools import count

import numpy as np
import polars as pl
import pytest

from crowdproof import DP, DPS, CrowdBlending, Epsilon, NotRefuted, Refuted, Undecided
from crowdproof.audit import Budget, audit
from crowdproof.audit.exact.confirm import needed
from crowdproof.audit.exact.profile import Excess
from crowdproof.audit.targets import load_target
from crowdproof.findings import Confidence, Exact

PEOPLE = pl.DataFrame({"age": [30 + i % 7 for i in range(60)]})
FEW = Budget(runs=8_000)


@pytest.mark.parametrize("epsilon", ["0", "0.1", "1", "ln 9"])
@pytest.mark.parametrize(("p", "q", "delta"), [("1", "0", "0"), ("1/10", "0", "1/1000"), ("9/10", "1/50", "1/100")])
def test_the_runs_rule_out_every_law_that_the_claim_allows(epsilon, p, q, delta):
    excess = Excess(Epsilon.of(epsilon), (), Fraction(p), Fraction(q))
    error = Fraction(1, 10**6)
    runs = needed(excess, Fraction(delta), error)
    x, heavy, light, slack = math.exp(float(Epsilon.of(epsilon))), *map(float, map(Fraction, (p, q, delta)))
    rho = np.linspace(0, 1, 100_001)  # of the other samples; pi is then as large as a true claim allows
    pi = np.minimum(1, (x * (light + (1 - light) * rho) + slack) / heavy)
    worst = (pi * (1 - rho)).max()
    assert worst**runs <= error < worst ** (runs - 2)


@pytest.mark.parametrize(("epsilon", "p"), [("800", "1"), ("9000", "1/2"), ("1", "1e-400")])
def test_numbers_beyond_the_floats_take_more_runs_than_there_are(epsilon, p):
    excess = Excess(Epsilon.of(epsilon), (), Fraction(p), Fraction(0))
    assert needed(excess, Fraction(0), Fraction(1, 10**6)) == math.inf


def truthful(people: pl.DataFrame) -> int:
    return people.height % 2


def coin(seeds_matter: float):
    def release(people: pl.DataFrame, rng: np.random.Generator) -> int:
        bit = people.height % 2
        return bit if rng.random() < seeds_matter else 1 - bit

    return release


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


@pytest.mark.parametrize("claim", [DPS("1/2", "0.1", "0.001"), CrowdBlending(3)], ids=["dps", "crowd-blending"])
@pytest.mark.parametrize("calls", [40, 50, 60, 70, 80, 90])
def test_a_target_that_changes_its_answer_after_some_calls_is_not_refuted(claim, calls):
    """It never looks at the people."""
    called = count()
    target = load_target(lambda people: "v1" if next(called) < calls else "v2", isolate="none")
    assert not isinstance(audit(target, claim, data=PEOPLE, budget=FEW, search=0).verdict, Refuted)
