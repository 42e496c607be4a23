"""The command line as a person meets it: help, errors in one sentence, exit codes."""

import subprocess
import sys

import pytest

from crowdproof.cli import VERBS, cli
from crowdproof.errors import ExitCode


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
        "import sys, runpy\n"
        "sys.argv = ['crowdproof', '--help']\n"
        "try: runpy.run_module('crowdproof', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'sympy', 'z3', 'polars', 'pyarrow', 'flint', 'cvc5', 'matplotlib', 'hypothesis'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "HEAVY []" in ran.stdout, ran.stdout + ran.stderr
