"""The mutation test over the registry itself: change one thing in a statement, and `crowdproof prove` must fail.

Operators: drop an assumption; flip a comparison; change a constant by one, in assumptions and goals. A change is caught
if an engine no longer gives the registered answer, if the assumptions no longer admit a point that they must or the
goal is no longer attained where it must be, or if a hand-written mutant is no longer refuted. The positivity
certificates, which any change invalidates, and the lock, which notices any change at all, also of the cases of a finite
claim, are left out of account: what is measured is whether the *meaning* of the change is noticed.

`python -m crowdproof.proofs.mutation` prints the score.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from crowdproof.errors import ConfigError, CrowdproofError
from crowdproof.proofs.answer import Answer
from crowdproof.proofs.check import decide, vacuous
from crowdproof.proofs.formula import mutations, sides
from crowdproof.proofs.statement import Body, Identity, Implication, Mutant, Obligation, Printed, Statement
from crowdproof.proofs.statements import STATEMENTS


@frozen
class Change:
    """One changed body, and where it is."""

    name: str
    """statement/obligation: what was changed to what."""
    body: Body
    owner: Obligation | Printed


@frozen
class Score:
    """How many changes were noticed."""

    caught: Mapping[str, int]
    """How, and how often."""
    survived: tuple[str, ...]

    @property
    def total(self) -> int:
        """All changes."""
        return sum(self.caught.values()) + len(self.survived)


def changes(statements: Iterable[Statement] = STATEMENTS) -> Iterator[Change]:
    """Every change of every obligation and printed claim."""
    for each in statements:
        for obligation in each.obligations:
            yield from _of(f"{each.id}/{obligation.id}", obligation)
        if each.printed is not None:
            yield from _of(f"{each.id}/printed", each.printed)


def _of(name: str, owner: Obligation | Printed) -> Iterator[Change]:
    body = owner.body
    for text in mutations(body.goal):
        if not (isinstance(body, Identity) and sides(text)[1] != "=="):
            yield Change(f"{name}: goal {body.goal} -> {text}", evolve(body, goal=text), owner)
    if isinstance(body, Implication):
        yield from _assumptions(name, body, owner)


def _assumptions(name: str, body: Implication, owner: Obligation | Printed) -> Iterator[Change]:
    for i, each in enumerate(body.assume):
        yield Change(f"{name}: dropped {each}", body.without(each), owner)
        for text in mutations(each):
            changed = (*body.assume[:i], text, *body.assume[i + 1 :])
            yield Change(f"{name}: {each} -> {text}", evolve(body, assume=changed), owner)


def caught(change: Change) -> str:
    """How a change is noticed; empty if it is not."""
    expected = Answer.REFUTED if isinstance(change.owner, Printed) else Answer.PROVED
    try:
        if isinstance(change.owner, Obligation) and vacuous(change.body):
            return "a point is no longer admitted"
        if decide(change.body).answer is not expected:
            return "the answer changes"
        variants = change.owner.repairs if isinstance(change.owner, Printed) else change.owner.mutants
        if any(_undisturbed(each, change.body, expected) for each in variants):
            return "a variant no longer answers as it must"
        if isinstance(change.owner, Printed) and isinstance(change.body, Implication):
            return "" if _still_refutes(change.body, change.owner) else "the counterexample fails"
    except (CrowdproofError, ArithmeticError, LookupError, ValueError, TypeError):
        return "the obligation cannot be worked out"
    return ""


def _undisturbed(variant: Mutant, body: Any, expected: Answer) -> bool:
    """Whether a variant gives the answer that only the body itself should give."""
    try:
        changed = variant.change(body)
    except ConfigError:  # it drops an assumption by its text, which the change has altered
        return False
    return decide(changed).answer is expected


def _still_refutes(body: Implication, owner: Printed) -> bool:
    from crowdproof.proofs.engines.smt import refutes  # noqa: PLC0415

    return refutes(body, owner.counterexample)


def score(statements: Iterable[Statement] = STATEMENTS) -> Score:
    """Try every change."""
    ways: Counter[str] = Counter()
    survived = []
    for change in changes(statements):
        way = caught(change)
        ways.update([way] if way else [])
        survived += [] if way else [change.name]
    return Score(dict(ways), tuple(survived))


def main() -> int:
    """Print the score; 1 if a change survives."""
    found = score()
    lines = [f"{found.total - len(found.survived)} of {found.total} changes are noticed"]
    lines += [f"  {count} because {way}" for way, count in sorted(found.caught.items(), key=lambda each: -each[1])]
    lines += [f"survived: {name}" for name in found.survived]
    sys.stdout.write("\n".join([*lines, ""]))
    return 1 if found.survived else 0


if __name__ == "__main__":
    sys.exit(main())
