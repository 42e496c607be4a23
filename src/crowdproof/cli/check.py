"""`crowdproof check`: what can be said of a release file alone."""

from pathlib import Path
from typing import Any

import click

from crowdproof.cli.again import with_command
from crowdproof.cli.options import emit, formats, lenient, output_file, write_file


@click.command("check")
@click.argument("release")
@click.option("--k", default="2", show_default=True, help="Every row hides among at least this many.")
@click.option(
    "--columns", multiple=True, metavar="NAME", help="What an adversary may know [default: all not sensitive]."
)
@click.option("--sensitive", multiple=True, metavar="NAME", help="A sensitive column, for l and t.")
@click.option("--l", "l", help="Every group is l-diverse in each sensitive column.")
@click.option(
    "--diversity", default="distinct", show_default=True, metavar="KIND", help="distinct, entropy or recursive."
)
@click.option("--c", default="1", show_default=True, help="The c of recursive (c, l)-diversity.")
@click.option("--t", help="Every group is within this distance of the whole.")
@click.option(
    "--distance",
    default="equal",
    show_default=True,
    metavar="KIND",
    help="equal, ordered for numbers, or hierarchical with --hierarchy.",
)
@click.option(
    "--hierarchy",
    metavar="FILE",
    help="For each sensitive value a line with what it belongs to, level by level (CSV without a header).",
)
@click.option(
    "--match",
    default="text",
    show_default=True,
    metavar="HOW",
    help="text: cells are equal as text. matching: what somebody can conclude who knows everybody's values, where '*' "
    "and missing are anything, '[20, 40)' is a range, '{a, b}' a set, '531**' a mask. covering: (1, k)-anonymity, "
    "which says less: k rows cover each row. Where it matters what '20-40' is, the verdict is UNDECIDED (4).",
)
@click.option("--missing", multiple=True, metavar="TEXT", help="A text that stands for a missing cell, such as '?'.")
@click.option("--population", metavar="N", help="People of whom the release is a random sample, for risks among them.")
@click.option(
    "--rows-at-risk",
    "at_risk",
    type=click.Path(path_type=Path),
    callback=output_file,
    metavar="FILE",
    help="Write the rows in groups below k to this CSV file.",
)
@lenient
@formats
def command(
    release: str, outputs: list[tuple[str, Path | None]], at_risk: Path | None, lenient: bool, **terms: Any
) -> int:
    """Say what can be said of the file RELEASE alone: k, l, t, and side channels.

    RELEASE is CSV with any separator, TSV, either of them as .gz, Excel, Parquet, Arrow, SQLite or DuckDB
    (file.db::table). Nothing is said of how it came about: for that, audit the program that makes it.
    """
    from crowdproof.audit.check import Terms, check, rows_at_risk
    from crowdproof.cli.progress import waiting
    from crowdproof.findings import exit_code

    with waiting(f"checking {release}"):
        claimed = Terms(**{**terms, "columns": terms["columns"] or None})
        findings = check(release, claimed)
        if at_risk is not None:
            rows = rows_at_risk(release, claimed).write_csv()
            write_file(at_risk, lambda: rows)
    code = exit_code(findings, lenient=lenient)  # a claim that hangs on an unclear cell has not held
    return emit([with_command(each) for each in findings], outputs, code)
