"""SARIF: valid by the official schema, and stable where code scanning needs it.

`sarif-2.1.0.schema.json` is the standard's own schema as the npm package
@microsoft/sarif-multitool-linux (MIT) ships it.
"""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from report.samples import SAMPLES
from report.strategies import findings

from crowdproof.claims import DP, Assertion
from crowdproof.findings import Counterexample, Estimate, Finding, Refuted, Reproduce
from crowdproof.report import render

OFFICIAL = Draft202012Validator(json.loads(Path(__file__).with_name("sarif-2.1.0.schema.json").read_text("utf-8")))


def run_of(found):
    log = json.loads(render(found, "sarif"))
    OFFICIAL.validate(log)
    assert len(log["runs"]) == 1
    return log["runs"][0]


def test_the_official_schema_can_refuse():
    assert not OFFICIAL.is_valid({"version": "2.1.0", "runs": [{"results": []}]})


@settings(max_examples=50)
@given(st.lists(findings, max_size=3))
def test_any_findings_make_a_valid_log_whose_rules_resolve(found):
    run = run_of(found)
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert (result["kind"] == "fail") == (result["level"] != "none")


def test_each_verdict_has_its_place():
    run = run_of(SAMPLES)
    assert [(each["properties"]["verdict"], each["kind"], each["level"]) for each in run["results"]] == [
        *[("REFUTED", "fail", "error")] * 4,
        ("UNDECIDED", "open", "none"),
    ]
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert [(each["properties"]["verdict"], each["level"]) for each in notes] == [
        ("SKIPPED", "error"),
        ("NOT_REFUTED", "note"),
        *[("PROVED", "note")] * 2,
    ]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_a_run_is_successful_where_everything_could_be_examined_and_not_where_nothing_was():
    examined = [each for each in SAMPLES if each.verdict.name != "SKIPPED"]
    assert run_of(examined)["invocations"][0]["executionSuccessful"] is True
    assert run_of([])["invocations"][0]["executionSuccessful"] is False


def test_rules_are_notions_and_ids():
    assert {each["ruleId"] for each in run_of(SAMPLES)["results"]} == {
        "dps",
        "dp",
        "thm6",
        "downcoding",
        "crowd-blending",
    }


def fingerprint(finding):
    return run_of([finding])["results"][0]["partialFingerprints"]["crowdproofFinding/v1"]


def test_the_fingerprint_forgets_what_was_measured_and_keeps_what_is_claimed():
    found = SAMPLES[0]
    witness = evolve(
        found.verdict.witness, p_left=Estimate.exactly(Fraction(1, 3)), excess=Estimate.exactly(Fraction(1, 3))
    )
    again = evolve(
        found, verdict=Refuted(witness), cost=evolve(found.cost, runs=7), reproduce=Reproduce(seed=99), evidence=()
    )
    assert fingerprint(again) == fingerprint(found)
    assert fingerprint(evolve(found, claim=DP(1))) != fingerprint(found)
    assert fingerprint(evolve(found, subject="another")) != fingerprint(found)


def test_the_fingerprint_of_an_assertion_forgets_its_wording():
    told = [Finding("s", Assertion("a", words), Refuted(Counterexample(words))) for words in ("rate 0.67", "rate 0.68")]
    assert fingerprint(told[0]) == fingerprint(told[1])


@pytest.mark.parametrize(
    ("subject", "parameters", "uri", "line"),
    [
        ("shop.release:recode", {}, "shop/release.py", 1),
        ("Mondrian(k=10)", {}, "privacy.toml", 1),
        ("anything", {"file": "src/my release.py", "line": 12}, "src/my%20release.py", 12),
        ("anything", {"file": "a\\b.py", "line": -3}, "a/b.py", 1),
        ("anything", {"file": 7}, "privacy.toml", 1),
    ],
)
def test_a_result_points_to_its_place(subject, parameters, uri, line):
    finding = Finding(subject, DP(1), Refuted(Counterexample("here")), reproduce=Reproduce(parameters=parameters))
    place = run_of([finding])["results"][0]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (uri, line)
