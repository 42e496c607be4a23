"""Hierarchies of sensitive values, and the distance by them: values are as far apart as the level where they meet.

A file has a line for each value: the value, what it belongs to, what that belongs to, and so on, as ARX and others
write it, without a header. With H levels above the values, two values that first meet at level h are h / H apart.

The distance of a group from the whole is the least that it costs to turn one law into the other (earth mover's). What
is to be moved within a node of level h, and not within one below it, is the smaller of what its children have too much
and what they have too little; that costs h / H. The distance is the sum over all nodes (Li, Li, Venkatasubramanian).
"""

import csv
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
from attrs import frozen

from crowdproof.audit.check.diversity import Measured
from crowdproof.audit.check.groups import COUNT, GROUP, VALUE, Spread
from crowdproof.audit.check.nearest import Law, worst
from crowdproof.audit.data.separated import separator_of
from crowdproof.errors import DataError

Path_ = tuple[str, ...]
_MISSING = "(missing)"
_NODE, _PARENT, _SHARE, _WHOLE = "node", "parent", "share", "whole"


@frozen
class Hierarchy:
    """For each value the nodes above it, the narrowest first; a root above all of them is added."""

    above: Mapping[str, Path_]
    height: int
    """Levels above the values, the root among them."""

    def nodes(self, value: object) -> tuple[Path_, ...]:
        """The value and the nodes above it, each with all above itself, so that equal names do not meet by chance."""
        if value is None:
            path: Path_ = (_MISSING,) * self.height  # that a value is missing is a value of its own
        elif str(value) in self.above:
            path = (str(value), *self.above[str(value)])
        else:
            raise DataError(f"the hierarchy has no line for {str(value)!r}: add one with all that it belongs to.")
        return tuple(path[level:] for level in range(len(path) + 1))


def hierarchy(source: "str | Path | Mapping[str, Path_] | Hierarchy") -> Hierarchy:
    """The hierarchy in that file, or in that mapping.

    >>> hierarchy({"flu": ("lung",), "cold": ("lung",), "gout": ("joints",)}).height
    2
    """
    if isinstance(source, Hierarchy):
        return source
    rows = [(value, *above) for value, above in source.items()] if isinstance(source, Mapping) else _lines(Path(source))
    lengths = {len(row) for row in rows}
    if len(lengths) != 1:
        raise DataError("the hierarchy has lines of different lengths, or none: give each value as many levels.")
    if lengths != {1} and len({row[-1] for row in rows}) == 1:  # the root is in the file
        rows = [row[:-1] for row in rows]
    above = {row[0]: tuple(row[1:]) for row in rows}
    if len(above) < len({tuple(row) for row in rows}):
        raise DataError("the hierarchy has two lines for one value: keep one of them.")
    return Hierarchy(above, height=len(rows[0]))


def _lines(path: Path) -> list[tuple[str, ...]]:
    if not path.is_file():
        raise DataError(f"there is no file {path}: give a CSV file with a line for each value and what it belongs to.")
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not in UTF-8: save it as CSV in UTF-8.") from None
    rows = csv.reader(text.splitlines(), delimiter=separator_of(content))
    return [tuple(cell.strip() for cell in row) for row in rows if row]


def hierarchical(spread: Spread, t: Fraction, tree: Hierarchy) -> Measured:
    """The largest distance of a group by the hierarchy."""
    values = spread.table[VALUE].unique().to_list()
    nodes = {value: tree.nodes(value) for value in values}
    sizes = pl.Series(spread.groups.sizes)[spread.table[GROUP].cast(pl.Int64)]
    table = spread.table.with_columns((pl.col(COUNT) / sizes).alias(_SHARE))
    whole = spread.table.group_by(VALUE).agg((pl.col(COUNT).sum() / spread.groups.rows).alias(_WHOLE))
    table = table.join(whole, on=VALUE, nulls_equal=True)
    distances = np.zeros(len(spread.groups.sizes))
    for level in range(1, tree.height + 1):
        cost = _cost(table, whole, {value: path[level - 1 : level + 1] for value, path in nodes.items()})
        np.add.at(distances, cost[GROUP].to_numpy(), level / tree.height * cost["cost"].to_numpy())
    return worst(spread, distances, t=t, exact=lambda own, all_: _exact(own, all_, nodes, tree.height))


def _cost(table: pl.DataFrame, whole: pl.DataFrame, steps: dict[object, tuple[Path_, ...]]) -> pl.DataFrame:
    """What is moved from child to child within each node of one level, for each group; `steps` has child and node."""
    numbers: dict[Path_, int] = {}
    named = [(value, *(numbers.setdefault(each, len(numbers)) for each in step)) for value, step in steps.items()]
    places = pl.DataFrame(named, schema=[VALUE, _NODE, _PARENT], orient="row", infer_schema_length=None)
    places = places.with_columns(pl.col(VALUE).cast(whole.schema[VALUE]))
    all_ = whole.join(places, on=VALUE, nulls_equal=True)
    own = table.join(places, on=VALUE, nulls_equal=True).group_by(GROUP, _NODE, _PARENT).agg(pl.col(_SHARE).sum())
    own = own.join(all_.group_by(_NODE).agg(pl.col(_WHOLE).sum()), on=_NODE)
    too_much = (pl.col(_SHARE) - pl.col(_WHOLE)).clip(lower_bound=0).sum().alias("much")
    found = own.group_by(GROUP, _PARENT).agg(pl.col(_SHARE).sum(), too_much)
    found = found.join(all_.group_by(_PARENT).agg(pl.col(_WHOLE).sum()), on=_PARENT)
    too_little = pl.col("much") - (pl.col(_SHARE) - pl.col(_WHOLE))
    return found.select(GROUP, pl.min_horizontal(pl.col("much"), too_little).clip(lower_bound=0).alias("cost"))


def _exact(own: Law, whole: Law, nodes: dict[object, tuple[Path_, ...]], height: int) -> Fraction:
    """The same in fractions, for one group."""
    found = Fraction(0)
    for level in range(1, height + 1):
        extra: dict[tuple[Path_, Path_], Fraction] = defaultdict(Fraction)
        for value, share in whole.items():
            child, node = nodes[value][level - 1 : level + 1]
            extra[node, child] += own.get(value, Fraction(0)) - share
        much: dict[Path_, Fraction] = defaultdict(Fraction)
        little: dict[Path_, Fraction] = defaultdict(Fraction)
        for (node, _), share in extra.items():
            much[node] += max(share, Fraction(0))
            little[node] += max(-share, Fraction(0))
        found += Fraction(level, height) * sum((min(much[node], little[node]) for node in much), Fraction(0))
    return found
