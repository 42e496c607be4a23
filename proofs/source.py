"""The source of a quantity: its function and, through it, every function and constant of ours that it uses."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import CodeType, FunctionType, ModuleType
from typing import Any

_OURS = "crowdproof"
_PLAIN = (int, float, str, bool, bytes, Fraction, tuple, list, dict, frozenset, set, type(None))


def source_of(quantity: Callable[..., Any]) -> tuple[str, ...]:
    """The syntax of the function and of all that it uses, sorted; layout, comments and docstrings do not count."""
    seen: dict[str, str] = {}
    for subject in used_by(quantity):
        name = _name(subject)
        seen[name] = _syntax(subject)
        plain = ((used, value) for used, value in _uses(subject) if isinstance(value, _PLAIN))
        seen |= {f"{name} uses {used}": _plain(value) for used, value in plain}
    return tuple(f"{name}: {text}" for name, text in sorted(seen.items()))


def used_by(quantity: Callable[..., Any]) -> list[Any]:
    """The function, and every function and class of ours that it uses, directly or not."""
    found: dict[str, Any] = {}
    waiting: list[Any] = [quantity]
    while waiting:
        subject = waiting.pop()
        if _name(subject) not in found:
            found[_name(subject)] = subject
            waiting += [value for _, value in _uses(subject) if _ours(value)]
    return list(found.values())


def _ours(value: Any) -> bool:
    return isinstance(inspect.unwrap(value), FunctionType | type) and value.__module__.startswith(_OURS)


def _name(subject: Any) -> str:
    return f"{subject.__module__}.{subject.__qualname__}"


def _syntax(subject: Any) -> str:
    text = textwrap.dedent(inspect.getsource(inspect.unwrap(subject)))
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a lambda in the middle of an expression
        return text
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            del body[0]
    return ast.dump(tree)


def _uses(subject: Any) -> Iterator[tuple[str, Any]]:
    """The names that a function, or the methods of a class, look up, with their values."""
    unwrapped = inspect.unwrap(subject)
    if isinstance(unwrapped, type):
        for each in vars(unwrapped).values():
            plain = each.fget if isinstance(each, property) else getattr(each, "__func__", each)
            if isinstance(plain, FunctionType) and plain.__module__ == unwrapped.__module__:
                yield from _uses(plain)
        return
    cells = inspect.getclosurevars(unwrapped).nonlocals
    names = set(_names(unwrapped.__code__))
    for name in sorted(names):
        value = cells.get(name, unwrapped.__globals__.get(name))
        if isinstance(value, ModuleType) and value.__name__.startswith(_OURS):
            attributes = ((each, getattr(value, each, None)) for each in sorted(names))
            yield from ((each, found) for each, found in attributes if found is not None)
        elif value is not None:
            yield name, value


def _names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _plain(value: Any) -> str:
    """A text that does not depend on the run: sets and addresses of objects are left out of it."""
    if isinstance(value, set | frozenset):
        return repr(sorted(map(repr, value)))
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text
