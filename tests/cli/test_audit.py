"""`crowdproof audit` and `crowdproof replay` from end to end."""

import json
import shlex
import sys

import polars as pl
import pytest
from attrs import frozen

from crowdproof.audit import audit
from crowdproof.cli import main
from crowdproof.errors import ExitCode

TARGETS = """
def anonymize(table, k=3):
    if table.height < k:
        return []
    return [f"[{table['age'].min()}, {table['age'].max()}]"] * table.height

def safe(table, k=3):
    return ["[0, 200)"] * table.height if table.height >= k else []

def broken(table):
    raise KeyError("zip")

def interrupted(table, rng, runs=[0]):
    runs[0] += 1
    if runs[0] > 3000:
        raise KeyboardInterrupt
    return int(table.height + rng.geometric(0.5) - rng.geometric(0.5))

def pressed(table, rng, runs=[0]):
    import os, signal
    runs[0] += 1
    if runs[0] == 3000:
        os.kill(os.getpid(), signal.SIGINT)
    return int(table.height + rng.geometric(0.5) - rng.geometric(0.5))

def zips(table):
    return sorted(table["zip"].to_list())

def same(table):
    return table

def hungry(table):
    import numpy
    return numpy.empty(2**29, dtype="u1").nbytes  # asked for, never touched

def noisy(vector, rng):
    return vector + rng.geometric(0.9, len(vector)) - rng.geometric(0.9, len(vector))
"""
CLAIM = "dps(beta=0.5, epsilon=1, delta=0.2)"


@frozen
class Ran:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def crowdproof(tmp_path, monkeypatch, capsys):
    """The command line, in this process and in a folder with targets and data."""
    (tmp_path / "target.py").write_text(TARGETS)
    pl.DataFrame({"age": [21, 22, 23, 38, 39, 41, 42, 43, 44, 61, 62, 95]}).write_csv(tmp_path / "people.csv")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["crowdproof", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return Ran(ended.value.code, shown.out, shown.err)

    return run


def test_a_leak_is_refuted_written_and_replayed_and_its_safe_twin_is_not(crowdproof):
    options = ["--claim", CLAIM, "--data", "people.csv", "--seed", "5", "--search", "3", "--isolate", "none"]
    ran = crowdproof("audit", "target.py:anonymize", *options, "--witness", "w.json", "--format", "json")
    assert ran.returncode == ExitCode.REFUTED, ran.stderr
    (finding,) = json.loads(ran.stdout)
    assert finding["verdict"]["kind"] == "refuted"
    assert finding["reproduce"]["seed"] == 5
    assert "--seed 5" in finding["reproduce"]["command"]
    confirmed = crowdproof("replay", "w.json", "--yes")
    assert confirmed.returncode == 0, confirmed.stderr
    assert "The refutation is confirmed" in confirmed.stdout
    repaired = crowdproof("replay", "w.json", "--target", "target.py:safe", "--isolate", "none", "--runs", "2000")
    assert repaired.returncode == ExitCode.UNDECIDED
    assert "not confirmed" in " ".join(repaired.stdout.split())
    safe = crowdproof("audit", "target.py:safe", *options, "--runs", "2000")
    assert safe.returncode == ExitCode.HELD, safe.stderr
    assert "this is not a proof of privacy" in safe.stdout


def test_a_refutation_that_cannot_be_replayed_does_not_lose_the_others(crowdproof, tmp_path):
    options = ["--claim", CLAIM, "--data", "people.csv", "--seed", "5", "--search", "0", "--isolate", "none"]
    assert crowdproof("audit", "target.py:anonymize", *options, "--witness", "w.json").returncode == ExitCode.REFUTED
    whole = json.loads((tmp_path / "w.json").read_text())
    gone = json.loads(json.dumps(whole))
    gone[0]["reproduce"]["parameters"]["target"] = None
    (tmp_path / "two.json").write_text(json.dumps(gone + whole))
    ran = crowdproof("replay", "two.json", "--yes", "--format", "json")
    assert ran.returncode == ExitCode.BROKEN, ran.stderr
    first, second = json.loads(ran.stdout)
    assert (first["verdict"]["kind"], second["verdict"]["kind"]) == ("skipped", "refuted")
    assert "--target" in first["verdict"]["reason"]
    (tmp_path / "one.json").write_text(json.dumps(gone))
    assert crowdproof("replay", "one.json", "--yes").returncode == ExitCode.BROKEN


@pytest.mark.parametrize(("schema", "seen"), [((), "01234"), (("--schema", "zip=integer"), 1234)])
def test_a_declared_type_keeps_what_was_written(crowdproof, tmp_path, schema, seen):
    (tmp_path / "zips.csv").write_text("zip\n01234\n01234\n01234\n")
    options = ["--claim", "dp(epsilon=1)", "--data", "zips.csv", *schema, "--isolate", "none", "--search", "0"]
    ran = crowdproof("audit", "target.py:zips", *options, "--seed", "1", "--format", "json")
    assert ran.returncode == ExitCode.REFUTED, ran.stderr
    (finding,) = json.loads(ran.stdout)
    assert [seen] in finding["verdict"]["witness"]["left"]["rows"]
    again = crowdproof(*shlex.split(finding["reproduce"]["command"])[1:], "--format", "json")
    assert json.loads(again.stdout)[0]["verdict"] == finding["verdict"]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (("--data", "people.csv", "--schema", "text"), "'text' declares no type of a column: write it as column=type"),
        (("--data", "people.csv", "--schema", "age=postcode"), "declare one of integer, number, text"),
        (("--data", "people.csv", "--schema", "zip=text"), "no column 'zip'"),
        (("--queries", "2", "--schema", "zip=text"), "give the table with --data FILE"),
    ],
)
def test_a_wrong_schema_is_an_error_with_a_remedy(crowdproof, written, message):
    ran = crowdproof("audit", "target.py:safe", "--claim", CLAIM, *written, "--isolate", "none")
    assert ran.returncode == ExitCode.USAGE
    assert message in " ".join(ran.stderr.split())


