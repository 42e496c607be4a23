"""Progress is seen by a person at a terminal, and by nobody who does not want it."""

import os
import pty
import subprocess
import sys

import click
import pytest

from crowdproof.cli import loudness, progress


def seen_on_the_terminal(*arguments: str) -> str:
    """What a person sees on stderr."""
    master, slave = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    command = [sys.executable, "-m", "crowdproof", *arguments]
    ran = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, env=environment, text=True)
    report, _ = ran.communicate()
    assert "PROVED" in report
    assert ran.returncode == 0
    os.set_blocking(master, False)
    try:
        return os.read(master, 100_000).decode()
    except BlockingIOError:
        return ""
    finally:
        os.close(slave)
        os.close(master)


@pytest.mark.slow
def test_a_person_sees_that_something_goes_on_unless_it_is_to_be_quiet():
    assert "checking the statements" in seen_on_the_terminal("prove", "gamma")
    assert seen_on_the_terminal("prove", "gamma", "--quiet") == ""


@pytest.mark.parametrize("chosen", ["verbose", "quiet", None])
def test_a_log_has_lines_only_with_verbose(chosen, monkeypatch, capsys):
    monkeypatch.setattr(progress, "SELDOM", 0.0)
    monkeypatch.setattr(progress, "OFTEN", 0.0)
    option = {param.name: param for param in loudness.options()}
    with click.Context(click.Command("x")) as context:
        if chosen is not None:
            option[chosen].callback(context, option[chosen], True)
        with progress.StderrProgress("dp(epsilon=1)") as told:
            told.update(1500, 2000, "e-value 3")
            told.update(1600, None, "e-value 4")
    lines = ["dp(epsilon=1): 1,500 runs of 2,000; e-value 3", "dp(epsilon=1): 1,600 runs; e-value 4"]
    assert capsys.readouterr().err.splitlines() == (lines if chosen == "verbose" else [])
