"""The lock: a hash of every obligation as it was when it was last reviewed, so that no change slips through unseen.

It covers what an obligation says (text, cases, points), the source of its quantities with all that they use, the bodies
of its mutants, and of a statement the sentence, verdict, status, duties and remarks. `crowdproof prove` reports what
differs. After a change that is meant,
run `python -m crowdproof.proofs.lock`, and read the difference of the file before it is committed.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from crowdproof.proofs.source import source_of
from crowdproof.proofs.statement import Body, Finite, Identity, Implication, Obligation, Printed, Statement

STORE = Path(__file__).with_name("statements") / "lock.json"


def fingerprint(owner: Obligation | Printed) -> str:
    """A hash of what an obligation or a printed claim says."""
    variants = owner.repairs if isinstance(owner, Printed) else owner.mutants
    parts = [owner.sentence, *_parts(owner.body)]
    for each in variants:
        parts += [each.why, *_parts(each.change(owner.body))]
    if isinstance(owner, Printed):
        parts += [owner.true, str(dict(owner.counterexample))]
    return _hash(parts)


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _parts(body: Body) -> tuple[str, ...]:
    match body:
        case Implication():
            return (*body.assume, body.goal, *map(str, body.covers), *body.integers, *body.squares)
        case Identity():
            return (body.goal, *map(str, body.probes))
        case Finite():
            return (body.goal, body.engine, *_source(body.quantities), *map(_plain, body.cases))


@cache
def _source(quantity: Callable[..., Any]) -> tuple[str, ...]:
    return source_of(quantity)


def _plain(parameters: Mapping[str, Any]) -> str:
    """The parameters of a case; a function among them by its source."""
    return str({name: _source(value) if callable(value) else value for name, value in parameters.items()})


def fingerprints(statement: Statement) -> dict[str, str]:
    """The fingerprints of a statement, of its obligations and of its printed claim, by name."""
    owners: dict[str, Obligation | Printed] = {each.id: each for each in statement.obligations}
    if statement.printed is not None:
        owners["printed"] = statement.printed
    words = (statement.source, statement.sentence, statement.verdict.value, statement.status, statement.remark)
    whole = _hash((*words, *statement.checked, *statement.duty, *owners))
    return {statement.id: whole, **{f"{statement.id}/{name}": fingerprint(owner) for name, owner in owners.items()}}


@cache
def locked() -> Mapping[str, str]:
    """The fingerprints as they were reviewed."""
    content: dict[str, str] = json.loads(STORE.read_text(encoding="utf-8"))
    return content


def changed(statement: Statement) -> tuple[str, ...]:
    """The obligations of a statement that are not as locked, in words."""
    now = fingerprints(statement)
    before = {name: value for name, value in locked().items() if name.partition("/")[0] == statement.id}
    names = sorted(now.keys() | before.keys())
    return tuple(f"{name} differs from what was reviewed" for name in names if now.get(name) != before.get(name))


def main() -> None:
    """Lock the registry as it is."""
    from crowdproof.proofs.statements import STATEMENTS  # noqa: PLC0415

    every = {name: value for each in STATEMENTS for name, value in fingerprints(each).items()}
    STORE.write_text(json.dumps(every, indent=0, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