@pytest.mark.parametrize(("memory", "code"), [("64", ExitCode.BROKEN), ("2000", ExitCode.HELD)])
def test_a_run_that_takes_too_much_memory_is_broken(crowdproof, memory, code):
    options = [
        "--claim",
        "dp(epsilon=1)",
        "--data",
        "people.csv",
        "--memory",
        memory,
        "--search",
        "0",
        "--isolate",
        "worker",
    ]
    ran = crowdproof("audit", "target.py:hungry", *options, "--seed", "1", "--runs", "50", "--format", "json")
    assert ran.returncode == code, ran.stderr
    (finding,) = json.loads(ran.stdout)
    assert f"--memory {memory}" in finding["reproduce"]["command"]
    assert ("ran out of memory" in json.dumps(finding["verdict"])) == (code is ExitCode.BROKEN)


@pytest.mark.parametrize("more", [[], ["--every-query"]])
def test_vectors_of_query_answers_are_audited_without_a_table(crowdproof, more):
    options = ["--claim", "dp(epsilon=1)", "--queries", "2", "--form", "numpy", "--isolate", "none", "--seed", "1"]
    ran = crowdproof("audit", "target.py:noisy", *options, *more, "--runs", "20000")
    assert ran.returncode == ExitCode.REFUTED, ran.stderr + ran.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["audit", "target.py:anonymize", "--claim", "privacy(1)", "--data", "people.csv"], "is not a claim"),
        (["audit", "target.py:anonymize", "--claim", CLAIM, "--data", "nobody.csv"], "there is no file nobody.csv"),
        (["audit", "target.py:anonymize", "--claim", CLAIM], "--data FILE"),
        (["audit", "target.py:anonymize", "--claim", CLAIM, "--data", "people.csv", "--param", "k"], "name=value"),
        (
            ["audit", "target.py:anonymize", "--claim", CLAIM, "--data", "people.csv", "--error", "2"],
            "false-alarm rate",
        ),
        (
            ["audit", "target.py:safe", "--claim", CLAIM, "--data", "people.csv", "--queries", "3"],
            "--data and --queries are two things to audit on: give one of them.",
        ),
        (
            ["audit", "target.py:safe", "--claim", CLAIM, "--data", "people.csv", "--every-query"],
            "--every-query is about vectors of answers: give their length with --queries N.",
        ),
        (
            ["audit", "releases:a,b", "--claim", "dp(epsilon=1)", "--data", "people.csv"],
            "releases that were recorded are audited as they are: leave out --data and --queries.",
        ),
        (
            ["replay", "w.json", "--param", "k=3"],
            "--param is for another target than the file's: name it with --target.",
        ),
        (["replay", "w.json", "--timeout", "60"], "--timeout is for another target than the file's"),
        (["replay", "people.csv"], "not JSON"),
        (["replay", "nothing.json"], "cannot read nothing.json"),
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(crowdproof, arguments, told):
    ran = crowdproof(*arguments)
    assert ran.returncode == ExitCode.USAGE, ran.stderr
    assert told in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""


def test_a_target_that_raises_is_skipped_with_code_3(crowdproof):
    ran = crowdproof("audit", "target.py:broken", "--claim", CLAIM, "--data", "people.csv", "--isolate", "none")
    assert ran.returncode == ExitCode.BROKEN
    assert "SKIPPED" in ran.stdout
    assert "KeyError: 'zip'" in ran.stdout


def test_an_interrupt_that_nobody_asked_for_is_a_crash_of_the_target(crowdproof):
    options = ["--claim", "dp(epsilon=ln 2)", "--data", "people.csv", "--isolate", "none", "--search", "0"]
    ran = crowdproof("audit", "target.py:interrupted", *options, "--strict")
    assert "SKIPPED" in ran.stdout
    assert "crashed with KeyboardInterrupt" in " ".join(ran.stdout.split())
    assert ran.returncode == ExitCode.BROKEN


