"""What a target sends is data: no kind of answer ends the judge, deceives it, or is taken for a pass."""

import json
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from gate_projects import entry, project_file

from crowdproof.audit.releases import Refusal
from crowdproof.audit.targets import load_target, transport
from crowdproof.errors import NoReleaseError, TargetError

pytestmark = pytest.mark.processes

HOSTILE = Path(__file__).with_name("hostile.py")
hostile = SimpleNamespace(**runpy.run_path(str(HOSTILE)))
PEOPLE = pl.DataFrame({"age": [31, 47, 60]})


def target(kind, isolate="worker", function="hostile", **options):
    params = {} if kind is None else {"kind": kind}
    return load_target(f"{HOSTILE}:{function}", params=params, isolate=isolate, timeout=5, **options)


def contents(outputs):
    """Values with their types, all the way down."""
    return [(type(each), each, [type(part) for part in each] if isinstance(each, list) else None) for each in outputs]


@pytest.mark.parametrize("isolate", ["none", "worker"])
@pytest.mark.parametrize("kind", ["a text", "within a list", "with other length", "a tuple"])
def test_a_value_of_a_class_of_its_own_arrives_as_its_content(kind, isolate):
    with target(kind, isolate) as loaded:
        assert contents(loaded.runs(PEOPLE, [1])) == contents([hostile.CONTENTS[kind]])


def test_every_class_is_taken_off_where_the_target_runs():
    with target(None, "none", function="honest") as loaded:
        assert loaded.runs(PEOPLE, [1]) == ["hello"]
    for kind, content in hostile.CONTENTS.items():
        assert contents(target(kind, "none").runs(PEOPLE, [1])) == contents([content])


@pytest.mark.parametrize("kind", hostile.REFUSALS)
def test_a_refusal_is_one_answer_among_others(kind):
    with target(kind, "none") as here:
        assert here.answers([PEOPLE], [(0, 1), (0, 2)]) == [Refusal("")] * 2
        with pytest.raises(NoReleaseError):
            here.runs(PEOPLE, [1])


QUICK = ["exits", "BaseException", "writes rubbish", "forges an answer", "announces 600 MB", "holds itself"]


@pytest.mark.parametrize("isolate", ["worker", "fresh"])
@pytest.mark.parametrize("kind", QUICK)
def test_what_is_no_answer_is_an_error_of_the_target(kind, isolate):
    with target(kind, isolate) as loaded, pytest.raises(TargetError) as caught:
        loaded.runs(PEOPLE, range(3))
    assert not isinstance(caught.value, NoReleaseError)


@pytest.mark.integration
@pytest.mark.parametrize("isolate", ["worker", "fresh"])
@pytest.mark.parametrize("kind", [kind for kind in hostile.CRASHES if kind not in QUICK])
def test_every_other_kind_that_is_no_answer(kind, isolate, monkeypatch):
    monkeypatch.setattr(transport, "MOST_BYTES", hostile.MEGABYTE)
    with target(kind, isolate) as loaded, pytest.raises(TargetError) as caught:
        loaded.runs(PEOPLE, range(3))
    assert not isinstance(caught.value, NoReleaseError)


def test_a_release_beyond_the_limit_is_not_read(monkeypatch):
    monkeypatch.setattr(transport, "MOST_BYTES", hostile.MEGABYTE)
    with target("a long text") as loaded, pytest.raises(TargetError, match="its answer is of 2 MiB, and 1 are read"):
        loaded.runs(PEOPLE, [1])
    monkeypatch.setattr(transport, "MOST_BYTES", 4 * hostile.MEGABYTE)
    with target("a long text") as loaded:
        assert len(loaded.runs(PEOPLE, [1])[0]) == 2 * hostile.MEGABYTE


def test_a_target_that_returns_twice_is_not_believed_the_second_time():
    with (
        target(None, function="forks") as loaded,
        pytest.raises(TargetError, match=r"forks, and returns|more than once"),
    ):
        loaded.runs(PEOPLE, range(30))


def test_a_line_that_is_closed_is_the_end_though_the_process_goes_on():
    with target(None, function="hangs_up") as loaded, pytest.raises(TargetError, match="closed channel"):
        loaded.runs(PEOPLE, [1])


# --- the order of runs -------------------------------------------------------------------------------------------

ECHO = """
import sys

def echo(table, seed):
    if seed == 13:
        raise ValueError("unlucky")
    return [table.height, seed]

def sees(table, seed):
    frame, names = sys._getframe(1), []
    while frame is not None:
        long = [name for name, value in frame.f_locals.items() if isinstance(value, (list, tuple)) and len(value) > 20]
        names += long
        frame = frame.f_back
    return names
"""


@pytest.mark.parametrize("isolate", ["none", "worker", "fresh", "auto"])
def test_a_plan_is_answered_run_by_run_in_its_order(tmp_path, isolate):
    (tmp_path / "echo.py").write_text(ECHO)
    plan = [(i % 2, i) for i in (3, 13, 8, 8, 13, *range(40, 60))]
    expected = [Refusal("") if seed == 13 else [3 - which, seed] for which, seed in plan]
    with load_target(f"{tmp_path}/echo.py:echo", isolate=isolate, timeout=20) as loaded:
        assert loaded.answers([PEOPLE, PEOPLE.head(2)], plan) == expected
        assert loaded.answers([PEOPLE.head(1)], [(0, 5)]) == [[1, 5]]
        with pytest.raises(NoReleaseError, match="unlucky"):
            loaded.runs(PEOPLE, [1, 13, *range(20, 60)])
        assert loaded.runs(PEOPLE, [7, 8]) == [[3, 7], [3, 8]]


