"""The gate as a whole, with an engine whose answers are known."""

import datetime
import math
import signal

import pytest
from gate_projects import CRASH, Scripted, entry, exact, project_file

from crowdproof.audit.gate import Evidence, Options, read_project, run_gate
from crowdproof.errors import ConfigError, DataError, ExitCode
from crowdproof.findings import Confidence, Counterexample, Exact, NotRefuted, Refuted, Skipped, Undecided

TODAY = datetime.date(2026, 6, 1)
EVIDENCE = "evidence = 'kept.sqlite'"
WRONG = {"mechanism": "{ kind = 'strongly-safe', k = 20 }"}


def gate(path, engine, *, seed=1, **more):
    return run_gate(read_project(path), Options(seed, today=TODAY, **more), engine)


def verdicts(result):
    return {each.subject: type(each.verdict) for each in result.findings}


def note(finding, title):
    return next(each.text for each in finding.evidence if each.title == title)


def test_every_kind_of_outcome_and_its_exit_code(tmp_path):
    names = ("held", "leaks", "crashes", "exact", "unloadable")
    path = project_file(tmp_path, *(entry(name, f"dp(epsilon={i})") for i, name in enumerate(names)))
    engine = Scripted(held=[0, 0, 0], leaks=[5, 5, 5], crashes=[CRASH], exact=exact(), unloadable=CRASH)
    result = gate(path, engine)
    assert verdicts(result) == {
        "held": NotRefuted,
        "leaks": Undecided,  # 15 nats, more than half of what is needed
        "crashes": Skipped,
        "exact": NotRefuted,
        "unloadable": Skipped,
    }
    assert engine.released == ["held", "leaks", "crashes", "exact"]
    assert result.exit_code() is ExitCode.BROKEN
    assert result.exit_code(exit_zero=True) is ExitCode.BROKEN
    assert [each.reproduce.parameters["line"] for each in result.findings] == [5, 10, 15, 20, 25]
    assert all(each.reproduce.seed == 1 for each in result.findings)


def test_a_claim_that_leaks_a_little_is_refuted_when_evidence_adds_up(tmp_path):
    path = project_file(tmp_path, entry("leaks"), head=EVIDENCE)
    outcomes = []
    for _ in range(4):
        result = gate(path, Scripted(leaks=[1.5, 1.5, 1.5]), seed=7)
        outcomes.append(type(result.findings[0].verdict))
    # alpha is 1e-6 / 2: 14.5 nats, reached in the fourth gate
    assert outcomes == [NotRefuted, Undecided, Undecided, Refuted]
    assert result.findings[0].certainty == Confidence(result.error / 2)
    assert result.exit_code() is ExitCode.REFUTED
    assert result.exit_code(exit_zero=True) is ExitCode.HELD
    assert "over the gate's life" in result.summary()
    again = Scripted(leaks=[])
    assert verdicts(gate(path, again)) == {"leaks": Refuted}
    assert again.asked == []


def test_without_the_file_each_run_stands_alone(tmp_path):
    path = project_file(tmp_path, entry("leaks"), head=EVIDENCE)
    for _ in range(9):
        result = gate(path, Scripted(leaks=[1.5, 1.5, 1.5]), keep=False)
        assert verdicts(result) == {"leaks": NotRefuted}
    assert "in this run" in result.summary()
    assert not (tmp_path / "kept.sqlite").exists()


SELF_SEEDED = """
import numpy as np
rng = np.random.default_rng(5)
def f(table):
    stay = -np.expm1(-1.05)
    return int(table.height + rng.geometric(stay) - rng.geometric(stay))
"""


@pytest.mark.parametrize(("more", "alone"), [({}, True), ({"entropy": "true"}, False)])
def test_a_target_that_may_repeat_itself_in_the_next_run_adds_nothing_up(tmp_path, more, alone):
    path = project_file(tmp_path, entry("a", target="seeded.py:f", isolate="'none'", **more), head=EVIDENCE)
    (tmp_path / "seeded.py").write_text(SELF_SEEDED)
    for _ in range(2):
        (finding,) = run_gate(read_project(path), Options(1)).findings
    assert ("2 runs of the gate" in note(finding, "Evidence so far")) is not alone
    assert any(each.title == "Evidence does not add up" for each in finding.evidence) is alone


def test_outputs_that_were_made_before_are_nothing_to_gate(tmp_path):
    with pytest.raises(ConfigError, match="crowdproof audit"):
        read_project(project_file(tmp_path, entry("a", target="releases:a,b")))


