"""What can be said of a release file alone, with nothing to run."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from crowdproof.audit.check.groups import group, spread
from crowdproof.audit.check.report import Report
from crowdproof.audit.check.terms import Terms
from crowdproof.audit.data.tables import readable, scan_table
from crowdproof.errors import DataError, ParameterError
from crowdproof.findings import Finding


def check(source: "Source", terms: Terms, *, subject: str | None = None) -> list[Finding]:
    """One finding for each claim and each side channel.

    >>> release = pl.DataFrame({"age": ["[20, 40)"] * 3 + ["[40, 60)"]})
    >>> [finding.verdict.name for finding in check(release, Terms(k=2))]
    ['REFUTED', 'NOT_REFUTED', 'PROVED', 'NOT_REFUTED']
    """
    if not isinstance(source, pl.DataFrame | pl.LazyFrame):
        with readable(source):
            return check(scan_table(source, text=True), terms, subject=subject or str(source))
    table = _cleaned(_opened(source), terms.missing)
    columns = _columns(table, terms)
    wanted = terms.sensitive if terms.l is not None or terms.t is not None else ()
    spreads = [spread(table, columns, each) for each in wanted]
    groups = spreads[0].groups if spreads else group(table, columns)
    report = Report(subject or "release", terms, table, groups)
    return [
        report.k_anonymity(),
        *(finding for each in spreads for finding in report.sensitive(each)),
        report.row_numbers(),
        report.star_rows(),
        report.row_order(),
    ]


Source = str | Path | pl.DataFrame | pl.LazyFrame


def _opened(source: pl.DataFrame | pl.LazyFrame) -> pl.LazyFrame:
    table = source.lazy()
    if table.head(1).collect().is_empty():
        raise DataError("the release has no rows: there is nothing to check.")
    return table


def _cleaned(table: pl.LazyFrame, missing: Sequence[str]) -> pl.LazyFrame:
    if not missing:
        return table
    texts = pl.col(pl.String)
    return table.with_columns(pl.when(texts.is_in(list(missing))).then(None).otherwise(texts).name.keep())


def _columns(table: pl.LazyFrame, terms: Terms) -> list[str]:
    """The columns that an adversary may know; a name that is not there is an error."""
    present = table.collect_schema().names()
    for name in (*(terms.columns or ()), *terms.sensitive):
        if name not in present:
            raise DataError(f"the release has no column {name!r}: it has {', '.join(present)}.")
    columns = terms.columns or [name for name in present if name not in terms.sensitive]
    if not columns:
        raise DataError("every column is sensitive: name the columns that an adversary may know.")
    shared = sorted(set(columns) & set(terms.sensitive))
    if shared:
        raise ParameterError(f"{shared[0]} is named both as known and as sensitive: keep it in one place.")
    return list(columns)
