"""The command line as a person meets it: help, errors in one sentence, exit codes."""

import re
import subprocess
import sys

import pytest
from report.samples import SAMPLES

from crowdproof.cli import VERBS, cli, main
from crowdproof.errors import ExitCode
from crowdproof.report import render
from crowdproof.wire import dumps


def crowdproof(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "crowdproof", *arguments], capture_output=True, text=True)


def test_help_lists_every_verb_and_the_exit_codes():
    shown = crowdproof("--help")
    assert shown.returncode == 0
    for verb in VERBS:
        assert f"\n  {verb} " in shown.stdout
    for code in ExitCode:
        assert f"{int(code)} " in shown.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_loads_and_explains_itself(verb):
    command = cli.get_command(None, verb)
    assert command is not None
    assert command.name == verb
    assert command.help


@pytest.mark.parametrize("arguments", [["frobnicate"], ["--nonsense"]])
def test_a_usage_error_is_one_sentence_and_code_2(arguments):
    failed = crowdproof(*arguments)
    assert failed.returncode == ExitCode.USAGE
    assert failed.stdout == ""
    assert "Error: " in failed.stderr
    assert "Traceback" not in failed.stderr


def test_help_imports_nothing_heavy():
    """Heavy imports would make `--help` slow; this is the cause of that, tested without a clock."""
    program = (
        "import sys\n"
        "from crowdproof.cli import main, watch\n"
        "sys.argv = ['crowdproof', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'sympy', 'z3', 'polars', 'pyarrow', 'flint', 'cvc5', 'matplotlib', 'hypothesis'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "HEAVY []" in ran.stdout, ran.stdout + ran.stderr


def bad_verb(monkeypatch) -> None:
    """`crowdproof plan` is made to fail in a way that nobody foresaw."""

    def broken(**_: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(cli.get_command(None, "plan"), "callback", broken)


@pytest.mark.parametrize("arguments", [["plan"], ["plan", "--verbose"], ["--verbose", "plan"], ["-v", "plan", "-q"]])
def test_an_unforeseen_error_shows_where_it_arose_only_with_verbose(arguments, monkeypatch, capsys):
    bad_verb(monkeypatch)
    monkeypatch.setattr(sys, "argv", ["crowdproof", *arguments])
    monkeypatch.delenv("CROWDPROOF_DEBUG", raising=False)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == ExitCode.BROKEN
    shown = capsys.readouterr().err
    assert ("Traceback" in shown) == ("-q" not in arguments and len(arguments) > 1)
    assert "crowdproof: internal error: RuntimeError: unforeseen. This is a bug of crowdproof" in shown


class PanicError(BaseException):
    """Not an Exception, as a panic of polars is none."""


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (SystemExit(0), r"ended with sys\.exit\(0\), and that is no verdict"),
        (SystemExit(1), r"ended with sys\.exit\(1\), and that is no verdict"),
        (GeneratorExit(), "internal error: GeneratorExit"),
        (PanicError("oh"), "internal error: PanicError: oh"),
        (KeyboardInterrupt(), "Interrupted"),
    ],
)
def test_no_end_of_a_verb_but_its_own_is_a_verdict(end, words, monkeypatch, capsys):
    def ending(**_: object) -> None:
        raise end

    monkeypatch.setattr(cli.get_command(None, "plan"), "callback", ending)
    monkeypatch.setattr(sys, "argv", ["crowdproof", "plan"])
    monkeypatch.delenv("CROWDPROOF_DEBUG", raising=False)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == ExitCode.BROKEN
    assert re.search(words, capsys.readouterr().err)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_can_be_made_quiet_or_verbose_once(verb):
    for _ in range(2):  # a verb that is looked up again has each option once
        names = [param.name for param in cli.get_command(None, verb).params]
    assert names.count("quiet") == 1
    assert names.count("verbose") == 1


@pytest.mark.slow
def test_quiet_leaves_the_verdict_and_nothing_on_stderr(tmp_path):
    asked = ["prove", "gamma", "--certificates", str(tmp_path / "c")]
    told, still = crowdproof(*asked), crowdproof(*asked, "--quiet")
    assert "files written below" in told.stderr
    assert still.stderr == ""
    headings = [line for line in told.stdout.splitlines() if line.startswith("PROVED")]
    assert still.stdout.splitlines() == headings


def test_quiet_prints_one_line_for_each_claim_and_files_are_whole(tmp_path, command_line):
    saved, whole = tmp_path / "saved.json", tmp_path / "whole.txt"
    saved.write_text(dumps(SAMPLES), encoding="utf-8")
    _, out, _ = command_line("report", str(saved), "--quiet", "--format", "text", "--format", f"text={whole}")
    assert [line.split(" ")[0] for line in out.splitlines()] == [each.verdict.name for each in SAMPLES]
    assert whole.read_text(encoding="utf-8") == render(SAMPLES, "text")


def test_quiet_keeps_numbers_that_were_asked_for(command_line):
    asked = ["plan", "--epsilon", "1", "--delta", "1e-6", "--beta", "0.1"]
    assert command_line(*asked, "--quiet") == command_line(*asked)


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "m:f", "--claim", "dp(epsilon=1)", "--witness", "nowhere/w.json"],
        ["audit", "m:f", "--claim", "dp(epsilon=1)", "--format", "html=nowhere/r.html"],
        ["gate", "--badge", "nowhere/b.json"],
        ["demo", "--output", "nowhere/r.html"],
        ["report", "x.json", "--format", "json=/"],
    ],
)
def test_a_file_that_cannot_be_written_is_told_before_the_work(arguments):
    failed = crowdproof(*arguments)
    assert failed.returncode == ExitCode.USAGE
    assert failed.stdout == ""
    assert re.fullmatch(r"crowdproof: cannot write \S+: .*\. Give a file in a folder that exists\.\n", failed.stderr)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--seconds", "0"),
        ("--seconds", "nan"),
        ("--seconds", "inf"),
        ("--timeout", "0"),
        ("--timeout", "nan"),
        ("--timeout", "inf"),
        ("--timeout", "3e6"),
    ],
)
def test_a_time_is_a_positive_number_and_the_system_can_wait_for_it(option, value):
    failed = crowdproof("audit", "m:f", "--claim", "dp(epsilon=1)", option, value)
    assert failed.returncode == ExitCode.USAGE
    assert "Traceback" not in failed.stderr
    assert f"Invalid value for '{option}'" in failed.stderr


def test_a_reader_who_leaves_gets_no_traceback_and_no_verdict():
    asked = f"{sys.executable} -m crowdproof bound --k 20 --beta 0.1 --epsilon 0.5 | true; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", asked], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (ExitCode.BROKEN, "")


PLAN = ["plan", "--epsilon", "1", "--delta", "1e-6", "--columns", "age"]


@pytest.mark.slow
def test_columns_of_no_table_are_refused_and_those_of_a_table_are_not(tmp_path):
    failed = crowdproof(*PLAN)
    assert (failed.returncode, failed.stdout) == (ExitCode.USAGE, "")
    assert failed.stderr == "crowdproof: --columns names the columns of a table: give the table with --data FILE.\n"
    (tmp_path / "people.csv").write_text("age,zip\n" + "30,1\n" * 50)
    planned = crowdproof(*PLAN, "--data", str(tmp_path / "people.csv"))
    assert planned.returncode == ExitCode.HELD, planned.stderr