def test_an_interrupt_begins_no_other_claim(crowdproof):
    options = ["--claim", "dp(epsilon=ln 2)", "--claim", "dp(epsilon=2)", "--data", "people.csv", "--search", "0"]
    ran = crowdproof("audit", "target.py:pressed", *options, "--isolate", "none", "--format", "json")
    assert ran.returncode == ExitCode.BROKEN, ran.stderr
    first, second = json.loads(ran.stdout)
    assert (first["verdict"]["kind"], second["verdict"]["kind"]) == ("undecided", "skipped")
    assert first["cost"]["runs"] > 2000
    assert "interrupted before it was examined" in second["verdict"]["reason"]


# --- what is found is not lost -------------------------------------------------------------------------------------

LEAK = ["audit", "target.py:same", "--claim", CLAIM, "--data", "people.csv", "--isolate", "none", "--search", "0"]
SEVERAL = [*LEAK, "--seed", "1", "--claim", "k-anonymity(k=2, columns=nope)", "--claim", "dp(epsilon=1)"]


def verdicts(ran):
    return [each["verdict"]["kind"] for each in json.loads(ran.stdout)]


def test_a_claim_that_cannot_be_examined_leaves_the_others(crowdproof, tmp_path):
    ran = crowdproof(*SEVERAL, "--witness", "w.json", "--format", "json")
    assert ran.returncode == ExitCode.REFUTED, ran.stderr
    assert verdicts(ran) == ["refuted", "skipped", "refuted"]
    skipped = json.loads(ran.stdout)[1]
    assert "no column 'nope'" in skipped["verdict"]["reason"]
    assert skipped["subject"] == "target.py:same"
    assert len(json.loads((tmp_path / "w.json").read_text())) == 2
    alone = crowdproof(*shlex.split(skipped["reproduce"]["command"])[1:])
    assert (alone.returncode, alone.stdout) == (ExitCode.USAGE, "")
    assert "no column 'nope'" in alone.stderr


def stopping(monkeypatch, notion, error):
    """The audit of that notion ends in the error."""

    def fake(target, claim, **more):
        if claim.notion == notion:
            raise error
        return audit(target, claim, **more)

    monkeypatch.setattr("crowdproof.audit.audit", fake)


@pytest.mark.parametrize(
    ("error", "reason", "expected"),
    [
        (ZeroDivisionError("oh"), "internal error: ZeroDivisionError: oh. This is a bug", "refuted"),
        (KeyboardInterrupt(), "It was interrupted", "skipped"),
    ],
)
def test_an_unforeseen_error_or_an_interrupt_leaves_what_was_found(crowdproof, monkeypatch, error, reason, expected):
    stopping(monkeypatch, "safe", error)
    claims = ["--claim", "safe()", "--claim", "dp(epsilon=1)"]
    ran = crowdproof(*LEAK, *claims, "--seed", "1", "--format", "json")
    assert (ran.returncode, verdicts(ran)) == (ExitCode.REFUTED, ["refuted", "skipped", expected])
    assert reason in json.loads(ran.stdout)[1]["verdict"]["reason"]


@pytest.mark.parametrize(("error", "told"), [(ZeroDivisionError("oh"), "internal error"), (KeyboardInterrupt(), "Int")])
def test_where_nothing_was_found_the_error_is_all_there_is_to_tell(crowdproof, monkeypatch, error, told):
    monkeypatch.delenv("CROWDPROOF_DEBUG", raising=False)
    stopping(monkeypatch, "dps", error)
    ran = crowdproof(*LEAK)
    assert (ran.returncode, ran.stdout) == (ExitCode.BROKEN, "")
    assert told in ran.stderr


def test_there_being_nothing_to_calibrate_on_is_told_before_the_audit(crowdproof, monkeypatch):
    stopping(monkeypatch, "k-anonymity", AssertionError("it was audited"))
    options = ["--claim", "k-anonymity(k=7)", "--data", "people.csv", "--calibrate"]
    ran = crowdproof("audit", "target.py:anonymize", *options)
    assert (ran.returncode, ran.stdout) == (ExitCode.USAGE, "")
    assert "there is nothing to calibrate on" in ran.stderr


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [(KeyboardInterrupt(), ExitCode.REFUTED, "Interrupted."), (ZeroDivisionError(), ExitCode.BROKEN, "internal error")],
)
def test_a_calibration_that_fails_leaves_the_audit(crowdproof, monkeypatch, error, code, told):
    def failing(*_, **__):
        raise error

    monkeypatch.delenv("CROWDPROOF_DEBUG", raising=False)
    monkeypatch.setattr("crowdproof.audit.calibration.calibrate", failing)
    ran = crowdproof(*LEAK, "--seed", "1", "--calibrate", "--format", "json")
    assert (ran.returncode, verdicts(ran)) == (code, ["refuted"])
    assert told in ran.stderr


def test_an_interrupted_calibration_of_an_audit_that_refutes_nothing_is_no_pass(crowdproof, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("crowdproof.audit.calibration.calibrate", interrupted)
    options = ["--seed", "1", "--calibrate", "--runs", "2000", "--format", "json"]
    ran = crowdproof(*LEAK[:1], "target.py:safe", *LEAK[2:], *options)
    assert (ran.returncode, verdicts(ran)) == (ExitCode.BROKEN, ["not-refuted"])
