"""`crowdproof figures`: the papers' tables and figures, recomputed."""

from pathlib import Path

import click

from crowdproof.cli.again import with_command
from crowdproof.cli.loudness import remark
from crowdproof.cli.options import emit, formats


@click.command("figures")
@click.option(
    "--output", "folder", type=click.Path(path_type=Path), required=True, help="The folder for SVG, PNG and CSV files."
)
@formats
def command(folder: Path, outputs: list[tuple[str, Path | None]]) -> int:
    """Write Tables 1 and 2 and Figures 1 to 6 with the tight numbers, and say whether Table 2 is right."""
    from crowdproof.cli.progress import waiting
    from crowdproof.findings import exit_code
    from crowdproof.proofs.bounds.drawing import write_figures
    from crowdproof.proofs.bounds.figures import figures, table_2_finding

    with waiting("computing the figures"):
        written = list(write_figures(figures(), folder))
        findings = [with_command(table_2_finding())]
    for path in written:
        remark(str(path))
    return emit(findings, outputs, exit_code(findings))
