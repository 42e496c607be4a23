"""`crowdproof attack`: a demonstration that a reviewer can show."""

import inspect
from pathlib import Path
from typing import Any

import click

from crowdproof.cli.again import with_command
from crowdproof.cli.auditing import parameters
from crowdproof.cli.options import chosen_seed, emit, formats, seed
from crowdproof.errors import ExitCode, ParameterError
from crowdproof.findings import Finding


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
@click.option("--target-param", "target_params", multiple=True, metavar="NAME=VALUE", help="A parameter of the target.")
@click.option("--data", type=click.Path(path_type=Path), help="The data to attack it on: CSV, Parquet, ...")
@click.option("--release", type=click.Path(path_type=Path), help="Attack this release file alone; nothing is run.")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="A parameter of the attack.")
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
    return emit([with_command(finding)], outputs)


def _refuse_ignored(options: dict[str, Any]) -> None:
    """Refuse what would have no effect: whoever gives it believes that it has one."""
    if options["release"] is not None and (options["target"] or options["target_params"] or options["data"]):
        raise ParameterError("--release attacks a file alone: leave out --target, --target-param and --data.")
    if options["target_params"] and options["target"] is None:
        raise ParameterError("--target-param is for the target: name it with --target, or give the attack a --param.")


def _run(name: str, number: int, options: dict[str, Any]) -> Finding:
    from crowdproof.attacks.catalogue import load

    module = load(name)
    given = parameters(options["params"])
    if options["release"] is not None:
        return _read(module, name, given, options["release"])
    keywords: dict[str, Any] = {**given, "seed": number}
    if options["data"] is not None:
        from crowdproof.audit.data.tables import read_table

        keywords["data"] = read_table(options["data"])
    if options["target"] is None:
        return _finding(module.run, name, keywords)
    from crowdproof.audit.targets import load_target

    with load_target(options["target"], params=parameters(options["target_params"])) as target:
        return _finding(module.run, name, {**keywords, "target": target})


def _read(module: Any, name: str, given: dict[str, Any], path: Path) -> Finding:
    from crowdproof.audit.data.tables import read_table

    if not hasattr(module, "read"):
        raise ParameterError(f"{name} needs a mechanism to run: leave out --release, or try the attack clr.")
    return _finding(module.read, name, {**given, "release": read_table(path, text=True)})


def _finding(function: Any, name: str, keywords: dict[str, Any]) -> Finding:
    """Call it with these keywords, each of which it must take."""
    known = inspect.signature(function).parameters
    for keyword in keywords:
        if keyword not in known:
            raise ParameterError(f"the attack {name} takes no {keyword!r}: it takes {', '.join(known)}.")
    missing = [each for each, about in known.items() if about.default is about.empty and each not in keywords]
    if missing:
        raise ParameterError(f"the attack {name} needs {missing[0]}: give --param {missing[0]}=VALUE.")
    result = function(**keywords)
    return result if isinstance(result, Finding) else result.finding()
