"""The pytest plugin, in a suite of its own as a user has it."""

import os
import re
import signal
import subprocess
import sys
import textwrap

import polars as pl
import pytest

from crowdproof.audit.gate.assertion import PrivacyError, assert_private
from crowdproof.errors import TargetError
from crowdproof.pytest_plugin import WATCH

TABLE = pl.DataFrame({"age": [20, 20, 30, 30, 30, 95]})

SUITE = """
import os
import posix

import numpy as np
import polars as pl
import pytest

TABLE = pl.DataFrame({"age": [20, 20, 30, 30, 30, 95]})

def noisy_count(table, rng, epsilon=1.0):
    stay = -np.expm1(-epsilon)
    return int(table.height + rng.geometric(stay) - rng.geometric(stay))

def leaky_count(table, rng):
    return noisy_count(table, rng, epsilon=4.0)

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE, runs=1500)
def test_noisy(assert_private):
    assert_private(noisy_count)

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE, runs=1500)
def test_leaky(assert_private):
    assert_private(leaky_count)

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE, runs=1500)
@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE.with_columns(pl.lit("leak").alias("tag")), runs=1500)
def test_one_claim_for_two_tables(assert_private):
    assert_private(lambda table, rng: noisy_count(table, rng, 4.0 if "tag" in table.columns else 1.0), "dp(epsilon=1)")

@pytest.mark.privacy_claim("dp(epsilon=1)")
def test_forgot_to_audit():
    pass

def test_without_a_claim(assert_private):
    assert_private(noisy_count, data=TABLE)

def test_claim_in_place(assert_private):
    assert_private(noisy_count, "dp(epsilon=1)", data=TABLE, runs=1500)

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE)
def test_broken(assert_private):
    assert_private(lambda table, rng: 1 / 0)

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE)
def test_that_ends_everything(assert_private):
    assert_private(lambda table, rng: os._exit(0))

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE)
def test_that_ends_everything_by_another_name(assert_private):
    assert_private(lambda table, rng: posix._exit(0))

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE)
def test_that_becomes_another_program(assert_private):
    assert_private(lambda table, rng: os.execlp("true", "true"))

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE)
def test_that_exits(assert_private):
    assert_private(lambda table, rng: exit(0))

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE, runs=1500)
def test_another_claim_than_the_stated_one(assert_private):
    assert_private(noisy_count, "dp(epsilon=4)")

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE, runs=1500)
@pytest.mark.privacy_claim("dp(epsilon=2)", data=TABLE, runs=1500)
def test_two_claims_that_hold(assert_private):
    assert_private(noisy_count)

@pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE, runs=1500)
class TestStatedOfTheClass:
    @pytest.mark.privacy_claim("dp(epsilon=4)", data=TABLE, runs=1500)
    def test_claim_of_the_class(self, assert_private):
        assert_private(leaky_count)

def test_of_something_else():
    pass
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_release.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--strict-markers", "-p", "no:cacheprovider", str(folder)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_claims_pass_and_fail_as_they_should(ran):
    outcome = {
        line.split("::")[-1].split(" ")[0]: line.split(" ")[0] for line in ran.stdout.splitlines() if ".py::" in line
    }
    assert outcome == {
        "test_noisy": "PASSED",
        "test_leaky": "FAILED",
        "test_one_claim_for_two_tables": "FAILED",
        "test_forgot_to_audit": "FAILED",
        "test_without_a_claim": "FAILED",
        "test_claim_in_place": "PASSED",
        "test_broken": "FAILED",
        "test_that_ends_everything": "FAILED",
        "test_that_ends_everything_by_another_name": "FAILED",
        "test_that_becomes_another_program": "FAILED",
        "test_that_exits": "FAILED",
        "test_another_claim_than_the_stated_one": "FAILED",
        "test_two_claims_that_hold": "PASSED",
        "test_claim_of_the_class": "FAILED",
        "test_of_something_else": "PASSED",
    }


def test_a_failure_shows_the_witness(ran):
    for words in (
        "the claim dp(epsilon=1) did not hold up",
        "The claim is false",
        "has",
        "probability",
        "which was not audited",
    ):
        assert words in ran.stdout
    assert "ZeroDivisionError" in ran.stdout
    told = "it ends its process with os._exit(0): let it return or raise, or isolate it."
    assert sum(line.startswith("E ") and told in line for line in ran.stdout.splitlines()) == 2  # not the summary
    assert "it ends its process with os.execv(" in ran.stdout


def test_the_library_is_not_loaded_until_it_is_used():
    script = textwrap.dedent(
        """
        import sys
        import crowdproof.pytest_plugin
        heavy = [name for name in ("numpy", "polars", "scipy", "crowdproof.audit") if name in sys.modules]
        sys.exit(" ".join(heavy) or 0)
        """
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert loaded.returncode == 0, loaded.stderr


def test_the_assertion_hands_back_or_raises_its_finding():
    finding = assert_private(lambda table, rng: 3, "dp(epsilon=1)", data=TABLE, runs=200, deterministic=True)
    assert finding.verdict.name == "NOT_REFUTED"
    with pytest.raises(PrivacyError) as caught:
        assert_private(lambda table, rng: table.height, "dp(epsilon=1)", data=TABLE, runs=200, deterministic=True)
    assert caught.value.finding.verdict.name == "REFUTED"
    assert isinstance(caught.value, AssertionError)


def test_what_cannot_be_decided_or_run_does_not_pass():
    def noise(table, rng):
        return float(rng.normal())

    with pytest.raises(PrivacyError, match="UNDECIDED"):
        assert_private(noise, "dp(epsilon=1)", data=TABLE, runs=30)

    def broken(table, rng):
        raise KeyError("age")

    with pytest.raises(TargetError, match="age"):
        assert_private(broken, "dp(epsilon=1)", data=TABLE)


# --- a process that is ended is no pass ----------------------------------------------------------------------------

HEAD = """
import atexit, ctypes, os, posix, sys, threading
from os import _exit, execv
import pytest

