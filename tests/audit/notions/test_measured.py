"""Determinism that was only measured: never called exact, and bet on for what a rare random release would show.

A rare leak publishes the whole table once in so many runs, and is a constant in all others.
"""

import re
import time
from fractions import Fraction
from itertools import count

import numpy as np
import polars as pl
import pytest

from crowdproof import DP, DPS, CrowdBlending, Neighbours, NotRefuted, Refuted, Undecided
from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.compare import comparison
from crowdproof.audit.targets import load_target
from crowdproof.findings import Confidence, Exact, Measured, Note, Table

PEOPLE = pl.DataFrame({"age": [30 + i % 7 for i in range(12)]})
NOTHING = PEOPLE.head(0)
PAIR = Pair(PEOPLE.head(3), PEOPLE.head(2), Neighbours.ADD_REMOVE, "three people and two")
ERROR = Fraction(1, 10**6)


def rare_leak(once_in: int):
    def release(people: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        return people if rng.integers(once_in) == 0 else NOTHING

    return load_target(release, isolate="none")


def constant(people: pl.DataFrame) -> pl.DataFrame:
    return NOTHING


SAFE = load_target(constant, isolate="none")


def notes(finding):
    return {each.title: each.text for each in finding.evidence if isinstance(each, Note)}


@pytest.mark.long
@pytest.mark.parametrize(("claim", "seed"), [(DP(1), 0), (DP(1), 1), (DP(1), 2), (DPS("9/10", 1), 0)])
def test_a_leak_in_one_run_of_two_hundred_is_refuted(claim, seed):
    finding = audit(rare_leak(200), claim, pairs=[PAIR], budget=Budget(runs=60_000), seed=seed)
    assert isinstance(finding.verdict, Refuted)
    assert finding.certainty == Confidence(ERROR)


@pytest.mark.long
@pytest.mark.parametrize("claim", [DP(1), DPS("1/2", 1)], ids=["dp", "dps"])
def test_a_run_that_differs_undoes_what_was_enumerated(claim):
    """Once in 5,000 runs is too seldom for the first runs to see, and for the test to refute; it is seen to be random.

    Seen in none of 20,000 runs: probability 0.02, and the seed is fixed.
    """
    finding = audit(rare_leak(5_000), claim, data=PEOPLE, budget=Budget(runs=20_000), search=0)
    assert isinstance(finding.verdict, NotRefuted)
    assert finding.certainty == Confidence(ERROR)
    assert "Not deterministic after all" in notes(finding)
    assert "deterministic" not in finding.verdict.detectable


@pytest.mark.parametrize("runs", [60, 2_000])
def test_a_leak_that_is_too_rare_to_be_seen_is_told_as_possible(runs):
    """Once in ten million runs."""
    finding = audit(rare_leak(10_000_000), DP(1), data=PEOPLE, budget=Budget(runs=runs), search=0)
    assert isinstance(finding.verdict, NotRefuted)
    assert isinstance(finding.certainty, Measured)
    assert 0 < finding.certainty.runs <= runs
    assert "if the target is deterministic, which was measured" in finding.verdict.detectable


@pytest.mark.slow
@pytest.mark.parametrize("claim", [DP(1), DPS("1/2", 1)], ids=["dp", "dps"])
def test_a_target_that_is_deterministic_is_told_by_both_tests_and_exactly_where_that_is_declared(claim):
    measured = audit(SAFE, claim, data=PEOPLE.head(4), budget=Budget(runs=4_000), search=0)
    assert isinstance(measured.verdict, NotRefuted)
    assert isinstance(measured.certainty, Measured)
    assert "If the target is not deterministic" in measured.verdict.detectable
    assert "No run differed" in notes(measured)
    assert measured.certainty.runs > 3_500
    declared = audit(SAFE, claim, data=PEOPLE.head(4), budget=Budget(runs=4_000), search=0, deterministic=True)
    assert declared.certainty == Exact()
    assert declared.cost.runs < 1_000
    assert "not deterministic" not in declared.verdict.detectable


def test_a_target_with_a_law_that_it_declares_is_exact():
    class Coin:
        def law(self, data):
            return [("heads", Fraction(1, 2)), ("tails", Fraction(1, 2))]

        def __call__(self, data, rng):
            return ("heads", "tails")[rng.integers(2)]

    assert audit(Coin(), DP(1), data=PEOPLE, search=0).certainty == Exact()


def test_time_that_ends_the_second_test_leaves_what_was_enumerated():
    finding = audit(SAFE, DP(1), data=PEOPLE, budget=Budget(seconds=2.0), search=0)
    assert isinstance(finding.verdict, NotRefuted)
    assert isinstance(finding.certainty, Measured)


def test_without_a_limit_of_time_a_slow_target_is_not_run_for_days(monkeypatch):
    monkeypatch.setattr(comparison, "GOING_ON", 0.3)

    def slow(people: pl.DataFrame) -> pl.DataFrame:
        time.sleep(0.001)
        return NOTHING

    finding = audit(load_target(slow, isolate="none"), DP(1), pairs=[PAIR], budget=Budget(runs=200_000))
    assert isinstance(finding.verdict, NotRefuted)
    assert isinstance(finding.certainty, Measured)
    assert finding.cost.runs < 200_000


class Impatient:
    """Somebody who interrupts once the test by betting is on."""

    def update(self, done, total, message):
        if "evidence" in message:
            raise KeyboardInterrupt


def test_an_interrupt_in_the_second_test_is_undecided():
    finding = audit(SAFE, DP(1), data=PEOPLE, budget=Budget(runs=4_000), search=0, progress=Impatient())
    assert isinstance(finding.verdict, Undecided)


def test_a_crash_in_the_second_test_is_no_pass():
    called = count()

    def dies(people: pl.DataFrame) -> pl.DataFrame:
        if next(called) > 400:
            raise MemoryError
        return NOTHING

    finding = audit(load_target(dies, isolate="none"), DP(1), data=PEOPLE, budget=Budget(runs=4_000), search=0)
    assert finding.verdict.name == "SKIPPED"
    assert "ran out of memory" in finding.verdict.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("once_in", "runs", "verdict"), [(100, 60_000, Refuted), (10_000_000, 6_000, NotRefuted)], ids=["leaky", "safe"]
)
def test_a_rare_leak_does_not_blend(once_in, runs, verdict):
    finding = audit(rare_leak(once_in), CrowdBlending(3, 1), data=PEOPLE, budget=Budget(runs=runs), seed=2)
    assert isinstance(finding.verdict, verdict)
    assert isinstance(finding.certainty, Confidence if verdict is Refuted else Measured)


def bounds_told(finding):
    """The numbers that a report calls lower bounds, by what they bound."""
    text = " ".join(each.text for each in finding.evidence if each.title == "Lower bounds")
    return {name: float(number) for name, number in re.findall(r"(epsilon|delta) is above ([-\d.e]+)", text)}


@pytest.mark.slow
@pytest.mark.parametrize("runs", [200, 600, 4_000])
def test_no_bound_is_told_that_seems_to_contradict_the_verdict(runs):
    claim = DP(1, "1e-3")
    for once_in in (2, 10_000_000):
        finding = audit(rare_leak(once_in), claim, data=PEOPLE, budget=Budget(runs=runs), seed=3, search=0)
        told = bounds_told(finding)
        refuted = finding.verdict.name == "REFUTED"
        assert all(told.get(name, 2) > (float(getattr(claim, name)) if refuted else 0) for name in ("epsilon", "delta"))
        assert refuted or not told


def test_lower_bounds_of_delta_are_said_to_hold_one_by_one():
    finding = audit(rare_leak(2), DP(1), data=PEOPLE, budget=Budget(runs=4_000), search=0)
    (title,) = [each.title for each in finding.evidence if isinstance(each, Table) and "Lower bound" in each.title]
    assert "each line by itself, not all together" in title
