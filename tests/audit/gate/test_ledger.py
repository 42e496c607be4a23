"""An evidence file that fails while a gate runs: no finding is lost, and no share of the error is used twice."""

import contextlib
import math
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from fractions import Fraction

import pytest
from gate_projects import CRASH, Scripted, entry, exact, project_file

from crowdproof.audit.gate import Options, read_project, run_gate
from crowdproof.audit.gate.deadline import Deadline
from crowdproof.audit.gate.evidence import FIRST_RESERVE, Evidence, Slice
from crowdproof.audit.gate.ledger import SHARES, Ledger, opened
from crowdproof.errors import DataError, ExitCode
from crowdproof.findings import NotRefuted, Refuted, Skipped, Undecided

ERROR = Fraction(1, 100)
SHORT = 3.0
"""Seconds of a gate: it waits a third of them for a file that is locked."""


def truncate(path):
    path.write_bytes(b"")


def spoil(path):
    with path.open("r+b") as file:
        file.write(b"x" * 100_000)


def remove(path):
    path.unlink()


def remove_folder(path):
    shutil.rmtree(path.parent)


def replace(path):
    path.unlink()
    Evidence(path).close()


def overwrite_by_an_empty_one(path):
    Evidence(path.parent / "other").close()
    path.write_bytes((path.parent / "other").read_bytes())


def forget_the_claims(path):
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        base.execute("DELETE FROM epochs")


def block_the_journal(path):
    (path.parent / f"{path.name}-journal" / "x").mkdir(parents=True)


HARMS = [
    truncate,
    spoil,
    remove,
    remove_folder,
    replace,
    overwrite_by_an_empty_one,
    forget_the_claims,
    block_the_journal,
]


class Holder:
    """A program that has the file open, to write or to read."""

    def __init__(self, how):
        self.how, self.base = how, None

    def __call__(self, path):
        self.base = sqlite3.connect(path, isolation_level=None)
        self.base.execute("BEGIN" if self.how == "reads" else "BEGIN EXCLUSIVE")
        self.base.execute("SELECT * FROM epochs").fetchall()

    def let_go(self):
        if self.base is not None:
            self.base.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kept" / "evidence.sqlite"


@pytest.fixture(params=["writes", "reads"])
def holder(request):
    made = Holder(request.param)
    yield made
    made.let_go()


class Harmed(Scripted):
    """Something happens to the evidence file in the slice of one claim."""

    def __init__(self, path, harm, **claims):
        super().__init__(**claims)
        self.path, self.harm = path, harm

    def slice(self, case, budget, alpha, seed, state):
        if case.entry.name == "harms" and self.harm is not None:
            self.harm, harm = None, self.harm
            harm(self.path)
        return super().slice(case, budget, alpha, seed, state)


def project(tmp_path, names):
    entries = (entry(name, f"dp(epsilon={place + 1})") for place, name in enumerate(names))
    return read_project(project_file(tmp_path, *entries, head="evidence = 'kept/evidence.sqlite'"))


def verdicts(result):
    return {each.subject: type(each.verdict) for each in result.findings}


@pytest.mark.parametrize("harm", HARMS)
def test_a_file_that_is_harmed_on_the_way_costs_no_finding(tmp_path, path, harm):
    mine = project(tmp_path, ("early", "harms", "late", "weak", "fine"))
    plans = {"early": [20], "harms": [0, 0, 0], "late": [40], "weak": [20, 0, 0], "fine": [0, 0, 0]}
    result = run_gate(mine, Options(1), Harmed(path, harm, **plans))
    # a share of the error from the reserve asks for more evidence than 20
    expected = {"early": Refuted, "harms": NotRefuted, "late": Refuted, "weak": Undecided, "fine": NotRefuted}
    assert verdicts(result) == expected
    assert result.exit_code() is ExitCode.REFUTED
    assert result.unkept.count("evidence.sqlite") >= 1
    for finding in result.findings:
        alone = any(each.title == "Evidence was not kept" for each in finding.evidence)
        assert alone == (finding.subject != "early")


@pytest.mark.parametrize("harm", HARMS)
def test_a_run_whose_evidence_is_lost_is_no_pass(tmp_path, path, harm):
    mine = project(tmp_path, ("harms", "fine"))
    result = run_gate(mine, Options(1), Harmed(path, harm, harms=[0, 0, 0], fine=[0, 0, 0]))
    assert verdicts(result) == {"harms": NotRefuted, "fine": NotRefuted}
    assert result.exit_code() is result.exit_code(lenient=True, exit_zero=True) is ExitCode.BROKEN


