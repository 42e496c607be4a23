"""Neighbouring tables made by hand, where anonymizers are known to give a row away.

Each has few distinct rows in many copies, so that an exact audit of it takes few runs.
"""

import contextlib
import math
from collections.abc import Iterator
from fractions import Fraction

from attrs import frozen

from crowdproof.audit.neighbours.schema import Row, Schema
from crowdproof.audit.request import Pair
from crowdproof.claims import Neighbours
from crowdproof.errors import ParameterError
from crowdproof.exact import Epsilon
from crowdproof.proofs.bounds import theorem5, worst_pair

MOST_ROWS = 2_000
"""Rows of hand-made tables at most: a guess, so that slow targets still answer in good time."""
TOO_SMALL = 0.008
"""The probability with which a sample of a crowd may hold fewer than k rows. A guess: larger lets the crowd be
suppressed too often to show anything, smaller makes the table larger and each run slower."""


@frozen(eq=False)
class Setting:
    """What the worst cases depend on."""

    schema: Schema
    relation: Neighbours
    epsilon: Epsilon
    beta: Fraction | None
    k: int
    """The size that a group must have, as far as known."""

    @property
    def crowd(self) -> int:
        """So many copies that even a sample of them nearly always holds k."""
        if self.beta is None:
            return 2 * self.k
        n = math.ceil(self.k / self.beta)
        while n < MOST_ROWS and _below(self.k, n, self.beta) > TOO_SMALL:
            n += 1
        return n

    def pair(
        self, rows: list[tuple[Row, int]], extra: Row, instead: Row, origin: str, *, one_of: str | None = None
    ) -> Pair:
        """The rows with `extra`, against the rows without it or, for replace, with `instead` in its place."""
        left = self.schema.table([*rows, (extra, 1)])
        removed = self.relation is Neighbours.ADD_REMOVE
        right = self.schema.table(rows if removed else [*rows, (instead, 1)])
        swapped = "with a usual row instead" if one_of is None else f"with another row for {one_of}"
        what = f"without {one_of or 'it'}" if removed else swapped
        return Pair(left, right, self.relation, f"{origin}, against the same {what}")


def worst_cases(setting: Setting) -> Iterator[Pair]:
    """The hand-made pairs, those of few distinct samples first."""
    yield from _all_alike(setting)
    yield from _extremes(setting)
    yield from _threshold(setting)
    yield from _two_groups(setting)


def _extremes(setting: Setting) -> Iterator[Pair]:
    """One row sticks out in one column: an extreme number, a rare or new category."""
    schema, crowd = setting.schema, setting.crowd
    usual = schema.usual
    for place, column in enumerate(schema.columns):
        for value in column.extremes:
            if value == usual[place]:
                continue
            row = schema.with_value(usual, place, value)
            origin = f"{crowd} equal rows and one with {column.name} = {value}"
            yield setting.pair([(usual, crowd)], row, usual, origin)


def _all_alike(setting: Setting) -> Iterator[Pair]:
    """Equal rows only: as many as k, and as many as Theorem 5 and the tight delta of safe k-anonymization need."""
    usual, other = setting.schema.usual, _other(setting.schema)
    sizes, done = {setting.k}, 0
    if setting.beta is not None:
        for pair in _tight_pair(setting, usual, other):
            yield pair
            done = max(pair.left.height, pair.right.height) if setting.relation is Neighbours.ADD_REMOVE else 0
        with contextlib.suppress(ParameterError):  # Theorem 5 does not speak of the smallest epsilons
            sizes.add(theorem5(setting.k, setting.beta, setting.epsilon).n)
    for n in sorted(size for size in sizes - {done} if size <= MOST_ROWS):
        yield setting.pair([(usual, n - 1)], usual, other, f"{n} equal rows", one_of="one of them")


def _tight_pair(setting: Setting, usual: Row, other: Row) -> Iterator[Pair]:
    """The pair on which safe k-anonymization has its largest delta: one kind of rows, or two for replace neighbours."""
    assert setting.beta is not None
    worst = worst_pair(setting.k, setting.beta, setting.epsilon, setting.relation)
    if sum(worst.likelier) > MOST_ROWS or (len(worst.likelier) > 1 and usual == other):
        return
    kinds = (usual, other)[: len(worst.likelier)]
    left, right = ([*zip(kinds, side, strict=True)] for side in (worst.likelier, worst.other))
    words = " against ".join(" and ".join(map(str, side)) for side in (worst.likelier, worst.other))
    origin = f"groups of {words} equal rows, the worst case of safe k-anonymization"
    yield Pair(setting.schema.table(left), setting.schema.table(right), setting.relation, origin)


def _threshold(setting: Setting) -> Iterator[Pair]:
    """A row that brings a small group from k - 1 to k, beside a crowd."""
    usual, other = setting.schema.usual, _other(setting.schema)
    if other == usual or setting.beta is not None:  # under sampling a group of n_m equal rows shows the same
        return
    rows = [(usual, setting.crowd), (other, setting.k - 1)]
    yield setting.pair(rows, other, usual, f"a crowd and a group of {setting.k} rows, one of them")


def _two_groups(setting: Setting) -> Iterator[Pair]:
    """Two groups that can be told apart only as long as both have k rows."""
    usual, other = setting.schema.usual, _other(setting.schema)
    if other == usual or setting.beta is not None:
        return
    rows = [(usual, setting.k), (other, setting.k - 1)]
    yield setting.pair(rows, other, usual, f"{setting.k} rows of one kind and {setting.k} of another, one of these")


def _other(schema: Schema) -> Row:
    """A row that differs from the usual one wherever it can."""
    return tuple(column.values[-1] for column in schema.columns)


def _below(k: int, n: int, beta: Fraction) -> float:
    p = float(beta)
    return sum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k))
