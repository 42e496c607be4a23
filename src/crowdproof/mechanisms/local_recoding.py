"""Local recoding: every row of a cluster gets one generalized value that covers the cluster, column by column."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from crowdproof.mechanisms.tables import Coded, Codes, canonical


def recode(table: pl.DataFrame, columns: Sequence[Coded], clusters: Codes) -> pl.DataFrame:
    """The release of a clustered table: `clusters[i]` is the cluster, 0, 1, ..., of row i.

    In the coded columns a number becomes the closed range `[least, greatest]` of its cluster and a text the set
    `{a, b}` of its cluster's values, in order; one value alone is its plain text. The other columns are released as
    they are. Rows come cluster by cluster, and inside a cluster in the order of what is released as it is.
    """
    recoded = {each.name: _labels(each, clusters).gather(clusters) for each in columns}
    release = table.with_columns(**recoded)
    rest = [name for name in table.columns if name not in recoded]
    if not rest:
        return release[np.argsort(clusters, kind="stable")]
    order = table.select(rest).with_columns(pl.Series("", clusters)).select(pl.arg_sort_by(["", *rest]))
    return release[order.to_series()]


def nothing(table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The release without any row, with the types of any other release."""
    return canonical(table.clear().with_columns(pl.col(columns).cast(pl.String)))


def _labels(column: Coded, clusters: Codes) -> pl.Series:
    return (_ranges if column.number else _sets)(column, clusters)


def _ranges(column: Coded, clusters: Codes) -> pl.Series:
    found = (
        pl.DataFrame({"cluster": clusters, "code": column.codes})
        .group_by("cluster")
        .agg(low=pl.col("code").min(), high=pl.col("code").max())
        .sort("cluster")
    )
    low, high = column.texts.gather(found["low"]), column.texts.gather(found["high"])
    ends = pl.DataFrame({"low": low, "high": high})
    text = pl.when(pl.col("low") == pl.col("high")).then("low").otherwise(pl.format("[{}, {}]", "low", "high"))
    return ends.select(text).to_series()


def _sets(column: Coded, clusters: Codes) -> pl.Series:
    found = pl.DataFrame({"cluster": clusters, "code": column.codes}).unique().sort("cluster", "code")
    joined = (
        found.select("cluster", text=column.texts.gather(found["code"]))
        .group_by("cluster", maintain_order=True)
        .agg(size=pl.len(), text=pl.col("text").str.join(", "))
    )
    text = pl.when(pl.col("size") == 1).then("text").otherwise(pl.concat_str(pl.lit("{"), "text", pl.lit("}")))
    return joined.select(text).to_series()
