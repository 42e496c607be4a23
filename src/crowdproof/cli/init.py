"""`crowdproof init`: a first configuration for a function that exists."""

from pathlib import Path

import click

from crowdproof.cli.streams import unwritable
from crowdproof.errors import ParameterError


@click.command("init")
@click.argument("target")
@click.option("--data", metavar="FILE", help="A table like those that are released, from the folder of --output.")
@click.option(
    "--param", "params", multiple=True, metavar="NAME=VALUE", help="A parameter of the target; more than once."
)
@click.option(
    "--output", type=click.Path(path_type=Path), default="privacy.toml", show_default=True, help="The file to write."
)
def command(target: str, data: str | None, params: tuple[str, ...], output: Path) -> int:
    """Write a commented privacy.toml about TARGET, such as package.module:function or file.py:function.

    With --data the target is run on the table, so that the claim speaks of the columns that it releases; without, it
    is only looked at. A file that exists is left alone.
    """
    from crowdproof.audit.data.tables import read_table
    from crowdproof.audit.gate.starter import starter
    from crowdproof.cli.auditing import parameters
    from crowdproof.cli.progress import waiting

    if output.exists():
        raise _taken(output)
    with waiting(f"looking at {target}"):
        table = None if data is None else read_table(output.parent / data)
        text = starter(target, data, table, parameters(params))
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _taken(output) from None
    except OSError as error:
        raise unwritable(output, error) from None
    claim = next(line for line in text.splitlines() if line.startswith("claim = "))
    click.echo(f"Wrote {output}, with {claim}. Say in it what you promise, then run: crowdproof gate {output}")
    return 0


def _taken(output: Path) -> ParameterError:
    return ParameterError(f"{output} exists: remove it first, or name another file with --output.")
