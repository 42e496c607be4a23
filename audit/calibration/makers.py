"""Outputs of one kind each, made of an answer and a mark that says nothing about the data."""

import datetime
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from attrs import frozen

Maker: TypeAlias = Callable[[int, int], Any]
"""Answer and mark -> output. It may raise: then there is no release."""

ODD = ("é", "e\u0301", "\u200b", "\u202eabc", "\U0001f469\u200d\U0001f4bb", "ﬁ", "\x00", "İ", "ß", "SS")
"""Texts that are equal, or look empty, in some normal form or other."""


class Text(str):
    """A text of a type of its own."""

    __slots__ = ()


class Whole(int):
    """A whole number of a type of its own."""


@dataclass(frozen=True)
class Result:
    """A result with named parts, as a dataclass."""

    answer: int
    marks: tuple[int, ...]


@frozen
class Release:
    """A result with named parts, as a class of attrs."""

    answer: int
    mark: str


class Named(NamedTuple):
    """A tuple with names."""

    answer: int
    mark: float


class Refused(Exception):  # noqa: N818  (it is a refusal, not an error)
    """What a null raises where it releases nothing."""


def _refuse(_answer: int, _mark: int) -> Any:
    raise Refused("there is no release today")


def _date(answer: int, mark: int) -> datetime.date:
    return datetime.date(2020, 2, 27) + datetime.timedelta(days=10 * answer + mark)


def _moment(answer: int, mark: int) -> datetime.datetime:
    return datetime.datetime(2020, 2, 27, mark, tzinfo=datetime.UTC) + datetime.timedelta(days=answer)


def _table(answer: int, mark: int) -> pl.DataFrame:
    return pl.DataFrame({"group": ["a", "b"], "count": [answer, mark]})


def _with_nulls(answer: int, mark: int) -> pl.DataFrame:
    return pl.DataFrame({"group": ["a", None], "count": [None if answer % 2 else answer, mark]})


def _rows(answer: int, mark: int) -> pl.DataFrame:
    return pl.DataFrame({"value": [mark] * (answer + 1)})


def _columns(answer: int, mark: int) -> pl.DataFrame:
    table = pl.DataFrame({"count": [answer, 7], "group": ["a", "b"], "share": [0.5, 0.5]})
    return table.select(sorted(table.columns, reverse=mark % 2 == 1))


def _empty(answer: int, mark: int) -> pl.DataFrame:
    if answer % 2:
        return pl.DataFrame({"group": ["a"], "count": [mark]})
    return pl.DataFrame() if mark % 2 else pl.DataFrame({"group": [], "count": []})


def _correlated(answer: int, mark: int) -> pl.DataFrame:
    """The sum of the two columns tells the answer; either alone tells little."""
    return pl.DataFrame({"one": [answer + mark], "two": [-mark]})


def _ties(answer: int, mark: int) -> pl.DataFrame:
    return pl.DataFrame({"group": ["a"] * 3 + ["b"] * 2, "count": [answer] * 3 + [mark] * 2})


def _pandas(answer: int, mark: int) -> Any:
    import pandas as pd  # noqa: PLC0415  (an extra, and slow to load)

    return pd.DataFrame({"group": ["a", "b"], "count": [answer, mark]})


def _cells(answer: int, mark: int) -> Any:
    """Cells of several types in one column, which pandas allows."""
    import pandas as pd  # noqa: PLC0415  (an extra, and slow to load)

    return pd.DataFrame({"cell": [answer, str(answer) if mark % 2 else None, 1.5, True]}, dtype=object)


MAKERS: dict[str, Maker] = {
    "int": lambda answer, mark: 10 * answer + mark,
    "float": lambda answer, mark: answer + mark / 8,
    "bool": lambda answer, _mark: answer % 2 == 0,
    "text": lambda answer, mark: f"answer {answer}, mark {mark}",
    "bytes": lambda answer, mark: bytes([answer, 255 - mark]),
    "tuple": lambda answer, mark: (answer, mark),
    "list": lambda answer, mark: [float(answer), mark, "end"],
    "array": lambda answer, mark: np.array([answer, mark, answer - mark], float),
    "set": lambda answer, mark: {f"answer {answer}", f"mark {mark}", "all"},
    "frozen set": lambda answer, mark: frozenset((answer, -1 - mark)),
    "dict": lambda answer, mark: {"answer": answer, "mark": [mark]},
    "ordered dict": lambda answer, mark: OrderedDict(
        sorted({"answer": answer, "mark": mark}.items(), reverse=bool(mark))
    ),
    "polars": _table,
    "decimal": lambda answer, mark: Decimal(answer) + Decimal(mark) / 10,
    "fraction": lambda answer, mark: Fraction(3 * answer + 1, mark + 2),
    "date": _date,
    "moment": _moment,
    "none": lambda _answer, _mark: None,
    "refusal": _refuse,
    "refused": lambda _answer, _mark: "refused",
    "no release": lambda _answer, _mark: "no release",
    "nan": lambda _answer, _mark: float("nan"),
    "infinite": lambda answer, _mark: float("-inf") if answer % 2 else float("inf"),
    "signed zero": lambda answer, _mark: -0.0 if answer % 2 else 0.0,
    "beyond 2^53": lambda answer, mark: 2**53 + 2 * answer + mark % 2,
    "beyond the floats": lambda answer, mark: 10**400 + 10 * answer + mark,
    "empty text": lambda _answer, _mark: "",
    "digits": lambda answer, _mark: str(answer),
    "odd text": lambda answer, mark: ODD[(answer + mark) % 2] + ODD[(2 * answer) % len(ODD)],
    "lone surrogate": lambda answer, mark: "\ud800" * (1 + answer % 2) + chr(0xDC00 + mark),
    "own text": lambda answer, mark: Text(f"{answer} of {mark}"),
    "own int": lambda answer, mark: Whole(10 * answer + mark),
    "numpy int8": lambda answer, mark: np.int8((10 * answer + mark) % 128),
    "numpy uint64": lambda answer, mark: np.uint64(2**64 - 1 - 10 * answer - mark),
    "numpy float32": lambda answer, mark: np.float32(answer + mark / 10),
    "numpy bool": lambda answer, _mark: np.bool_(answer % 2 == 0),
    "numpy text": lambda answer, _mark: np.str_(answer),
    "no dimensions": lambda answer, mark: np.array(answer + mark / 8),
    "tuple of any length": lambda answer, mark: (mark,) * answer,
    "array of any shape": lambda answer, mark: np.full((1 + answer % 3, 1 + mark % 2), float(answer)),
    "array of text": lambda answer, mark: np.array([str(answer), str(mark)]),
    "ragged": lambda answer, mark: [[answer] * (mark % 3), [mark, [answer]]],
    "nested": lambda answer, mark: {"a": [{"b": answer}, (mark, None)], "c": {"d": {answer % 2}}},
    "table with nulls": _with_nulls,
    "table of any length": _rows,
    "columns in any order": _columns,
    "empty table": _empty,
    "correlated columns": _correlated,
    "ties": _ties,
    "dataclass": lambda answer, mark: Result(answer, (mark, 0)),
    "attrs": lambda answer, mark: Release(answer, str(mark)),
    "named tuple": lambda answer, mark: Named(answer, mark / 2),
}
"""Each by its name, which is how a null refers to it: so a null is a value that can be sent anywhere."""

if find_spec("pandas") is not None:
    MAKERS |= {"pandas": _pandas, "cells of several types": _cells}
