"""Is sabotage of the registry noticed? Two hundred edits, each of one statement, judged with the lock switched off.

Where `mutation` turns one sign or constant of a formula, this does what a careless or hostile hand would do: it deletes
a step, weakens a goal, replaces an identity by a tautology, edits the source of a quantity, or rewrites a sentence. An
edit is noticed if `crowdproof prove` would not agree with the registered verdict although the lock says nothing.

`python -m crowdproof.proofs.sabotage` prints the score by kind, and every edit that slipped through.
"""

import ast
import inspect
import random
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from crowdproof.errors import CrowdproofError
from crowdproof.proofs.check import check_obligation
from crowdproof.proofs.formula import sides
from crowdproof.proofs.outline import statement_defects
from crowdproof.proofs.record import differs
from crowdproof.proofs.statement import Body, Finite, Identity, Implication, Obligation, Statement
from crowdproof.proofs.statements import STATEMENTS, stored_certificates

EDITS = 200
"""How many edits are judged: as many of each kind as there are, up to an equal share."""
DOCS = Path(__file__).resolve().parents[1] / "docs"
SEED = 22
"""Of the choice among the possible edits; the score is of these."""
_CLEAR = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE}

_BROKEN = (CrowdproofError, ArithmeticError, LookupError, ValueError, TypeError, AttributeError, AssertionError)
"""How a quantity fails whose source makes no sense any more."""


@frozen
class Edit:
    """A statement as it would be after one edit; `step` is the obligation that was changed, if one was."""

    kind: str
    name: str
    statement: Statement
    step: Obligation | None = None


def edits(statements: tuple[Statement, ...] = STATEMENTS) -> Iterator[Edit]:
    """Every edit of every statement."""
    for each in statements:
        yield from _sentences(each)
        for i, step in enumerate(each.obligations):
            rest = (*each.obligations[:i], *each.obligations[i + 1 :])
            if rest:
                yield Edit("deleted step", f"{each.id}/{step.id}", evolve(each, obligations=rest))
            for kind, what, body in _bodies(step.body):
                changed = evolve(step, body=body)
                every = (*each.obligations[:i], changed, *each.obligations[i + 1 :])
                yield Edit(kind, f"{each.id}/{step.id}: {what}", evolve(each, obligations=every), changed)


def _sentences(subject: Statement) -> Iterator[Edit]:
    for old, new in ((" <= ", " < "), ("every", "some"), ("not ", ""), (" is ", " is not "), ("delta", "delta^2")):
        if old in subject.sentence:
            text = subject.sentence.replace(old, new, 1)
            yield Edit("edited sentence", f"{subject.id}: {old!r} -> {new!r}", evolve(subject, sentence=text))


def _bodies(body: Body) -> Iterator[tuple[str, str, Body]]:
    """The kind of an edit, the edit, and the body after it."""
    match body:
        case Implication(goal=goal):
            left, sign, right = (ast.unparse(each) if isinstance(each, ast.expr) else each for each in sides(goal))
            ways = {"<=": f"{left} <= {right} + 1", "<": f"{left} <= {right}", ">=": f"{left} + 1 >= {right}"}
            weaker = {**ways, ">": f"{left} >= {right}"}[sign]
            yield "weakened goal", f"{goal} -> {weaker}", evolve(body, goal=weaker)
            yield "weakened goal", f"{goal} -> {body.assume[0]}", evolve(body, goal=body.assume[0])
        case Identity(goal=goal):
            for side in (sides(goal)[0], sides(goal)[2]):
                same = f"{ast.unparse(side)} == {ast.unparse(side)}"
                yield "tautology", f"{goal} -> {same}", evolve(body, goal=same)
                padded = f"{ast.unparse(side)} == {ast.unparse(side)} + 0"
                yield "tautology", f"{goal} -> {padded}", evolve(body, goal=padded)
        case Finite(quantities=quantity):
            for what, changed in _sources(quantity):
                yield "edited quantity", what, evolve(body, quantities=changed)


