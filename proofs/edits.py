"""What a careless or hostile hand could do to the registry: edits, each of one thing, of many kinds.

The steps of a statement: one is deleted, its goal is weakened, an assumption is added to it, it speaks of fewer cases
or of whole numbers only, an identity becomes a tautology, one of its mutants goes. What it works out: the source of a
quantity, or of a function that the quantity calls. What it says: the sentence, the status, the theorem that it names,
the caller's duties, and of a refuted claim a caricature that is easier to refute.
"""

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from attrs import define, evolve, frozen

from crowdproof.proofs.engines.kernel import sentence
from crowdproof.proofs.formula import names, sides
from crowdproof.proofs.source import used_by
from crowdproof.proofs.statement import (
    Body,
    Finite,
    Identity,
    Implication,
    Obligation,
    Printed,
    Registered,
    Statement,
)

_CLEAR = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE}
_WORDS = ((" <= ", " < "), ("every", "some"), ("not ", ""), (" is ", " is not "), ("delta", "delta^2"))


@frozen
class Edit:
    """A statement as it would be after one edit."""

    kind: str
    name: str
    statement: Statement
    step: Obligation | Printed | None = None
    """The obligation or printed claim that was changed, if one was."""
    during: Callable[[], AbstractContextManager["Effect | None"]] = nullcontext
    """Within this the edit is in force, where it is one of code."""
    function: Any = None
    """The function whose code it changes, if it does."""


def edits(statements: tuple[Statement, ...]) -> Iterator[Edit]:
    """Every edit of every statement."""
    for each in statements:
        yield from _of_words(each)
        for step in each.obligations:
            yield from _of_step(each, step)
        if each.printed is not None:
            for kind, what, body in _bodies(each.printed.body, printed=True):
                changed = evolve(each.printed, body=body)
                yield Edit(kind, f"{each.id}/printed: {what}", evolve(each, printed=changed), changed)


def _of_words(subject: Statement) -> Iterator[Edit]:
    """Edits of what a statement says of itself."""
    for old, new in _WORDS:
        if old in subject.sentence:
            text = subject.sentence.replace(old, new, 1)
            yield Edit("edited sentence", f"{subject.id}: {old!r} -> {new!r}", evolve(subject, sentence=text))
    if subject.theorem:
        yield Edit("other theorem", f"{subject.id}: none", evolve(subject, theorem=""))
        for other in ("gamma_above_beta", "thm3"):
            if other != subject.theorem:
                told = evolve(subject, theorem=other, sentence=sentence(other))
                yield Edit("other theorem", f"{subject.id}: {other}", told)
    elif subject.verdict is Registered.PROVED:
        claimed = evolve(subject, theorem="thm3")
        yield Edit("other theorem", f"{subject.id}: thm3", claimed)
        every = evolve(claimed, sentence=sentence("thm3"))
        yield Edit("other theorem", f"{subject.id}: thm3 and its sentence", every)
    if subject.extent:
        yield Edit("other status", f"{subject.id}: without its extent", evolve(subject, extent=""))
        yield Edit("other status", f"{subject.id}: all cases", evolve(subject, extent="all cases"))
    if subject.duty:
        yield Edit("dropped duty", subject.id, evolve(subject, duty=subject.duty[1:]))


def _of_step(subject: Statement, step: Obligation) -> Iterator[Edit]:
    def with_step(*changed: Obligation) -> Statement:
        every = [new for each in subject.obligations for new in (changed if each is step else (each,))]
        return evolve(subject, obligations=tuple(every))

    name = f"{subject.id}/{step.id}"
    if len(subject.obligations) > 1 or subject.printed is not None:
        yield Edit("deleted step", name, with_step())
    if len(step.mutants) > 1:
        changed = evolve(step, mutants=step.mutants[1:])
        yield Edit("dropped mutant", name, with_step(changed), changed)
    for kind, what, body in _bodies(step.body, printed=False):
        changed = evolve(step, body=body)
        yield Edit(kind, f"{name}: {what}", with_step(changed), changed)
    if isinstance(step.body, Finite):
        for function, what, during in _code_edits(step.body.quantities):
            kind = "edited quantity" if function is inspect.unwrap(step.body.quantities) else "edited helper"
            yield Edit(kind, f"{name}: {what}", subject, step, during, function)


def _bodies(body: Body, *, printed: bool) -> Iterator[tuple[str, str, Body]]:
    """The kind of an edit, the edit, and the body after it."""
    match body:
        case Implication(goal=goal):
            left, sign, right = _sides(goal)
            if printed:
                more = f"{left} + 1 {sign} {right}" if sign[0] == "<" else f"{left} {sign} {right} + 1"
                yield "caricature", f"{goal} -> {more}", evolve(body, goal=more)
                return
            ways = {"<=": f"{left} <= {right} + 1", "<": f"{left} <= {right}", ">=": f"{left} + 1 >= {right}"}
            weaker = {**ways, ">": f"{left} >= {right}"}[sign]
            yield "weakened goal", f"{goal} -> {weaker}", evolve(body, goal=weaker)
            yield "weakened goal", f"{goal} -> {body.assume[0]}", evolve(body, goal=body.assume[0])
            yield from _stronger_assumptions(body)
        case Identity(goal=goal):
            for side in _sides(goal)[::2]:
                for same in (f"{side} == {side}", f"{side} == {side} + 0"):
                    yield ("caricature" if printed else "tautology"), f"{goal} -> {same}", evolve(body, goal=same)
        case Finite(goal=goal):
            if printed:
                left, sign, right = _sides(goal)
                more = f"{left} {sign} {right} - 1000" if sign[0] != ">" else f"{left} {sign} {right} + 1000"
                yield "caricature", f"{goal} -> {more}", evolve(body, goal=more)
            if len(body.cases) > 1:
                yield "fewer cases", "without the first", evolve(body, cases=body.cases[1:])
                yield "fewer cases", "the first alone", evolve(body, cases=body.cases[:1])