def test_a_file_that_disappears_after_the_last_slice_is_noticed(tmp_path, path):
    class Last(Scripted):
        def release(self, case):
            path.unlink()

    result = run_gate(project(tmp_path, ("fine",)), Options(1), Last(fine=[0, 0, 0]))
    assert "moved or removed" in result.unkept
    assert "begins the false-alarm rate anew" in result.unkept
    assert result.exit_code() is ExitCode.BROKEN


def test_a_file_that_another_program_holds_costs_no_finding_and_gets_nothing_twice(tmp_path, path, holder):
    mine = project(tmp_path, ("harms", "late"))
    result = run_gate(mine, Options(1, SHORT), Harmed(path, holder, harms=[1, 0, 0], late=[40]))
    holder.let_go()
    assert verdicts(result) == {"harms": NotRefuted, "late": Refuted}
    assert "another program has it open" in result.unkept
    assert result.findings[1].certainty.error < mine.config.error / FIRST_RESERVE**2
    after = run_gate(mine, Options(1), Scripted(harms=[0, 0, 0], late=[0, 0, 0]))
    assert (after.unkept, verdicts(after)) == (None, {"harms": NotRefuted, "late": NotRefuted})
    assert all(" in this run;" in finding.evidence[0].text for finding in after.findings)


def test_a_file_that_is_held_from_the_beginning_leaves_what_needs_no_share_of_the_error(tmp_path, path, holder):
    mine = project(tmp_path, ("tested", "enumerated"))
    Evidence(path).close()
    holder.how = "writes"
    holder(path)
    result = run_gate(mine, Options(1, SHORT), Scripted(tested=[40], enumerated=exact(Refuted(None))))
    assert verdicts(result) == {"tested": Skipped, "enumerated": Refuted}
    assert "has no share of the error" in result.findings[0].verdict.reason
    assert result.exit_code() is ExitCode.REFUTED


def test_a_crash_while_the_file_is_held_is_told_to_it_later(tmp_path, path, holder):
    mine = project(tmp_path, ("harms",))

    class Released(Harmed):
        def release(self, case):
            holder.let_go()

    run_gate(mine, Options(1), Scripted(harms=[10, 0, 0]))
    result = run_gate(mine, Options(1, SHORT), Released(path, holder, harms=[CRASH]))
    assert verdicts(result) == {"harms": Skipped}
    after = run_gate(mine, Options(1), Scripted(harms=[10, 0, 0]))
    assert not isinstance(after.findings[0].verdict, Refuted)
    assert " in this run;" in after.findings[0].evidence[0].text


@pytest.mark.parametrize("committed", [True, False])
def test_a_slice_that_may_have_been_committed_counts_once(path, monkeypatch, committed):
    commit, calls = Evidence.commit, []

    def doubtful(self, *where, **what):
        calls.append(where)
        if len(calls) == 2:
            if committed:
                commit(self, *where, **what)
            raise sqlite3.OperationalError("disk I/O error")
        return commit(self, *where, **what)

    monkeypatch.setattr(Evidence, "commit", doubtful)
    with Evidence(path) as evidence:
        ledger = Ledger(evidence, ERROR)
        ledger.reserve(1)
        account = ledger.open("key", "claim")
        for log_e in (1.0, 2.0, 4.0):
            ledger.commit(account, ledger.draw(account), Slice(log_e, 10))
        ledger.finish()
        assert (account.standing.log_e, account.standing.slices, account.standing.runs) == (7.0, 3, 30)
        assert (account.standing.gates, account.alone) == (1, True)
        kept = evidence.standing(evidence.open_epoch("key", "claim"))
    assert kept.log_e == (3.0 if committed else 1.0)


def test_an_interrupt_as_a_slice_is_committed_does_not_lose_it(path, monkeypatch):
    def broken(*_, **__):
        raise KeyboardInterrupt

    with Evidence(path) as evidence:
        ledger = Ledger(evidence, ERROR)
        ledger.reserve(1)
        account = ledger.open("key", "claim")
        number = ledger.draw(account)
        monkeypatch.setattr(Evidence, "commit", broken)
        with pytest.raises(KeyboardInterrupt):
            ledger.commit(account, number, Slice(99.0, 10, {"seen": 1}))
    assert account.standing.refutes(account.alpha)
    assert account.standing.witness == {"seen": 1}


