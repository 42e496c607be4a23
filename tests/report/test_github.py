"""Workflow commands: one line each, escaped, and never more than GitHub shows."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from report.samples import SAMPLES
from report.strategies import findings

from crowdproof.report import render

COMMAND = re.compile(r"::(error|warning) ((?:[a-z]+=[^,:\r\n]*,?)+)::([^\r\n]*)")
ALARMING = {"REFUTED": "error", "SKIPPED": "error", "UNDECIDED": "warning"}


def commands(text):
    return [COMMAND.fullmatch(line) for line in text.split("\n") if line.startswith("::")]


@settings(max_examples=60)
@given(st.lists(findings, min_size=1, max_size=2) | st.lists(st.sampled_from(SAMPLES), min_size=1, max_size=20))
def test_each_alarming_finding_is_one_command_up_to_ten(found):
    text = render(found, "github")
    levels = [ALARMING[each.verdict.name] for each in found if each.verdict.name in ALARMING]
    got = commands(text)
    assert all(got)
    assert sorted(each[1] for each in got) == sorted(sorted(levels)[: len(got)])
    assert len(got) == min(10, len(levels))
    assert ("more without an annotation" in text) == (len(levels) > 10)


def test_refuted_claims_come_first_and_read_back():
    first = commands(render(SAMPLES, "github"))[0]
    told = first[3].replace("%0A", "\n").replace("%25", "%")
    assert first[1] == "error"
    assert first[2] == f"file=privacy.toml,line=1,title=Refuted%3A {SAMPLES[0].subject}"
    assert told.endswith(f"See it again: {SAMPLES[0].reproduce.command}")


def test_nothing_examined_is_an_error():
    assert commands(render([], "github"))[0][1] == "error"


def test_what_holds_up_gives_the_counts_alone():
    assert render([SAMPLES[1]], "github") == "1 claim: 1 proved"
