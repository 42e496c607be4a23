"""`crowdproof check`: what can be said of a release file alone."""

from pathlib import Path
from typing import Any

import click

from crowdproof.cli.again import with_command
from crowdproof.cli.options import emit, formats


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
@click.option("--distance", default="equal", show_default=True, metavar="KIND", help="equal, or ordered for numbers.")
@click.option(
    "--match",
    default="text",
    show_default=True,
    metavar="HOW",
    help="text: cells are equal as text. covering: '*' and missing are anything, '[20, 40)' is a range, '{a, b}' a "
    "set, '531**' a mask; where it matters what '20-40' is, the verdict is UNDECIDED (4).",
)
@click.option("--missing", multiple=True, metavar="TEXT", help="A text that stands for a missing cell, such as '?'.")
@formats
def command(release: str, outputs: list[tuple[str, Path | None]], **terms: Any) -> int:
    """Say what can be said of the file RELEASE alone: k, l, t, and side channels.

    RELEASE is CSV, Parquet, Arrow or SQLite (file.db::table). Nothing is said of how it came about: for that, audit the
    program that makes it.
    """
    from crowdproof.audit.check import Terms, check
    from crowdproof.cli.progress import waiting
    from crowdproof.findings import exit_code

    with waiting(f"checking {release}"):
        findings = check(release, Terms(**{**terms, "columns": terms["columns"] or None}))
    code = exit_code(findings)  # a claim that hangs on an unclear cell has not held
    return emit([with_command(each) for each in findings], outputs, code)
