"""Whether a claim about k-anonymous releases speaks of a release at all: is it k-anonymous?"""

from collections.abc import Sequence

import polars as pl

from crowdproof.attacks.candidates import require


def smallest_group(release: pl.DataFrame, columns: Sequence[str]) -> int:
    """How many rows the smallest group has that is alike in these columns; 0 where nothing is published.

    >>> smallest_group(pl.DataFrame({"age": ["[20, 40)", "[20, 40)", "*"]}), ["age"])
    1
    """
    require(release, columns, "the release")
    if release.is_empty():
        return 0
    alike = pl.struct(pl.col(name).cast(pl.String) for name in columns)
    return int(release.select(pl.len().over(alike).min()).item())


def unmet(release: pl.DataFrame, columns: Sequence[str]) -> str:
    """Why a claim about k-anonymous releases says nothing of this one; empty where it does, with some k above 1."""
    smallest = smallest_group(release, columns)
    if smallest > 1:
        return ""
    names = ", ".join(columns)
    if smallest == 0:
        return "The target published no row of the whole data, so that there is no group to speak of."
    return (
        f"The release is not k-anonymous for any k above 1: some row is the only one of its kind in {names}. The claim "
        "is about k-anonymous releases, so it is neither refuted nor supported. If other columns are meant to hide "
        "people, name them: --set known=..."
    )


def undiverse(release: pl.DataFrame, columns: Sequence[str], secret: str) -> str:
    """Why a claim about l-diverse releases says nothing of this one; empty where it does, with some l above 1.

    >>> undiverse(pl.DataFrame({"age": ["*", "*"], "ill": ["flu", "gout"]}), ["age"], "ill")
    ''
    """
    reason = unmet(release, columns)
    if reason:
        return reason
    require(release, [secret], "the release")
    texts = release.select(*(pl.col(name).cast(pl.String) for name in (*columns, secret)))
    commonest = texts.group_by(columns).agg(pl.col(secret).unique_counts().max().alias("most"), pl.len().alias("rows"))
    alike = commonest.filter(pl.col("most") == pl.col("rows")).height
    if not alike:
        return ""
    return (
        f"The release is not l-diverse for any l above 1: in {alike:,} of {commonest.height:,} groups all rows have "
        f"the same {secret}. The claim is about l-diverse releases, so it is neither refuted nor supported; the attack "
        "homogeneity speaks of such a release."
    )
