"""In which forms a function may want its table: what its annotation says, or else all of them, the likeliest first."""

import inspect
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any

BY_ANNOTATION = (
    ("Iterator[pandas", "batches"),
    ("Iterator[pd.", "batches"),
    ("Iterable[pandas", "batches"),
    ("Iterable[pd.", "batches"),
    ("LazyFrame", "lazy"),
    ("pyspark", "spark"),
    ("pandas", "pandas"),
    ("pd.", "pandas"),
    ("polars", "polars"),
    ("pl.", "polars"),
    ("pyarrow", "pyarrow"),
    ("pa.Table", "pyarrow"),
    ("ndarray", "numpy"),
    ("NDArray", "numpy"),
)
"""Words of an annotation and the form that they ask for, the most special first."""
BY_LIBRARY = {"pandas": "pandas", "polars": "polars", "pyarrow": "pyarrow", "pyspark": "spark", "numpy": "numpy"}
"""A library that the code of a function uses, and the form that this hints at; numpy last, which all others use too."""
BY_NAME = {
    **dict.fromkeys(("path", "file", "filename", "file_path", "filepath", "csv", "csv_path", "input_path"), "path"),
    **dict.fromkeys(("in_path", "infile", "input_file", "source"), "path"),
    **dict.fromkeys(("rows", "records", "dicts"), "rows"),
    **dict.fromkeys(("array", "arr", "x", "X", "vector", "matrix"), "numpy"),
    **dict.fromkeys(("df", "frame", "dataframe"), "pandas"),
    **dict.fromkeys(("lf", "lazy"), "lazy"),
    "batches": "batches",
}
"""How people call a parameter, and the form that this hints at."""
TRIED = ("polars", "pandas", "pandas-nullable", "rows", "numpy", "path", "pyarrow", "lazy")
"""The forms that are tried where nothing tells, in this order: those that most functions are written for first."""


def likely_forms(function: Callable[..., Any], parameter: inspect.Parameter | None) -> tuple[str, ...]:
    """The forms to try for the table of a function; one alone where the annotation of its parameter tells.

    >>> import numpy as np
    >>> def noisy_sum(x): return np.sum(x)
    >>> likely_forms(noisy_sum, inspect.signature(noisy_sum).parameters["x"])[:2]
    ('numpy', 'polars')
    """
    annotated = None if parameter is None else form_of(parameter)
    if annotated is not None:
        return (annotated,)
    hints = list(_by_library(function))
    named = BY_NAME.get(parameter.name) if parameter is not None else None
    if named in {"path", "rows", "batches"}:  # these names say more than what is imported
        hints.insert(0, named)
    elif named is not None:
        hints.append(named)
    forms = list(dict.fromkeys([*hints, *TRIED]))
    if forms.index("pandas") + 1 < forms.index("pandas-nullable"):  # the same for tables with missing cells
        forms.remove("pandas-nullable")
        forms.insert(forms.index("pandas") + 1, "pandas-nullable")
    return tuple(forms)


def form_of(parameter: inspect.Parameter) -> str | None:
    """The form that a parameter's annotation asks for; None where it tells nothing.

    >>> form_of(inspect.Parameter("table", inspect.Parameter.POSITIONAL_ONLY, annotation="list[dict]"))
    'rows'
    """
    annotation = parameter.annotation
    if annotation is inspect.Parameter.empty or annotation in {Any, object}:
        return None
    text = annotation if isinstance(annotation, str) else f"{getattr(annotation, '__module__', '')} {annotation}"
    for word, form in BY_ANNOTATION:
        if word in text:
            return form
    bare = text.removeprefix("builtins ").removeprefix("<class '").lower()
    if bare.startswith(("list", "sequence[dict", "sequence[mapping")):
        return "rows"
    is_path = bare.startswith(("str", "path", "os.pathlike")) or "pathlib" in text
    return "path" if is_path else None


def _by_library(function: Callable[..., Any]) -> Iterator[str]:
    """The forms of the libraries that the function uses, and then of those that its module imports."""
    code, names = _code_and_names(function)
    used = set() if code is None else set(_names_in(code))
    imported = {name: each.__name__.partition(".")[0] for name, each in names.items() if isinstance(each, ModuleType)}
    for library, form in BY_LIBRARY.items():
        if library in used or any(imported.get(name) == library for name in used):
            yield form
    for library, form in BY_LIBRARY.items():
        if library in imported.values() and form != "numpy":  # which is imported for much else
            yield form


def _code_and_names(function: Callable[..., Any]) -> tuple[CodeType | None, dict[str, Any]]:
    """The code of a function, or of what an object does when it is called, and the names of its module."""
    found: Any = inspect.unwrap(function)
    found = getattr(found, "func", found)  # of functools.partial
    found = getattr(found, "__func__", found)
    if not hasattr(found, "__code__"):
        found = vars(type(found)).get("__call__", found)
    code = getattr(found, "__code__", None)
    names = getattr(found, "__globals__", None)
    return code if isinstance(code, CodeType) else None, names if isinstance(names, dict) else {}


def _names_in(code: CodeType) -> Iterator[str]:
    """Names that the code uses, also within functions and comprehensions that it defines."""
    for name in code.co_names:
        yield name.partition(".")[0]
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names_in(each)
