"""Columns of values as databases and workbooks hold them: several kinds of value may stand in one column."""

from collections.abc import Sequence

import polars as pl


def mixed_cells(name: str, values: Sequence[object]) -> pl.Series:
    """The column; values of several kinds are written as text, and two that differ never become one.

    As floats 2^62 and 2^62 + 1 would be one, and as texts the number 7 and the text `7`.

    >>> mixed_cells("a", [7, "7", 0.5, None]).to_list()
    ['7 (int)', '7', '0.5', None]
    """
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1:
        return pl.Series(name, values, strict=False) if kinds else pl.Series(name, values, dtype=pl.String)
    known = {(type(value), value) for value in values if value is not None}
    often: dict[str, int] = {}
    for _, value in known:
        often[str(value)] = often.get(str(value), 0) + 1
    return pl.Series(name, [_text(value, often) for value in values], dtype=pl.String)


def _text(value: object, often: dict[str, int]) -> str | None:
    if value is None:
        return None
    text = str(value)
    is_shared = often[text] > 1 and not isinstance(value, str)
    return f"{text} ({type(value).__name__})" if is_shared else text