def _stronger_assumptions(body: Implication) -> Iterator[tuple[str, str, Body]]:
    """A step that holds in fewer cases: of what is assumed there is more."""
    kind = "added assumption"
    yield kind, f"the goal {body.goal}", evolve(body, assume=(*body.assume, body.goal))
    for name in sorted(names(body.goal)):
        yield kind, f"{name} >= 0", evolve(body, assume=(*body.assume, f"{name} >= 0"))
        if name not in body.integers and all(each.get(name, 0) % 1 == 0 for each in body.covers):
            yield kind, f"{name} is whole", evolve(body, integers=(*body.integers, name))


def _sides(goal: str) -> tuple[str, str, str]:
    left, sign, right = sides(goal)
    return ast.unparse(left), sign, ast.unparse(right)


# --- edits of source -------------------------------------------------------------------------------------------------

_MARK = "_turned_here"
"""The name by which edited code tells that the edit came into play."""


@define
class Effect:
    """Whether a turned expression ever had another value than before: an edit that never does is none."""

    seen: bool = False

    def __call__(self, changed: Any, before: Any) -> Any:
        """The value of the turned expression; the one before it is compared."""
        self.seen = self.seen or not _same(changed, before())
        return changed


def _same(changed: Any, before: Any) -> bool:
    try:
        return bool(changed == before)
    except TypeError:
        return False


def _sources(quantity: Callable[..., Any]) -> Iterator[tuple[str, CodeType]]:
    """The code of a function with one sign, comparison or constant of its source turned."""
    plain: Any = inspect.unwrap(quantity)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
    except SyntaxError:  # a lambda in the middle of an expression
        return
    if not isinstance(tree.body[0], ast.FunctionDef) or plain.__code__.co_freevars:
        return
    tree.body[0].decorator_list, tree.body[0].returns = [], None
    for place, node in enumerate(ast.walk(tree)):
        turned = _turned(node)
        if turned is not None:
            changed = ast.fix_missing_locations(_Exchange(place).of(tree))
            code = next(each for each in compile(changed, "<edited>", "exec").co_consts if isinstance(each, CodeType))
            yield f"{plain.__name__}: {ast.unparse(node)} -> {ast.unparse(turned)}", code


class _Exchange(ast.NodeTransformer):
    """Put the turned expression in the place of the one there, with a mark that compares the two."""

    def __init__(self, place: int) -> None:
        self._place, self._node = place, ast.AST()

    def of(self, tree: ast.Module) -> ast.Module:
        """A copy of the tree with that one exchanged."""
        copied = copy.deepcopy(tree)
        self._node = list(ast.walk(copied))[self._place]
        exchanged: ast.Module = self.visit(copied)
        return exchanged

    def visit(self, node: ast.AST) -> Any:
        """The node, or the marked one."""
        if node is not self._node:
            return self.generic_visit(node)
        turned = _turned(node)
        assert turned is not None
        assert isinstance(node, ast.expr)
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.Call(ast.Name(_MARK, ast.Load()), [turned, ast.Lambda(nothing, node)], [])


def _turned(node: ast.AST) -> ast.expr | None:
    """The expression with its sign, comparison or constant turned; None where there is nothing to turn."""
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _CLEAR:
            return ast.BinOp(left, _CLEAR[type(op)](), right)  # type: ignore[arg-type]
        case ast.Compare(left=left, ops=[op, *ops], comparators=others) if type(op) in _CLEAR:
            return ast.Compare(left, [_CLEAR[type(op)](), *ops], others)  # type: ignore[list-item]
        case ast.Constant(value=int() as value) if type(value) is int:
            return ast.Constant(value + 1)
    return None


def _code_edits(
    quantity: Callable[..., Any],
) -> Iterator[tuple[str, str, Callable[[], AbstractContextManager[Effect]]]]:
    """The quantity, and every function that it calls, with one thing turned; in force within the context given."""
    every = [each for each in used_by(quantity) if isinstance(inspect.unwrap(each), FunctionType)]
    for each in every:
        plain = inspect.unwrap(each)
        for what, code in _sources(each):
            yield plain, what, partial(_exchanged, plain, code, every)


@contextmanager
def _exchanged(plain: Any, changed: CodeType, every: list[Any]) -> Iterator[Effect]:
    """Let a function be another one, and forget what was remembered of either."""
    before, effect = plain.__code__, Effect()
    plain.__code__, plain.__globals__[_MARK] = changed, effect
    forget(every)
    try:
        yield effect
    finally:
        plain.__code__ = before
        del plain.__globals__[_MARK]
        forget(every)


def forget(every: list[Any]) -> None:
    """Empty the memories of these functions, where they have one."""
    for each in every:
        if hasattr(each, "cache_clear"):
            each.cache_clear()
