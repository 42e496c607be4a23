"""What is asked for is written wherever it can be, and what cannot be written is told in one sentence."""

import json
import subprocess
import sys

import pytest
from gate_projects import entry, project_file
from report.samples import SAMPLES

from crowdproof.cli import cli
from crowdproof.cli.options import deliver
from crowdproof.errors import ExitCode, ParameterError
from crowdproof.report import render
from crowdproof.wire import dumps, loads

FULL = "cannot write /dev/full: No space left on device. Make room there, or write elsewhere."
LEAK = "def f(table):\n    return sorted(table['age'].to_list())\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with saved findings, a project of one claim, and a target that leaks."""
    (tmp_path / "saved.json").write_text(dumps(SAMPLES), encoding="utf-8")
    project_file(tmp_path, entry("constant", target="constant.py:f", isolate="'none'", runs="60"))
    (tmp_path / "constant.py").write_text("def f(table):\n    return 3\n")
    (tmp_path / "leak.py").write_text(LEAK)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def crowdproof(folder, command_line):
    """The command line in that folder."""
    return command_line


def shell(command):
    """A line of bash in which `crowdproof` is this one; the exit code is that of the first process."""
    line = f'crowdproof() {{ {sys.executable} -m crowdproof "$@"; }}; {command}; exit ${{PIPESTATUS[0]}}'
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True)


# --- one output that cannot be written --------------------------------------------------------------------------


def test_reports_around_one_that_cannot_be_written_are_written(crowdproof, folder):
    formats = ["--format", "json=/dev/full", "--format", "text", "--format", "sarif=after.sarif"]
    code, out, err = crowdproof("report", "saved.json", *formats)
    assert (code, err) == (ExitCode.USAGE, f"crowdproof: {FULL}\n")
    assert out == render(SAMPLES, "text") + "\n"
    assert (folder / "after.sarif").read_text(encoding="utf-8") == render(SAMPLES, "sarif")


def test_where_all_can_be_written_nothing_is_said(crowdproof, folder):
    code, out, err = crowdproof("report", "saved.json", "--format", "json=again.json", "--format", "text")
    assert (code, out, err) == (ExitCode.HELD, render(SAMPLES, "text") + "\n", "")
    assert loads((folder / "again.json").read_text(encoding="utf-8")) == list(SAMPLES)


@pytest.mark.parametrize(("witness", "told"), [("/dev/full", f"crowdproof: {FULL}\n"), ("w.json", "")])
def test_a_witness_that_cannot_be_written_leaves_the_report(crowdproof, folder, witness, told):
    options = ["--claim", "dp(epsilon=1)", "--data", "people.csv", "--isolate", "none", "--search", "0", "--seed", "1"]
    code, out, err = crowdproof("audit", "leak.py:f", *options, "--witness", witness)
    assert (code, err) == (ExitCode.REFUTED, told)
    assert out.startswith("REFUTED  leak.py:f")
    assert (folder / "w.json").exists() == (not told)


VERDICTS = {"leak": ExitCode.REFUTED, "constant": ExitCode.HELD, "unfound": ExitCode.BROKEN}
"""A claim about a target of that name -> what a gate of it says that can tell it."""


@pytest.mark.processes
@pytest.mark.parametrize(
    ("ending", "failure"),
    [
        (">/dev/full", ExitCode.USAGE),
        (">&-", ExitCode.USAGE),
        ("--format json=/dev/full", ExitCode.USAGE),
        ("--badge /dev/full", ExitCode.USAGE),
        ("| true", ExitCode.BROKEN),
    ],
)
@pytest.mark.parametrize("target", VERDICTS)
def test_a_report_that_cannot_be_delivered_hides_no_refutation(folder, target, ending, failure):
    project_file(folder, entry("it", target=f"{target}.py:f", isolate="'none'"))
    ran = shell(f"crowdproof gate --seed 1 --quiet {ending}")
    held = VERDICTS[target] is ExitCode.HELD
    assert ran.returncode == (failure if held else VERDICTS[target]), ran.stderr
    assert len(ran.stderr.splitlines()) == (0 if failure is ExitCode.BROKEN else 1)


