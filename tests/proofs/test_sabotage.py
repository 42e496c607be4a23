"""Sabotage of the registry is noticed although the lock is switched off."""

import inspect
from collections import Counter
from contextlib import nullcontext
from fractions import Fraction

import pytest
from attrs import evolve

from crowdproof.findings import Estimate
from crowdproof.proofs import ledger, record
from crowdproof.proofs import theorem6 as family
from crowdproof.proofs.edits import Edit, Effect, edits
from crowdproof.proofs.outline import outlines
from crowdproof.proofs.record import finite_bodies, recorded
from crowdproof.proofs.sabotage import ENOUGH, chosen, in_force, noticed
from crowdproof.proofs.statement import Finite, Obligation
from crowdproof.proofs.statements import STATEMENTS, statement


@pytest.fixture
def unlocked(monkeypatch):
    monkeypatch.setattr(ledger, "changed", lambda _: ())


def with_quantity(subject, old, new):
    """The statement with one quantity replaced wherever it is used."""

    def changed(step: Obligation) -> Obligation:
        if isinstance(step.body, Finite) and step.body.quantities is old:
            return evolve(step, body=evolve(step.body, quantities=new))
        return step

    return evolve(subject, obligations=tuple(map(changed, subject.obligations)))


def obligation(subject, name):
    return next(each for each in subject.obligations if each.id == name)


def quantity(subject, step):
    return obligation(subject, step).body.quantities


def rewritten(function, old, new):
    source = inspect.getsource(function)
    assert old in source
    space = dict(function.__globals__)
    exec(source.replace(old, new), space)
    return space[function.__name__]


SOURCES = [
    ("thm5", "small-cases", "if j > gamma * n", ""),
    ("thm1", "table1-delta", "ratio * delta1", "Fraction(1, 10**6)"),
    ("def-dps", "not-below", "beta - x * 0", "Fraction(1, 2)"),
    ("apply", "counts", "Fraction(a if a >= k else 0)", "Fraction(shown)"),
]
"""A statement, its step, and what is replaced in the source of the quantity."""


@pytest.mark.parametrize(("name", "step", "old", "new"), SOURCES)
def test_a_quantity_that_is_tampered_with(name, step, old, new):
    subject = statement(name)
    before = quantity(subject, step)
    changed = with_quantity(subject, before, rewritten(before, old, new))
    assert noticed(Edit("", "", changed, obligation(changed, step)))
    assert not noticed(Edit("", "", subject, obligation(subject, step)))


@pytest.mark.parametrize(
    ("name", "old", "new"), [("thm5", "for eps >= -ln(1-beta)", "for every eps >= 0"), ("thm1", "delta1", "delta1^2")]
)
def test_the_sentence_of_a_theorem(unlocked, name, old, new):
    subject = statement(name)
    assert old in subject.sentence
    changed = evolve(subject, sentence=subject.sentence.replace(old, new))
    assert not ledger.Record(changed, (), None).agrees
    assert ledger.Record(subject, (), None).agrees


def test_half_of_the_neighbours(monkeypatch):
    subject, every = statement("thm6"), family.neighbours
    unchanged = Edit("", "", subject, obligation(subject, "more"))
    assert not noticed(unchanged)
    monkeypatch.setattr(family, "neighbours", lambda n: list(every(n))[::2])
    assert any(noticed(evolve(unchanged, step=each)) for each in subject.obligations)


KINDS = {
    *("added assumption", "caricature", "deleted step", "dropped duty", "dropped mutant", "edited helper"),
    *("edited quantity", "edited sentence", "fewer cases", "other status", "other theorem", "tautology"),
    "weakened goal",
}
OF_CODE = {"edited quantity", "edited helper"}
"""An edit of code may change nothing that the statement says: m - b is odd where m + b is."""


def test_edits_of_every_kind_are_noticed():
    subjects = tuple(map(statement, ("thm2-strict", "xor", "thm5", "cbp-hist", "apply", "fig5-k1")))
    tried: Counter[str] = Counter()
    slipped: Counter[str] = Counter()
    for edit in edits(subjects):
        if tried[edit.kind] < 4 and in_force(edit):
            tried[edit.kind] += 1
            slipped[edit.kind] += not noticed(edit)
    assert set(tried) == KINDS
    assert {kind for kind in KINDS if slipped[kind]} <= OF_CODE
    assert slipped.total() <= 2


def test_an_edit_that_changes_nothing_is_none_and_leaves_no_trace():
    subject = statement("xor")
    step = obligation(subject, "masked")
    every = [each for each in edits((subject,)) if each.function is not None and each.step == step]
    assert any(map(in_force, every))
    assert not record.differs("xor/masked", step.body)
    untouched = Edit("edited quantity", "nothing", subject, step, lambda: nullcontext(Effect()))
    assert not in_force(untouched)
    assert not noticed(untouched)


def test_a_wider_end_of_an_interval_is_seen():
    body = Finite(lambda high: {"delta": Estimate(Fraction(1), Fraction(high))}, "delta > 0", ({"high": 2},))
    assert record.values_of(body) == "delta = 1 to 2"


def test_a_step_that_is_deleted_or_new_or_weaker(unlocked):
    subject = statement("thm5")
    other = evolve(subject.obligations[0], id="other")
    for steps in (subject.obligations[1:], (*subject.obligations, other)):
        assert not ledger.Record(evolve(subject, obligations=steps), (), None).agrees


def test_every_statement_has_an_outline_and_every_finite_claim_its_values():
    assert set(outlines()) == {each.id for each in STATEMENTS}
    assert {name for each in STATEMENTS for name in finite_bodies(each)} == set(recorded())


def test_values_are_recorded_alike_on_every_run():
    body = finite_bodies(statement("thm6"))["thm6/actual"]
    assert not record.differs("thm6/actual", body)
    assert record.differs("thm6/actual", evolve(body, quantities=lambda **_: {"actual": Fraction(1)}))


@pytest.mark.long
def test_the_share_of_edits_that_is_noticed():
    kinds: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for edit in chosen():
        kinds[edit.kind] += 1
        found[edit.kind] += bool(noticed(edit))
    assert set(kinds) == KINDS
    assert kinds.total() == 200
    for kind in KINDS - {"edited quantity", "edited helper"}:
        assert found[kind] == kinds[kind]
    assert found.total() >= ENOUGH * kinds.total()
