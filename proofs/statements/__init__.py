"""The registry: every statement of the papers that the ledger holds, one module for each theorem or section."""

import json
from functools import cache
from pathlib import Path

from crowdproof.errors import ConfigError, ParameterError
from crowdproof.proofs.engines.certificate import Certificate, read
from crowdproof.proofs.statement import Implication, Statement
from crowdproof.proofs.statements import (
    amplification,
    anonymity,
    blending,
    blending_sampled,
    closure,
    composition,
    composition_repaired,
    definitions,
    noise,
    numbers,
    odoh,
    odoh_mechanisms,
    replaced,
    theorem5,
    theorem5_beyond,
    theorem6,
)

STORE = Path(__file__).with_name("certificates.json")
"""The positivity certificates, by obligation."""

STATEMENTS: tuple[Statement, ...] = (
    *definitions.STATEMENTS,
    *amplification.STATEMENTS,
    *composition.STATEMENTS,
    *composition_repaired.STATEMENTS,
    *closure.STATEMENTS,
    *anonymity.STATEMENTS,
    *theorem5.STATEMENTS,
    *theorem5_beyond.STATEMENTS,
    *replaced.STATEMENTS,
    *numbers.STATEMENTS,
    *theorem6.STATEMENTS,
    *blending.STATEMENTS,
    *blending_sampled.STATEMENTS,
    *odoh.STATEMENTS,
    *odoh_mechanisms.STATEMENTS,
    *noise.STATEMENTS,
)
"""All statements, in the order of the papers."""

_BY_ID = {each.id: each for each in STATEMENTS}
if len(_BY_ID) != len(STATEMENTS):
    raise ConfigError("two statements have the same id.")

IMPLICATIONS: dict[str, Implication] = {
    f"{statement.id}/{obligation.id}": obligation.body
    for statement in STATEMENTS
    for obligation in statement.obligations
    if isinstance(obligation.body, Implication)
}
"""The polynomial obligations: each has a positivity certificate."""


def statement(identifier: str) -> Statement:
    """The statement of that id."""
    if identifier not in _BY_ID:
        raise ParameterError(f"there is no statement {identifier!r}: choose from {', '.join(_BY_ID)}.")
    return _BY_ID[identifier]


@cache
def stored_certificates() -> dict[str, Certificate]:
    """The certificates that were found for the obligations, by name."""
    if not STORE.exists():
        return {}
    return {name: read(record) for name, record in json.loads(STORE.read_text(encoding="utf-8")).items()}
