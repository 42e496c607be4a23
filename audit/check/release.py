"""What can be said of a release file alone, with nothing to run."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl
from attrs import evolve

from crowdproof.audit.check.anonymity_report import Anonymity
from crowdproof.audit.check.channel_report import Channels
from crowdproof.audit.check.groups import group, keys, known_columns, spread
from crowdproof.audit.check.sensitive_report import Sensitive
from crowdproof.audit.check.terms import Terms
from crowdproof.audit.data.tables import readable, scan_table
from crowdproof.errors import DataError, ParameterError
from crowdproof.findings import Finding


def check(source: "Source", terms: Terms, *, subject: str | None = None) -> list[Finding]:
    """One finding for each claim and each side channel.

    >>> release = pl.DataFrame({"age": ["[20, 40)"] * 3 + ["[40, 60)"]})
    >>> [finding.verdict.name for finding in check(release, Terms(k=2))]
    ['REFUTED', 'NOT_REFUTED', 'NOT_REFUTED', 'PROVED', 'NOT_REFUTED', 'NOT_REFUTED']
    """
    if not isinstance(source, pl.DataFrame | pl.LazyFrame):
        with readable(source):
            return _checked(_scanned(source), terms, subject or str(source), str(source))
    return _checked(source.lazy(), terms, subject or "release", None)


def _scanned(source: str | Path) -> pl.LazyFrame:
    """The table in the file; an empty cell of a text file is a missing one, with quotes or without."""
    table = scan_table(source, text=True)
    if Path(str(source).partition("::")[0]).suffix.lower() not in (".csv", ".tsv", ".gz"):
        return table
    cells = pl.col(pl.String)
    return table.with_columns(pl.when(cells != "").then(cells).name.keep())


def _checked(source: pl.LazyFrame, terms: Terms, subject: str, file: str | None) -> list[Finding]:
    table = _cleaned(_opened(source), terms.missing)
    columns = _columns(table, terms)
    wanted = terms.sensitive if terms.l is not None or terms.t is not None else ()
    spreads = [spread(table, columns, each) for each in wanted]
    groups = spreads[0].groups if spreads else group(table, columns)
    sensitive = Sensitive(subject, terms)
    found = [
        Anonymity(subject, terms, groups).finding(),
        *(finding for each in spreads for finding in sensitive.findings(each)),
        *Channels.of(subject, table, groups, source=file).findings(),
    ]
    return [_placed(each, file) for each in found]


def _placed(finding: Finding, file: str | None) -> Finding:
    """The finding with the release as its place in a project."""
    if file is None:
        return finding
    reproduce = evolve(finding.reproduce, parameters={**finding.reproduce.parameters, "file": file.partition("::")[0]})
    return evolve(finding, reproduce=reproduce)


def rows_at_risk(source: "Source", terms: Terms) -> pl.DataFrame:
    """The rows in groups below k, the smallest groups first: the number of the row, how many are alike, its cells.

    >>> rows_at_risk(pl.DataFrame({"age": ["30", "40", "30"]}), Terms(k=2)).rows()
    [(2, 1, '40')]
    """
    if not isinstance(source, pl.DataFrame | pl.LazyFrame):
        with readable(source):
            return rows_at_risk(_scanned(source).collect(), terms)
    table = _cleaned(_opened(source.lazy()), terms.missing)
    columns = _columns(table, terms)
    cells = table.select(known_columns(table, columns)).with_row_index("row", offset=1)
    sized = cells.with_columns(pl.len().over(keys(columns)).alias("rows alike"))
    found = sized.filter(pl.col("rows alike") < terms.k).sort("rows alike", "row").collect()
    named = found.select("row", "rows alike", *keys(columns))
    named.columns = ["row", "rows alike", *(f"cell of {name}" for name in columns)]
    return named


UNNAMED = "(unnamed)"
"""What a column without a name is called, such as the row numbers that pandas writes first."""
Source = str | Path | pl.DataFrame | pl.LazyFrame


def _opened(table: pl.LazyFrame) -> pl.LazyFrame:
    """The table with a name for each column, and lists and other nested cells as texts."""
    if "" in table.collect_schema():
        table = table.rename({"": UNNAMED})
    if table.head(1).collect().is_empty():
        raise DataError("the release has no rows: there is nothing to check.")
    schema = table.collect_schema()
    nested = [place for place, kind in enumerate(schema.dtypes()) if kind.is_nested() or kind == pl.Object]
    return table.with_columns(pl.nth(place).map_batches(_texts, return_dtype=pl.String) for place in nested)


def _texts(cells: pl.Series) -> pl.Series:
    return pl.Series(cells.name, [None if cell is None else str(cell) for cell in cells.to_list()], dtype=pl.String)


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
