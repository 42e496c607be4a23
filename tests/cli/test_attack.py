"""`crowdproof attack`: the list, the story, and errors in one sentence."""

import hashlib
import json
import shlex
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from crowdproof.attacks import CATALOGUE
from crowdproof.errors import ExitCode


def attack(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "crowdproof", "attack", *arguments], capture_output=True, text=True)


def test_the_list_names_every_attack():
    shown = attack("--list")
    assert shown.returncode == 0
    assert [line.split()[0] for line in shown.stdout.splitlines()] == list(CATALOGUE)


def test_a_story_is_a_finding_in_any_format():
    shown = attack("same-sample", "--format", "json", "--seed", "1")
    assert shown.returncode == 0
    (finding,) = json.loads(shown.stdout)
    assert finding["verdict"]["kind"] == "refuted"
    assert finding["reproduce"]["seed"] == 1


def test_a_release_file_alone(tmp_path: Path):
    file = tmp_path / "release.csv"
    pl.DataFrame({"worth": ["[1, 5]"] * 3 + ["[900, 35000]"] * 3}).write_csv(file)
    shown = attack("clr", "--release", str(file), "--set", "column=worth", "--set", "above=1000")
    assert shown.returncode == 0
    assert "3 rows show [900, 35000]" in shown.stdout


def test_a_parameter_of_the_target_reaches_it(tmp_path: Path):
    (tmp_path / "own.py").write_text("def release(table, k):\n    raise ValueError(f'k is {k}')\n")
    failed = attack("linkage", "--target", f"{tmp_path / 'own.py'}:release", "--param", "k=3", "--seed", "1")
    assert failed.returncode == ExitCode.BROKEN
    assert "k is 3" in failed.stderr


def test_the_command_to_run_again_names_the_versions_and_the_hash_of_the_data(tmp_path: Path):
    file = tmp_path / "their people.csv"
    pl.DataFrame({"age": range(40), "ill": ["flu", "gout", "cold", "ulcer"] * 10}).write_csv(file)
    arguments = ["background-knowledge", "--data", str(file), "--seed", "1"]
    (told,) = json.loads(attack(*arguments, "--format", "json").stdout)
    again = told["reproduce"]
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert again["parameters"]["data_sha256"] == digest
    assert {"crowdproof", "numpy", "polars", "python"} == set(again["versions"])
    assert f"their people.csv sha256 {digest}" in again["command"]
    words = shlex.split(again["command"], comments=True)  # as a shell reads it
    assert words == ["crowdproof", "attack", *arguments]
    assert {"victim", "defended", "references"} == set(told["measures"])
    (repeated,) = json.loads(attack(*words[2:], "--format", "json").stdout)
    assert repeated["measures"] == told["measures"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["phlogiston"], "there is no attack 'phlogiston'"),
        (["xor", "--set", "colour=red"], "takes no 'colour'"),
        (["xor", "--release", "nowhere.csv"], "needs a mechanism to run"),
        (["clr", "--release", "nowhere.csv", "--set", "column=a"], "there is no file nowhere.csv"),
        (["clr", "--param", "k=3"], "name it with --target, or give the attack a --set NAME=VALUE."),
        (["clr", "--release", "a.csv", "--data", "b.csv"], "leave out --target, --param and --data."),
        (["clr", "--set", "k"], "write it as name=value"),
    ],
)
def test_errors_are_one_sentence_with_code_2(arguments, said):
    failed = attack(*arguments)
    assert failed.returncode == ExitCode.USAGE
    assert said in failed.stderr
    assert "Traceback" not in failed.stderr