def test_a_fault_in_a_report_hides_no_refutation(capsys):
    def faulty():
        raise ZeroDivisionError("no such report")

    assert deliver([faulty], ExitCode.REFUTED) is ExitCode.REFUTED
    assert "internal error: ZeroDivisionError: no such report" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError):
        deliver([faulty], ExitCode.UNDECIDED)


CLOSING = """
import sys

def {name}(table):
    for stream in ({streams}):
        {close}
    return {output}
"""
LEAKING, SAFE = "sorted(table['age'].to_list())", "3"


@pytest.mark.processes
@pytest.mark.parametrize(
    ("streams", "close"),
    [
        ("sys.__stdout__,", "stream.close()"),
        ("sys.__stdout__, sys.stdout, sys.__stderr__", "stream.close()"),
        ("'stdout', 'stderr'", "setattr(sys, stream, None)"),
        ("sys.__stdout__,", "stream.buffer is None or stream.buffer.close()"),
    ],
)
@pytest.mark.parametrize(("output", "code"), [(LEAKING, ExitCode.REFUTED), (SAFE, ExitCode.USAGE)])
def test_a_target_that_closes_our_streams_hides_no_refutation(folder, streams, close, output, code):
    (folder / "closing.py").write_text(CLOSING.format(name="f", streams=streams, close=close, output=output))
    project_file(folder, entry("it", target="closing.py:f", isolate="'none'"))
    ran = shell("crowdproof gate --seed 1 --format text --format json=out.json")
    told = loads((folder / "out.json").read_text(encoding="utf-8"))
    assert [each.verdict.name for each in told] == ["REFUTED" if output == LEAKING else "NOT_REFUTED"]
    put_back = "setattr" in close  # after each run standard output is what it was before
    assert ran.returncode == (ExitCode.HELD if put_back and output == SAFE else code), ran.stderr
    assert "Traceback" not in ran.stderr
    assert "internal error" not in ran.stderr


def test_the_summary_of_a_gate_is_told_whatever_became_of_its_files(crowdproof):
    code, _, err = crowdproof("gate", "--seed", "1", "--badge", "/dev/full", "--format", "text=/dev/full")
    assert code == ExitCode.USAGE
    summary, error = err.splitlines()
    assert summary.startswith("1 claim: 1 not refuted")
    assert error == f"crowdproof: {FULL}"


def test_the_badge_and_the_reports_of_a_gate_are_written(crowdproof, folder):
    code, _, err = crowdproof("gate", "--seed", "1", "--badge", "b.json", "--format", "text=r.txt")
    assert (code, len(err.splitlines())) == (ExitCode.HELD, 1)
    assert json.loads((folder / "b.json").read_text())["color"] == "blue"
    assert (folder / "r.txt").read_text(encoding="utf-8").startswith("NOT_REFUTED  constant")


def test_a_fault_in_one_report_keeps_no_other_from_being_written():
    written = []

    def faulty():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        deliver([faulty, lambda: written.append(1)])
    assert written == [1]


def test_each_place_that_cannot_be_written_is_told_once():
    def failing(name):
        def fail():
            raise ParameterError(f"cannot write {name}.")

        return fail

    with pytest.raises(ParameterError, match=r"^cannot write a\. cannot write b\.$"):
        deliver([failing("a"), failing("b"), failing("a")])


def test_certificates_are_written_where_the_report_cannot_be(crowdproof, folder):
    code, _, err = crowdproof("prove", "gamma", "--certificates", "c", "--format", "text=/dev/full")
    assert code == ExitCode.USAGE
    assert err.endswith(f"crowdproof: {FULL}\n")
    assert (folder / "c" / "MANIFEST").exists()


# --- nobody reads -----------------------------------------------------------------------------------------------

GATE = "crowdproof gate --seed 1 --format text --format sarif=g.sarif --badge b.json"


@pytest.mark.processes
@pytest.mark.parametrize(("reader", "code"), [("true", ExitCode.BROKEN), ("cat >/dev/null", ExitCode.HELD)])
def test_files_are_written_and_the_summary_is_told_whether_or_not_somebody_reads(folder, reader, code):
    ran = shell(f"{GATE} | {reader}")
    assert ran.returncode == code
    assert ran.stderr.startswith("1 claim: 1 not refuted")
    assert len(ran.stderr.splitlines()) == 1
    assert json.loads((folder / "g.sarif").read_text())["version"] == "2.1.0"
    assert json.loads((folder / "b.json").read_text())["color"] == "blue"


