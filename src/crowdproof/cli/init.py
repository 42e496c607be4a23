"""`crowdproof init`: a first configuration for a function that exists."""

from pathlib import Path

import click

from crowdproof.cli.streams import unwritable
from crowdproof.errors import ParameterError


@click.command("init")
@click.argument("target")
@click.option("--data", metavar="FILE", help="A table like those that are released, from the folder of --output.")
@click.option(
    "--output", type=click.Path(path_type=Path), default="privacy.toml", show_default=True, help="The file to write."
)
def command(target: str, data: str | None, output: Path) -> int:
    """Write a commented privacy.toml about TARGET, such as package.module:function or file.py:function.

    The function is looked at and not run. A file that exists is left alone.
    """
    from crowdproof.audit.data.tables import scan_table
    from crowdproof.audit.gate.starter import starter

    if data is not None:
        scan_table(output.parent / data)  # what is wrong with it is told now and not by the first gate
    text = starter(target, data)
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ParameterError(f"{output} exists: remove it first, or name another file with --output.") from None
    except OSError as error:
        raise unwritable(output, error) from None
    click.echo(f"Wrote {output}. Say in it what you promise, then run: crowdproof gate {output}")
    return 0