@pytest.mark.parametrize("change", ["code", "imported", "claim", "params", "sources"])
def test_evidence_starts_anew_when_anything_changes(tmp_path, change):
    (tmp_path / "helper.py").write_text("x = 1\n")
    (tmp_path / "weights.bin").write_text("1")
    more = {"sources": "['weights.bin']", "params": "{ a = 1 }"}
    path = project_file(tmp_path, entry("leaks", **more), head=EVIDENCE)
    (tmp_path / "release.py").write_text("def f(table):\n    import helper\n    return helper.x\n")
    gate(path, Scripted(leaks=[4, 4, 4]))
    match change:
        case "code":
            (tmp_path / "release.py").write_text("def f(table):\n    import helper\n    return 2 * helper.x\n")
        case "imported":
            (tmp_path / "helper.py").write_text("x = 2\n")
        case "sources":
            (tmp_path / "weights.bin").write_text("2")
        case "claim":
            path.write_text(path.read_text().replace("epsilon=1", "epsilon=2"))
        case "params":
            path.write_text(path.read_text().replace("a = 1", "a = 2"))
    result = gate(path, Scripted(leaks=[4, 4, 4]))
    assert verdicts(result) == {"leaks": Undecided}
    assert "10^5.2" in note(result.findings[0], "Evidence so far")
    assert verdicts(gate(path, Scripted(leaks=[4, 4, 4]))) == {"leaks": Refuted}


def test_what_does_not_belong_to_the_target_changes_nothing(tmp_path):
    path = project_file(tmp_path, entry("leaks"), head=EVIDENCE)
    gate(path, Scripted(leaks=[4, 4, 4]))
    (tmp_path / "unrelated.py").write_text("x = 1\n")
    path.write_text("# a comment\n" + path.read_text())
    assert verdicts(gate(path, Scripted(leaks=[4, 4, 4]))) == {"leaks": Refuted}


def test_a_crash_voids_what_came_before(tmp_path):
    path = project_file(tmp_path, entry("leaks"), head=EVIDENCE)
    gate(path, Scripted(leaks=[4, 4, 4]))
    assert verdicts(gate(path, Scripted(leaks=[CRASH]))) == {"leaks": Skipped}
    assert verdicts(gate(path, Scripted(leaks=[4, 4, 4]))) == {"leaks": Undecided}


def test_the_same_seed_never_draws_the_same_randomness_twice(tmp_path):
    path = project_file(tmp_path, entry("a"), entry("b"), head=EVIDENCE)
    keys = []
    for _ in range(3):
        engine = Scripted(a=[0, 0, 0], b=[0, 0, 0])
        gate(path, engine, seed=5)
        keys += [key for _, _, key, _ in engine.asked]
    assert len(set(keys)) == len(keys) == 18


def test_slices_learn_from_those_before(tmp_path):
    path = project_file(tmp_path, entry("a"), head=EVIDENCE)
    engine = Scripted(a=[0.25, 0.5, 0.75])
    gate(path, engine)
    assert [state for *_, state in engine.asked] == [None, {"after": 0.25}, {"after": 0.5}]
    engine = Scripted(a=[0, 0, 0])
    gate(path, engine)
    assert engine.asked[0][3] == {"after": 0.75}


def test_the_most_suspicious_claim_goes_first(tmp_path):
    path = project_file(tmp_path, *(entry(name, f"dp(epsilon={i + 1})") for i, name in enumerate("abc")), head=EVIDENCE)
    gate(path, Scripted(a=[-1, 0, 0], b=[3, 0, 0], c=[0, 0, 0]))
    engine = Scripted(a=[0, 0, 0], b=[0, 0, 0], c=[0, 0, 0])
    gate(path, engine)
    assert [name for name, *_ in engine.asked][:3] == ["b", "c", "a"]
    assert [runs for name, runs, *_ in engine.asked if name == "a"] == [100, 200, 400]


def test_spent_time_is_undecided_and_neither_refuted_nor_a_pass(tmp_path):
    path = project_file(tmp_path, entry("slow"))
    result = gate(path, Scripted(slow=[5.0]), seconds=1e-9)
    assert verdicts(result) == {"slow": Undecided}
    assert result.exit_code(lenient=True) is ExitCode.HELD
    assert result.exit_code() is ExitCode.UNDECIDED
    assert result.badge()["isError"]