def _sources(quantity: Callable[..., Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The quantity with one sign, comparison or constant of its source turned."""
    plain = inspect.unwrap(quantity)
    source = textwrap.dedent(inspect.getsource(plain))
    for index in range(sum(1 for _ in ast.walk(ast.parse(source)))):
        tree = ast.parse(source)
        node = list(ast.walk(tree))[index]
        before = _turned(node)
        if before is not None:
            space = dict(plain.__globals__)
            exec(compile(tree, f"<{plain.__name__} edited>", "exec"), space)  # noqa: S102  (our own source, one sign turned)
            yield f"{plain.__name__}: {before}", space[plain.__name__]


def _turned(node: ast.AST) -> str | None:
    """Turn it, and say what it was; None where there is nothing to turn."""
    if isinstance(node, ast.BinOp) and type(node.op) in _CLEAR:
        before = ast.unparse(node)
        node.op = _CLEAR[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _CLEAR:
        before = ast.unparse(node)
        node.ops = [_CLEAR[type(node.ops[0])](), *node.ops[1:]]  # type: ignore[list-item]
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        before = ast.unparse(node)
        node.value += 1
        return f"constant {before} -> {ast.unparse(node)}"
    else:
        return None
    return f"{before} -> {ast.unparse(node)}"


def chosen(number: int = EDITS) -> list[Edit]:
    """An equal share of each kind, at random; what a small kind leaves over goes to the others."""
    kinds: dict[str, list[Edit]] = {}
    for each in edits():
        kinds.setdefault(each.kind, []).append(each)
    found: list[Edit] = []
    draw, left = random.Random(SEED), number  # noqa: S311  (a reproducible choice, no secret)
    for i, pool in enumerate(sorted(kinds.values(), key=len)):
        part = draw.sample(pool, min(len(pool), left // (len(kinds) - i)))
        left, found = left - len(part), [*found, *part]
    return found


def noticed(edit: Edit, *, mathematics: bool = False) -> str:
    """Why the ledger would not agree any more; empty where it would.

    By `mathematics` alone: without the outlines, the pages, the recorded values and the stored certificates.
    """
    found = () if mathematics else (*statement_defects(edit.statement), *_told_otherwise(edit.statement))
    if found or edit.step is None:
        return "; ".join(found)
    name, body = f"{edit.statement.id}/{edit.step.id}", edit.step.body
    try:
        outcome = check_obligation(edit.step, stored_certificates().get(name))
        if isinstance(body, Finite) and differs(name, body) and not mathematics:
            return "it does not come to the values that were recorded"
    except (
        CrowdproofError,
        ArithmeticError,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        AssertionError,
    ) as error:
        return f"it cannot be worked out: {type(error).__name__}"
    why = [each for each in outcome.defects if not mathematics or "certificate" not in each]
    return "; ".join((*why, *outcome.gave_up))


def _told_otherwise(subject: Statement) -> tuple[str, ...]:
    """Whether the page of the documentation, which a test compares with the registry, says something else."""
    return () if f" {subject.sentence}\n" in _page() else ("the page of the documentation says something else",)


@cache
def _page() -> str:
    return (DOCS / "statements.md").read_text(encoding="utf-8") + (DOCS / "errata.md").read_text(encoding="utf-8")


def _line(what: str, found: int, total: int, alone: int) -> str:
    return f"{found} of {total} noticed, {alone} of them by the mathematics alone: {what}"


def main() -> int:
    """Print the score by kind; 1 if less than 95% is noticed."""
    total: Counter[str] = Counter()
    found: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    slipped = []
    for edit in chosen():
        total[edit.kind] += 1
        alone[edit.kind] += bool(noticed(edit, mathematics=True))
        if noticed(edit):
            found[edit.kind] += 1
        else:
            slipped.append(f"slipped through, {edit.kind}: {edit.name}")
    lines = [_line(kind, found[kind], total[kind], alone[kind]) for kind in sorted(total)]
    lines.append(_line("in all, with the lock switched off", found.total(), total.total(), alone.total()))
    sys.stdout.write("\n".join([*slipped, *lines, ""]))
    return int(found.total() < 0.95 * total.total())


if __name__ == "__main__":
    sys.exit(main())