def test_no_share_of_the_error_is_handed_out_twice(path):
    """Runs that fail at any point, one after the other and at once: all that they judge by adds up to the error."""
    spent = {}  # the numbers of epochs -> the key that they were for, or the run
    for run in range(40):
        with Evidence(path) as evidence, Evidence(path) as at_once:
            ledger, other = Ledger(evidence, ERROR), Ledger(at_once, ERROR)
            for each in (ledger, other):
                each.reserve(2)
            keys = ["stays", f"changes {run}"]
            for each, fails_after in ((ledger, run % 5), (other, run % 3)):
                for place, key in enumerate(keys):
                    if place == fails_after:
                        each.lost = "it failed"
                    account = each.open(key, "claim")
                    owner = each.run_id if account.alone else key
                    assert spent.setdefault(account.epoch.number, owner) == owner
                each.finish()
    alphas = [Fraction(1, number * (number + 1)) for number in spent]
    assert sum(alphas) < 1
    assert any(number >= FIRST_RESERVE for number in spent)
    with Evidence(path) as evidence:
        ledger = Ledger(evidence, ERROR)
        ledger.reserve(1)
        assert not {epoch.number for epoch in ledger._reserved} & set(spent)


def test_what_was_not_needed_is_given_back(path):
    for _ in range(5):
        with Evidence(path) as evidence:
            ledger = Ledger(evidence, ERROR)
            ledger.reserve(3)
            assert [epoch.number - FIRST_RESERVE for epoch in ledger._reserved] == list(range(3 * SHARES))
            ledger.open("key", "claim")
            ledger.finish()
    with contextlib.closing(sqlite3.connect(path)) as base:
        assert base.execute("SELECT number, key FROM epochs").fetchall() == [(1, "key")]


def test_epochs_go_on_after_the_reserve(path):
    with Evidence(path) as evidence:
        evidence._file.base.execute("INSERT INTO epochs (number, key, name) VALUES (?, '', '')", (FIRST_RESERVE - 2,))
        reserved = evidence.reserve("run", 2)
        opened_ = [evidence.open_epoch(key, "claim").number for key in "ab"]
    assert [each.number for each in reserved] == [FIRST_RESERVE, FIRST_RESERVE + 1]
    assert opened_ == [FIRST_RESERVE - 1, FIRST_RESERVE + 2]


def test_a_claim_without_a_share_of_the_error_is_not_tested(path):
    with Evidence(path) as evidence:
        ledger = Ledger(evidence, ERROR, lost="it failed")
        with pytest.raises(DataError, match="no share of the error that it may take: it failed"):
            ledger.open("key", "claim")
        with pytest.raises(DataError, match="no share"):
            ledger.share("key", "claim")


def test_memory_and_file_count_alike(path):
    slices = [
        Slice(1.0, 10, {"a": 1}, {"s": 1}),
        Slice(-3.0, 7, {"b": 1}, {"s": 2}),
        Slice(-math.inf, 3),
        Slice(2.0, 5, {"c": 1}),
    ]
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "claim")
        before = evidence.standing(epoch)
        for place, each in enumerate(slices):
            before = before.after(each, first=place == 0)
            assert evidence.commit(epoch, evidence.draw(epoch), "run", each) == before


def test_what_is_waited_for_a_file_is_a_part_of_the_time(path):
    with opened(path, ERROR, Deadline.within(6)) as ledger:
        assert ledger.evidence._file.patience() < 2
    with opened(path, ERROR, Deadline.within(1e9)) as ledger:
        assert ledger.evidence._file.patience() < 100


HELD = """
import sqlite3, sys
from attrs import evolve
from crowdproof.cli.watch import main
from crowdproof.audit.gate.rounds import Rounds
found = Rounds._found
def holding(self, *given):
    result = found(self, *given)
    global base
    base = sqlite3.connect("kept/evidence.sqlite", isolation_level=None)
    base.execute("BEGIN EXCLUSIVE")
    print("held", flush=True)
    return evolve(result, log_e=60.0)
Rounds._found = holding
sys.argv = ["crowdproof", "gate", "--seed", "1", "--format", "json=out.json"]
main()
"""


@pytest.mark.processes
def test_a_signal_while_the_file_is_held_keeps_the_refutation(tmp_path):
    project(tmp_path, ("leaks",))
    (tmp_path / "release.py").write_text("def f(table, rng):\n    return table.height + int(rng.integers(3))\n")
    with subprocess.Popen(
        [sys.executable, "-c", HELD], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as judge:
        assert judge.stdout.readline() == "held\n"
        time.sleep(0.5)
        os.kill(judge.pid, signal.SIGTERM)
        _, told = judge.communicate(timeout=60)
    assert judge.returncode == ExitCode.REFUTED, told
    assert '"refuted"' in (tmp_path / "out.json").read_text()
    assert "evidence was not kept: " in told