def test_wrong_arithmetic_fails_without_running_anything(tmp_path):
    claim = "dps(beta=0.1, epsilon=0.5, delta=1e-11)"
    path = project_file(tmp_path, entry("sum", claim, target="there.is.none:such", **WRONG))
    engine = Scripted()
    result = gate(path, engine)
    (finding,) = result.findings
    assert isinstance(finding.verdict, Refuted)
    assert isinstance(finding.verdict.witness, Counterexample)
    assert "k = 20, beta = 0.1 gives delta 2.632e-11 at epsilon 0.5, you claim 1e-11" in finding.verdict.witness.words
    assert (finding.certainty, finding.cost.runs, engine.asked) == (Exact(), 0, [])
    assert result.exit_code() is ExitCode.REFUTED


def test_arithmetic_that_theorem_5_does_not_carry_and_the_tight_number_does_is_right(tmp_path):
    path = project_file(tmp_path, entry("sum", "dps(beta=0.1, epsilon=0.5, delta=1e-10)", **WRONG))
    (finding,) = gate(path, Scripted(sum=exact())).findings
    assert isinstance(finding.verdict, NotRefuted)
    assert "Theorem 5 gives only 1.606e-9" in note(finding, "Arithmetic")


# --- never green --------------------------------------------------------------------------------------------------


def test_nothing_collected_is_never_green(tmp_path):
    result = gate(project_file(tmp_path), Scripted())
    assert result.exit_code() is result.exit_code(exit_zero=True) is ExitCode.BROKEN
    assert "nothing was shown" in result.summary()


@pytest.mark.parametrize(
    ("data", "words"),
    [("", "empty"), ("age\n", "no rows"), (None, "no file"), ("\x00\xff" * 9, "")],
)
def test_empty_missing_and_unreadable_data_is_never_green(tmp_path, data, words):
    path = project_file(tmp_path, entry("a", data="'other.csv'"))
    if data is not None:
        (tmp_path / "other.csv").write_bytes(data.encode("latin-1"))
    result = run_gate(read_project(path), Options(1))
    (finding,) = result.findings
    assert isinstance(finding.verdict, Skipped)
    assert words in finding.verdict.reason
    assert result.exit_code() is ExitCode.BROKEN


@pytest.mark.parametrize(
    "target",
    [
        "nowhere:f",
        "release:missing",
        "release",
        "missing.py:f",
        "broken.py:f",
        "command:./no-such-program {input} {output}",
    ],
)
def test_a_target_that_cannot_be_loaded_is_never_green(tmp_path, target):
    (tmp_path / "broken.py").write_text("def f(:\n")
    path = project_file(tmp_path, entry("a", target=target))
    result = run_gate(read_project(path), Options(1))
    assert verdicts(result) == {"a": Skipped}
    assert result.exit_code() is ExitCode.BROKEN


@pytest.mark.slow
@pytest.mark.parametrize(("size", "verdict"), [(2, Skipped), (1000, NotRefuted)])
def test_a_target_that_dies_on_some_data_is_never_green(tmp_path, size, verdict):
    code = f"import os\ndef f(table):\n    if table.height == {size}: os.abort()\n    return 'ok'\n"
    path = project_file(tmp_path, entry("a", target="dies.py:f"))
    (tmp_path / "dies.py").write_text(code)
    result = run_gate(read_project(path), Options(1))
    assert verdicts(result) == {"a": verdict}
    assert result.exit_code() is (ExitCode.BROKEN if verdict is Skipped else ExitCode.HELD)


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "verdict"), [(8, Undecided), (20_000, NotRefuted)])
def test_too_few_runs_are_never_green(tmp_path, runs, verdict):
    path = project_file(tmp_path, entry("a", target="noise.py:f", runs=runs))
    (tmp_path / "noise.py").write_text("def f(table, rng):\n    return float(rng.laplace())\n")
    result = run_gate(read_project(path), Options(1))
    assert verdicts(result) == {"a": verdict}


def test_missing_sources_are_never_green(tmp_path):
    path = project_file(tmp_path, entry("a", sources="['gone.bin']"))
    result = gate(path, Scripted(a=exact()))
    assert verdicts(result) == {"a": Skipped}


def test_a_damaged_evidence_file_ends_the_gate(tmp_path):
    path = project_file(tmp_path, entry("a"), head=EVIDENCE)
    (tmp_path / "kept.sqlite").write_bytes(b"")
    with pytest.raises(DataError, match="left as it is"):
        gate(path, Scripted(a=[0, 0, 0]))


