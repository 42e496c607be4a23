"""The files by which other tools call the gate name things that exist."""

import re
from pathlib import Path

import yaml

from crowdproof.cli.gate import command
from crowdproof.report import FORMATS

ROOT = Path(__file__).parents[2]
OPTIONS = {name for each in command.params for name in each.opts if name.startswith("--")}


def options_in(text):
    return set(re.findall(r"--[a-z-]+", text))


def test_the_pre_commit_hook_calls_the_gate():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["entry"].startswith("crowdproof gate")
    assert options_in(hook["entry"]) <= OPTIONS
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)


def test_the_action_calls_the_gate_with_options_and_formats_that_exist():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    steps = {each["name"]: each for each in action["runs"]["steps"]}
    check = steps["Check the claims"]["run"]
    assert options_in(check) <= OPTIONS
    assert set(re.findall(r'--format "?([a-z]+)', check)) <= set(FORMATS)
    install = steps["Install"]
    assert install["env"]["CHECKOUT"] == "${{ github.action_path }}"  # the version that the workflow names, no other
    assert action["inputs"]["crowdproof"]["default"] == ""
    assert install["run"].strip() == 'python "$CHECKOUT/pins.py" install --instead "$CROWDPROOF"'
    assert (ROOT / "pins.py").is_file()
    assert 'exit "$code"' in check  # a refuted claim fails the job
    for name in re.findall(r"inputs\.([a-z-]+)", str(action)):
        assert name in action["inputs"]
    restored, kept = (steps[name]["with"] for name in ("Bring back the evidence of earlier runs", "Keep the evidence"))
    assert restored["path"] == kept["path"]
    assert restored["key"] == kept["key"]
    assert steps["Keep the evidence"]["if"] == "always()"
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")  # inputs reach the shell as variables, never as text of a script
