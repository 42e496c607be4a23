"""Text of a target within our lines: nothing of it begins a line, moves the cursor or commands a CI system."""

import re
import subprocess
import sys

import pytest
from attrs import evolve
from gate_projects import entry, project_file

from crowdproof.claims import parse_claim
from crowdproof.findings import Chart, Counterexample, Finding, Note, Refuted, Reproduce, Series, Skipped, Table
from crowdproof.report import render

HOSTILE = [
    "X\n::error::hi",
    "X\r\n  ::error::hi",
    "X\x0b::error::hi\x85::error::hi",
    "::error::hi",
    "word " * 17 + "a ::error::hi",  # where lines are wrapped
    "##[error]hi",
    "X\u2028::error::hi",
]
COMMAND = re.compile(r"^\s*::(?!(error|warning) (file|title)=)|##\[")
LEAK = "def f(table):\n    return 'X\\n::error::hi' if table.height > 2 else 'Y'\n"


def findings(text):
    evidence = (
        Note(text, text),
        Table(text, (text, "b"), ((text, "1"), ("2", text))),
        Chart(text, text, text, (Series(text, (1.0, 2.0), (1.0, 2.0)),)),
    )
    claim = parse_claim("dp(epsilon=1)")
    refuted = Finding(text, claim, Refuted(Counterexample(text, {text: text})), evidence=evidence)
    return [evolve(refuted, reproduce=Reproduce(command=text)), Finding("it", claim, Skipped(text))]


@pytest.mark.parametrize("form", ["text", "markdown", "github"])
@pytest.mark.parametrize("text", HOSTILE)
def test_no_line_is_a_command_that_a_target_wrote(form, text):
    shown = render(findings(text), form)
    assert [line for line in shown.splitlines() if COMMAND.search(line)] == []
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", shown)


@pytest.mark.parametrize("form", ["text", "markdown", "github"])
def test_a_line_break_is_shown(form):
    shown = render(findings("X\nY\x1b"), form)
    assert r"X\nY\x1b" in shown.replace(r"\\", "\\")
    assert "X Y" not in shown


def gate(folder, source, form):
    (folder / "it.py").write_text(source)
    project_file(folder, entry("it", target="it.py:f", isolate="'none'"))
    line = [sys.executable, "-m", "crowdproof", "gate", "--seed", "1", "--format", form]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("form", ["text", "markdown", "github"])
def test_a_release_with_a_line_break_is_shown_in_one_line(tmp_path, form):
    ran = gate(tmp_path, LEAK, form)
    assert ran.returncode == 1
    assert r"X\n::error::hi" in " ".join(ran.stdout.split()).replace(r"\\", "\\")
    assert [line for line in ran.stdout.splitlines() if COMMAND.search(line)] == []


def test_an_error_of_a_target_is_told_in_one_line(tmp_path):
    project_file(tmp_path)
    (tmp_path / "it.py").write_text("raise ValueError('X\\n::error::hi')\n")
    line = [sys.executable, "-m", "crowdproof", "audit", "it.py:f", "--claim", "dp(epsilon=1)", "--data", "people.csv"]
    ran = subprocess.run([*line, "--isolate", "none"], cwd=tmp_path, capture_output=True, text=True)
    assert r"X\n::error::hi" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