# --- suppressions -------------------------------------------------------------------------------------------------


def suppression(claim, fingerprint, until):
    return (
        f"\n[[suppressions]]\nclaim = {claim!r}\nfingerprint = {fingerprint!r}\n"
        f"reason = 'under review'\nuntil = {until}\n"
    )


def fingerprint_of(result, name):
    finding = next(each for each in result.findings if each.subject == name)
    return note(finding, "Fingerprint").split()[0]


@pytest.fixture
def suppressible(tmp_path):
    path = project_file(tmp_path, entry("leaks"), entry("fine"))

    def run(until, leaks=(20,), fingerprint=None):
        first = gate(path, Scripted(leaks=[20, 0, 0], fine=exact()))
        text = path.read_text()
        path.write_text(text + suppression("leaks", fingerprint or fingerprint_of(first, "leaks"), until))
        try:
            plan = exact() if leaks == "exact" else [*leaks, 0, 0]
            return gate(path, Scripted(leaks=plan, fine=exact()))
        finally:
            path.write_text(text)

    return run


def test_a_suppression_lets_pass_and_hides_nothing(suppressible):
    result = suppressible("2026-06-01")
    assert result.exit_code() is ExitCode.HELD
    assert verdicts(result)["leaks"] is Refuted
    assert "under review" in note(result.findings[0], "Let pass")
    assert "1 let pass" in result.summary()


@pytest.mark.parametrize("until", ["2026-05-31", "'2026-13-31'", "'soon'", "0"])
def test_an_expired_or_malformed_suppression_is_never_green(suppressible, until):
    result = suppressible(until)
    assert result.exit_code() is ExitCode.REFUTED
    assert result.exit_code(exit_zero=True) is ExitCode.USAGE
    assert "expired" in result.problems[0]
    held = suppressible(until, leaks=(0,))
    assert held.exit_code() is ExitCode.USAGE


def test_a_suppression_is_bound_to_what_justified_it(suppressible):
    result = suppressible("2030-01-01", fingerprint="0123456789abcdef")
    assert result.exit_code() is ExitCode.REFUTED
    assert "matches nothing" in result.problems[0]
    crashed = suppressible("2030-01-01", leaks=(CRASH,))
    assert crashed.exit_code() is ExitCode.USAGE
    assert verdicts(crashed)["leaks"] is Skipped


def test_a_suppression_of_what_is_settled_matches_nothing(suppressible):
    assert suppressible("2030-01-01", leaks="exact").exit_code() is ExitCode.USAGE
    lucky = suppressible("2030-01-01", leaks=(0,))  # a statistical refutation may fail to be found again
    assert (lucky.exit_code(), lucky.problems, lucky.passed) == (ExitCode.HELD, (), frozenset())


def test_if_everything_is_let_pass_nothing_was_shown(tmp_path):
    path = project_file(tmp_path, entry("leaks"))
    first = gate(path, Scripted(leaks=[20, 0, 0]))
    path.write_text(path.read_text() + suppression("leaks", fingerprint_of(first, "leaks"), "2030-01-01"))
    assert gate(path, Scripted(leaks=[20, 0, 0])).exit_code() is ExitCode.BROKEN


def test_the_threshold_is_exactly_one_over_alpha(tmp_path):
    needed = math.log(2e6)
    path = project_file(tmp_path, entry("a"))
    assert verdicts(gate(path, Scripted(a=[needed + 1e-9, 0, 0]))) == {"a": Refuted}
    assert verdicts(gate(path, Scripted(a=[needed - 1e-9, 0, 0]))) == {"a": Undecided}
    assert verdicts(gate(path, Scripted(a=[needed / 2 - 1e-9, 0, 0]))) == {"a": NotRefuted}


# --- what is found is not lost -------------------------------------------------------------------------------------

LEAK = exact(Refuted(Counterexample("it leaks")))


@pytest.mark.parametrize("plan", [KeyboardInterrupt(), [0, KeyboardInterrupt()]])
def test_an_interrupt_ends_the_gate_with_what_was_found(tmp_path, plan):
    path = project_file(tmp_path, *(entry(name, f"dp(epsilon={i})") for i, name in enumerate("abc")))
    engine = Scripted(a=[20, 0, 0], b=plan, c=exact())
    result = gate(path, engine)
    tested = isinstance(plan, list)
    assert verdicts(result) == {
        "a": Refuted if tested else Undecided,
        "b": Undecided,
        "c": NotRefuted if tested else Undecided,
    }
    assert "interrupted" in result.findings[1].verdict.reason
    assert result.findings[1].cost.runs == (100 if tested else 0)
    assert engine.released == (["a", "b", "c"] if tested else ["a"])
    assert result.interrupted
    assert result.exit_code() is (ExitCode.REFUTED if tested else ExitCode.BROKEN)


