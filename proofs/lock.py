"""The lock: a hash of every obligation as it was when it was last reviewed, so that no change slips through unseen.

`crowdproof prove` reports an obligation whose text, cases or points differ from the lock. After a change that is meant,
run `python -m crowdproof.proofs.lock`, and read the difference of the file before it is committed.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from crowdproof.proofs.statement import Body, Finite, Identity, Implication, Obligation, Printed, Statement

STORE = Path(__file__).with_name("statements") / "lock.json"


def fingerprint(owner: Obligation | Printed) -> str:
    """A hash of what an obligation or a printed claim says."""
    variants = owner.repairs if isinstance(owner, Printed) else owner.mutants
    parts = (*_parts(owner.body), *(each.why for each in variants))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _parts(body: Body) -> tuple[str, ...]:
    match body:
        case Implication():
            return (*body.assume, body.goal, *map(str, body.covers), *body.integers)
        case Identity():
            return (body.goal, *map(str, body.probes))
        case Finite():
            return (body.goal, body.engine, body.quantities.__qualname__, *map(str, body.cases))


def fingerprints(statement: Statement) -> dict[str, str]:
    """The fingerprints of a statement's obligations and printed claim, by name; the verdict is part of the name."""
    owners: dict[str, Obligation | Printed] = {each.id: each for each in statement.obligations}
    if statement.printed is not None:
        owners["printed"] = statement.printed
    return {f"{statement.id}/{name}": fingerprint(owner) for name, owner in owners.items()}


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
