"""`crowdproof report`: saved findings, rendered again."""

import sys
from pathlib import Path

import click

from crowdproof.cli.options import emit, formats
from crowdproof.errors import DataError, ExitCode
from crowdproof.findings import Finding


@click.command("report")
@click.argument("files", metavar="FINDINGS.json...", nargs=-1, required=True, type=click.Path(path_type=Path))
@formats
def command(files: tuple[Path, ...], outputs: list[tuple[str, Path | None]]) -> ExitCode:
    """Render the findings of one or more JSON reports again, together and in any format.

    A file named - is standard input. The exit code tells about the rendering alone, 0 for findings of any verdict,
    and 3 where there was no finding to render.

    Example: crowdproof report audit.json attacks.json --format html=report.html
    """
    findings = [finding for file in files for finding in _read(file)]
    emit(findings, outputs)
    return ExitCode.HELD if findings else ExitCode.BROKEN


def _read(file: Path) -> list[Finding]:
    from crowdproof.wire import loads

    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror}. Give a file that --format json=FILE wrote.") from None
    except UnicodeDecodeError:
        raise DataError(f"{file} is not a text file: give a file that --format json=FILE wrote.") from None
    try:
        return loads(text)
    except DataError as error:
        raise DataError(f"{file}: {error}") from None
