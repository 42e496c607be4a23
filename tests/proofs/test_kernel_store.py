"""The stored result of Coq: it counts only for the sources that it was made from, and it says that Coq did not run."""

import shutil

import pytest

from crowdproof.proofs import ledger
from crowdproof.proofs.engines import kernel
from crowdproof.proofs.ledger import examine, finding
from crowdproof.proofs.statement import KERNEL, Finite, Registered
from crowdproof.proofs.statements import STATEMENTS, statement

EXPECTED = {
    *("thm1", "thm2", "thm3", "gamma", "thm5", "thm5-tight", "thm5-small-eps", "prop4", "thm6-two-samples"),
    *("cbp-main", "fresh", "xor", "composition", "thm5-below-d", "d-closed-form", "d-maximum", "d-order", "thm6-fails"),
    *("cbp-maximum", "cbp-first", "cbp-hist"),
}


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A copy of the development, to tamper with."""
    shutil.copytree(kernel.FOLDER, tmp_path / "coq", ignore=shutil.ignore_patterns("*.vo*", "*.glob", ".*"))
    monkeypatch.setattr(kernel, "FOLDER", tmp_path / "coq")
    kernel.stored.cache_clear()
    yield tmp_path / "coq"
    monkeypatch.undo()
    kernel.stored.cache_clear()


def test_which_statements_are_kernel_checked():
    assert {each.id for each in STATEMENTS if each.status == KERNEL} == EXPECTED
    for each in STATEMENTS:
        assert not each.theorem or kernel.stored().defects_of(each.theorem) == ()


def test_statements_that_rest_on_cases_alone_say_how_far_these_go():
    for each in STATEMENTS:
        only_cases = all(isinstance(obligation.body, Finite) for obligation in each.obligations)
        if each.verdict is Registered.PROVED and not each.theorem and only_cases:
            assert each.status.startswith("enumerated up to "), each.id


def test_the_report_says_that_coq_did_not_run():
    told = " ".join(str(each) for each in finding(examine(statement("gamma"))).evidence)
    assert "kernel-checked" in told
    assert "did not run now" in told


@pytest.mark.parametrize("name", ["Definitions.v", "Tight.v", "Statements.v"])
def test_a_source_that_differs_is_a_disagreement(elsewhere, name):
    file = elsewhere / name
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert not examine(statement("gamma"), kernel.stored()).agrees


def test_a_sentence_that_differs_is_seen_although_coq_accepts_the_theorems(elsewhere):
    """What Coq says does not depend on comments, so a run of it must not lend its word to another sentence."""
    said = kernel.Kernel(kernel.stored().theorems, (), ran=True, version="")
    assert said.defects_of("thm5") == ()
    file = elsewhere / "Statements.v"
    text = file.read_text(encoding="utf-8")
    assert "    eps >= -ln(1-beta), with delta the largest" in text
    file.write_text(
        text.replace("eps >= -ln(1-beta), with delta the", "every eps >= 0, with delta the"), encoding="utf-8"
    )
    kernel.sentence.cache_clear()
    try:
        assert any("is not the one that was reviewed" in each for each in said.defects_of("thm5"))
    finally:
        kernel.sentence.cache_clear()


def test_a_theorem_that_is_not_there_and_an_axiom_more_are_disagreements(monkeypatch):
    known = kernel.stored()
    assert known.defects_of("thm7")
    more = kernel.Theorem(known.theorems["thm5"].statement, (*kernel.STANDARD, "Evil.axiom"))
    assert any(
        "Evil.axiom" in each for each in kernel.Kernel({"thm5": more}, (), ran=True, version="").defects_of("thm5")
    )
    weaker = kernel.Theorem("Statements.thm5 : True", ())
    found = kernel.Kernel({"thm5": weaker}, (), ran=True, version="")
    assert not ledger.Record(statement("thm5"), (), None, found).agrees


def test_sentences_of_theorems_are_read_from_the_theorems():
    for each in STATEMENTS:
        if each.theorem:
            assert each.sentence == kernel.sentence(each.theorem)
            assert each.sentence.endswith(".")
            assert not each.sentence.startswith(("LQS", "Gehrke", "Beyond"))
