"""A target in the judge's own process: it neither ends nor doubles the judge, from its import to its last run."""

import contextlib
import os
import resource
import subprocess
import sys
import time
from collections import Counter

import polars as pl
import pytest
from gate_projects import entry, project_file

from crowdproof.audit.gate.assertion import PrivacyError, assert_private
from crowdproof.audit.targets import load_target
from crowdproof.errors import ParameterError, TargetError
from crowdproof.report import FORMATS

pytestmark = pytest.mark.processes

PEOPLE = pl.DataFrame({"age": [31, 47, 60]})

ON_IMPORT = "import os\nos._exit(0)\ndef f(table):\n    return 1\n"
IN_CONSTRUCTOR = """
import os

class f:
    def __init__(self):
        os._exit(0)

    def __call__(self, table):
        return 1
"""
IN_SIGNATURE = """
import os

class Ending(type):
    @property
    def __signature__(cls):
        os._exit(0)

class Released(metaclass=Ending):
    def __call__(self, table):
        return 1

    @property
    def __signature__(self):
        os._exit(0)

f = Released
"""
ON_READING = "import os\ndef __getattr__(name):\n    os._exit(0)\n"
RAISING = """
class f:
    def __init__(self, k=3):
        {statement}

    def __call__(self, table):
        return 1
"""
LEAK = "def f(table):\n    return sorted(table['age'].to_list())\n"
HONEST = "class f:\n    def __call__(self, table):\n        return 1\n"


def crowdproof(folder, *arguments):
    command = [sys.executable, "-m", "crowdproof", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)


def gate(folder, source):
    """A gate of a claim that is false, and of one about a target of that source, both in the judge's process."""
    project_file(
        folder,
        entry("leaks", target="leak.py:f", isolate="'none'"),
        entry("other", target="other.py:f", isolate="'none'", runs="60"),
    )
    (folder / "leak.py").write_text(LEAK)
    (folder / "other.py").write_text(source)
    return crowdproof(folder, "gate", "--seed", "1")


@pytest.mark.parametrize("source", [ON_IMPORT, IN_CONSTRUCTOR, IN_SIGNATURE, ON_READING])
def test_loading_a_target_that_ends_its_process_loses_nothing_of_a_gate(tmp_path, source):
    ran = gate(tmp_path, source)
    assert ran.returncode == 1, ran.stderr
    assert "REFUTED  leaks" in ran.stdout
    assert "SKIPPED  other" in ran.stdout
    assert "ends its process with os._exit(0)" in " ".join(ran.stdout.split())


def test_a_class_that_does_nothing_of_the_kind_is_judged(tmp_path):
    ran = gate(tmp_path, HONEST)
    assert ran.returncode == 1, ran.stderr
    assert "NOT_REFUTED  other" in ran.stdout


# --- whatever a class does while it is built is the target's error ------------------------------------------------

BROKEN = [
    ("raise ValueError('k is odd')", "ValueError: k is odd"),
    ("raise SystemExit(0)", "SystemExit: 0"),
    ("raise GeneratorExit", "GeneratorExit"),
    ("import pytest; pytest.skip('not here', allow_module_level=True)", "Skipped: not here"),
]


@pytest.mark.parametrize("isolate", ["none", "worker"])
@pytest.mark.parametrize(("statement", "shown"), BROKEN)
def test_a_constructor_that_raises_is_told_in_one_sentence(tmp_path, statement, shown, isolate):
    (tmp_path / "made.py").write_text(RAISING.format(statement=statement))
    with pytest.raises(TargetError) as caught:
        load_target(f"{tmp_path}/made.py:f", isolate=isolate)
    assert f"made.py:f cannot be made ready to run: it raised {shown} (made.py, line 4" in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("isolate", ["none", "auto"])
def test_the_command_line_calls_it_no_bug_of_ours(tmp_path, isolate):
    project_file(tmp_path)
    (tmp_path / "made.py").write_text(RAISING.format(statement="raise ValueError('k is odd')"))
    options = ["--claim", "dp(epsilon=1)", "--data", "people.csv", "--isolate", isolate]
    ran = crowdproof(tmp_path, "audit", "made.py:f", *options)
    assert ran.returncode == 3
    assert "it raised ValueError: k is odd" in ran.stderr
    assert "bug" not in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize("isolate", ["none", "worker"])