@pytest.mark.processes
def test_a_file_that_cannot_be_written_is_told_though_nobody_reads(folder):
    ran = shell("crowdproof report saved.json --format text --format json=/dev/full --format sarif=g.sarif | true")
    assert (ran.returncode, ran.stderr) == (ExitCode.USAGE, f"crowdproof: {FULL}\n")
    assert (folder / "g.sarif").exists()


@pytest.mark.processes
@pytest.mark.parametrize("printed", ["--help", "--version", "gate --help", "gate --print-schema", "attack --list"])
def test_help_that_nobody_reads_is_no_refutation(folder, printed):
    ran = shell(f"crowdproof {printed} | true")
    assert (ran.returncode, ran.stderr) == (ExitCode.BROKEN, "")
    assert shell(f"crowdproof {printed} | cat >/dev/null").returncode == ExitCode.HELD


# --- streams that take nothing ----------------------------------------------------------------------------------

REPORT = "crowdproof report saved.json"


@pytest.mark.processes
@pytest.mark.parametrize("stderr", ["2>/dev/full", "2>&-", "2>/dev/null"])
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("gate --seed 1 --verbose", ExitCode.HELD),
        ("gate nope.toml", ExitCode.USAGE),
        ("gate --nonsense", ExitCode.USAGE),
        ("gate --verbose nope.toml", ExitCode.USAGE),
        (f"{REPORT.partition(' ')[2]}", ExitCode.HELD),
    ],
)
def test_the_exit_code_does_not_depend_on_standard_error(folder, command, code, stderr):
    assert shell(f"crowdproof {command} >/dev/null {stderr}").returncode == code


@pytest.mark.processes
@pytest.mark.parametrize(
    ("stdout", "reason"),
    [
        (">/dev/full", "No space left on device. Make room there, or write elsewhere."),
        (">&-", "Bad file descriptor. Choose a place that can be written."),
    ],
)
@pytest.mark.parametrize("command", [REPORT, f"{REPORT} --format html", "crowdproof --help", "crowdproof gate --help"])
def test_standard_output_that_takes_nothing_is_told_in_one_sentence(folder, command, stdout, reason):
    ran = shell(f"{command} {stdout}")
    assert (ran.returncode, ran.stderr) == (
        ExitCode.USAGE,
        f"crowdproof: cannot write to standard output: {reason}\n",
    )


@pytest.mark.processes
@pytest.mark.parametrize("closed", [">&-", "<&-", "<&- >&- 2>&-"])
def test_where_nothing_is_printed_a_closed_stream_is_no_error(folder, closed):
    ran = shell(f"{REPORT} --format json=again.json {closed}")
    assert (ran.returncode, ran.stdout, ran.stderr) == (ExitCode.HELD, "", "")
    assert loads((folder / "again.json").read_text(encoding="utf-8")) == list(SAMPLES)


def test_an_error_of_the_system_that_has_nothing_to_do_with_the_streams_stays_what_it_is(crowdproof, monkeypatch):
    def broken(**_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(cli.get_command(None, "plan"), "callback", broken)
    monkeypatch.delenv("CROWDPROOF_DEBUG", raising=False)
    code, _, err = crowdproof("plan")
    assert code == ExitCode.BROKEN
    assert "internal error: OSError: [Errno 5] Input/output error" in err


@pytest.mark.processes
@pytest.mark.parametrize(("stderr", "lines"), [("2>&1", 2), ("2>/dev/full", 0)])
def test_what_is_wrong_with_a_suppression_is_told_where_it_can_be(folder, stderr, lines):
    config = folder / "privacy.toml"
    pass_ = "[[suppressions]]\nclaim = 'constant'\nfingerprint = '0'\nreason = 'none'\nuntil = 2020-01-31\n"
    config.write_text(f"{config.read_text()}\n{pass_}")
    ran = shell(f"crowdproof gate --seed 1 --format text=r.txt {stderr}")
    assert ran.returncode == ExitCode.USAGE
    assert len(ran.stdout.splitlines()) == lines
    assert ("the suppression of constant expired" in ran.stdout) == bool(lines)
