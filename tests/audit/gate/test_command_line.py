"""`crowdproof gate` and `crowdproof init` as a person or a CI job meets them."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner
from gate_projects import entry, project_file

from crowdproof import wire
from crowdproof.audit.gate import read_project
from crowdproof.audit.gate.config_schema import config_schema
from crowdproof.cli.gate import command as gate
from crowdproof.cli.init import command as init
from crowdproof.errors import ConfigError, DataError, ExitCode, ParameterError

WRONG = entry(
    "sum", "dps(beta=0.1, epsilon=0.5, delta=1e-11)", mechanism="{ kind = 'strongly-safe', k = 20 }", isolate="'none'"
)
RIGHT = entry("constant", "dp(epsilon=1)", target="constant.py:f", isolate="'none'", runs="60")


def run(*arguments):
    return CliRunner().invoke(gate, [str(each) for each in arguments], standalone_mode=False, catch_exceptions=False)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "constant.py").write_text("def f(table):\n    return 3\n")
    return project_file(tmp_path, WRONG, RIGHT)


def test_one_run_writes_every_format(project, tmp_path):
    files = {form: tmp_path / f"out.{form}" for form in ("json", "sarif", "junit", "markdown", "html", "github")}
    outputs = [word for form, path in files.items() for word in ("--format", f"{form}={path}")]
    result = run(project, "--seed", 3, "--format", "text", *outputs, "--badge", tmp_path / "badge.json")
    assert result.return_value == ExitCode.REFUTED
    assert "REFUTED  sum" in result.stdout
    assert "2 claims: 1 refuted, 1 not refuted" in result.stderr
    assert "seed 3" in result.stderr
    findings = wire.loads(files["json"].read_text())
    assert [each.subject for each in findings] == ["sum", "constant"]
    assert all(each.reproduce.command for each in findings)
    sarif = json.loads(files["sarif"].read_text())
    places = [each["locations"][0]["physicalLocation"] for each in sarif["runs"][0]["results"]]
    assert places[0]["region"]["startLine"] == 5
    assert places[0]["artifactLocation"]["uri"].endswith("privacy.toml")
    assert ET.fromstring(files["junit"].read_text()).find(".//failure") is not None
    assert "::error" in files["github"].read_text()
    assert json.loads((tmp_path / "badge.json").read_text())["color"] == "red"


def test_exit_zero_forgives_the_refutation_alone(project):
    assert run(project, "--exit-zero").return_value == ExitCode.HELD
    project.write_text(project.read_text() + entry("gone", target="nowhere:f"))
    assert run(project, "--exit-zero").return_value == ExitCode.BROKEN


def test_mistakes_are_told_before_anything_runs(project):
    project.write_text(project.read_text() + "\nrunz = 3\n")
    with pytest.raises(ConfigError, match="line 19: there is no key 'runz': did you mean runs"):
        run(project)


def test_the_schema_is_printed_without_a_project(tmp_path):
    assert json.loads(run("--print-schema").stdout) == config_schema()


def test_a_badge_or_report_that_cannot_be_written_is_an_error(project, tmp_path):
    with pytest.raises(ParameterError, match="cannot write"):
        run(project, "--badge", tmp_path / "no" / "badge.json")


def test_the_process_ends_with_the_exit_code_and_no_traceback(project):
    command = [sys.executable, "-m", "crowdproof", "gate"]
    refuted = subprocess.run([*command, project.name], cwd=project.parent, capture_output=True, text=True)
    assert refuted.returncode == ExitCode.REFUTED, refuted.stderr
    project.write_text("claims = 3")
    wrong = subprocess.run(command, cwd=project.parent, capture_output=True, text=True)
    assert wrong.returncode == ExitCode.USAGE
    assert wrong.stderr == "crowdproof: privacy.toml has a mistake:\n  line 1: claims: 3 is not a list.\n"


FUNCTIONS = """
def noisy(table, rng, *, epsilon=0.5, columns=("age", "zip"), label=None):
    return 0
def grouped(table, k, seed=None):
    return 0
def plain(table):
    return 0
