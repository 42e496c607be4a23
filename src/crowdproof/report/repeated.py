"""Evidence as a page shows it: no table that repeats a chart, and deltas on an axis that shows the small ones."""

import math
from collections.abc import Sequence

from attrs import evolve

from crowdproof.findings import Chart, Evidence, Table

_SPREAD = 100
"""How many times the smallest delta the largest is where a linear axis shows the smallest as zero: it has about a
hundred distinguishable heights."""


def told_once(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence without tables whose columns a chart draws: its numbers can be unfolded below it."""
    charts = [each for each in evidence if isinstance(each, Chart)]
    kept: list[Evidence] = []
    for each in evidence:
        drawn = isinstance(each, Table) and any(_draws(chart, each) for chart in charts)
        if not drawn:
            kept.append(each)
    return kept


def _draws(chart: Chart, table: Table) -> bool:
    """Whether the chart has a series for each column of the table but the first, by which it is drawn."""
    if len(table.columns) < 2 or table.columns[0] != chart.x:
        return False
    names = {each.name for each in chart.series}
    return names.issuperset(table.columns[1:])


def readable(chart: Chart) -> Chart:
    """The chart, with a logarithmic axis where it shows deltas of several orders of magnitude.

    Zero has no place there, so a series that reaches zero says so in the legend.
    """
    deltas = [y for series in chart.series for y in series.y if 0 < y < math.inf]
    if chart.y != "delta" or not deltas or max(deltas) < _SPREAD * min(deltas):
        return chart
    named = []
    for series in chart.series:
        reaches = 0 in series.y
        named.append(evolve(series, name=f"{series.name} (0 where it ends)") if reaches else series)
    return evolve(chart, log_y=True, series=tuple(named))
