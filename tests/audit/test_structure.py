"""The shape of audit/: names that are unique, files and functions that are short, calls and constants that explain."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

AUDIT = Path(__file__).parents[2] / "audit"
FILES = sorted(AUDIT.rglob("*.py"))

MOST_LINES = 250
"""Lines of a file. Files of the projects that we look up to have 50 to 130 in the median."""
MOST_LINES_OF_A_FUNCTION = 40
"""Their functions are shorter than 37 lines in nine cases of ten."""
MOST_POSITIONAL = 5
"""Arguments of a call that are told by their place alone."""


def name_of(path):
    return path.relative_to(AUDIT).as_posix()


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def long_file(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    return [f"{lines} lines"] if lines > MOST_LINES else []


def long_functions(path):
    functions = [each for each in ast.walk(parsed(path)) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [each.name for each in functions if each.end_lineno - each.lineno + 1 > MOST_LINES_OF_A_FUNCTION]


def foreign_names(tree):
    """Names that a file imports from elsewhere: how such code is called is not ours to choose."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {(each.asname or each.name).partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("crowdproof"):
            names |= {each.asname or each.name for each in node.names}
    return names


def root_of(function):
    while isinstance(function, ast.Attribute):
        function = function.value
    return function.id if isinstance(function, ast.Name) else ""


def calls_with_many_arguments(path):
    tree = parsed(path)
    foreign = foreign_names(tree)
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and len(each.args) > MOST_POSITIONAL]
    return [f"line {each.lineno}" for each in calls if root_of(each.func) not in foreign]


def is_numeric(value):
    """Whether an expression is a number, a fraction or a tuple of such."""
    match value:
        case ast.Constant(number):
            return isinstance(number, int | float) and not isinstance(number, bool)
        case ast.UnaryOp(operand=operand):
            return is_numeric(operand)
        case ast.BinOp(left=left, right=right):
            return is_numeric(left) and is_numeric(right)
        case ast.Tuple(elts=parts):
            return bool(parts) and all(map(is_numeric, parts))
        case ast.Call(func=ast.Name("Fraction"), args=parts):
            return bool(parts) and all(map(is_numeric, parts))
        case _:
            return False


def constants(statement):
    """The names of the numeric constants that a statement sets."""
    match statement:
        case ast.Assign(targets=targets, value=value) if is_numeric(value):
            names = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name() as target, value=value) if value is not None and is_numeric(value):
            names = [target]
        case _:
            return []
    return [each.id for each in names if each.id.isupper()]


def is_text(statement):
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def unexplained_constants(path):
    lines, body = path.read_text(encoding="utf-8").splitlines(), parsed(path).body
    found = []
    for statement, after in zip(body, [*body[1:], None], strict=True):
        around = lines[max(statement.lineno - 2, 0) : statement.end_lineno]
        commented = around[0].lstrip().startswith("#") or any("  # " in line for line in around[1:])
        if not is_text(after) and not commented:
            found += constants(statement)
    return found


def test_no_two_modules_have_one_name():
    places = defaultdict(list)
    for path in FILES:
        places[path.parent.name if path.stem == "__init__" else path.stem].append(name_of(path))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


@pytest.mark.parametrize("bar", [long_file, long_functions, calls_with_many_arguments, unexplained_constants])
def test_each_file_meets_the_bars(bar):
    broken = {name_of(path): bar(path) for path in FILES}
    assert {name: found for name, found in broken.items() if found} == {}


@pytest.mark.parametrize(
    ("bar", "text"),
    [
        (long_file, "x = 1\n" * 251),
        (long_functions, "def f():\n" + "    x = 1\n" * 40),
        (calls_with_many_arguments, "from crowdproof.audit import audit\naudit(1, 2, 3, 4, 5, 6)\n"),
        (unexplained_constants, 'import math\nMOST = 2**20\n_LEAST = 3\n"""Explained."""\n'),
    ],
)
def test_a_bar_can_be_missed(tmp_path, bar, text):
    path = tmp_path / "planted.py"
    path.write_text(text)
    assert len(bar(path)) == 1


def test_what_is_explained_or_foreign_is_let_pass(tmp_path):
    path = tmp_path / "planted.py"
    path.write_text("import numpy as np\n# why\nA = 1\nB = (1, 2)  # why\nnp.stack(1, 2, 3, 4, 5, 6)\nNAME = 'text'\n")
    assert unexplained_constants(path) == calls_with_many_arguments(path) == []
