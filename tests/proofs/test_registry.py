"""What the registry must hold, and that no check in it can only succeed."""

import pytest

from crowdproof.errors import ConfigError, ParameterError
from crowdproof.proofs import lock
from crowdproof.proofs.answer import Answer
from crowdproof.proofs.engines import certificate
from crowdproof.proofs.statement import Finite, Implication, Obligation, Printed, Registered, Statement, at, goal
from crowdproof.proofs.statements import IMPLICATIONS, STATEMENTS, statement, stored_certificates

VERDICTS = {
    "def-dp": "PROVED", "def-dps": "PROVED", "thm1": "PROVED", "thm2": "PROVED", "thm3": "PROVED", "xor": "PROVED",
    "dps-dp": "REFUTED", "dps-dp-repaired": "PROVED", "fresh": "PROVED", "k-weak": "PROVED", "clr": "PROVED",
    "apply": "PROVED", "prop4": "PROVED", "gamma": "PROVED", "thm5": "PROVED", "thm5-tight": "PROVED",
    "table2": "PROVED", "fig5-k1": "REFUTED", "thm6": "REFUTED", "thm6-two-samples": "PROVED", "cbp-def": "PROVED",
    "cbp-first": "PROVED", "cbp-hist": "PROVED", "cbp-synth": "PROVED", "cbp-main": "PROVED", "odoh-pi": "PROVED",
    "odoh-eps": "PROVED", "odoh-case": "REFUTED", "odoh-mono": "REFUTED", "odoh-mech": "PROVED",
}  # fmt: skip
ERRATA = (
    "thm1-appendix", "thm1-sum", "thm2-strict", "thm3-event", "xor-leak", "xor-tiny", "dps-dp-noise",
    "prop4-degenerate",
    "thm5-strict", "thm5-ratio", "thm5-nontrivial", "d-beta", "fig2-k10", "fig4-k", "cbp-count", "odoh-and",
    "odoh-laplace", "odoh-gauss", "odoh-delta",
)  # fmt: skip


def test_every_statement_of_the_papers_is_there_with_its_verdict():
    assert {name: statement(name).verdict.value for name in VERDICTS} == VERDICTS
    assert all(statement(name).verdict is Registered.REFUTED for name in ERRATA)


def test_there_are_many_obligations_and_each_has_a_mutant():
    obligations = [each for one in STATEMENTS for each in one.obligations]
    assert len(obligations) >= 60
    assert all(each.mutants for each in obligations)


def test_every_polynomial_obligation_has_a_valid_certificate_and_no_other_is_stored():
    stored = stored_certificates()
    assert stored.keys() == IMPLICATIONS.keys()
    for name, body in IMPLICATIONS.items():
        assert certificate.check(body, stored[name]).answer is Answer.PROVED, name


def test_every_obligation_is_as_locked():
    assert {name: value for each in STATEMENTS for name, value in lock.fingerprints(each).items()} == lock.locked()


def test_an_unknown_id_is_one_sentence_with_the_ids():
    with pytest.raises(ParameterError, match="choose from def-dp"):
        statement("thm7")


BODY = Implication(("x >= 1",), "x >= 0", (at(x=1),))
MUTANT = goal("x >= 2")


def test_a_check_that_cannot_fail_cannot_be_registered():
    with pytest.raises(ConfigError, match="no mutant"):
        Obligation("o", "s", BODY, ())
    with pytest.raises(ConfigError, match="no obligation"):
        Statement("s", "here", "says", Registered.PROVED)
    with pytest.raises(ConfigError, match="printed claim"):
        Statement("s", "here", "says", Registered.REFUTED, (Obligation("o", "s", BODY, (MUTANT,)),))
    with pytest.raises(ConfigError, match="printed claim"):
        Statement("s", "here", "says", Registered.PROVED, printed=Printed("s", Finite(dict, "x > 0", ()), "t"))
    with pytest.raises(ConfigError, match="two obligations"):
        Statement("s", "here", "says", Registered.PROVED, (Obligation("o", "s", BODY, (MUTANT,)),) * 2)
    with pytest.raises(ConfigError, match="cannot drop"):
        BODY.without("x > 1")
