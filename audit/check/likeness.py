"""Other measures of what a group tells of a sensitive column, as numbers; a missing value is a value of its own."""

import math

import polars as pl

from crowdproof.audit.check.groups import COUNT, GROUP, VALUE, Spread
from crowdproof.findings import Json


def likeness(spread: Spread) -> dict[str, Json]:
    """The least alpha, beta and delta for which the release has (alpha, k)-anonymity, beta-likeness, delta-disclosure.

    With p the share of a value in a group and q its share in the whole: alpha is the largest p, beta the largest
    (p - q) / q, and delta the largest |ln (p / q)|, which is infinite where a group lacks a value.
    """
    whole = spread.table.group_by(VALUE).agg(pl.col(COUNT).sum().alias("all"))
    joined = spread.table.join(whole, on=VALUE, nulls_equal=True)
    p = pl.col(COUNT) / pl.col(COUNT).sum().over(GROUP)
    q = pl.col("all") / spread.groups.rows
    alpha, beta, delta = joined.select(
        p.max().alias("alpha"), (p / q - 1).max().alias("beta"), (p / q).log().abs().max().alias("delta")
    ).row(0)
    lacks_some = joined.height < len(spread.groups.sizes) * whole.height
    return {"alpha": alpha, "beta": max(0.0, beta), "delta": math.inf if lacks_some else delta}
