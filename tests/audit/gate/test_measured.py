"""Claims about targets that look deterministic: enumerated, and then tested in slices unless that is declared."""

import pytest
from attrs import evolve
from gate_projects import CRASH, Scripted, entry, project_file

from crowdproof.audit.compare.measured import IF_NOT
from crowdproof.audit.gate import Options, read_project, run_gate
from crowdproof.findings import Confidence, Cost, Exact, Finding, Measured, NotRefuted, Refuted

TARGETS = """
from itertools import count

calls = count()


def constant(table):
    return 3


def rare_leak(table, rng):
    return table.height if rng.integers(60) == 0 else 3


def late_leak(table, rng):
    return table.height if next(calls) > 1500 and rng.integers(20) == 0 else 3
"""


def project(folder, target, **more):
    more = {"isolate": "'none'", "runs": 2000, **more}
    path = project_file(folder, entry("claim", target=f"targets:{target}", **more), head="evidence = 'kept.sqlite'")
    (folder / "targets.py").write_text(TARGETS)
    return read_project(path)


def gate(found, **options):
    (finding,) = run_gate(found, Options(**{"seed": 1, **options})).findings
    return finding


def titles(finding):
    return [each.title for each in finding.evidence]


def test_a_target_that_looks_deterministic_goes_on_to_slices(tmp_path):
    finding = gate(project(tmp_path, "constant", runs=8000))
    assert isinstance(finding.verdict, NotRefuted)
    assert isinstance(finding.certainty, Measured)
    assert "if the target is deterministic" in finding.verdict.detectable
    assert "In the last slice of the test by betting, the pair" in finding.verdict.detectable
    assert {"Evidence so far", "Assumption"} <= set(titles(finding))
    assert finding.cost.runs > 8000


def test_slices_that_are_too_short_to_bet_leave_what_was_enumerated(tmp_path):
    finding = gate(project(tmp_path, "constant", runs=60))
    assert isinstance(finding.verdict, NotRefuted)
    assert isinstance(finding.certainty, Measured)
    assert "not deterministic" not in finding.verdict.detectable


def test_one_that_is_declared_to_be_is_settled_exactly(tmp_path):
    finding = gate(project(tmp_path, "constant", deterministic="true"))
    assert isinstance(finding.verdict, NotRefuted)
    assert finding.certainty == Exact()
    assert finding.cost.runs < 2000
    assert "Evidence so far" not in titles(finding)


@pytest.mark.slow
def test_a_rare_leak_is_refuted_once_the_evidence_has_added_up(tmp_path):
    """Of 24 trial runs none shows it with probability 2/3; what is not seen then is seen by the slices."""
    found = project(tmp_path, "rare_leak", runs=4000)
    findings = [gate(found, seed=seed) for seed in range(8)]
    assert isinstance(findings[-1].verdict, Refuted)
    assert isinstance(findings[-1].certainty, Confidence)
    assert not any(isinstance(each.certainty, Exact) for each in findings)


def test_a_leak_that_enumeration_did_not_see_is_refuted_by_the_slices(tmp_path):
    finding = gate(project(tmp_path, "late_leak", runs=40_000))
    assert isinstance(finding.verdict, Refuted)
    assert isinstance(finding.certainty, Confidence)
    assert {"Evidence so far", "Not deterministic after all"} <= set(titles(finding))
    assert "Assumption" not in titles(finding)


class CutShort(Scripted):
    """It has enumerated, and the time ends each of its slices."""

    def settle(self, case, budget, error, seed):
        case.enumerated.append(Finding("", None, NotRefuted("Nothing if deterministic."), Measured(40), cost=Cost(40)))

    def slice(self, *arguments, **more):
        return evolve(super().slice(*arguments, **more), whole=False)


def test_time_that_ends_the_slices_leaves_what_was_enumerated(tmp_path):
    found = read_project(project_file(tmp_path, entry("claim")))
    (finding,) = run_gate(found, Options(seed=1), CutShort(claim=[0.0, 0.0, 0.0])).findings
    assert finding.verdict == NotRefuted(f"Nothing if deterministic. {IF_NOT} a leak of this size")
    assert finding.certainty == Measured(40)
    (other,) = run_gate(found, Options(seed=1), CutShort(claim=[0.0, 30.0, 0.0])).findings
    assert isinstance(other.verdict, Refuted)
    (crashed,) = run_gate(found, Options(seed=1), CutShort(claim=[0.0, CRASH])).findings
    assert (crashed.verdict.name, crashed.certainty) == ("SKIPPED", None)
    (stopped,) = run_gate(found, Options(seed=1), CutShort(claim=[KeyboardInterrupt()])).findings
    assert (stopped.verdict.name, stopped.certainty) == ("UNDECIDED", None)
