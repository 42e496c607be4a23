"""Datasets of a witness, brought to a size that a person takes in: the rows that differ, and some of the others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from crowdproof.findings import PairWitness

Row = tuple[str, ...]


@frozen
class Shown:
    """A row that occurs `times` in a row, or (without cells) a gap of that many rows."""

    cells: Row
    times: int
    differs: bool

    @property
    def gap(self) -> bool:
        """Whether this stands for rows that were left out."""
        return not self.cells


@frozen
class Side:
    """One dataset of the pair."""

    rows: tuple[Shown, ...]
    total: int


@frozen
class Pair:
    """Both datasets under their common columns."""

    columns: tuple[str, ...]
    left: Side
    right: Side

    @property
    def repeated(self) -> bool:
        """Whether some row stands for several equal ones."""
        return any(each.times > 1 and not each.gap for side in (self.left, self.right) for each in side.rows)


def pair(witness: PairWitness, limit: int = 5) -> Pair:
    """Both datasets: every row in which they differ, and at most `limit` lines of what they share."""
    columns, left, right = _rows(witness.left, witness.right)
    only_left, only_right = Counter(left) - Counter(right), Counter(right) - Counter(left)
    return Pair(columns, _side(left, only_left, limit), _side(right, only_right, limit))


def differing(witness: PairWitness) -> tuple[tuple[str, ...], list[Row], list[Row]]:
    """The columns, the rows that only the left dataset has, and those that only the right one has."""
    columns, left, right = _rows(witness.left, witness.right)
    return columns, list((Counter(left) - Counter(right)).elements()), list((Counter(right) - Counter(left)).elements())


def _side(rows: list[Row], surplus: Counter[Row], limit: int) -> Side:
    runs = _runs(rows, _marks(rows, surplus))
    rest = limit
    shown: list[Shown] = []
    for each in runs:
        if each.differs or rest > 0:
            shown.append(each)
            rest -= not each.differs
        elif shown and shown[-1].gap:
            shown[-1] = Shown((), shown[-1].times + each.times, False)
        else:
            shown.append(Shown((), each.times, False))
    return Side(tuple(shown), len(rows))


def _marks(rows: list[Row], surplus: Counter[Row]) -> list[bool]:
    """Which rows the other side lacks; of several equal ones, the last."""
    left_over = Counter(surplus)
    marks = []
    for row in reversed(rows):
        marks.append(left_over[row] > 0)
        left_over[row] -= marks[-1]
    return marks[::-1]


def _runs(rows: list[Row], marks: list[bool]) -> list[Shown]:
    runs: list[Shown] = []
    for row, mark in zip(rows, marks, strict=True):
        if runs and runs[-1].cells == row and not mark and not runs[-1].differs:
            runs[-1] = Shown(row, runs[-1].times + 1, False)
        else:
            runs.append(Shown(row, 1, mark))
    return runs


def _rows(left: Any, right: Any) -> tuple[tuple[str, ...], list[Row], list[Row]]:
    """Both datasets as rows of text. Understood: records, columns of values, rows of values, and plain values."""
    left, right = _records(left), _records(right)
    if all(isinstance(row, Mapping) for row in (*left, *right)):
        columns = tuple(dict.fromkeys(str(name) for row in (*left, *right) for name in row)) or ("value",)
        named = [[tuple(_cell(row.get(name)) for name in columns) for row in side] for side in (left, right)]
        return columns, named[0], named[1]
    rows = [[_list(row) for row in side] for side in (left, right)]
    width = max((1, *(len(row) for side in rows for row in side)))
    columns = ("value",) if width == 1 else tuple(str(i + 1) for i in range(width))
    padded = [[tuple(map(_cell, (*row, *[None] * (width - len(row))))) for row in side] for side in rows]
    return columns, padded[0], padded[1]


def _records(data: Any) -> list[Any]:
    if isinstance(data, Mapping):
        if "columns" in data and "rows" in data:
            return [dict(zip(data["columns"], row, strict=False)) for row in data["rows"]]
        if data and all(_is_list(values) for values in data.values()):
            return [dict(zip(data, row, strict=False)) for row in zip(*data.values(), strict=False)]
    return list(data) if _is_list(data) else [data]


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _list(row: Any) -> list[Any]:
    if isinstance(row, Mapping):
        return [f"{name}: {_cell(value)}" for name, value in row.items()]
    return list(row) if _is_list(row) else [row]


def _cell(value: Any) -> str:
    return "(none)" if value is None else str(value)
