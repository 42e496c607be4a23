"""Is sabotage of the registry noticed? Two hundred edits, each of one thing, judged with the lock switched off.

Where `mutation` turns one sign or constant of a formula, this does what a careless or hostile hand would do: see
`edits`. An edit is noticed if `crowdproof prove` would not agree with the registered verdict although the lock says
nothing: by the engines ("by the mathematics alone"), or by what was written down apart from the registry, that is the
outlines, the sentences of Coq, the recorded values and the stored certificates.

`python -m crowdproof.proofs.sabotage` prints the score by kind, and every edit that slipped through.
"""

import inspect
import random
import sys
from collections import Counter
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Any

from crowdproof.errors import CrowdproofError
from crowdproof.proofs.check import check_obligation, check_printed
from crowdproof.proofs.edits import Edit, edits, forget
from crowdproof.proofs.outline import statement_defects
from crowdproof.proofs.record import differs, finite_bodies, values_of
from crowdproof.proofs.source import used_by
from crowdproof.proofs.statement import Finite, Printed
from crowdproof.proofs.statements import STATEMENTS, stored_certificates

EDITS = 200
"""How many edits are judged: as many of each kind as there are, up to an equal share."""
SEED = 22
"""Of the choice among the possible edits; the score is of these."""
ENOUGH = 0.95
"""The share that must be noticed."""
_BROKEN = (
    CrowdproofError,
    ArithmeticError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    AssertionError,
    RecursionError,
)
"""How a quantity fails whose source makes no sense any more."""


def chosen(number: int = EDITS, seed: int = SEED) -> list[Edit]:
    """An equal share of each kind, at random; what a small kind leaves over goes to the others.

    An edit of code that changes no value anywhere in the cases of its statement is none, and is left out.
    """
    kinds: dict[str, list[Edit]] = {}
    for each in edits(STATEMENTS):
        kinds.setdefault(each.kind, []).append(each)
    found: list[Edit] = []
    draw, left = random.Random(seed), number  # noqa: S311  (a reproducible choice, no secret)
    for i, pool in enumerate(sorted(kinds.values(), key=len)):
        some = filter(in_force, draw.sample(pool, len(pool)))
        part = list(islice(some, left // (len(kinds) - i)))
        left, found = left - len(part), [*found, *part]
    return found


def in_force(edit: Edit) -> bool:
    """Whether the expression that was turned ever has another value than before; True where no code was."""
    with edit.during() as effect:
        if effect is None or edit.step is None or not isinstance(edit.step.body, Finite):
            return True
        with suppress(*_BROKEN):
            values_of(edit.step.body)
        return effect.seen


def noticed(edit: Edit) -> str:
    """Why `crowdproof prove` would not agree any more; empty where it would."""
    return (
        "; ".join(statement_defects(edit.statement))
        or by_its_step(edit, recorded=True)
        or ("another statement that uses it notices" if _elsewhere(edit) else "")
    )


def _elsewhere(edit: Edit) -> bool:
    """Whether another statement does not come to its values any more: what is shared changes for all of them."""
    if edit.function is None:
        return False
    with edit.during():
        return any(_broken(name, body) for name, body in _users().get(edit.function, ()))


def _broken(name: str, body: Finite) -> bool:
    every = used_by(body.quantities)
    forget(every)
    try:
        return differs(name, body)
    except _BROKEN:
        return True
    finally:
        forget(every)


@cache
def _users() -> dict[Any, list[tuple[str, Finite]]]:
    """For every function that some quantity calls, the finite claims that rest on it."""
    found: dict[Any, list[tuple[str, Finite]]] = {}
    for statement in STATEMENTS:
        for name, body in finite_bodies(statement).items():
            for each in used_by(body.quantities):
                found.setdefault(inspect.unwrap(each), []).append((name, body))
    return found


def by_its_step(edit: Edit, *, recorded: bool) -> str:
    """Why the step that was edited does not come out: by the mathematics alone, unless what is `recorded` counts."""
    if edit.step is None:
        return ""
    printed = isinstance(edit.step, Printed)
    name = f"{edit.statement.id}/{'printed' if printed else edit.step.id}"  # type: ignore[union-attr]
    body = edit.step.body
    try:
        with edit.during():
            outcome = (
                check_printed(edit.step)
                if isinstance(edit.step, Printed)
                else check_obligation(edit.step, stored_certificates().get(name))
            )
            if recorded and isinstance(body, Finite) and differs(name, body):
                return "it does not come to the values that were recorded"
    except _BROKEN as error:
        return f"it cannot be worked out: {type(error).__name__}"
    why = [each for each in outcome.defects if recorded or "certificate" not in each]
    return "; ".join((*why, *outcome.gave_up))


def main(number: int = EDITS, seed: int = SEED) -> int:
    """Print the score by kind; 1 if less than 95% is noticed."""
    total: Counter[str] = Counter()
    found: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    slipped = []
    for edit in chosen(number, seed):
        total[edit.kind] += 1
        alone[edit.kind] += bool(by_its_step(edit, recorded=False))
        if noticed(edit):
            found[edit.kind] += 1
        else:
            slipped.append(f"slipped through, {edit.kind}: {edit.name}")
    kinds = [(kind, *(each[kind] for each in (total, found, alone))) for kind in sorted(total)]
    rows = [*kinds, ("in all, with the lock switched off", *(each.total() for each in (total, found, alone)))]
    head = f"{'kind':36}{'edits':>6}{'noticed':>9}{'by the mathematics alone':>26}"
    table = [f"{kind:36}{every:6}{seen:9}{sums:26}" for kind, every, seen, sums in rows]
    sys.stdout.write("\n".join([*slipped, head, *table, ""]))
    return int(found.total() < ENOUGH * total.total())


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
