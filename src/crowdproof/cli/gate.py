"""`crowdproof gate`: all claims of a project, for CI."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from crowdproof.cli.loudness import remark
from crowdproof.cli.options import (
    Seconds,
    chosen_seed,
    deliver,
    formats,
    get_ready,
    lenient,
    output_file,
    report,
    seed,
    write_file,
)
from crowdproof.cli.streams import tell


@click.command("gate")
@click.argument("words", nargs=-1, metavar="[CONFIG] [CLAIM]...")
@click.option("--seconds", type=Seconds(min=0, min_open=True), help="How long it may take.")
@click.option("--no-evidence", is_flag=True, help="Neither read nor write the evidence file: this run stands alone.")
@lenient
@click.option("--exit-zero", is_flag=True, help="Exit with 0 instead of 1 where a claim is refuted; nothing else.")
@click.option(
    "--badge",
    type=click.Path(path_type=Path),
    callback=output_file,
    help="Write the summary as JSON for a badge.",
)
@click.option("--print-schema", is_flag=True, help="Print the JSON schema of the configuration for an editor, and end.")
@formats
@seed
def command(  # noqa: PLR0917  (one for each option)
    words: tuple[str, ...],
    seconds: float | None,
    no_evidence: bool,
    lenient: bool,
    exit_zero: bool,
    badge: Path | None,
    print_schema: bool,
    outputs: list[tuple[str, Path | None]],
    seed: int | None,
) -> int:
    """Check every privacy claim of a project, or only those that are named.

    CONFIG is a privacy.toml or a pyproject.toml with [tool.crowdproof]; without it the one in this folder is taken.
    """
    if print_schema:
        from crowdproof.audit.gate.config_schema import config_schema

        click.echo(json.dumps(config_schema(), indent=2))
        return 0
    from crowdproof.audit.gate import Options, find_project, run_gate

    config, names = _understood(words)
    project = find_project(config).only(names)
    get_ready(outputs)
    with _progress() as show:
        result = run_gate(project, Options(chosen_seed(seed), seconds, keep=not no_evidence, tell=show))
    badges = [] if badge is None else [lambda: write_file(badge, lambda: f"{result.badge_json()}\n")]
    reports = [report(list(result.findings), name, path) for name, path in outputs]
    try:
        return deliver([*badges, *reports], result.exit_code(lenient=lenient, exit_zero=exit_zero))
    finally:  # the summary is told whatever became of the reports
        for problem in result.problems:
            tell(f"crowdproof: {problem}")
        if result.unkept is not None:
            tell(f"crowdproof: evidence was not kept: {result.unkept}")
        if result.interrupted:
            tell("Interrupted.")
        remark(result.summary())


def _understood(words: tuple[str, ...]) -> tuple[Path | None, tuple[str, ...]]:
    """The configuration, which is written as a path or ends in .toml, and the names of claims."""
    if words and (words[0].endswith(".toml") or "/" in words[0]):
        return Path(words[0]), words[1:]
    return None, words


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """What is going on, on stderr, where a person watches."""
    from rich.console import Console

    from crowdproof.cli.progress import watched

    if not watched():
        yield lambda _: None
        return
    with Console(stderr=True).status("starting") as status:
        yield status.update
