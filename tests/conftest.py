"""What every test shares: Hypothesis draws the same examples in every run; the command line runs in this process."""

import signal
import sys

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "deterministic", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("deterministic")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Nobody waits for the clock to go on, but tests of what depends on it."""
    monkeypatch.setattr("crowdproof.audit.targets.behaviour.TICKS", 0)


@pytest.fixture
def command_line(monkeypatch, capsys):
    """The command line, in this process: its exit code, and what it wrote to stdout and stderr."""
    from crowdproof.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["crowdproof", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run
