"""Pairs that have a dataset in common share its runs.

What is played at the same time is bet on before any of it runs, so each pair's block has mean at most 1 under the claim
whether or not its runs serve other pairs too.
"""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.compare.betting.arms import Arm
from crowdproof.audit.compare.betting.bets import REFUTE
from crowdproof.audit.compare.betting.wealth import Wealth
from crowdproof.audit.request import Pair


@frozen(eq=False)
class Shared:
    """One dataset that is to run, and the pairs that it is a side of."""

    data: Any
    number: int
    """What it is numbered among all datasets of the audit."""
    stream: tuple[int, int, int]
    """Pair, block and side whose random stream its runs take: those of the first that it serves."""
    users: tuple[tuple[Arm, int], ...]
    """Pairs, and on which side of them it is."""


def arms_of(pairs: Sequence[Pair], points: int = 1) -> list[Arm]:
    """The pairs, with datasets numbered so that equal ones have the same number; the sides of a pair never have.

    Each is bet on against so many points of the claim.
    """
    known: list[Any] = []
    numbered = [(pair, _numbers(pair, known)) for pair in pairs]
    return [
        Arm(index, pair, numbers, wealth=Wealth.start(REFUTE, points)) for index, (pair, numbers) in enumerate(numbered)
    ]


def shared(arms: Sequence[Arm]) -> list[Shared]:
    """The datasets of these pairs, each of them once."""
    users: dict[int, list[tuple[Arm, int]]] = {}
    for arm in arms:
        for side, number in enumerate(arm.datasets):
            users.setdefault(number, []).append((arm, side))
    return [_shared(number, tuple(each)) for number, each in users.items()]


def _shared(number: int, users: tuple[tuple[Arm, int], ...]) -> Shared:
    arm, side = users[0]
    data = (arm.pair.left, arm.pair.right)[side]
    return Shared(data, number, stream=(arm.index, arm.blocks, side), users=users)


def _numbers(pair: Pair, known: list[Any]) -> tuple[int, int]:
    left = _number(pair.left, known, -1)
    return left, _number(pair.right, known, left)


def _number(data: Any, known: list[Any], taken: int) -> int:
    for number, each in enumerate(known):
        if number != taken and same_data(data, each):
            return number
    known.append(data)
    return len(known) - 1


def same_data(one: Any, two: Any) -> bool:
    """Whether no target can tell two datasets apart; False where that is not easily seen, which costs runs only.

    Numbers may be equal and yet differ: 0.0 has another sign than -0.0.

    >>> same_data(np.array([1, 2]), np.array([1, 2])), same_data(np.array([1]), np.array([1.0])), same_data(1, True)
    (True, False, False)
    >>> zero = pl.DataFrame({"a": [0.0]})
    >>> same_data(zero, zero.clone()), same_data(zero, pl.DataFrame({"a": [-0.0]}))
    (True, False)
    """
    if one is two:
        return True
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        return bool(one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes())
    if isinstance(one, pl.DataFrame):
        return one.schema == two.schema and one.equals(two) and _bits(one) == _bits(two)
    return isinstance(one, int | str | bytes) and bool(one == two)


def _bits(table: pl.DataFrame) -> bytes:
    """The table as it would be written to a file, to the last bit."""
    content = io.BytesIO()
    table.rechunk().write_ipc(content)
    return content.getvalue()
