"""What a function does with its table, read off its code: which methods it calls on it, and whether it goes over it.

This only tells in which form to try first. A form in which a function makes something may still be the wrong one: who
goes over the rows of a list gets the columns of a table of polars, and the release is then one of something else.
"""

import dis
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType

BY_METHOD = {
    **dict.fromkeys(
        ("groupBy", "withColumn", "withColumnRenamed", "toPandas", "dropDuplicates", "selectExpr"), "spark"
    ),
    **dict.fromkeys(("orderBy", "createOrReplaceTempView", "mapInPandas", "rdd"), "spark"),
    **dict.fromkeys(("execute", "cursor", "executemany", "sql", "register", "table"), "duckdb"),
    **dict.fromkeys(("readline", "readlines", "read", "seek"), "file"),
    **dict.fromkeys(("groupby", "loc", "iloc", "assign", "pivot_table", "iterrows", "itertuples", "fillna"), "pandas"),
    **dict.fromkeys(("reset_index", "set_index", "drop_duplicates", "nunique", "astype", "isin", "to_csv"), "pandas"),
    **dict.fromkeys(("with_columns", "group_by", "to_dicts", "with_row_index", "iter_rows", "null_count"), "polars"),
    **dict.fromkeys(("items", "keys"), "columns"),
}
"""A method or attribute that only tables of one kind have, and the form that it hints at."""
READERS = frozenset({"reader", "DictReader"})
"""Functions of the module csv that go over an open file."""


def hints_of(code: CodeType, name: str) -> list[str]:
    """The forms that the code hints at for its parameter of this name, the likeliest first.

    >>> def over(rows): return [row[2] for row in rows]
    >>> hints_of(over.__code__, "rows")
    ['tuples', 'rows']
    >>> def job(df): return df.groupBy("zip").count()
    >>> hints_of(job.__code__, "df")
    ['spark']
    """
    steps = [each for each in dis.get_instructions(code) if each.opname not in {"CACHE", "PRECALL", "RESUME"}]
    attributes, iterated, indexed = _uses(steps, name)
    forms = [BY_METHOD[each] for each in attributes if each in BY_METHOD]
    if "duckdb" in forms:
        forms.append("sqlite")
    if iterated and not attributes and not indexed:
        by_number = _subscripts(code, int) and not _subscripts(code, str)
        forms += ["tuples", "rows"] if by_number else ["rows", "tuples"]
    if not attributes and not indexed and READERS & set(_all_names(code)):
        forms.insert(0, "file")
    return list(dict.fromkeys(forms))


def _uses(steps: list[dis.Instruction], name: str) -> tuple[list[str], bool, bool]:
    """The attributes that are asked of it; whether it is gone over; and whether it is indexed by a name."""
    attributes, iterated, indexed = [], False, False
    for place, step in enumerate(steps[:-1]):
        if not step.opname.startswith("LOAD_FAST") or step.argval != name:
            continue
        following = steps[place + 1]
        if following.opname in {"LOAD_ATTR", "LOAD_METHOD"}:
            attributes.append(str(following.argval))
        iterated = iterated or following.opname == "GET_ITER"
        second = steps[place + 2] if place + 2 < len(steps) else following
        indexed = indexed or _is_subscript(second)
    return attributes, iterated, indexed


def _is_subscript(step: dis.Instruction) -> bool:
    return step.opname in {"BINARY_SUBSCR", "STORE_SUBSCR"} or (step.opname == "BINARY_OP" and step.argrepr == "[]")


def _subscripts(code: CodeType, kind: type) -> bool:
    """Whether anything in the code is indexed by a constant of this type."""
    steps = [each for each in dis.get_instructions(code) if each.opname != "CACHE"]
    found = any(
        type(first.argval) is kind and first.opname.startswith("LOAD_") and _is_subscript(second)
        for first, second in pairwise(steps)
        if first.opname in {"LOAD_CONST", "LOAD_SMALL_INT"}
    )
    return found or any(_subscripts(each, kind) for each in code.co_consts if isinstance(each, CodeType))


def _all_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _all_names(each)


def texts_of(code: CodeType) -> Iterator[str]:
    """The texts that stand in the code, also within functions that it defines."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from texts_of(each)
        elif isinstance(each, str):
            yield each
        elif isinstance(each, tuple):
            yield from (part for part in each if isinstance(part, str))
