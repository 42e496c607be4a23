"""`crowdproof replay` trusts no file: what it would run is shown and asked about, and the caller judges."""

import io
import json
import sys
from fractions import Fraction

import polars as pl
import pytest
from attrs import evolve

from crowdproof.audit import audit
from crowdproof.audit.request import Pair
from crowdproof.audit.targets import load_target
from crowdproof.claims import DP, Neighbours
from crowdproof.cli import main
from crowdproof.cli import replay as verb
from crowdproof.errors import ExitCode
from crowdproof.findings import Confidence
from crowdproof.wire import dumps, loads

CODE = """
from pathlib import Path


def leaks(table):
    Path("ran").touch()
    return table.height


def honest(table, rng):
    Path("ran").touch()
    return int(rng.integers(2))
"""
LEFT, RIGHT = pl.DataFrame({"age": [1, 2]}), pl.DataFrame({"age": [1]})


@pytest.fixture
def finding(tmp_path, monkeypatch):
    (tmp_path / "it.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    pair = Pair(LEFT, RIGHT, Neighbours.ADD_REMOVE, "given")
    found = audit(load_target("it.py:leaks", isolate="none"), DP(1), pairs=[pair], deterministic=True)
    (tmp_path / "ran").unlink()
    return found


@pytest.fixture
def replayed(tmp_path, monkeypatch, capsys):
    """Runs the verb on a finding; the exit code, what was printed, what was told, and whether code of the file ran."""

    def run(finding, *options):
        (tmp_path / "w.json").write_text(dumps([finding]))
        monkeypatch.setattr(sys, "argv", ["crowdproof", "replay", "w.json", "--seed", "1", *options])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err, (tmp_path / "ran").exists()

    return run


def with_parameters(finding, **changes):
    parameters = {**finding.reproduce.parameters, **changes}
    return evolve(finding, reproduce=evolve(finding.reproduce, parameters=parameters))


def test_nothing_of_a_file_is_run_unasked(finding, replayed):
    command = with_parameters(finding, target={"spec": "command:touch ran\x1b[2J", "isolate": "none"})
    for each, shown in ((finding, "it.py:leaks"), (command, r"command:touch ran\x1b[2J")):
        code, out, err, ran = replayed(each)
        assert (code, out, ran) == (ExitCode.USAGE, "", False)
        assert shown in err
        assert "there is nobody to ask whether to run it" in err
        assert "\x1b" not in err


@pytest.mark.parametrize(("answer", "code", "ran"), [("y\n", 0, True), ("n\n", 2, False), ("", 2, False)])
def test_who_is_asked_decides(finding, replayed, monkeypatch, *, answer, code, ran):
    monkeypatch.setattr(verb, "is_terminal", lambda _: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    ended, _, err, did = replayed(finding)
    assert (ended, did) == (code, ran), err
    assert "Run it? [y/N]" in err


def test_the_code_that_ran_gives_the_finding_its_name(finding, replayed, tmp_path):
    code, out, err, ran = replayed(evolve(finding, subject="opendp 0.14"), "--yes", "--format", "json")
    (again,) = loads(out)
    assert (code, ran, again.subject) == (0, True, "it.py:leaks"), err
    words = again.evidence[1].text
    assert str(tmp_path / "it.py") in words
    assert "The file calls what it refutes 'opendp 0.14'; that this is the same is not checked." in words


@pytest.mark.slow
def test_the_caller_judges_and_not_the_file(finding, replayed):
    """A file that says that everything is random or certain confirms nothing about a target that leaks nothing."""
    forged = {"error": "0.999999", "deterministic": True}
    spec = {"spec": "it.py:honest", "isolate": "none", "timeout": None}
    code, out, err, _ = replayed(with_parameters(finding, target=spec, **forged), "--yes", "--runs", "400")
    assert code == ExitCode.UNDECIDED, err
    assert "The refutation is not confirmed" in out
    code, out, err, _ = replayed(with_parameters(finding, **forged), "--yes", "--format", "json", "--error", "1e-9")
    (again,) = loads(out)
    assert (code, again.certainty) == (0, Confidence(Fraction(1, 10**9))), err
    code, out, _, _ = replayed(with_parameters(finding, **forged), "--yes", "--format", "json", "--deterministic")
    assert (code, json.loads(out)[0]["certainty"]["kind"]) == (0, "exact")


def test_a_file_keeps_its_target_out_of_the_judge(finding, replayed, tmp_path):
    (tmp_path / "evil.py").write_text("import os\ndef f(table):\n    os._exit(0)\n")
    code, out, err, _ = replayed(with_parameters(finding, target={"spec": "evil.py:f", "isolate": "none"}), "--yes")
    assert code == ExitCode.BROKEN
    assert "ended its process with exit status 0" in " ".join((out + err).split())
