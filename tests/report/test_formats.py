"""What holds of every format."""

import io
import json
import re
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from report.samples import SAMPLES
from report.strategies import findings

import crowdproof.report
from crowdproof.errors import ParameterError
from crowdproof.report import FORMATS, render, write


def test_every_module_of_a_format_is_listed_and_every_listed_one_exists():
    modules = {path.stem for path in Path(crowdproof.report.__file__).parent.glob("*_report.py")}
    assert modules == {f"{form}_report" for form in FORMATS}


def test_an_unknown_format_is_told():
    with pytest.raises(ParameterError, match="'pdf' is not a format: choose from text, json, html"):
        render(SAMPLES, "pdf")


@settings(max_examples=60)
@given(st.lists(findings, max_size=3))
def test_any_findings_at_all_can_be_rendered(found):
    for form in FORMATS:
        assert render(found, form).strip()


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_findings_give_the_same_report(form):
    assert render(SAMPLES, form) == render(SAMPLES, form)


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_not_refuted_is_never_called_private_or_safe(form):
    told = render([each for each in SAMPLES if each.verdict.name == "NOT_REFUTED"], form)
    assert not re.search(r"\bis (private|safe|secure|proved|true)\b|\bheld?s?\b.claim|The claim holds", told)
    if form != "github":
        assert form == "json" or "not a proof of privacy" in told


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_examined_is_never_silent(form):
    assert json.loads(render([], form)) == [] if form == "json" else "othing was examined" in render([], form)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "copies", "left_out"),
    [
        ("html", 1, r"2,900 more rows; the JSON report has all"),
        ("html", 4, r"3,160 more rows; the JSON report has all"),
        ("html", 30, r"\d more pieces of evidence did not fit"),
        ("html", 300, r"[\d,]+ more findings did not fit"),
        ("markdown", 1, r"3,150 more rows did not fit"),
        ("markdown", 40, r"\d+ more details did not fit"),
        ("markdown", 1000, r"[\d,]+ more claims did not fit"),
    ],
)
def test_a_large_report_stays_below_a_mebibyte_and_says_what_is_left_out(form, copies, left_out):
    each_table = 200 if copies < 300 else 1  # where claims are many, the claims alone are too long
    wide = evolve(SAMPLES[3].evidence[0], rows=SAMPLES[3].evidence[0].rows * each_table)
    many = [evolve(each, evidence=(*each.evidence, wide)) for each in SAMPLES] * copies
    text = render(many, form)
    assert len(text.encode()) < 1 << 20
    assert re.search(left_out, text)
    assert f"{4 * copies} of {9 * copies} claims are refuted." in text


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_text_is_coloured_on_a_terminal_and_plain_elsewhere(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "900")  # a report that is longer than the window ends with the verdicts again
    terminal, pipe = Terminal(), io.StringIO()
    write(SAMPLES, "text", terminal)
    write(SAMPLES, "text", pipe)
    assert "\x1b[1;31mREFUTED\x1b[0m" in terminal.getvalue()
    assert "\x1b" not in pipe.getvalue()
    assert re.sub(r"\x1b\[[\d;]*m", "", terminal.getvalue()) == pipe.getvalue() == render(SAMPLES, "text") + "\n"


def test_no_color_is_obeyed(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal()
    write(SAMPLES, "text", terminal)
    assert "\x1b[1;31m" not in terminal.getvalue()
    assert "[31m" not in terminal.getvalue()


def test_a_pipe_that_lacks_letters_gets_question_marks_instead_of_an_error():
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii") as pipe:
        write(SAMPLES, "text", pipe)
        pipe.flush()
        assert b"Theorem 6" in raw.getvalue()


@settings(max_examples=60)
@given(findings)
def test_no_finding_can_steer_a_terminal_or_pose_as_another_verdict(finding):
    lines = render([finding], "text").split("\n")
    assert all(letter == " " or letter.isprintable() or not letter.isascii() for line in lines for letter in line)
    assert lines[0].startswith(f"{finding.verdict.name}  ")
    assert all(line.startswith("  ") or not line for line in lines[1:])