def test_no_run_finds_the_plan_on_its_stack(tmp_path):
    (tmp_path / "echo.py").write_text(ECHO)
    with load_target(f"{tmp_path}/echo.py:sees", isolate="worker", timeout=20) as loaded:
        assert loaded.answers([PEOPLE], [(0, seed) for seed in range(100)]) == [[]] * 100


# --- a gate, and an audit alone ----------------------------------------------------------------------------------

BASE = ["--claim", "dp(epsilon=1)", "--data", "people.csv", "--search", "0", "--seed", "1", "--timeout", "5"]


def crowdproof(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "crowdproof", *arguments], capture_output=True, text=True, cwd=folder, timeout=1000
    )


def project(folder, kinds, isolate, function="hostile"):
    (folder / "hostile.py").write_text(HOSTILE.read_text())
    more = {"isolate": f"'{isolate}'", "timeout": "5", "runs": "60"}
    return project_file(
        folder,
        entry("leaks", target="hostile.py:leaks", claim="dp(epsilon=1)", isolate="'none'", deterministic="true"),
        *(
            entry(f"hostile {kind}", target=f"hostile.py:{function}", params=f"{{ kind = '{kind}' }}", **more)
            for kind in kinds
        ),
        entry("honest", target="hostile.py:honest", claim="dp(epsilon=2)", isolate="'none'", deterministic="true"),
    )


def verdicts(ran):
    return {each["subject"]: each["verdict"]["kind"] for each in json.loads(ran.stdout)}


def check_gate(folder, kinds, isolate):
    project(folder, kinds, isolate)
    ran = crowdproof(folder, "gate", "--seed", "1", "--seconds", "1000", "--format", "json")
    found = verdicts(ran)
    assert ran.returncode == 1, ran.stderr
    assert (found.pop("leaks"), found.pop("honest")) == ("refuted", "not-refuted")
    assert set(found.values()) == {"skipped"}
    assert len(found) == len(kinds)


def test_a_gate_keeps_what_it_found_beside_hostile_targets(tmp_path):
    check_gate(tmp_path, ["exits", "sys.exit", "forges an answer"], "worker")


def test_a_gate_keeps_what_it_found_beside_crashes_in_its_own_process(tmp_path):
    check_gate(tmp_path, ["exits", "GeneratorExit", "BaseException", "sys.exit", "a lock", "holds itself"], "none")


@pytest.mark.integration
def test_a_gate_keeps_what_it_found_beside_every_kind(tmp_path):
    kinds = [kind for kind in (*hostile.REFUSALS, *hostile.CRASHES) if kind != "a long text"]
    check_gate(tmp_path, kinds, "fresh")


@pytest.mark.parametrize(
    ("function", "kind", "isolate"),
    [
        ("at_home", "exits", "none"),
        ("at_home", "exits for good", "none"),
        ("at_home", "writes and exits", "none"),
        ("at_home", "KeyboardInterrupt", "none"),
        ("at_home", "SystemExit", "none"),
        ("hostile", "exits", "fresh"),
    ],
)
def test_an_audit_of_a_hostile_target_alone_is_no_verdict(tmp_path, function, kind, isolate):
    project(tmp_path, [], isolate)
    ran = crowdproof(
        tmp_path, "audit", f"hostile.py:{function}", "--param", f"kind={kind}", "--isolate", isolate, *BASE
    )
    assert ran.returncode == 3
    assert "Traceback" not in ran.stderr
    assert ran.stdout.startswith("SKIPPED") or ran.stderr


def test_the_same_audit_of_an_honest_target_passes(tmp_path):
    project(tmp_path, [], "none")
    assert (
        crowdproof(tmp_path, "audit", "hostile.py:honest", "--isolate", "none", *BASE, "--runs", "2000").returncode == 0
    )
    assert crowdproof(tmp_path, "audit", "hostile.py:leaks", "--isolate", "none", *BASE).returncode == 1


@pytest.mark.integration
@pytest.mark.parametrize("kind", sorted({*hostile.REFUSALS, *hostile.CRASHES} - {"a long text"}))
def test_an_audit_of_every_kind_alone_is_no_verdict(tmp_path, kind):
    """All but a text of two megabytes, which is a release."""
    project(tmp_path, [], "fresh")
    ran = crowdproof(tmp_path, "audit", "hostile.py:hostile", "--param", f"kind={kind}", *BASE)
    assert ran.returncode == 3
    assert "Traceback" not in ran.stderr


def test_a_gate_whose_judge_is_ended_from_within_is_no_pass(tmp_path):
    project(tmp_path, ["exits for good"], "none", function="at_home")
    ran = crowdproof(tmp_path, "gate", "--strict")
    assert ran.returncode == 3
    assert "ended before it came to a verdict (exit status 0)" in ran.stderr