"""


@pytest.mark.parametrize(
    ("name", "claim", "params"),
    [
        ("noisy", "dp(epsilon=0.5)", {"epsilon": 0.5, "columns": ["age", "zip"]}),
        ("grouped", "k-anonymity(k=10)", {"k": 10}),
        ("plain", "dp(epsilon=1)", {}),
    ],
)
def test_init_writes_a_file_that_the_gate_reads(tmp_path, name, claim, params):
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    (tmp_path / "patients.csv").write_text("age\n20\n")
    target, path = f"{tmp_path}/functions.py:{name}", tmp_path / "privacy.toml"
    arguments = [target, "--output", str(path), "--data", "patients.csv"]
    result = CliRunner().invoke(init, arguments, standalone_mode=False, catch_exceptions=False)
    assert result.return_value == 0
    config = read_project(path).config
    (found,) = config.claims
    assert (str(found.claim), found.params, found.target, found.name) == (claim, params, target, name)
    assert config.defaults.data == "patients.csv"
    assert config.evidence is not None
    before = path.read_text()
    with pytest.raises(ParameterError, match="exists"):
        CliRunner().invoke(init, arguments, standalone_mode=False, catch_exceptions=False)
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("data", "content", "message"),
    [
        ("nope.csv", None, "there is no file .*nope.csv: check its path"),
        ("empty.csv", "age\n", "has no rows"),
        ("people.txt", "age\n20\n", "is of no known kind"),
    ],
)
def test_init_refuses_data_that_the_gate_could_not_read(tmp_path, data, content, message):
    if content is not None:
        (tmp_path / data).write_text(content)
    path = tmp_path / "privacy.toml"
    arguments = ["statistics:mean", "--output", str(path), "--data", data]
    with pytest.raises(DataError, match=message) as told:
        CliRunner().invoke(init, arguments, standalone_mode=False, catch_exceptions=False)
    assert told.value.exit_code is ExitCode.USAGE
    assert not path.exists()


def test_init_takes_programs_and_refuses_what_is_not_there(tmp_path):
    path = tmp_path / "privacy.toml"
    arguments = ["command:./anonymize {input} {output}", "--output", str(path)]
    CliRunner().invoke(init, arguments, standalone_mode=False, catch_exceptions=False)
    assert read_project(path).config.claims[0].target == "command:./anonymize {input} {output}"
    with pytest.raises(ParameterError):
        CliRunner().invoke(init, ["nowhere:f"], standalone_mode=False, catch_exceptions=False)


RANDOMIZED = "return table.height * 1000 + int(rng.integers(2))"
DETERMINISTIC = "return table['age'].to_list()"


@pytest.mark.parametrize(
    ("body", "runs", "code"),
    [
        (RANDOMIZED, 1, ExitCode.UNDECIDED),
        (RANDOMIZED, 5, ExitCode.UNDECIDED),
        (RANDOMIZED, 25, ExitCode.UNDECIDED),
        (RANDOMIZED, 700, ExitCode.REFUTED),
        (DETERMINISTIC, 1, ExitCode.UNDECIDED),
        (DETERMINISTIC, 700, ExitCode.REFUTED),
    ],
)
def test_runs_that_are_too_few_are_no_pass_and_no_crash(tmp_path, body, runs, code):
    claim = "dp(epsilon=1)" if body == RANDOMIZED else "dps(beta=0.5, epsilon=1, delta=0.02)"
    path = project_file(tmp_path, entry("few", claim, target="few.py:f", isolate="'none'", runs=runs))
    (tmp_path / "few.py").write_text(f"def f(table, rng):\n    {body}\n")
    assert run(path, "--seed", 1, "--strict").return_value == code


def test_each_refutation_of_a_target_that_was_measured_to_be_deterministic_takes_its_own_part_of_the_error(tmp_path):
    """Over the life of a gate such confirmations are many, and the error is one."""
    (tmp_path / "height.py").write_text("def f(table):\n    return table.height % 2\n")
    file = project_file(
        tmp_path, entry("height", "dp(epsilon=1)", target="height.py:f", isolate="'none'"), head="evidence = 'e.sqlite'"
    )
    errors = []
    for seed in (1, 2, 3):
        assert run(file, "--seed", seed, "--format", f"json={tmp_path / 'out.json'}").return_value == ExitCode.REFUTED
        (finding,) = wire.loads((tmp_path / "out.json").read_text())
        errors.append(finding.certainty.error)
    total = read_project(file).config.error
    assert errors == [total / 2, total / 6, total / 12]


@pytest.mark.parametrize(
    ("stated", "option", "certain"),
    [("true", "--deterministic", "exact"), ("false", "--randomized", "false-alarm rate at most 5e-7")],
)
def test_whether_a_target_is_deterministic_may_be_stated(tmp_path, stated, option, certain):
    (tmp_path / "height.py").write_text("def f(table):\n    return table.height % 2\n")
    more = {"isolate": "'none'", "deterministic": stated, "runs": 4000}
    file = project_file(tmp_path, entry("height", "dp(epsilon=1)", target="height.py:f", **more))
    assert run(file, "--seed", 1, "--format", f"json={tmp_path / 'out.json'}").return_value == ExitCode.REFUTED
    (finding,) = wire.loads((tmp_path / "out.json").read_text())
    assert str(finding.certainty) == certain
    assert option in finding.reproduce.command


def test_a_claim_that_is_named_is_examined_alone(tmp_path, monkeypatch):
    parts = [entry(name, "k-anonymity(k=1)", target="few.py:f", isolate="'none'") for name in ("one", "two", "three")]
    path = project_file(tmp_path, *parts)
    (tmp_path / "few.py").write_text("def f(table, rng):\n    return table\n")
    report = tmp_path / "report.json"

    def examined(*words):
        assert run(*words, "--format", f"json={report}").return_value == ExitCode.HELD
        return [each.subject for each in wire.loads(report.read_text())]

    assert examined(path, "two") == ["two"]
    monkeypatch.chdir(tmp_path)
    assert examined("three", "one") == ["one", "three"]
    with pytest.raises(ParameterError, match="has no claim 'four': it has one, two, three"):
        run("four")