def test_an_interrupt_that_an_audit_ended_with_ends_the_gate_too(tmp_path):
    """The audit tells what it had found by then; the claims after it are not begun."""

    class Pressed(Scripted):
        def settle(self, case, *rest, **more):
            if case.entry.name == "a":
                with pytest.raises(KeyboardInterrupt):
                    signal.raise_signal(signal.SIGINT)
            return super().settle(case, *rest, **more)

    path = project_file(tmp_path, *(entry(name, f"dp(epsilon={i})") for i, name in enumerate("ab")))
    result = gate(path, Pressed(a=LEAK, b=exact()))
    assert verdicts(result) == {"a": Refuted, "b": Undecided}
    assert result.interrupted
    assert verdicts(gate(path, Scripted(a=LEAK, b=exact()))) == {"a": Refuted, "b": NotRefuted}


def test_an_interrupted_gate_is_never_green_and_its_suppressions_still_match(tmp_path):
    path = project_file(tmp_path, entry("a"), head=EVIDENCE)
    (finding,) = gate(path, Scripted(a=[20, 0, 0]), keep=False).findings
    mark = note(finding, "Fingerprint").split()[0]
    lines = ["[[suppressions]]", "claim = 'a'", f"fingerprint = '{mark}'", "reason = 'known'", "until = 2026-12-31"]
    path.write_text("\n".join([path.read_text(), *lines]))
    result = gate(path, Scripted(a=[KeyboardInterrupt()]))
    assert (result.problems, result.exit_code(), result.exit_code(exit_zero=True)) == (
        (),
        ExitCode.BROKEN,
        ExitCode.BROKEN,
    )
    assert not gate(path, Scripted(a=[0, 0, 0])).interrupted


@pytest.mark.parametrize("plan", [ZeroDivisionError("oh"), [ZeroDivisionError("oh")], CRASH])
def test_an_error_about_one_claim_leaves_the_others(tmp_path, plan):
    path = project_file(tmp_path, *(entry(name, f"dp(epsilon={i})") for i, name in enumerate("abc")))
    result = gate(path, Scripted(a=plan, b=LEAK, c=[0, 0, 0]))
    assert verdicts(result) == {"a": Skipped, "b": Refuted, "c": NotRefuted}
    reason = result.findings[0].verdict.reason
    assert ("internal error: ZeroDivisionError: oh. This is a bug of crowdproof" in reason) == (plan is not CRASH)
    assert (result.exit_code(), result.exit_code(exit_zero=True)) == (ExitCode.REFUTED, ExitCode.BROKEN)


def test_an_unforeseen_error_voids_what_came_before_as_a_crash_does(tmp_path):
    path = project_file(tmp_path, entry("leaks"), head=EVIDENCE)
    gate(path, Scripted(leaks=[4, 4, 4]))
    assert verdicts(gate(path, Scripted(leaks=[ZeroDivisionError()]))) == {"leaks": Skipped}
    assert verdicts(gate(path, Scripted(leaks=[4, 4, 4]))) == {"leaks": Undecided}


def test_an_evidence_file_that_fails_on_the_way_leaves_what_is_decided(tmp_path, monkeypatch):
    path = project_file(tmp_path, *(entry(name, f"dp(epsilon={i})") for i, name in enumerate("abc")), head=EVIDENCE)
    commit = Evidence.commit

    def full(self, epoch, number, run, found):
        if found.log_e == 1:
            raise DataError("cannot use the evidence file: the disk is full.")
        return commit(self, epoch, number, run, found)

    monkeypatch.setattr(Evidence, "commit", full)
    result = gate(path, Scripted(a=[20, 0, 0], b=[1, 0, 0], c=exact()))
    assert verdicts(result) == {"a": Refuted, "b": NotRefuted, "c": NotRefuted}
    assert result.unkept == "cannot use the evidence file: the disk is full."
    assert (result.exit_code(), result.exit_code(exit_zero=True)) == (ExitCode.REFUTED, ExitCode.BROKEN)
