"""Options that several verbs share."""

import functools
import math
import secrets
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from crowdproof import interrupts
from crowdproof.cli import files
from crowdproof.cli.loudness import terse
from crowdproof.cli.streams import NobodyReadsError, is_terminal, printing, undelivered, unwritable
from crowdproof.errors import CrowdproofError, DataError, ExitCode, ParameterError, pass_interrupts
from crowdproof.findings import Finding
from crowdproof.report import FORMATS, render, write
from crowdproof.report.redaction import HIDDEN, Hidden


class OutputChoice(click.ParamType[tuple[str, Path | None]]):
    """`--format text` prints; `--format sarif=out.sarif` writes to a file."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Path | None]:
        """Split into a format and a path."""
        if isinstance(value, tuple):
            return value
        name, _, path = str(value).partition("=")
        if name not in FORMATS:
            self.fail(f"{name!r} is not a format: choose from {', '.join(FORMATS)}.", param, ctx)
        return name, writable(Path(path)) if path else None

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """The names of the formats."""
        return [CompletionItem(name) for name in FORMATS if name.startswith(incomplete)]


class Seconds(click.FloatRange):
    """A positive number of seconds; 'nan' and 'inf' are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read and check it."""
        try:
            number = super().convert(value, param, ctx)
        except click.BadParameter:
            number = math.nan
        if not 0 < number < math.inf:
            most = "" if self.max is None else f" of at most {self.max:,.0f}"
            self.fail(f"it is {value}: give a positive number of seconds{most}, or leave it out.", param, ctx)
        return number


class Whole(click.IntRange):
    """A whole number of at least `min`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read and check it."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"it is {value}: give a whole number of at least {self.min}.", param, ctx)


def writable(path: Path) -> Path:
    """The path, if a file can be there: what takes hours is not to fail at its last step."""
    if not path.parent.is_dir() or path.is_dir():
        reason = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise ParameterError(f"cannot write {path}: {reason}. Give a file in a folder that exists.")
    files.remember(path)
    return path


def output_file(_ctx: click.Context, _param: click.Parameter, path: Path | None) -> Path | None:
    """The callback of an option that names a file to write."""
    return None if path is None else writable(path)


def _different_files(
    _ctx: click.Context, _param: click.Parameter, outputs: tuple[tuple[str, Path | None], ...]
) -> tuple[tuple[str, Path | None], ...]:
    """Every report needs a file of its own: of two in one only the later would be left."""
    paths = [path.resolve() for _, path in outputs if path is not None]
    twice = next((each for each in paths if paths.count(each) > 1), None)
    if twice is not None:
        raise ParameterError(f"two reports are to be written to {twice.name}: give each --format a file of its own.")
    return outputs


_FORMATS = click.option(
    "--format",
    "outputs",
    type=OutputChoice(),
    callback=_different_files,
    multiple=True,
    default=["text"],
    show_default=True,
    metavar="FORMAT[=FILE]",
    help=f"How to report, more than once if wanted: {', '.join(FORMATS)}.",
)
_REDACT = click.option(
    "--redact",
    multiple=True,
    metavar="COLUMN",
    help="A column whose values a report does not show; more than once. Columns that look like identifiers are hidden "
    "anyway.",
)
_SHOW_IDENTIFIERS = click.option(
    "--show-identifiers", is_flag=True, help="Show the values of columns that look like identifiers in reports, too."
)


def formats(command: Callable[..., Any]) -> Callable[..., Any]:
    """In which formats to report, and which values of real people not to show there."""

    @functools.wraps(command)
    def hiding(*given: Any, redact: tuple[str, ...], show_identifiers: bool, **named: Any) -> Any:
        HIDDEN.set(Hidden(frozenset(redact), shown=show_identifiers))
        return command(*given, **named)

    for option in (_SHOW_IDENTIFIERS, _REDACT, _FORMATS):
        hiding = option(hiding)
    return hiding


seed = click.option("--seed", type=Whole(min=0), help="Seed of all randomness; without it one is drawn, and shown.")


def lenient(command: Callable[..., Any]) -> Callable[..., Any]:
    """What an undecided claim does to the exit code; `--strict`, which is the rule, is accepted as well."""
    with_strict = click.option("--strict", is_flag=True, expose_value=False, hidden=True)(command)
    words = "Exit with 0 instead of 4 where a claim could not be decided."
    return click.option("--lenient", is_flag=True, help=words)(with_strict)


def chosen_seed(given: int | None) -> int:
    """The given seed, or a fresh one: it is always reported."""
    return secrets.randbits(32) if given is None else given


def read_findings(file: Path) -> list[Finding]:
    """The findings of a JSON report; - is standard input."""
    from crowdproof.wire import loads

    try:
        return loads(sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror}. Give a file that --format json=FILE wrote.") from None
    except UnicodeDecodeError:
        raise DataError(f"{file} is not a text file: give a file that --format json=FILE wrote.") from None
    except DataError as error:
        raise DataError(f"{file}: {error}") from None


def write_file(path: Path, text: Callable[[], str]) -> None:
    """Write a text to a file."""
    ready = text().encode("utf-8", "backslashreplace")  # before what was in the file is gone
    try:
        files.put(path, ready)
    except OSError as error:
        raise unwritable(path, error) from None


def get_ready(outputs: list[tuple[str, Path | None]]) -> None:
    """Import and read what the reports need, by rendering one of nothing.

    A target that runs in this process may close files, or allow no more of them: afterwards it could be too late.
    """
    for name, _ in outputs:
        render([], name)
    if is_terminal(sys.stdout):
        import_module("rich.console")
        import_module("rich.text")


def emit(findings: list[Finding], outputs: list[tuple[str, Path | None]], code: ExitCode = ExitCode.HELD) -> ExitCode:
    """Write the findings in every asked-for format, to stdout or to files; the exit code is that of `deliver`."""
    return deliver((report(findings, name, path) for name, path in outputs), code)


def report(findings: list[Finding], name: str, path: Path | None) -> Callable[[], None]:
    """What writes the findings in that format, to be delivered."""
    if path is None:
        return lambda: _print(findings, name)
    return lambda: write_file(path, lambda: render(findings, name))


def _print(findings: list[Finding], name: str) -> None:
    with printing():
        write(findings, name, sys.stdout, terse=terse())


def deliver(writers: Iterable[Callable[[], None]], code: ExitCode = ExitCode.HELD) -> ExitCode:
    """Write everything: what cannot be written keeps nothing else from being written, and is told at the end.

    The exit code of the verb is handed back. A failure is raised where it is worse news, and hides no refutation.
    """
    interrupts.keep()
    failed: list[BaseException] = []
    for each in writers:
        try:
            each()
        except BaseException as error:  # noqa: BLE001  (hours of work are not lost to a fault in one report)
            pass_interrupts(error)
            failed.append(error)
    return ExitCode(undelivered(_worst(failed), code)) if failed else code


def _worst(failed: list[BaseException]) -> BaseException:
    """One failure for all of them: a fault of ours, or else all places that cannot be written."""
    for failure in failed:
        if not isinstance(failure, CrowdproofError):
            return failure
    words = dict.fromkeys(str(each) for each in failed if not isinstance(each, NobodyReadsError))
    return ParameterError(" ".join(words)) if words else NobodyReadsError()
