"""Running the ledger: agreement, disagreement, giving up, and what `crowdproof prove` tells its caller."""

import hashlib
import json
from fractions import Fraction
from pathlib import Path

import cvc5
import pytest
from attrs import evolve
from click.testing import CliRunner
from flint import arb

from crowdproof.cli.prove import command
from crowdproof.errors import ExitCode
from crowdproof.findings import Proved, Refuted, Undecided
from crowdproof.proofs import ledger, lock
from crowdproof.proofs.certificates import MANIFEST, export
from crowdproof.proofs.check import check_obligation, check_printed
from crowdproof.proofs.documents import PAGES
from crowdproof.proofs.engines import smt
from crowdproof.proofs.ledger import Record, examine, exit_code, finding, run, summary
from crowdproof.proofs.mutation import changes, score
from crowdproof.proofs.statement import (
    Finite,
    Identity,
    Implication,
    Obligation,
    Registered,
    Statement,
    at,
    edge,
    goal,
    without,
)
from crowdproof.proofs.statements import STATEMENTS, statement
from crowdproof.wire import from_json, to_json

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def records():
    return run(workers=1)


def test_every_statement_is_as_registered(records):
    assert [each.statement.id for each in records if not each.agrees] == []
    assert exit_code(records) is ExitCode.HELD
    assert isinstance(summary(records).verdict, Proved)


def test_every_polynomial_obligation_is_decided_by_both_solvers_and_its_certificate(records):
    for record in records:
        for obligation, outcome in zip(record.statement.obligations, record.obligations, strict=True):
            if isinstance(obligation.body, Implication):
                assert outcome.engines == ("z3", "cvc5", "certificate")


def test_every_mutant_has_a_concrete_counterexample(records):
    for record in records:
        refuted, total = record.mutants
        assert refuted == total >= len(record.obligations)
        for outcome in record.obligations:
            assert all(result.values for _, result in outcome.variants), outcome.id


def test_every_refuted_statement_shows_its_counterexample(records):
    for record in records:
        if record.statement.verdict is Registered.REFUTED:
            assert isinstance(record.verdict, Refuted)
            assert record.verdict.witness.values  # type: ignore[union-attr]


@pytest.mark.slow
def test_findings_survive_the_wire(records):
    for each in (summary(records), *map(finding, records)):
        assert from_json(json.loads(json.dumps(to_json(each)))) == each


def test_the_pages_are_current():
    for name, page in PAGES.items():
        assert (DOCS / name).read_text(encoding="utf-8") == page(), (
            f"run python -m crowdproof.proofs.documents docs ({name})"
        )


# --- what must fail -------------------------------------------------------------------------------------------------

TRUE = Implication(("x >= 1",), "x**2 >= x", (at(x=1),))


def made(body, *mutants, verdict=Registered.PROVED) -> Statement:
    return Statement("made", "here", "a made statement", verdict, (Obligation("one", "a step", body, mutants),))


@pytest.fixture
def unlocked(monkeypatch):
    """Made statements are not in the lock: look at everything else."""
    monkeypatch.setattr(ledger, "changed", lambda _: ())


def test_a_false_obligation_is_refuted_with_its_point(unlocked):
    record = examine(made(evolve(TRUE, assume=("x >= 0",)), goal("x < 0")))
    assert isinstance(record.verdict, Refuted)
    assert not record.agrees
    assert exit_code([record]) is ExitCode.REFUTED


def test_a_mutant_that_survives_is_a_disagreement(unlocked):
    record = examine(made(TRUE, goal("x**2 >= 1")))
    assert any("is not refuted" in each for each in record.defects)
    assert exit_code([record]) is ExitCode.REFUTED


def test_a_vacuous_obligation_is_a_disagreement(unlocked):
    empty = Implication(("x >= 1", "x <= 0"), "x > 7", (at(x=1),))
    record = examine(made(empty, without("x <= 0")))
    assert any("do not admit" in each for each in record.defects)
    assert not record.agrees
    assert any("no point" in each for each in examine(made(evolve(TRUE, covers=()), goal("x < 0"))).defects)
    assert any(
        "not attained" in each for each in examine(made(evolve(TRUE, covers=(edge(x=2),)), goal("x < 0"))).defects
    )


def test_no_certificate_is_a_disagreement(unlocked):
    record = examine(made(TRUE, goal("x < 0")))
    assert "one: there is no positivity certificate" in record.defects
    assert exit_code([record]) is ExitCode.REFUTED


def test_an_engine_that_gives_up_is_undecided_and_never_green(unlocked):
    undecided = Finite(lambda: {"a": arb(2).sqrt() ** 2}, "a < 2", ({},), "balls")
    record = examine(made(undecided, goal("a > 3")))
    assert isinstance(record.verdict, Undecided)
    assert exit_code([record]) is ExitCode.UNDECIDED
    assert exit_code([record, examine(statement("gamma"))]) is ExitCode.UNDECIDED
    assert isinstance(summary([record]).verdict, Undecided)


def test_solvers_out_of_budget_are_undecided(monkeypatch):
    monkeypatch.setattr(smt, "Z3_BUDGET", 1)
    assert exit_code([examine(statement("thm3"))]) is ExitCode.UNDECIDED


