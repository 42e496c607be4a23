"""Every finding says how to see it again: the printed command, pasted, gives the same verdict."""

import json
import shlex
import sys

import polars as pl
import pytest

from crowdproof.audit import calibration as subject
from crowdproof.cli import main
from crowdproof.proofs.bounds import figures

TARGETS = """
def anonymize(table, k=3, label="plain"):
    if table.height < k or label != "10":
        return table.head(0)
    return table.select(age=table["age"] * 0 + table["age"].max())

def safe(table):
    return []
"""
GATE = """
[defaults]
runs = 300
isolate = "none"

[[claims]]
name = "oldest"
target = "target:anonymize"
data = "people.csv"
claim = "dps(beta=0.5, epsilon=1, delta=0.2)"
params = { k = 3, label = "10" }
timeout = 7

[[claims]]
name = "by values"
target = "target:safe"
values = { age = [20, 30, 40] }
claim = "dp(epsilon=1)"

[[claims]]
name = "by arithmetic"
target = "target:safe"
data = "people.csv"
claim = "dp(epsilon=1)"
mechanism = { kind = "laplace", scale = "1/2" }
"""
AUDIT = ["audit", "target.py:anonymize", "--data", "people.csv", "--param", 'label="10"', "--isolate", "none"]
AUDIT += ["--search", "1", "--claim", "dps(beta=0.5, epsilon=1, delta=0.2)"]
ATTACK = ["--target", "target.py:anonymize", "--data", "people.csv", "--param", 'label="10"']
VERBS = {
    "audit": [*AUDIT, "--runs", "400", "--seconds", "100", "--strict"],
    "audit of two claims": [*AUDIT, "--claim", "k-anonymity(k=2, columns=age)", "--deterministic"],
    "replay": ["replay", "w.json", "--yes"],
    "replay on another target": [
        "replay",
        "w.json",
        "--target",
        "target.py:safe",
        "--isolate",
        "none",
        "--runs",
        "2000",
    ],
    "attack": ["attack", "xor"],
    "attack on a target": ["attack", "clr", *ATTACK, "--set", "trials=4", "--set", "value=1e4"],
    "attack on a file": [
        "attack",
        "clr",
        "--release",
        "my release.csv",
        "--set",
        "column=age",
        "--set",
        "above=40",
    ],
    "check": ["check", "people.csv", "--k", "2", "--sensitive", "zip", "--l", "2", "--match", "covering"],
    "plan": ["plan", "--epsilon", "ln 3", "--delta", "1e-6", "--k", "20", "--data", "people.csv", "--columns", "zip"],
    "bound": ["bound", "--k", "20", "--beta", "max", "--epsilon", "ln 3"],
    "figures": ["figures", "--output", "figures of papers"],
    "prove": ["prove", "gamma"],
    "gate": ["gate", "its folder/privacy.toml"],
    "gate with options": ["gate", "its folder/privacy.toml", "--seconds", "50", "--no-evidence"],
}


@pytest.fixture
def crowdproof(tmp_path, monkeypatch, capsys):
    """The command line, in this process; what it prints and the findings that it writes."""
    inside = tmp_path / "its folder"
    inside.mkdir()
    (inside / "privacy.toml").write_text(GATE)
    people = pl.DataFrame({"age": [21, 22, 23, 38, 39, 41, 42, 43, 44, 61, 62, 95], "zip": [1, 2, 3] * 4})
    for folder in (tmp_path, inside):
        (folder / "target.py").write_text(TARGETS)
        people.write_csv(folder / "people.csv")
    pl.DataFrame({"age": ["[1, 5]"] * 3 + ["[20, 50]"] * 3}).write_csv(tmp_path / "my release.csv")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        file = tmp_path / "found.json"
        monkeypatch.setattr(sys, "argv", ["crowdproof", *arguments, "--format", "text", "--format", f"json={file}"])
        with pytest.raises(SystemExit):
            main()
        shown = capsys.readouterr()
        assert file.exists(), shown.err
        found = json.loads(file.read_text())
        file.unlink()
        return shown.out, found

    return run


def pasted(command, monkeypatch, folder):
    """The arguments of the command, as a shell reads them; it starts in the folder of the first call."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True  # a remark at the end names the versions
    words = list(lexer)
    monkeypatch.chdir(folder)
    if words[0] == "cd":
        monkeypatch.chdir(words[1])
        assert words[2] == "&&"
        words = words[3:]
    assert words == shlex.split(shlex.join(words))
    assert words == shlex.split(command.rpartition(" && ")[2], comments=True)
    assert words[0] == "crowdproof"
    return words[1:]


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_the_printed_command_gives_the_same_verdict(verb, crowdproof, monkeypatch, tmp_path):
    if verb.startswith("replay"):
        crowdproof(*AUDIT, "--seed", "5", "--witness", "w.json")
    monkeypatch.setattr(figures, "figures", list)  # slow to draw, and the finding is not about them
    printed, found = crowdproof(*VERBS[verb])
    told = [line.removeprefix("  reproduce: ") for line in printed.splitlines() if line.startswith("  reproduce: ")]
    assert told == [each["reproduce"]["command"] for each in found]
    for finding in found:
        _, again = crowdproof(*pasted(finding["reproduce"]["command"], monkeypatch, tmp_path))
        (same,) = again if len(again) == 1 else [each for each in again if _about(each) == _about(finding)]
        assert same["verdict"]["kind"] == finding["verdict"]["kind"]
        if not verb.startswith("gate"):
            assert same["reproduce"]["command"] == finding["reproduce"]["command"]


def _about(finding):
    return finding["subject"], finding["claim"]


@pytest.mark.slow
def test_what_no_verdict_depends_on_is_not_repeated(crowdproof):
    (_, (finding,)) = crowdproof(*AUDIT, "--seed", "5", "--workers", "2", "--witness", "w.json", "--quiet")
    assert shlex.split(finding["reproduce"]["command"]) == [
        *["crowdproof", "audit", "target.py:anonymize", "--claim", "dps(beta=0.5, epsilon=1, delta=0.2)"],
        *["--data", "people.csv", "--error", "1e-6", "--search", "1", "--param", 'label="10"'],
        *["--isolate", "none", "--seed", "5"],
    ]


def test_the_calibration_is_told_as_an_audit_that_calibrates(crowdproof, monkeypatch):
    monkeypatch.setattr(subject, "calibrate", lambda *_, **__: subject.Calibration(()))
    (_, (*_, calibration)) = crowdproof(*AUDIT, "--seed", "5", "--calibrate")
    assert "--calibrate" in calibration["reproduce"]["command"]
    assert calibration["reproduce"]["command"].endswith("--seed 5")


def test_the_gate_tells_of_its_folder_only_from_elsewhere(crowdproof, monkeypatch, tmp_path):
    (_, (outside, *_)) = crowdproof("gate", "its folder/privacy.toml", "--seed", "1")
    assert outside["reproduce"]["command"].startswith("cd 'its folder' && crowdproof audit target:anonymize ")
    assert "--runs 300 --timeout 7 " in outside["reproduce"]["command"]
    monkeypatch.chdir(tmp_path / "its folder")
    (_, (inside, schema, arithmetic)) = crowdproof("gate", "--seed", "1")
    assert inside["reproduce"]["command"].startswith("crowdproof audit target:anonymize ")
    for whole in (schema, arithmetic):
        assert whole["reproduce"]["command"] == "crowdproof gate privacy.toml --seed 1"
