"""Sabotage of the registry is noticed although the lock is switched off."""

import inspect
from collections import Counter
from fractions import Fraction

import pytest
from attrs import evolve

from crowdproof.proofs import ledger, record
from crowdproof.proofs import theorem6 as family
from crowdproof.proofs.ledger import examine
from crowdproof.proofs.outline import outlines
from crowdproof.proofs.record import finite_bodies, recorded
from crowdproof.proofs.sabotage import chosen, noticed
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


def quantity(subject, step):
    return next(each.body.quantities for each in subject.obligations if each.id == step)


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
def test_a_quantity_that_is_tampered_with(unlocked, name, step, old, new):
    subject = statement(name)
    before = quantity(subject, step)
    assert not examine(with_quantity(subject, before, rewritten(before, old, new))).agrees
    assert examine(subject).agrees


@pytest.mark.parametrize(
    ("name", "old", "new"), [("thm5", "for eps >= -ln(1-beta)", "for every eps >= 0"), ("thm1", "delta1", "delta1^2")]
)
def test_the_sentence_of_a_theorem(unlocked, name, old, new):
    subject = statement(name)
    assert old in subject.sentence
    assert not examine(evolve(subject, sentence=subject.sentence.replace(old, new))).agrees


def test_half_of_the_neighbours(unlocked, monkeypatch):
    every = family.neighbours
    monkeypatch.setattr(family, "neighbours", lambda n: list(every(n))[::2])
    assert not examine(statement("thm6")).agrees


def test_a_step_that_is_deleted_or_new_or_weaker(unlocked):
    subject = statement("thm5")
    assert not examine(evolve(subject, obligations=subject.obligations[1:])).agrees
    other = evolve(subject.obligations[0], id="other")
    assert not examine(evolve(subject, obligations=(*subject.obligations, other))).agrees


def test_every_statement_has_an_outline_and_every_finite_claim_its_values():
    assert set(outlines()) == {each.id for each in STATEMENTS if each.obligations}
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
    assert set(kinds) == {"deleted step", "weakened goal", "tautology", "edited quantity", "edited sentence"}
    assert kinds.total() == 200
    for kind in ("deleted step", "weakened goal", "tautology"):
        assert found[kind] == kinds[kind]
    assert found.total() >= 0.95 * kinds.total()
