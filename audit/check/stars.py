"""Rows that were left in a release though every known column is suppressed."""

import math

import polars as pl
from attrs import frozen

from crowdproof.audit.check.groups import COUNT, Groups
from crowdproof.cells import WORDS, suppressed


def star_rows(groups: Groups) -> int:
    """How many rows were left in the release though every known column is missing, blank or stars."""
    hidden = pl.all_horizontal(suppressed(pl.col(name)) for name in groups.keys)
    return int(groups.table.select(pl.col(COUNT).filter(hidden).sum()).item())


@frozen
class HiddenRows:
    """Rows in which nothing is known."""

    of_stars: int
    """Those with stars, and nothing else, in the columns that are not suppressed as a whole."""
    missing: int
    """The others: those that may be honest missing values, and those of words such as NA."""
    columns: int
    """Columns that are not suppressed as a whole."""
    chance: float
    """How often, at most, cells that are missing independently would give so many rows without content."""


def hidden_rows(groups: Groups) -> HiddenRows:
    """Count the rows without content, and compare with what independent missing values would give."""
    table, rows = groups.table, groups.rows
    held = [name for name in groups.keys if _count(table, suppressed(pl.col(name))) < rows]
    if not held:
        return HiddenRows(0, 0, columns=0, chance=1.0)
    starred = [pl.col(name).cast(pl.String).fill_null("").str.contains(r"^\s*\*+\s*$") for name in held]
    all_hidden = pl.all_horizontal(suppressed(pl.col(name)) for name in held)
    of_stars = _count(table, all_hidden & pl.any_horizontal(starred))
    hidden = _count(table, pl.all_horizontal(_may_be_suppressed(name) for name in held))
    marginals = [_count(table, _may_be_suppressed(name)) for name in held]
    chance = _chance(rows, hidden, marginals)
    return HiddenRows(of_stars, hidden - of_stars, columns=len(held), chance=chance)


def _may_be_suppressed(name: str) -> pl.Expr:
    """Whether the cell is suppressed, or a word such as NA that may say so."""
    text = pl.col(name).cast(pl.String).str.strip_chars().str.to_lowercase()
    return suppressed(pl.col(name)) | text.is_in(sorted(WORDS)).fill_null(value=False)


def _count(table: pl.DataFrame, mask: pl.Expr) -> int:
    return int(table.select(pl.col(COUNT).filter(mask).sum()).item())


def _chance(rows: int, hidden: int, marginals: list[int]) -> float:
    """Pr[X >= x] <= E[C(X, x)] = C(n, x) prod C(m_c, x) / C(n, x): X rows hidden, m_c missing in column c."""
    if hidden == 0:
        return 1.0
    whole = _choose(rows, hidden)
    return math.exp(min(0.0, whole + sum(_choose(each, hidden) - whole for each in marginals)))


def _choose(n: int, k: int) -> float:
    """The logarithm of the binomial coefficient."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
