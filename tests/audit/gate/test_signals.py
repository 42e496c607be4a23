"""A gate or an audit that is asked to end by a signal writes what it has found, ends its targets, and is no pass."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from contextlib import closing
from pathlib import Path

import pytest
from gate_projects import entry, project_file

pytestmark = pytest.mark.processes

TARGETS = """
import os
import signal
import time
from pathlib import Path

Path("pids").open("a").write(f"{os.getpid()}\\n")

def leaks(table):
    return table.height

def honest(table):
    if Path("third-ran").exists():  # all targets were tried: this is the audit
        Path("settled").touch()
    return 3

def is_last():
    Path("third-ran").touch()
    return Path("settled").exists()

def noisy(table, rng):
    return int(table.height + rng.geometric(0.2) - rng.geometric(0.2))

def slow(table, rng):
    if is_last():
        Path("under-way").touch()
        time.sleep(0.1)
    return noisy(table, rng)

def asks(table, rng, number=15):
    if is_last():
        os.kill(os.getppid(), number)
    return noisy(table, rng)

def asks_once(table, rng, number=19):
    if is_last() and not Path("asked").exists():
        Path("asked").touch()
        os.kill(os.getppid(), number)
    return noisy(table, rng)

def moves(table, rng):
    if is_last() and not Path("../moved").exists():
        os.rename(os.getcwd(), "../moved")
    return noisy(table, rng)

def grows(table):
    with Path("runs").open("a") as runs:
        runs.write(".")
    slow_from = Path("slow-from")
    if slow_from.exists() and Path("runs").stat().st_size > int(slow_from.read_text()):
        Path("under-way").touch()
        time.sleep(0.1)
    return table.height % 2

def insists(table, rng):
    judge = os.getppid()
    if is_last() and os.fork() == 0:
        os.setsid()
        end = time.monotonic() + 60
        try:
            while time.monotonic() < end:
                for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                    os.kill(judge, number)
                time.sleep(0.001)
        finally:
            os._exit(0)
    return noisy(table, rng)

if __name__ == "__main__":
    import random
    import sys

    rows = len(sys.stdin.readlines())
    if is_last():
        Path("under-way").touch()
        time.sleep(random.random() / 10)
    print(f"height\\n{rows + random.choice([-1, 0, 1])}")
