"""Options of the verbs that run a target."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from crowdproof import interrupts
from crowdproof.cli.options import Seconds, Whole
from crowdproof.errors import ParameterError, told
from crowdproof.exact import LONGEST_RUN
from crowdproof.findings import Finding

if TYPE_CHECKING:
    import polars as pl

    from crowdproof.audit.targets import Target

Command = TypeVar("Command", bound=Callable[..., Any])
Item = TypeVar("Item")


def target_options(command: Command) -> Command:
    """How to load and run the target."""
    for option in reversed(_TARGET):
        command = option(command)
    return command


def budget_options(command: Command) -> Command:
    """How much may be spent, and where."""
    for option in reversed(_BUDGET):
        command = option(command)
    return command


_TARGET = (
    click.option(
        "--param",
        "params",
        multiple=True,
        metavar="NAME=VALUE",
        help="A parameter of the target, as JSON or as text, such as k=5 or 'by=[\"zip\"]'; more than once.",
    ),
    click.option(
        "--form",
        help="How the target takes a table: polars, pandas, pandas-nullable, pyarrow, rows, tuples, columns, values, "
        "numpy, lazy, batches, spark, path, file, duckdb, sqlite; a program: csv, parquet; a service also json, "
        "json:FIELD, upload:FIELD. Without it that is found by trying.",
    ),
    click.option(
        "--timeout",
        type=Seconds(min=0, min_open=True, max=LONGEST_RUN),
        default=60.0,
        show_default=True,
        help="Seconds that one run may take.",
    ),
    click.option(
        "--memory", type=Whole(min=1), metavar="MIB", help="MiB that one run may take beyond the idle process."
    ),
    click.option(
        "--isolate",
        default="auto",
        show_default=True,
        help="Where the target runs: none, worker, fresh, spawn; auto finds out what it needs.",
    ),
)
_BUDGET = (
    click.option("--runs", type=Whole(min=1), default=200_000, show_default=True, help="Most runs of the target."),
    click.option(
        "--seconds",
        type=Seconds(min=0, min_open=True),
        help="Most seconds; the verdict is by what was examined until then.",
    ),
    click.option("--workers", type=Whole(min=1), default=1, show_default=True, help="Processes to run in."),
    click.option("--scheduler", help="Address of a Dask cluster to run on, or 'local'."),
)


_DATA = (
    click.option("--data", type=click.Path(path_type=Path), help="A table to take rows and values from: CSV, ..."),
    click.option(
        "--schema",
        multiple=True,
        metavar="COLUMN=TYPE",
        help="The type of a column of --data: integer, number, text, boolean, date; more than once.",
    ),
)


def data_options(command: Command) -> Command:
    """The table that a target is run on."""
    for option in reversed(_DATA):
        command = option(command)
    return command


def read_data(options: Mapping[str, Any]) -> "pl.DataFrame | None":
    """The table that the options name, with the types that they declare; None where they name none."""
    from crowdproof.audit.data.tables import read_table

    if options["data"] is None:
        if options["schema"]:
            raise ParameterError("--schema declares the types of a table: give the table with --data FILE.")
        return None
    return read_table(options["data"], schema=_types(options["schema"]))


def _types(written: tuple[str, ...]) -> dict[str, str]:
    pairs = [each.rpartition("=") for each in written]
    for column, _, kind in pairs:
        if not column:
            raise ParameterError(f"{kind!r} declares no type of a column: write it as column=type, such as zip=text.")
    return {column: kind for column, _, kind in pairs}


def refuse_without_target(ctx: click.Context) -> None:
    """Refuse options of a target that no `--target` names: the one in the file is loaded as the file says."""
    for option in ctx.command.params:
        shared = option.name in {"params", "form", "timeout", "memory", "isolate"}
        if shared and ctx.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE:
            raise ParameterError(f"{option.opts[0]} is for another target than the file's: name it with --target.")


def load(spec: str, options: Mapping[str, Any]) -> "Target":
    """The target, loaded as the options say."""
    from crowdproof.audit.targets import load_target

    return load_target(
        spec,
        params=parameters(options["params"]),
        form=options["form"],
        timeout=options["timeout"],
        memory=None if options["memory"] is None else options["memory"] << 20,
        isolate=options["isolate"],
    )


def parameters(written: tuple[str, ...], what: str = "parameter") -> dict[str, Any]:
    """The parameters as values: JSON where it is JSON, else text.

    >>> parameters(("k=10", "columns=[\\"age\\"]", "mode=strict"))
    {'k': 10, 'columns': ['age'], 'mode': 'strict'}
    """
    values: dict[str, Any] = {}
    for each in written:
        name, equals, text = each.partition("=")
        if not equals or not name:
            raise ParameterError(f"{each!r} is not a {what}: write it as name=value.")
        if name in values:
            raise ParameterError(f'{name} is given twice: keep one, or write a list, such as \'{name}=["a", "b"]\'.')
        try:
            values[name] = json.loads(text)
        except json.JSONDecodeError:
            values[name] = text
    return values


def one_by_one(
    items: list[Item], examine: Callable[[Item], Finding], skipped: Callable[[Item, str], Finding]
) -> list[Finding]:
    """What came of each: where one fails, or somebody interrupts, what was found about the others is kept.

    Where nothing was found at all, the first error is all there is to tell. What comes after is not interrupted.
    """
    findings: list[Finding] = []
    failures: list[BaseException] = []
    left = iter(items)
    with interrupts.noticed() as asked:
        for item in left:
            try:
                asked.check()
                findings.append(examine(item))
            except KeyboardInterrupt as error:
                interrupts.keep()
                rest = [item, *left]
                failures += [error] * len(rest)
                findings += [skipped(each, "It was interrupted before it was examined.") for each in rest]
            except BaseException as error:  # noqa: BLE001
                failures.append(error)
                findings.append(skipped(item, told(error)))
    interrupts.keep()
    if len(failures) == len(items):
        raise failures[0]
    return findings