def write_everywhere():
    for number in range(3, 20):
        try: os.write(number, bytes(17))
        except OSError: pass
"""
AUDIT = """
def test_audit(assert_private):
    import polars as pl
    assert_private(lambda table, rng: {end}, "dp(epsilon=1)", data=pl.DataFrame({{"age": [20, 30]}}))
"""
PASSING = "def test_passing():\n    assert True\n"
FAILING = "def test_failing():\n    assert False\n"


def command(*arguments):
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *arguments]


def pytest_on(folder, *arguments, conftest="", **files):
    """Run pytest as a command on these files."""
    for name, text in {"conftest": conftest, **files}.items():
        (folder / f"{name}.py").write_text(HEAD + text)
    return subprocess.run(command(*arguments), cwd=folder, capture_output=True, text=True, timeout=300)


def check_that_it_is_no_pass(ran, how):
    assert ran.returncode == 3, ran.stdout + ran.stderr
    assert f"the process of pytest ended with {how} before its session was over" in ran.stderr
    assert 'load_target("module:function", isolate="fresh")' in ran.stderr
    assert "passed" not in ran.stdout


@pytest.mark.parametrize("end", ["_exit(0)", "ctypes.CDLL(None)._exit(0)", "execv(sys.executable, ['it', '-c', ''])"])
def test_an_audited_target_that_ends_pytest_is_no_pass(tmp_path, end):
    check_that_it_is_no_pass(pytest_on(tmp_path, test_it=PASSING + AUDIT.format(end=end)), "exit status 0")


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("os._exit(0)", 0),
        ("posix._exit(0)", 0),
        ("ctypes.CDLL(None).exit(0)", 0),
        ("os.execv(sys.executable, ['it', '-c', ''])", 0),
        ("t = threading.Thread(target=os._exit, args=[0]); t.start(); t.join()", 0),
        ("write_everywhere(); _exit(0)", 0),
        ("os._exit(5)", 5),  # which some builds let pass: no tests
    ],
)
def test_a_test_that_ends_pytest_is_no_pass(tmp_path, end, status):
    check_that_it_is_no_pass(pytest_on(tmp_path, test_it=f"{PASSING}def test_it(): {end}\n"), f"exit status {status}")


@pytest.mark.parametrize(
    "files",
    [
        {"conftest": "_exit(0)"},
        {"conftest": "sys.exit(0)"},
        {"test_it": "_exit(0)"},
        {"conftest": "def pytest_sessionfinish():\n    _exit(0)\n", "test_it": FAILING},
        {"conftest": "def pytest_unconfigure():\n    _exit(0)\n", "test_it": FAILING},
    ],
)
def test_an_end_outside_of_the_tests_is_no_pass(tmp_path, files):
    check_that_it_is_no_pass(pytest_on(tmp_path, **files), "exit status 0")


@pytest.mark.parametrize(
    ("late", "code"),
    [("_exit(0)", 1), ("_exit(5)", 1), ("_exit(7)", 7), ("os.kill(os.getpid(), 9)", -9), ("os.abort()", -6)],
)
def test_a_failure_that_was_told_is_not_taken_back(tmp_path, late, code):
    ran = pytest_on(tmp_path, conftest=f"atexit.register(lambda: {late})", test_it=FAILING)
    assert (ran.returncode, ran.stderr) == (code, "")
    assert "1 failed" in ran.stdout


def test_a_fork_of_a_test_that_goes_on_as_pytest_tells_nothing(tmp_path):
    """Its parent is judged, whichever of the two comes to the end first."""
    forking = "def test_it():\n    if os.fork() == 0: return\n    os.wait()\n    assert False\n"
    ran = pytest_on(tmp_path, test_it=forking)
    assert ran.returncode == 1, ran.stderr
    assert "1 failed" in ran.stdout


# --- what is in order is as it was ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "text", "code"),
    [
        ([], PASSING, 0),
        (["-n", "1"], PASSING, 0),
        (["-s", "--cov", ".", "--cov-fail-under", "60"], PASSING, 0),
        (["--collect-only"], PASSING, 0),
        (["--help"], PASSING, 0),
        (["--version"], PASSING, 0),
        (["-VV"], PASSING, 0),
        ([], "def test_exit(): pytest.exit('enough', returncode=0)\n", 0),
        ([], FAILING, 1),
        (["-n", "1"], FAILING, 1),
        ([], "def test_interrupted(): raise KeyboardInterrupt\n", 2),
        ([], "def broken(:\n", 2),
        ([], "sys.exit(0)", 3),
        (["--nonsense"], PASSING, 4),
        (["nowhere"], PASSING, 4),
        ([], "", 5),
        ([], "def test_it(): os.kill(os.getpid(), 15)", -15),
    ],
)
def test_everything_else_ends_and_prints_as_without_a_watch(tmp_path, arguments, text, code):
    ran = pytest_on(tmp_path, *arguments, test_it=text)
    plain = pytest_on(tmp_path, *arguments, "-o", f"{WATCH}=false", test_it=text)
    assert (ran.returncode, plain.returncode) == (code, code), ran.stdout + ran.stderr
    assert settled(ran.stdout) == settled(plain.stdout)
    assert settled(ran.stderr) == settled(plain.stderr)


def settled(text):
    """Without what differs from run to run."""
    return re.sub(r"[0-9.]+s\b|0x[0-9a-f]+", "", text)


ASKS = "def test_it(pytestconfig):\n    from crowdproof.pytest_plugin import _LINE\n"
WATCHED = f"{ASKS}    assert pytestconfig.stash.get(_LINE, None) is not None\n"
ALONE = f"{ASKS}    assert pytestconfig.stash.get(_LINE, None) is None\n"
NESTED = """
def test_it(pytester):
    pytester.makepyfile(test_nested={text!r})
    pytester.runpytest_{how}().assert_outcomes(passed=1)
