"""Whole gates on one evidence file, twenty at once and killed at any moment."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from gate_projects import Scripted, entry, project_file

from crowdproof.audit.gate import Evidence, Options, read_project, run_gate
from crowdproof.findings import Refuted, Undecided

GATES = textwrap.dedent(
    """
    import json, os, random, signal, sys, time
    from pathlib import Path
    sys.path.insert(0, sys.argv[1])
    from gate_projects import Scripted
    from crowdproof.audit.gate import Options, read_project, run_gate

    project, count = read_project(Path(sys.argv[2])), int(sys.argv[3])
    killed, step = sys.argv[4] == "kill", float(sys.argv[5])
    children = []
    for _ in range(count):
        child = os.fork()
        if child == 0:
            result = run_gate(project, Options(1), Scripted(leaks=[step] * 3))
            os.write(1, (json.dumps(result.findings[0].verdict.name) + "\\n").encode())
            os._exit(0)
        children.append(child)
    if killed:
        for number, child in enumerate(children[::2]):
            time.sleep(random.Random(number).random() / 20)
            os.kill(child, signal.SIGKILL)
    for child in children:
        os.waitpid(child, 0)
    """
)


def gates(path, count, how, step):
    helpers = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", GATES, helpers, str(path), str(count), how, str(step)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def slices(path):
    with Evidence(path.parent / "kept.sqlite") as evidence:
        return evidence._file.base.execute("SELECT epoch, number, run, log_e FROM slices ORDER BY number").fetchall()


@pytest.fixture
def project(tmp_path):
    return project_file(tmp_path, entry("leaks"), head="evidence = 'kept.sqlite'")


@pytest.mark.processes
def test_twenty_gates_at_once_add_up_to_what_they_would_one_after_the_other(project):
    verdicts = gates(project, 20, "live", 0.125)
    rows = slices(project)
    assert len(verdicts) == 20
    assert [number for _, number, _, _ in rows] == list(range(1, 61))
    assert len({run for _, _, run, _ in rows}) == 20
    # 60 slices of 1/8 are 7.5 nats, and 14.5 are needed: half of the evidence is a suspicion by then
    assert "NOT_REFUTED" in verdicts
    assert set(verdicts) <= {"NOT_REFUTED", "UNDECIDED"}
    (finding,) = run_gate(read_project(project), Options(1), Scripted(leaks=[0, 0, 0])).findings
    assert isinstance(finding.verdict, Undecided)
    assert "52% of the evidence" in finding.verdict.reason
    assert "10^3.3 (at most 10^3.3)" in finding.evidence[0].text
    assert "21 runs of the gate" in finding.evidence[0].text


def test_gates_at_once_refute_as_soon_as_all_together_have_enough(project):
    verdicts = gates(project, 20, "live", 0.5)
    rows = slices(project)
    assert "REFUTED" in verdicts
    assert set(verdicts) <= {"REFUTED", "NOT_REFUTED", "UNDECIDED"}
    assert sum(log_e for *_, log_e in rows) >= 14.5


def test_killed_gates_count_for_what_they_committed_and_no_more(project):
    gates(project, 20, "kill", 0.125)
    rows = slices(project)
    assert len({(epoch, number) for epoch, number, _, _ in rows}) == len(rows) >= 30
    assert all(log_e == 0.125 for *_, log_e in rows)
    (finding,) = run_gate(read_project(project), Options(1), Scripted(leaks=[15.0, 0, 0])).findings
    assert isinstance(finding.verdict, Refuted)
    after = slices(project)
    assert after[: len(rows)] == rows
    assert len(after) == len(rows) + 1
