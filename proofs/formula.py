"""The language of the ledger: relations between arithmetic expressions, written once as text.

Every engine reads the same text: it is evaluated exactly, printed as SMT-LIB, expanded to a polynomial and mutated.

>>> holds("2*p <= q + 1/2", {"p": Fraction(1, 4), "q": Fraction(0)}) is Answer.PROVED
True
"""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

from crowdproof.errors import ConfigError
from crowdproof.proofs.answer import Answer

T = TypeVar("T")

_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_SYMBOLS: dict[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""The negation of a comparison."""
_FLIPPED: dict[type, type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Lt,
}


@cache
def parse(text: str) -> ast.expr:
    """The syntax tree of an expression or a relation."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise ConfigError(f"{text!r} is not a formula: write arithmetic, with at most one comparison.") from None


@cache
def sides(text: str) -> tuple[ast.expr, str, ast.expr]:
    """Left side, comparison sign and right side of a relation."""
    tree = parse(text)
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or type(tree.ops[0]) not in _SYMBOLS:
        raise ConfigError(f"{text!r} is not a relation: write one of < <= > >= == between two expressions.")
    return tree.left, _SYMBOLS[type(tree.ops[0])], tree.comparators[0]


@cache
def names(text: str) -> frozenset[str]:
    """The variables of a text; names of functions are not among them."""
    tree = parse(text)
    called = {id(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)}
    return frozenset(each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and id(each) not in called)


def evaluate(node: ast.expr, values: Mapping[str, Any], lift: Callable[[Fraction], Any] = Fraction) -> Any:
    """The value of an expression; `lift` brings the constants of the text into the numbers of `values`."""

    def value(each: ast.expr) -> Any:  # noqa: PLR0911  (one for each kind of expression)
        match each:
            case ast.Constant(value=int() | float() as constant):
                return lift(Fraction(repr(constant)))
            case ast.Name(id=name):
                return values[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=0)):
                return lift(Fraction(1))
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as exponent)):
                return value(left) ** exponent
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return value(left) ** value(right)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _ARITHMETIC:
                return _ARITHMETIC[type(sign)](value(left), value(right))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return values[name](*map(value, arguments))
            case _:
                raise ConfigError(f"{ast.unparse(each)!r} is not in the language of formulas.")

    return value(node)


def holds(text: str, values: Mapping[str, Any], lift: Callable[[Fraction], Any] = Fraction) -> Answer:
    """Whether a relation holds at a point: UNKNOWN only where the numbers are balls that overlap."""
    left, sign, right = sides(text)
    a, b = evaluate(left, values, lift), evaluate(right, values, lift)
    if _COMPARE[sign](a, b):
        return Answer.PROVED
    contrary = [_COMPARE[OPPOSITE[sign]](a, b)] if sign in OPPOSITE else [a < b, a > b]
    return Answer.REFUTED if any(contrary) else Answer.UNKNOWN


def negation(text: str) -> tuple[ast.expr, str, ast.expr]:
    """The sides and the sign of the opposite relation; an equation has no opposite in the language."""
    left, sign, right = sides(text)
    if sign not in OPPOSITE:
        raise ConfigError(f"{text!r} is an equation: state it as an identity, or as two inequalities.")
    return left, OPPOSITE[sign], right


def mutations(text: str) -> Iterator[str]:
    """Every text that differs by one flipped comparison or by one constant, one larger or one smaller."""
    size = sum(1 for _ in ast.walk(parse(text)))
    for index in range(size):
        for variant in (0, 1):
            tree = ast.parse(text, mode="eval").body
            node = list(ast.walk(tree))[index]
            if isinstance(node, ast.Compare) and variant == 0:
                node.ops = [_FLIPPED[type(node.ops[0])]()]
            elif isinstance(node, ast.Constant) and isinstance(node.value, int):
                node.value += 1 if variant else -1
            else:
                continue
            yield ast.unparse(tree)