"""
PROGRAM = "import sys, threading, pytest\nfrom _pytest import config\n"
CONSOLE = "sys.exit(getattr(config, '_console_main', config.console_main)())"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], WATCHED),
        (["-n", "1"], ALONE),  # a worker; what ends it is told by the process that started it
        (["-o", f"{WATCH}=false"], ALONE),
        (["-p", "pytester"], NESTED.format(text=ALONE, how="inprocess")),
        (["-p", "pytester"], NESTED.format(text=WATCHED, how="subprocess")),
    ],
)
def test_a_command_is_watched_and_nothing_else(tmp_path, arguments, text):
    ran = pytest_on(tmp_path, *arguments, test_it=text)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (CONSOLE, WATCHED),
        ("sys.exit(pytest.main())", ALONE),
        (f"sys.settrace(lambda *_: None)\n{CONSOLE}", ALONE),
        (f"threading.Thread(target=threading.Event().wait, daemon=True).start()\n{CONSOLE}", ALONE),
        (f"import os\ndel os.fork\n{CONSOLE}", ALONE),
    ],
)
def test_a_program_is_watched_only_where_a_fork_harms_nobody(tmp_path, program, text):
    (tmp_path / "test_it.py").write_text(text)
    line = [sys.executable, "-c", PROGRAM + program, "-p", "no:cacheprovider"]
    ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_suite_without_the_plugin_is_left_alone(tmp_path):
    assert pytest_on(tmp_path, "-p", "no:crowdproof", test_it=PASSING).returncode == 0
    assert pytest_on(tmp_path, "-p", "no:crowdproof", test_it="_exit(0)").returncode == 0


SLOW = "import time\ndef test_slow():\n    print('at work', file=sys.__stderr__, flush=True)\n    time.sleep(100)\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 2), (signal.SIGTERM, -15), (signal.SIGKILL, -9)])
def test_a_signal_reaches_pytest_and_nothing_stays_behind(tmp_path, number, code):
    (tmp_path / "test_it.py").write_text(HEAD + PASSING + SLOW)
    with subprocess.Popen(command("-s"), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr.readline() == b"at work\n"
        process.send_signal(number)
        assert process.wait(60) == code
        shown = process.stdout.read()  # which ends when nobody is left who could write
    assert (b"1 passed" in shown) == (number == signal.SIGINT)


LINGERING = "import time\ndef pytest_keyboard_interrupt(): time.sleep(0.5)\n"
"""After one interrupt, time in which another one would show."""


class Terminal:
    """Pytest in a terminal, and what it shows there."""

    def __init__(self, folder, *arguments):
        self.pid, self.line = os.forkpty()
        if self.pid == 0:
            os.chdir(folder)
            os.execv(sys.executable, command(*arguments))
        self.shown = b""

    def wait_for(self, text):
        while text not in self.shown:
            self.shown += os.read(self.line, 1000)

    def press(self, keys):
        os.write(self.line, keys)

    def end(self):
        """The exit status, after all is shown."""
        try:
            while part := os.read(self.line, 1000):
                self.shown += part
        except OSError:  # nobody is left at the other end
            pass
        os.close(self.line)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_ctrl_c_interrupts_once_and_the_summary_is_shown(tmp_path):
    (tmp_path / "test_it.py").write_text(HEAD + PASSING + SLOW)
    (tmp_path / "conftest.py").write_text(LINGERING)
    terminal = Terminal(tmp_path, "-s")
    terminal.wait_for(b"at work")
    terminal.press(b"\x03")
    assert terminal.end() == 2
    assert b"KeyboardInterrupt" in terminal.shown
    assert b"1 passed" in terminal.shown


def test_the_debugger_has_the_terminal(tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it():\n    answer = 6\n    assert answer == 7\n")
    terminal = Terminal(tmp_path, "--pdb")
    terminal.wait_for(b"(Pdb)")
    terminal.press(b"answer * 7000\n")
    terminal.wait_for(b"42000")
    terminal.press(b"c\n")
    assert terminal.end() == 1
    assert b"1 failed" in terminal.shown


# --- outcomes that a target raises --------------------------------------------------------------------------------

OUTCOMES = """
import unittest