def test_a_constructor_that_is_given_what_it_does_not_take_is_a_wrong_parameter(tmp_path, isolate):
    (tmp_path / "made.py").write_text(RAISING.format(statement="self.k = k"))
    with pytest.raises(ParameterError, match="cannot be made from the parameters"):
        load_target(f"{tmp_path}/made.py:f", params={"l": 3}, isolate=isolate)
    with load_target(f"{tmp_path}/made.py:f", params={"k": 3}, isolate=isolate) as loaded:
        assert loaded.runs(PEOPLE, [1]) == [1]


# --- a copy of the judge ------------------------------------------------------------------------------------------

FORKS = """
import os
import signal
from pathlib import Path

HOME = os.getpid()

def f(table, rng):
    if os.getpid() == HOME and os.fork() == 0:
        signal.alarm(20)  # should a copy go on, it does not for long
    with Path("returned").open("a") as file:
        file.write(f"{os.getpid()}\\n")
    return table.height
"""


def test_a_target_that_returns_in_two_processes_leaves_one_judge(tmp_path):
    ran = gate(tmp_path, FORKS)
    time.sleep(0.5)  # in which copies, were there any, would go on
    assert ran.returncode == 1, ran.stderr
    assert ran.stdout.count("REFUTED  leaks") == 1
    returns = Counter((tmp_path / "returned").read_text().split())
    (_, of_judge), *others = returns.most_common()
    assert of_judge == len(others) > 50
    assert {count for _, count in others} == {1}


@pytest.mark.parametrize("raising", [False, True])
def test_a_function_that_returns_in_two_processes_leaves_one_test(raising):
    here, children, returned = os.getpid(), [], []

    def forks(table, rng):
        if os.getpid() != here:
            os._exit(2)  # a copy that went on to the next run
        if child := os.fork():
            children.append(child)
        elif raising:
            raise ValueError
        returned.append(1)
        return 1

    with contextlib.suppress(PrivacyError):  # fifty runs may be too few for a verdict
        assert_private(forks, "dp(epsilon=1)", data=PEOPLE, runs=50, seconds=30)
    assert len(children) == len(returned) >= 50
    assert {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children} == {1}


# --- what is left for the report ----------------------------------------------------------------------------------

NO_FILES = """
import resource

def f(table):
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, {hard}))
    return sorted(table["age"].to_list())
"""


@pytest.mark.parametrize("form", FORMATS)
def test_a_target_that_allows_no_more_files_does_not_keep_a_report_from_being_printed(tmp_path, form):
    project_file(tmp_path, entry("leaks", target="limits.py:f", isolate="'none'"))
    (tmp_path / "limits.py").write_text(NO_FILES.format(hard=3))
    ran = crowdproof(tmp_path, "gate", "--seed", "1", "--format", form)
    assert ran.returncode == 1, ran.stderr
    assert "leaks" in ran.stdout
    assert "internal error" not in ran.stderr


@pytest.mark.parametrize("verb", ["gate", "audit"])
def test_a_target_that_closes_files_does_not_keep_a_report_from_being_printed(tmp_path, verb):
    project_file(tmp_path, entry("leaks", target="closes.py:f", isolate="'none'"))
    (tmp_path / "closes.py").write_text(
        "import os\ndef f(table):\n    os.closerange(3, 200)\n    return table.height\n"
    )
    options = ["closes.py:f", "--claim", "dp(epsilon=1)", "--data", "people.csv", "--isolate", "none"]
    ran = crowdproof(tmp_path, verb, "--seed", "1", "--format", "markdown", *(options if verb == "audit" else []))
    assert "**The claim is refuted.**" in ran.stdout
    assert "Traceback" not in ran.stderr


def test_the_soft_limit_of_files_is_put_back_for_the_other_claims(tmp_path):
    project_file(
        tmp_path,
        entry("limits", target="limits.py:f", isolate="'none'", deterministic="true"),
        entry("leaks", target="leak.py:f", isolate="'worker'", deterministic="true"),
    )
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    (tmp_path / "limits.py").write_text(NO_FILES.format(hard=hard))
    (tmp_path / "leak.py").write_text(LEAK)
    ran = crowdproof(tmp_path, "gate", "--seed", "1", "--format", "text", "--format", "html=report.html")
    assert ran.returncode == 1, ran.stderr
    assert "REFUTED  limits" in ran.stdout
    assert "REFUTED  leaks" in ran.stdout
    assert (tmp_path / "report.html").stat().st_size > 0