def test_nothing_examined_is_never_green():
    assert exit_code([]) is ExitCode.BROKEN


def test_a_printed_claim_that_holds_is_a_disagreement():
    subject = statement("thm5-strict")
    assert subject.printed is not None
    right = evolve(subject, printed=evolve(subject.printed, body=evolve(subject.printed.body, goal="F <= G")))
    record = examine(right)
    assert isinstance(record.verdict, Proved)
    assert exit_code([record]) is ExitCode.REFUTED


def test_a_wrong_counterexample_of_an_implication_is_noticed():
    subject = statement("thm2-strict")
    assert subject.printed is not None
    outcome = check_printed(evolve(subject.printed, counterexample=at(p=1, x=1, r=0, q="1/2")))
    assert "the registered counterexample does not refute the claim" in outcome.defects


def test_a_probe_outside_the_domain_is_noticed():
    body = Identity("(x**2 - 1)/(x - 1) == x + 1", (at(x=1),))
    outcome = check_obligation(Obligation("one", "s", body, (goal("x == 2"),)), None)
    assert "a probe lies outside the domain" in outcome.defects


# --- the mutation test over the registry ----------------------------------------------------------------------------


@pytest.mark.slow
def test_every_change_of_a_statement_is_noticed():
    found = score()
    assert found.survived == ()
    assert found.total > 1000


@pytest.mark.parametrize("identifier", ["thm1", "thm5", "thm6", "cbp-first", "odoh-mono"])
def test_prove_fails_on_a_changed_statement(identifier):
    """The whole of `prove`, lock and certificates included, on a statement with its first obligation changed."""
    subject = statement(identifier)
    first = subject.obligations[0]
    change = next(each for each in changes([subject]) if each.owner is first)
    changed = evolve(subject, obligations=(evolve(first, body=change.body), *subject.obligations[1:]))
    assert lock.changed(changed)
    assert lock.changed(subject) == ()
    record = Record(changed, tuple(check_obligation(each, None) for each in changed.obligations[:1]), None)
    assert exit_code([record]) in {ExitCode.REFUTED, ExitCode.UNDECIDED}


def test_a_changed_case_is_noticed_by_the_lock():
    subject = statement("table2")
    first = subject.obligations[0]
    assert isinstance(first.body, Finite)
    shorter = evolve(first, body=evolve(first.body, cases=first.body.cases[1:]))
    assert lock.changed(evolve(subject, obligations=(shorter, *subject.obligations[1:])))
    assert lock.changed(evolve(subject, obligations=subject.obligations[1:]))


# --- certificates and the command -----------------------------------------------------------------------------------


def test_certificates_can_be_checked_by_a_third_party(tmp_path, records):
    chosen = [each for each in records if each.statement.id in {"thm1", "thm2-strict", "prop4", "thm6-two-samples"}]
    written = export(chosen, tmp_path)
    for line in (tmp_path / MANIFEST).read_text().splitlines():
        digest, _, name = line.partition("  ")
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
    scripts = [path for path in written if path.suffix == ".smt2"]
    assert len(scripts) > 20
    for path in scripts:
        text = path.read_text()
        expected = text.split("expected answer: ")[1].split("\n")[0]
        assert _standalone(text) == expected, path.name


def _standalone(text: str) -> str:
    """Run a script in a solver of its own, as a third party would."""
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", "20000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    said = ""
    while not (each := parser.nextCommand()).isNull():
        said += str(each.invoke(solver, parser.getSymbolManager())).strip()
    return said


def test_exported_witnesses_are_exact(tmp_path, records):
    export([each for each in records if each.statement.id == "thm6"], tmp_path)
    printed = json.loads((tmp_path / "thm6" / "printed.json").read_text())
    assert Fraction(printed["counterexample"]["actual"]) == Fraction(119, 5120)
    assert printed["expected"] == "refuted"


def prove(*arguments: str):
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def test_prove_prints_a_table_and_exits_0_on_agreement():
    result = prove("gamma", "thm5-strict", "--workers", "1")
    assert result.return_value is ExitCode.HELD
    assert "PROVED" in result.output
    assert "REFUTED" in result.output
    assert "mutants refuted" in result.output


def test_prove_writes_json_and_certificates(tmp_path):
    target = tmp_path / "out.json"
    result = prove("thm3", "--format", f"json={target}", "--certificates", str(tmp_path / "certificates"))
    assert result.return_value is ExitCode.HELD
    ledger_finding, thm3 = json.loads(target.read_text())
    assert ledger_finding["claim"]["id"] == "ledger"
    assert thm3["claim"]["id"] == "thm3"
    assert (tmp_path / "certificates" / "thm3" / "mixture.smt2").exists()


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_prove_speaks_other_formats(form):
    result = prove("gamma", "--format", form)
    assert result.exception is None
    assert "gamma" in result.output


@pytest.mark.slow
def test_the_result_does_not_depend_on_the_number_of_workers():
    names = ["gamma", "thm3", "thm5-strict"]
    one, two = (
        [(each.verdict, each.mutants, [o.results for o in each.outcomes]) for each in run(names, workers)]
        for workers in (1, 2)
    )
    assert one == two


def test_all_ids_are_unique_and_words_are_ours():
    assert len({each.id for each in STATEMENTS}) == len(STATEMENTS)
