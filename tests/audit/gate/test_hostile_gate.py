"""Every hostile target in a gate beside a false claim and a true one: these two are found as ever, in all reports."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from gate_projects import entry, project_file
from hostile_gate.targets import ANSWERING, PROGRAMS, RELEASES_NOTHING, RETURNS

pytestmark = pytest.mark.processes

TOGETHER = 9
"""Hostile targets in one gate: a gate takes some seconds to start and to write its reports."""
REPORTS = ["json", "sarif", "junit", "markdown", "html", "github", "text"]
FALSE, TRUE = "a false claim", "a true claim"


def module_of(number):
    return f"hostile_{number}"


def entries(names):
    """Claims about these targets, and before and after them the two that are to be found."""
    code = {"isolate": "'none'", "deterministic": "true"}
    yield entry(FALSE, target="release:leaks", **code)
    for number, name in enumerate(names):
        target = PROGRAMS.get(name, f"{module_of(number)}.py:f")
        head = f"[[claims]]\nname = {json.dumps(name)}\ntarget = {json.dumps(target)}\n"
        yield f'{head}claim = "dp(epsilon=1)"\ntimeout = 2\nruns = 40\n'
    yield entry(TRUE, target="release:honest", **code)


def project(folder, names):
    """A project with these targets, each in a module of its own."""
    sources = {**RETURNS, **RELEASES_NOTHING}
    for number, name in enumerate(names):
        if name in sources:
            (folder / f"{module_of(number)}.py").write_text(sources[name])
    project_file(folder, *entries(names), head="seconds = 600")
    (folder / "release.py").write_text(
        "def leaks(table):\n    return sorted(table['age'].to_list())\n\n\ndef honest(table):\n    return 'hello'\n"
    )


def gate(folder):
    outputs = [f"--format={name}=out.{name}" for name in REPORTS]
    return subprocess.run(
        [sys.executable, "-m", "crowdproof", "gate", "--seed", "1", *outputs, "--format", "text"],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=500,
    )


def check_reports(folder):
    """Every report is whole and tells of both claims."""
    texts = {name: (folder / f"out.{name}").read_text(encoding="utf-8") for name in REPORTS}
    assert not any(Path(folder / f"out.{name}").is_symlink() for name in REPORTS)
    json.loads(texts["sarif"])
    ET.fromstring(texts["junit"])
    assert texts["html"].rstrip().endswith("</html>")
    for name in REPORTS:
        assert FALSE in texts[name], name
        assert "\x1b" not in texts[name], name
    for name in ("json", "junit", "markdown", "html", "text"):
        assert TRUE in texts[name], name
    return {each["subject"]: each["verdict"] for each in json.loads(texts["json"])}


def in_groups(names):
    names = list(names)
    return [names[start : start + TOGETHER] for start in range(0, len(names), TOGETHER)]


@pytest.mark.parametrize("names", in_groups([*RETURNS, *RELEASES_NOTHING, *PROGRAMS]), ids=lambda names: names[0])
def test_a_gate_beside_hostile_targets_finds_what_it_finds_without_them(tmp_path, names):
    project(tmp_path, names)
    ran = gate(tmp_path)
    assert ran.returncode == 1, ran.stderr[-2000:]
    assert "Traceback" not in ran.stderr + ran.stdout
    assert "internal error" not in ran.stderr + ran.stdout
    assert "\x1b" not in ran.stderr
    assert not [line for line in ran.stdout.splitlines() if line.lstrip().startswith("::") or "##[" in line]
    found = check_reports(tmp_path)
    assert (found.pop(FALSE)["kind"], found.pop(TRUE)["kind"]) == ("refuted", "not-refuted")
    assert list(found) == names
    silent = {name: found[name] for name in names if name not in {*RETURNS, *ANSWERING}}
    assert {name: verdict["kind"] for name, verdict in silent.items()} == dict.fromkeys(silent, "skipped")
    assert all(verdict["reason"].strip() for verdict in silent.values())
    others = {verdict["kind"] for name, verdict in found.items() if name not in silent}
    assert others <= {"not-refuted", "undecided", "skipped"}


def test_there_are_at_least_eighty():
    assert len({*RETURNS, *RELEASES_NOTHING, *PROGRAMS}) == len(RETURNS) + len(RELEASES_NOTHING) + len(PROGRAMS) >= 80
