"""`crowdproof attack`: a demonstration that a reviewer can show."""

import hashlib
from pathlib import Path
from typing import Any

import click
from attrs import evolve

from crowdproof.cli.again import with_command
from crowdproof.cli.auditing import (
    data_options,
    load,
    parameters,
    read_data,
    refuse_without_target,
    target_options,
)
from crowdproof.cli.options import chosen_seed, emit, formats, seed
from crowdproof.errors import ExitCode, ParameterError
from crowdproof.findings import Finding
from crowdproof.visible import one_line


def _list(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from crowdproof.attacks.catalogue import CATALOGUE

        width = max(map(len, CATALOGUE))
        click.echo("\n".join(f"{name.ljust(width)}  {line}" for name, line in CATALOGUE.items()))
        ctx.exit()


def _names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from crowdproof.attacks.catalogue import CATALOGUE

    return [name for name in CATALOGUE if name.startswith(incomplete)]


@click.command("attack")
@click.argument("name", shell_complete=_names)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list, help="Which attacks there are."
)
@click.option("--target", help="The anonymizer to attack, as for 'audit'; without it the built-in victim.")
@data_options
@click.option("--release", type=click.Path(path_type=Path), help="Attack this release file alone; nothing is run.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of the attack, as trials=200.")
@target_options
@seed
@formats
def command(name: str, outputs: list[tuple[str, Path | None]], **options: Any) -> ExitCode:
    """Show what an adversary learns: NAME on its victim and on the defended twin.

    The exit code tells whether the demonstration ran, not whether the victim is safe: 0 when it did.

    Example: crowdproof attack clr --target their_module:anonymize --data their.csv
    """
    from crowdproof.cli.progress import waiting

    _refuse_ignored(options)
    with waiting(f"attack {name}"):
        finding = _run(name, chosen_seed(options["seed"]), options)
    return emit([_with_origin(with_command(finding), options)], outputs)


def _with_origin(finding: Finding, options: dict[str, Any]) -> Finding:
    """The finding with what it was made with: the versions, and the hash of the data, behind the command as a remark.

    A file that changed, or another version, may give other numbers: whoever runs the command again can see which.
    """
    made = finding.reproduce
    file: Path | None = options["release"] or (Path(options["data"]) if options["data"] else None)
    hashed = {} if file is None or not file.is_file() else {"data_sha256": _sha256(file)}
    words = [f"{name} {number}" for name, number in made.versions.items()]
    words += [f"{file.name} sha256 {number}" for number in hashed.values() if file is not None]
    command = f"{made.command}  # {one_line(', '.join(words))}"
    known = evolve(made, command=command, parameters={**made.parameters, **hashed})
    return evolve(finding, reproduce=known)


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _refuse_ignored(options: dict[str, Any]) -> None:
    """Refuse what would have no effect: whoever gives it believes that it has one."""
    if options["release"] is not None and (options["target"] or options["params"] or options["data"]):
        raise ParameterError("--release attacks a file alone: leave out --target, --param and --data.")
    if options["params"] and options["target"] is None:
        raise ParameterError("--param is for the target: name it with --target, or give the attack a --set NAME=VALUE.")
    if options["target"] is None:
        refuse_without_target(click.get_current_context())


def _run(name: str, number: int, options: dict[str, Any]) -> Finding:
    from crowdproof.attacks.catalogue import demonstrate, way_to

    given = parameters(options["settings"], "setting")
    if options["release"] is not None:
        from crowdproof.audit.data.tables import read_table

        way_to("read", name)  # that there is one is told before anything about the file
        return demonstrate(name, "read", {**given, "release": read_table(options["release"], text=True)})
    keywords: dict[str, Any] = {**given, "seed": number}
    table = read_data(options)
    if table is not None:
        keywords["data"] = table
    if options["target"] is None:
        return demonstrate(name, "run", keywords)
    with load(options["target"], options) as target:
        if table is not None:
            target.get_ready([table])
        return demonstrate(name, "run", {**keywords, "target": target})
