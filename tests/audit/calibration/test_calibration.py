"""The auditor keeps its promise on claims that hold with nothing to spare, and would be caught if it did not."""

from fractions import Fraction

import pytest
from attrs import evolve

from crowdproof.audit.calibration import Calibration, at_edge, calibrate, finding, generate, laws, named, rates
from crowdproof.audit.calibration.calibration_report import complaint, detectable
from crowdproof.audit.calibration.dressings import dressing_named
from crowdproof.audit.calibration.makers import MAKERS
from crowdproof.audit.calibration.null import Null
from crowdproof.audit.calibration.perform import LOOSE, SURE, Outcome, Result, perform, trials
from crowdproof.audit.runners.cores import Cores
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import DP, Neighbours
from crowdproof.exact import Epsilon
from crowdproof.findings import NotRefuted, Refuted, Undecided

CLAIM = DP("ln 3", 0, Neighbours.REPLACE)
COIN = Null(laws.response(Fraction(3), Fraction(0), 2), CLAIM, ((0, 1),), dressing_named("int"))
LEAK = evolve(COIN, law=laws.response(Fraction(60), Fraction(0), 2))


def wrong(found):
    """What is wrong with the auditor, in words; empty where nothing is."""
    return "" if found.sound else complaint(found)


@pytest.mark.parametrize("null", named(), ids=lambda null: null.title)
def test_named_nulls_are_never_refuted(null):
    assert wrong(calibrate([null], audits=8, runs=3000, seed=1, levels=[SURE])) == ""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_generated_nulls_are_never_refuted(part):
    found = calibrate(generate(5, 48)[part::4], audits=2, runs=600, seed=5, levels=[SURE])
    assert wrong(found) == ""
    tested = sum(rate.count(Result.NOT_REFUTED) for rate in found.rates)
    assert tested >= 20  # of 24: what is skipped tests nothing


def test_true_claims_are_refuted_no_more_often_than_promised():
    nulls = at_edge(Epsilon.of("1"), Fraction(1, 50), kinds=["int", "float", "text"])
    found = calibrate(nulls, audits=12, runs=800, seed=4, levels=[LOOSE])
    assert wrong(found) == ""
    assert isinstance(finding(found, 4).verdict, NotRefuted)


def test_an_auditor_that_is_too_eager_is_caught():
    """A leak that passes for a null looks just like an auditor that refutes true claims."""
    found = calibrate([COIN, LEAK], audits=6, runs=1500)
    assert not found.sound
    assert {rate.null for rate in found.above} == {LEAK.name}
    verdict = finding(found, 0).verdict
    assert isinstance(verdict, Refuted)
    assert "6 of 6 audits of a true claim" in complaint(found)


def test_a_crash_is_told_with_what_repeats_it(monkeypatch):
    def hopeless(*_, **__):
        raise ZeroDivisionError("by the auditor")

    monkeypatch.setattr("crowdproof.audit.calibration.perform.sequential_audit", hopeless)
    found = calibrate([COIN], audits=2, runs=400, seed=7, levels=[SURE])
    assert [rate.count(Result.CRASH) for rate in found.rates] == [2]
    assert wrong(found).startswith("an audit of a true claim crashed: ZeroDivisionError: by the auditor")
    assert str((7, SURE.denominator, 0, 0)) in wrong(found)


def test_what_has_no_verdict_is_counted_apart():
    silent = evolve(COIN, dressing=dressing_named("number or none, common"))
    found = calibrate([COIN, silent], audits=1, runs=20, levels=[SURE])
    assert [rate.count(Result.NO_VERDICT) for rate in found.rates] == [1, 1]
    assert isinstance(finding(found, 0).verdict, Undecided)
    assert isinstance(finding(Calibration(()), 0).verdict, Undecided)


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing():
    nulls = [COIN, evolve(COIN, dressing=dressing_named("text"))]
    options = {"audits": 2, "runs": 500, "seed": 3}
    with Cores(2) as two:
        found = calibrate(nulls, runner=two, runners=[two], **options)
    assert found.rates == calibrate(nulls, **options).rates
    assert found.workers == (1, 2)
    assert not found.differing


def test_results_that_depend_on_the_workers_are_told(monkeypatch):
    monkeypatch.setattr(rates, "_again", lambda planned, _: [Outcome(Result.NO_VERDICT)] * len(planned))
    found = calibrate([COIN], audits=1, runs=400, runners=[Inline()])
    assert not found.sound
    assert "different numbers of workers" in complaint(found)


def test_an_audit_is_repeated_by_its_null_and_seed():
    one, two = trials([COIN], LOOSE, audits=2, runs=500, seed=1)
    assert perform(one) == perform(one)
    assert perform(one).e_values != perform(two).e_values


def test_rates():
    many = rates.Rate("a", "int", LOOSE, (Outcome(Result.REFUTED),) * 30 + (Outcome(Result.NOT_REFUTED),) * 70)
    few = evolve(many, outcomes=many.outcomes[27:])
    assert many.too_many(0.001)
    assert not few.too_many(0.001)
    assert evolve(few, error=SURE).too_many(0.001)
    assert not evolve(many, outcomes=many.outcomes[30:]).too_many(0.001)
    assert 0.05 < detectable(many, 1) < 0.3
    merged = Calibration((many, few)).by_kind()
    assert [(each.kind, each.audits, each.alarms) for each in merged] == [("int", 173, 33)]


def test_pandas_is_among_the_makers_where_it_is_installed():
    assert {"pandas", "cells of several types"} <= set(MAKERS)