"""
EXACT = {"isolate": "'none'", "deterministic": "true"}
FORMATS = ["text=out.txt", "sarif=out.sarif", "junit=out.xml", "json=out.json"]
OUTPUTS = [word for each in FORMATS for word in ("--format", each)]


def gate_of(folder, *others):
    """A project whose first claim is false and whose second one is true, both found without statistics."""
    (folder / "it.py").write_text(TARGETS)
    leaks = entry("leaks", target="it.py:leaks", claim="dp(epsilon=1)", **EXACT)
    honest = entry("honest", target="it.py:honest", claim="dp(epsilon=2)", **EXACT)
    project_file(folder, leaks, honest, *others)
    return [sys.executable, "-m", "crowdproof", "gate", "--seed", "1", *OUTPUTS]


def claim(function, **more):
    """A third claim, which needs statistics."""
    return entry(
        "third", "dp(epsilon=3)", **{"target": f"it.py:{function}", "isolate": "'worker'", "runs": "9999"} | more
    )


def environment(folder):
    (folder / "tmp").mkdir(exist_ok=True)
    return {**os.environ, "TMPDIR": str(folder / "tmp")}


def run(folder, command):
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, env=environment(folder), check=False
    )


def signalled(folder, command, *numbers):
    """Run it, and send these signals as soon as its target is under way; the exit code and standard error."""
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(folder)
    ) as process:
        while not (folder / "under-way").exists():
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        for number in numbers:
            process.send_signal(number)
            time.sleep(0.002)
        shown = process.communicate(timeout=300)
    return process.returncode, *shown


def verdicts(folder):
    """Verdict by claim, which is the same in every report."""
    findings = json.loads((folder / "out.json").read_text())
    found = {each["subject"]: each["verdict"]["kind"] for each in findings}
    text = (folder / "out.txt").read_text()
    assert all(name in text for name in found)
    sarif = json.loads((folder / "out.sarif").read_text())
    refuted = [name for name, kind in found.items() if kind == "refuted"]
    errors = [each for each in sarif["runs"][0]["results"] if each["level"] == "error"]
    assert len(errors) == len(refuted)
    assert len(ET.fromstring((folder / "out.xml").read_text()).findall(".//failure")) == len(refuted)
    return found


def check_that_nothing_stays(folder):
    """Neither a process of a target nor a file of theirs."""
    assert list((folder / "tmp").iterdir()) == []
    pids = {int(line) for line in (folder / "pids").read_text().split()}
    deadline = time.monotonic() + 10
    while pids and time.monotonic() < deadline:
        pids = {pid for pid in pids if is_of(pid, folder)}
    assert not pids


def is_of(pid, folder):
    """Whether the process is alive and works in the folder."""
    try:
        return Path(f"/proc/{pid}/cwd").readlink() == folder
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_target_that_asks_the_judge_to_end_loses_no_finding(tmp_path, number):
    ran = run(tmp_path, gate_of(tmp_path, claim("asks", params=f"{{ number = {int(number)} }}")))
    assert ran.returncode == 1, ran.stderr
    assert verdicts(tmp_path) == {"leaks": "refuted", "honest": "not-refuted", "third": "undecided"}
    assert "Interrupted." in ran.stderr
    assert "Traceback" not in ran.stderr
    check_that_nothing_stays(tmp_path)


def test_its_twin_that_asks_for_nothing_is_examined_to_the_end(tmp_path):
    ran = run(tmp_path, gate_of(tmp_path, claim("noisy", runs="2000")))
    assert ran.returncode == 1, ran.stderr
    assert verdicts(tmp_path) == {"leaks": "refuted", "honest": "not-refuted", "third": "not-refuted"}
    assert "Interrupted." not in ran.stderr


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGVTALRM, signal.SIGIO, signal.SIGPROF])
def test_a_target_that_stops_or_wakes_the_judge_changes_nothing(tmp_path, number):
    ran = run(tmp_path, gate_of(tmp_path, claim("asks_once", params=f"{{ number = {int(number)} }}", runs="2000")))
    assert ran.returncode == 1, ran.stderr
    assert verdicts(tmp_path) == {"leaks": "refuted", "honest": "not-refuted", "third": "not-refuted"}
    assert (tmp_path / "asked").exists()


def test_a_target_that_stops_the_judge_again_and_again_loses_no_finding(tmp_path):
    ran = run(tmp_path, gate_of(tmp_path, claim("asks", params=f"{{ number = {int(signal.SIGSTOP)} }}")))
    assert ran.returncode == 1, ran.stderr
    assert verdicts(tmp_path) == {"leaks": "refuted", "honest": "not-refuted", "third": "undecided"}
    check_that_nothing_stays(tmp_path)


@pytest.mark.parametrize("isolate", ["none", "worker"])
def test_a_target_that_renames_its_folder_loses_no_finding(tmp_path, isolate):
    folder = tmp_path / "project"
    folder.mkdir()
    ran = run(folder, gate_of(folder, claim("moves", isolate=f"'{isolate}'", runs="2000")))
    assert "internal error" not in ran.stderr
    assert ran.returncode == 1, ran.stderr
    found = verdicts(tmp_path / "moved")
    assert (found["leaks"], found["honest"]) == ("refuted", "not-refuted")


def test_signals_that_do_not_stop_break_into_nothing_that_is_written(tmp_path):
    ran = run(tmp_path, gate_of(tmp_path, claim("insists")))
    assert ran.returncode == 1, ran.stderr
    assert verdicts(tmp_path) == {"leaks": "refuted", "honest": "not-refuted", "third": "undecided"}
    assert "Traceback" not in ran.stderr


STORM = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT] * 100
PROGRAM = {"target": f"command:{sys.executable} it.py", "isolate": "'auto'"}


@pytest.mark.parametrize(
    ("more", "numbers"),
    [
        ({"isolate": "'none'"}, STORM),
        ({"isolate": "'worker'"}, [signal.SIGTERM]),
        ({"isolate": "'fresh'"}, STORM),
        ({"isolate": "'spawn'"}, [signal.SIGHUP]),
        (PROGRAM, STORM),
    ],
    ids=["none", "worker", "fresh", "spawn", "command"],
)
def test_a_gate_that_is_cancelled_tells_what_it_found(tmp_path, more, numbers):
    code, _, told = signalled(tmp_path, gate_of(tmp_path, claim("slow", **more)), *numbers)
    assert code == 1, told
    assert verdicts(tmp_path) == {"leaks": "refuted", "honest": "not-refuted", "third": "undecided"}
    assert "Traceback" not in told
    check_that_nothing_stays(tmp_path)


def test_a_gate_of_a_true_claim_that_is_cancelled_is_no_pass(tmp_path):
    (tmp_path / "it.py").write_text(TARGETS)
    (tmp_path / "settled").touch()
    project_file(tmp_path, claim("slow"))
    command = [sys.executable, "-m", "crowdproof", "gate", "--seed", "1", *OUTPUTS]
    for more in ([], ["--strict"], ["--exit-zero"]):
        (tmp_path / "under-way").unlink(missing_ok=True)
        code, _, told = signalled(tmp_path, [*command, *more], signal.SIGTERM)
        assert code == 3, told
        assert verdicts(tmp_path) == {"third": "undecided"}
    check_that_nothing_stays(tmp_path)


AUDIT = [sys.executable, "-m", "crowdproof", "audit", "--data", "people.csv", "--seed", "1", *OUTPUTS]


def audited(folder, function, *claims):
    (folder / "it.py").write_text(TARGETS)
    project_file(folder)
    return [*AUDIT, f"it.py:{function}", *(word for each in claims for word in ("--claim", each))]


@pytest.mark.parametrize("numbers", [[signal.SIGTERM], STORM], ids=["SIGTERM", "storm"])
def test_an_audit_that_is_cancelled_tells_what_it_found(tmp_path, numbers):
    fast = ["--deterministic", "--isolate", "none"]
    one_claim = [*audited(tmp_path, "grows", "dp(epsilon=1)"), *fast]
    subprocess.run(one_claim, cwd=tmp_path, env=environment(tmp_path), capture_output=True)
    runs_of_a_claim = (tmp_path / "runs").stat().st_size
    slow_from = 2 * runs_of_a_claim + runs_of_a_claim // 2  # half way through the second claim of the next audit
    (tmp_path / "slow-from").write_text(str(slow_from))
    command = audited(tmp_path, "grows", "dp(epsilon=1)", "dp(epsilon=2)")
    code, _, told = signalled(tmp_path, [*command, *fast], *numbers)
    assert code == 1, told
    findings = json.loads((tmp_path / "out.json").read_text())
    first, second = [each["verdict"]["kind"] for each in findings]
    assert first == "refuted"
    assert second in {"refuted", "undecided"}  # by whether a pair was examined before the signal
    assert "Traceback" not in told
    check_that_nothing_stays(tmp_path)


@pytest.mark.parametrize("more", [["--isolate", "worker"], ["--isolate", "none", "--workers", "2"], ["--strict"]])
def test_an_audit_of_a_true_claim_that_is_cancelled_is_no_pass(tmp_path, more):
    (tmp_path / "settled").touch()
    command = [*audited(tmp_path, "slow", "dp(epsilon=3)"), "--search", "0", *more]
    code, _, told = signalled(tmp_path, command, signal.SIGTERM)
    assert code == 3, told
    assert "Interrupted." in told
    assert "Traceback" not in told
    check_that_nothing_stays(tmp_path)


def test_an_interrupt_that_the_target_raises_itself_ends_its_evidence(tmp_path):
    """It would keep the slices that suit it, and drop the others: a fair coin could be refuted in the long run."""
    (tmp_path / "coin.py").write_text(
        "calls = 0\n\n\ndef bit(people, rng):\n    global calls\n    calls += 1\n"
        "    if calls > 1200:\n        raise KeyboardInterrupt\n    return int(rng.integers(2))\n"
    )
    (tmp_path / "people.csv").write_text("age\n31\n34\n38\n52\n57\n")
    (tmp_path / "privacy.toml").write_text(
        'evidence = "evidence.sqlite"\n[[claims]]\nname = "coin"\ntarget = "coin.py:bit"\nclaim = "dp(epsilon=0)"\n'
        'data = "people.csv"\nruns = 7000\nisolate = "none"\n'
    )
    command = [sys.executable, "-m", "crowdproof", "gate", "--seed", "1"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 3
    assert "SKIPPED" in ran.stdout
    assert "KeyboardInterrupt" in ran.stdout
    with closing(sqlite3.connect(tmp_path / "evidence.sqlite")) as base:
        assert base.execute("select count(*) from epochs where closed is not null").fetchall() == [(1,)]
