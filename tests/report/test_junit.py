"""JUnit: read back by an independent parser; no verdict but PROVED and NOT_REFUTED counts as passed."""

from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped
from report.samples import SAMPLES
from report.strategies import findings

from crowdproof.report import render

OUTCOME = {"REFUTED": [Failure], "SKIPPED": [Error], "UNDECIDED": [Skipped], "NOT_REFUTED": [], "PROVED": []}


def parsed(found):
    return JUnitXml.fromstring(render(found, "junit").encode())


@settings(max_examples=50)
@given(st.lists(findings, min_size=1, max_size=3))
def test_any_findings_read_back_with_their_outcomes(found):
    report = parsed(found)
    cases = [case for suite in report for case in suite]
    assert [[type(each) for each in case.result] for case in cases] == [OUTCOME[each.verdict.name] for each in found]


def test_the_counts_are_those_of_the_cases():
    report = parsed(SAMPLES)
    stated = (report.tests, report.failures, report.errors, report.skipped)
    report.update_statistics()
    assert stated == (report.tests, report.failures, report.errors, report.skipped) == (9, 4, 1, 1)


def test_a_case_carries_subject_claim_time_and_how_to_see_it_again():
    case = next(iter(next(iter(parsed(SAMPLES[:1])))))
    assert (case.classname, case.name, case.time) == (SAMPLES[0].subject, str(SAMPLES[0].claim), 3.42)
    assert SAMPLES[0].reproduce.command in case.result[0].text
    assert "probability 0.3242" in case.result[0].message
    assert SAMPLES[0].reproduce.command in case.system_out


def test_nothing_examined_is_an_error():
    report = parsed([])
    assert (report.tests, report.errors) == (1, 1)