import polars as pl
import pytest

TABLE = pl.DataFrame({"age": [20, 20, 30, 30, 30, 95]})
CLAIM = pytest.mark.privacy_claim("dp(epsilon=1)", data=TABLE, runs=1500)


class Interrupt(KeyboardInterrupt, pytest.exit.Exception):
    returncode = 0


class Own(ValueError, pytest.skip.Exception):
    pass


def hidden():
    __tracebackhide__ = lambda info: pytest.exit("bye", returncode=0)
    raise ValueError


def interrupt():
    raise Interrupt("bye")


def own():
    raise Own("bye")


def skip_test():
    raise unittest.SkipTest("bye")


ENDS = {
    "exit": lambda: pytest.exit("bye", returncode=0),
    "skip": lambda: pytest.skip("bye"),
    "xfail": lambda: pytest.xfail("bye"),
    "importorskip": lambda: pytest.importorskip("no_such_package"),
    "SkipTest": skip_test,
    "of its own": own,
    "shown": hidden,
}


class Looked:
    def __init__(self, end):
        self.end = end

    def __getattr__(self, name):
        self.end()

    def __call__(self, table, rng):
        return 1


class Named(Looked):
    def __getattr__(self, name):
        if name == "name":
            self.end()
        raise AttributeError(name)


