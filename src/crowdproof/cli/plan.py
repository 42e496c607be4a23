"""`crowdproof plan`: the smallest k, the largest beta, the smallest epsilon or delta that a promise allows."""

from pathlib import Path

import click

from crowdproof.cli.again import with_command
from crowdproof.cli.options import emit, formats
from crowdproof.errors import ParameterError


@click.command("plan")
@click.option("--epsilon", help="A number, or like 'ln 3'.")
@click.option("--delta", help="The delta that is promised.")
@click.option("--beta", help="The sampling rate, or max: 1 - e^-epsilon.")
@click.option("--k", help="Groups below k are dropped.")
@click.option(
    "--data", type=click.Path(path_type=Path), help="Your table, recoded, to tell how many rows each plan keeps."
)
@click.option("--columns", multiple=True, metavar="NAME", help="The columns that make a group [default: all].")
@formats
def command(
    data: Path | None, columns: tuple[str, ...], outputs: list[tuple[str, Path | None]], **given: str | None
) -> int:
    """Find what is left out of epsilon, delta, beta and k.

    With epsilon and delta alone: the smallest k for several sampling rates.
    """
    from crowdproof.audit.data.tables import read_table
    from crowdproof.cli.progress import waiting
    from crowdproof.findings import exit_code
    from crowdproof.proofs.bounds.telling import ask, plan_finding
    from crowdproof.proofs.bounds.utility import group_sizes

    if columns and data is None:
        raise ParameterError("--columns names the columns of a table: give the table with --data FILE.")
    question = ask(**given)
    sizes = None if data is None else group_sizes(read_table(data, text=True), columns)
    with waiting("computing certified numbers"):
        findings = [with_command(plan_finding(question, sizes))]
    return emit(findings, outputs, exit_code(findings))
