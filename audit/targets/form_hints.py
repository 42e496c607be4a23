"""In which forms a function may want its table: what its annotation says, or else all of them, the likeliest first."""

import inspect
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any

from crowdproof.audit.targets.databases import tables_in
from crowdproof.audit.targets.form_traces import hints_of, texts_of
from crowdproof.personal import words_of

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
    ("DuckDBPyConnection", "duckdb"),
    ("sqlite3", "sqlite"),
    ("TextIO", "file"),
    ("IO[str]", "file"),
)
"""Words of an annotation and the form that they ask for, the most special first."""
BUILT_IN = (
    ("tuples", ("list[tuple", "list[list", "sequence[tuple", "iterable[tuple")),
    ("values", ("list[float", "list[int", "list[str", "sequence[float", "sequence[int", "sequence[str")),
    ("rows", ("list", "sequence[dict", "sequence[mapping", "iterable[dict", "iterable[mapping")),
    ("columns", ("dict[str, list", "mapping[str, list", "mapping[str, sequence")),
    ("path", ("str", "path", "os.pathlike")),
)
"""Forms of Python's own types, and how the annotations that ask for them begin; the most special first."""
BY_LIBRARY = {"pandas": "pandas", "polars": "polars", "pyarrow": "pyarrow", "pyspark": "spark", "numpy": "numpy"}
"""A library that the code of a function uses, and the form that this hints at; numpy last, which all others use too."""
BY_NAME = {
    **dict.fromkeys(("rows", "records", "dicts", "dict_rows", "list_of_dicts"), ("rows", "tuples")),
    **dict.fromkeys(("tuples",), ("tuples",)),
    **dict.fromkeys(("array", "arr", "x", "X", "vector", "matrix", "mat"), ("numpy",)),
    **dict.fromkeys(("xs", "values", "numbers", "nums"), ("values", "numpy")),
    **dict.fromkeys(("df", "frame", "dataframe", "pdf"), ("pandas",)),
    **dict.fromkeys(("sdf", "spark_df"), ("spark",)),
    **dict.fromkeys(("lf", "lazy"), ("lazy",)),
    **dict.fromkeys(("cols", "columns", "data_dict"), ("columns",)),
    **dict.fromkeys(("f", "fh", "fp", "fobj", "fileobj", "handle", "stream", "buffer"), ("file", "path")),
    **dict.fromkeys(("con", "conn", "connection", "db", "database", "cur", "cursor"), ("duckdb", "sqlite")),
    "batches": ("batches",),
}
"""How people call a parameter, and the forms that this hints at."""
SURE = frozenset({"path", "file", "rows", "tuples", "batches", "duckdb", "sqlite", "values", "spark"})
"""Forms of which a name says more than what is imported."""
PLACES = frozenset({"path", "file", "filename", "filepath", "fname", "infile", "csv"})
"""Words with which the name of a parameter ends that takes the path of a file."""
TRIED = (
    *("polars", "pandas", "pandas-nullable", "rows", "columns", "numpy", "path", "pyarrow", "lazy", "tuples", "file"),
    *("values", "duckdb", "sqlite"),
)
"""The forms that are tried where nothing tells, in this order: those that most functions are written for first.

Spark takes long to start, and is tried only where something hints at it.
"""


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
    code, _ = _code_and_names(function)
    name = "" if parameter is None else parameter.name
    traces = [] if code is None else hints_of(code, name)
    named = by_name(name)
    sure = [each for each in named if each in SURE]
    hints = [*sure, *traces, *_by_library(function), *named]
    if traces[:1] and traces[0] not in {"rows", "tuples"}:  # what is called on the table says more than its name
        hints = [*traces, *hints]
    if "sqlite3" in _used(function):
        hints = ["sqlite" if each == "duckdb" else each for each in hints]
    forms = list(dict.fromkeys([*hints, *TRIED]))
    if forms.index("pandas") + 1 < forms.index("pandas-nullable"):  # the same for tables with missing cells
        forms.remove("pandas-nullable")
        forms.insert(forms.index("pandas") + 1, "pandas-nullable")
    return tuple(forms)


def by_name(name: str) -> tuple[str, ...]:
    """The forms that the name of a parameter hints at.

    >>> by_name("in_csv"), by_name("patients_path"), by_name("records"), by_name("csv_rows")
    (('path', 'file'), ('path', 'file'), ('rows', 'tuples'), ())
    """
    if name in BY_NAME:
        return BY_NAME[name]
    words = words_of(name)
    return ("path", "file") if words and words[-1] in PLACES else ()


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
    return next((form for form, beginnings in BUILT_IN if bare.startswith(beginnings)), None) or (
        "path" if "pathlib" in text else None
    )


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


def _used(function: Callable[..., Any]) -> set[str]:
    """The modules that the module of the function imports."""
    _, names = _code_and_names(function)
    return {each.__name__.partition(".")[0] for each in names.values() if isinstance(each, ModuleType)}


def tables_asked(function: Callable[..., Any]) -> tuple[str, ...]:
    """The tables that the SQL of a function reads from, in its code and in texts of its module."""
    code, names = _code_and_names(function)
    if code is None:
        return ()
    elsewhere = [names[each] for each in _names_in(code) if isinstance(names.get(each), str)]
    return tables_in([*texts_of(code), *elsewhere])


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