def kind_of(end):
    class Meta(type):
        def __getattribute__(cls, name):
            end()

        def __instancecheck__(cls, other):
            end()

    return Meta("Returned", (), {"__getattr__": lambda self, name: end(), "__repr__": lambda self: end()})


@CLAIM
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("where", ["looked", "called", "returned"])
def test_it(assert_private, where, end):
    end = ENDS[end]
    returned = kind_of(end)
    targets = {
        "looked": Looked(end),
        "called": lambda table, rng: end(),
        "returned": lambda table, rng: type.__call__(returned),
    }
    assert_private(targets[where])


@CLAIM
@pytest.mark.parametrize("end", ENDS)
def test_named(assert_private, end):
    assert_private(Named(ENDS[end]))


@CLAIM
def test_honest(assert_private):
    assert_private(lambda table, rng: 1)
"""


@pytest.mark.slow
def test_no_outcome_that_a_target_raises_is_one_of_the_test(tmp_path):
    (tmp_path / "test_it.py").write_text(OUTCOMES)
    ran = subprocess.run(command("-rA", "-q"), cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    lines = [line.split() for line in ran.stdout.splitlines() if ".py::" in line]
    passed = {each[1].split("::")[1].split("[")[0] for each in lines if each[0] == "PASSED"}
    failed = [each[1] for each in lines if each[0] == "FAILED"]
    assert passed == {"test_named", "test_honest"}  # the name is for the report, and no verdict hangs on it
    assert len([each for each in failed if "test_it[" in each]) == 3 * 7
    assert "skipped" not in ran.stdout.splitlines()[-1]


@pytest.mark.slow
def test_an_interrupt_that_a_target_raises_is_no_pass(tmp_path):
    text = f"{OUTCOMES}\n\n@CLAIM\ndef test_interrupted(assert_private):\n    assert_private(Looked(interrupt))\n"
    (tmp_path / "test_it.py").write_text(text)
    line = command("-k", "interrupted or honest")
    assert subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=300).returncode == 2
