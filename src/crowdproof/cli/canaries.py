"""`crowdproof canaries`: a one-run audit of a pipeline that runs elsewhere."""

import os
from pathlib import Path
from typing import Any

import click

from crowdproof.claims import parse_claim
from crowdproof.cli.again import with_command
from crowdproof.cli.auditing import data_options, read_data
from crowdproof.cli.options import Whole, deliver, formats, lenient, output_file, report
from crowdproof.cli.streams import tell
from crowdproof.errors import ExitCode, ParameterError
from crowdproof.exact import rational
from crowdproof.findings import exit_code


@click.group("canaries")
def command() -> None:
    """Judge one release of a pipeline that runs elsewhere, by rows that were put into its data.

    'make' puts canaries into a table by fair coins and writes a secret key. The pipeline runs on that table, with
    nothing of crowdproof installed. 'judge' guesses from its release which canaries were in, and bets on the guesses.
    """


@command.command("make")
@data_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    callback=output_file,
    required=True,
    help="The data with canaries: a new file that ends in .csv or .parquet.",
)
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    callback=output_file,
    required=True,
    help="The key: a new file, secret until the release was made.",
)
@click.option("--canaries", type=Whole(min=1), default=1000, show_default=True, help="How many rows to make.")
@click.option("--replace", is_flag=True, help="For claims with neighbours=replace: a coin chooses between two rows.")
def make_command(output: Path, key: Path, canaries: int, *, replace: bool, **options: Any) -> ExitCode:
    """Put canaries into the table of --data."""
    from crowdproof.audit.one_run import key_file
    from crowdproof.audit.one_run.recorded import table_bytes
    from crowdproof.audit.request import OneRunTerms

    for path in (output, key):
        if path.exists():
            raise ParameterError(f"{path} exists already: name a new file, since a key can never be made again.")
    if options["data"] is None:
        raise ParameterError("there is nothing to put canaries into: give a table with --data FILE.")
    data = read_data(options)
    assert data is not None
    planted, made = key_file.make(data, OneRunTerms(canaries), twins=replace)
    content = table_bytes(planted, output)
    keep_key(key, key_file.to_text(made))
    output.write_bytes(content)
    tell(f"Wrote {output} ({planted.height:,} rows) and {key}. Keep the key secret until the release was made.")
    click.echo(f"seal: {made.seal}")
    return ExitCode.HELD


def keep_key(path: Path, text: str) -> None:
    """Write a key file whole, for its owner alone."""
    part = path.with_name(f".{path.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        part.replace(path)
    except OSError as error:
        raise ParameterError(f"cannot write {path}: {error.strerror}. Name a file in a folder that you own.") from None


@command.command("judge")
@click.argument("releases", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--key",
    "keys",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="The key of the data that the release was made from; one for each release, in their order.",
)
@click.option("--claim", required=True, help="What is claimed, such as 'dp(epsilon=1, delta=1e-9)'.")
@click.option("--error", default="1e-6", show_default=True, help="False-alarm rate.")
@lenient
@formats
def judge_command(
    releases: tuple[Path, ...], keys: tuple[Path, ...], outputs: list[tuple[str, Path | None]], **options: Any
) -> ExitCode:
    """Judge releases that were made from data with canaries."""
    from crowdproof.audit.one_run.key_file import read_key, to_text
    from crowdproof.audit.one_run.recorded import Recorded, judge_recorded

    if len(keys) != len(releases):
        raise ParameterError(f"there are {len(releases)} releases and {len(keys)} keys: give one --key for each.")
    recorded = [Recorded.of(path, read_key(key)) for path, key in zip(releases, keys, strict=True)]
    error = rational(options["error"], "error")
    if not 0 < error < 1:
        raise ParameterError("the error is a false-alarm rate: it lies strictly between 0 and 1.")
    finding, used = judge_recorded(recorded, parse_claim(options["claim"]), error)
    for path, key in zip(keys, used, strict=True):  # before anything is told: what was told cannot be judged anew
        keep_key(path, to_text(key))
    findings = [with_command(finding)]
    code = exit_code(findings, lenient=options["lenient"])
    return deliver([report(findings, name, path) for name, path in outputs], code)
