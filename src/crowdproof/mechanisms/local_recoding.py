"""Local recoding: every row of a cluster gets one generalized value that covers the cluster, column by column."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from crowdproof.cells import range_text, set_text
from crowdproof.mechanisms.tables import Coded, Codes, canonical


def recode(table: pl.DataFrame, columns: Sequence[Coded], clusters: Codes) -> pl.DataFrame:
    """The release of a clustered table: `clusters[i]` is the cluster, 0, 1, ..., of row i.

    In the coded columns a number becomes the closed range `[least, greatest]` of its cluster and a text the set
    `{a, b}` of its cluster's values, in order; one value alone is its plain text. The other columns are released as
    they are. Rows come cluster by cluster, and inside a cluster in the order of what is released as it is.
    """
    order = np.argsort(clusters, kind="stable")
    sizes = np.bincount(clusters)
    starts = np.cumsum(sizes) - sizes
    recoded = {each.name: _labels(each, each.codes[order], starts, sizes).gather(clusters) for each in columns}
    release = table.with_columns(cells.alias(name) for name, cells in recoded.items())
    rest = [name for name in table.columns if name not in recoded]
    if rest:
        series = [pl.Series(clusters), *(table[name] for name in rest)]
        keys = pl.DataFrame({str(place): each for place, each in enumerate(series)})
        return release[keys.select(pl.arg_sort_by(keys.columns)).to_series()]
    return release[order]


def nothing(table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The release without any row, with the types of any other release."""
    return canonical(table.clear().with_columns(table.clear()[name].cast(pl.String) for name in columns))


def _labels(column: Coded, codes: Codes, starts: Codes, sizes: Codes) -> pl.Series:
    """The text of each cluster; `codes` come cluster after cluster, each from its start."""
    return _ranges(column, codes, starts) if column.number else _sets(column, codes, sizes)


def _ranges(column: Coded, codes: Codes, starts: Codes) -> pl.Series:
    low, high = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
    pairs, place = np.unique(low.astype(np.int64) * column.count + high, return_inverse=True)
    ends = zip(column.text(pairs // column.count), column.text(pairs % column.count), strict=True)
    texts = [least if least == greatest else range_text(least, greatest) for least, greatest in ends]
    return pl.Series(texts, dtype=pl.String).gather(place)


def _sets(column: Coded, codes: Codes, sizes: Codes) -> pl.Series:
    texts, base = column.text(np.arange(column.count)), column.count
    pairs = np.unique(np.repeat(np.arange(len(sizes)), sizes) * base + codes)
    borders = np.searchsorted(pairs, np.arange(len(sizes) + 1) * base)
    members = [texts[each] for each in (pairs % base).tolist()]
    return pl.Series([_set(members[start:stop]) for start, stop in pairwise(borders.tolist())], dtype=pl.String)


def _set(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else set_text(texts)
