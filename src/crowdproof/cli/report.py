"""`crowdproof report`: saved findings, rendered again."""

from pathlib import Path

import click

from crowdproof.cli.options import emit, formats, read_findings
from crowdproof.errors import ExitCode


@click.command("report")
@click.argument("files", metavar="FINDINGS.json...", nargs=-1, required=True, type=click.Path(path_type=Path))
@formats
def command(files: tuple[Path, ...], outputs: list[tuple[str, Path | None]]) -> ExitCode:
    """Render the findings of one or more JSON reports again, together and in any format.

    A file named - is standard input. The exit code tells about the rendering alone, 0 for findings of any verdict,
    and 3 where there was no finding to render.

    Example: crowdproof report audit.json attacks.json --format html=report.html
    """
    findings = [finding for file in files for finding in read_findings(file)]
    return emit(findings, outputs, ExitCode.HELD if findings else ExitCode.BROKEN)
