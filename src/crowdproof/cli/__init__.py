"""The command line: it parses, calls and prints, and holds no logic.

Each verb is a module of this package with a click command called `command`, loaded when it is used.
"""

import os
import sys
import traceback
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from crowdproof import interrupts
from crowdproof.cli import loudness, streams
from crowdproof.errors import ConfigError, CrowdproofError, ExitCode, unforeseen
from crowdproof.visible import harmless, visible

VERBS = {
    "prove": "Which statements of the papers hold, by which engines.",
    "bound": "How private is a sampled k-anonymizer? Certified deltas, side by side.",
    "plan": "Which k, beta or epsilon does a promise allow?",
    "figures": "The papers' tables and figures, recomputed, with the tight numbers.",
    "audit": "Is a claim about an anonymizer false?",
    "replay": "Run a refutation again, from scratch.",
    "gate": "All privacy claims of a project, for CI.",
    "init": "Write a first privacy.toml for a function that exists.",
    "check": "What a release file alone shows: k, l, t and side channels.",
    "canaries": "Judge one release of a pipeline that runs elsewhere.",
    "attack": "Show what an adversary learns from a release.",
    "demo": "The main job, end to end, on the built-in data.",
    "report": "Render saved findings again, in any format.",
}
"""Verb -> its line in the help; the module has the verb's name."""


_EXITED = (
    "something that was run ended with sys.exit({}), and that is no verdict: let it return, or run it with "
    "--isolate fresh."
)


class _Verbs(click.Group):
    """A group that knows its verbs by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        module = import_module(f"{__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        known = {param.name for param in command.params}
        command.params += [option for option in loudness.options() if option.name not in known]
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that was written; for one that does not exist, say which there are."""
        word = args[0]
        if word in VERBS or word.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        near = get_close_matches(word, VERBS, n=1)
        meant = f" Did you mean {near[0]}?" if near else ""
        raise click.UsageError(f"There is no command {word!r}: choose from {', '.join(VERBS)}.{meant}", ctx)

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        """Read the command line, which prints where help is asked for."""
        with streams.explained():
            return super().make_context(*args, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; with `--verbose` an error shows where it arose before it is told in one sentence."""
        try:
            with streams.explained():
                code = super().invoke(ctx)
            return streams.flushed(int(code or 0))
        except (click.ClickException, click.exceptions.Exit, click.exceptions.Abort, KeyboardInterrupt):
            raise
        except BaseException as error:
            if loudness.verbose():
                streams.tell(traceback.format_exc())
            if isinstance(error, SystemExit):
                raise CrowdproofError(_EXITED.format(error.code)) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.command(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="crowdproof")
def cli() -> None:
    """Tell whether a data release really gives the privacy it claims.

    \b
    Exit codes:
      0  every claim held up
      1  a claim was refuted
      2  usage or configuration error
      3  the audit could not run, or nothing was collected
      4  undecided (0 with --lenient)
    """


cli.params += loudness.options()


def main() -> None:
    """Run the command line in this process; an error is one sentence on stderr and its exit code.

    Whatever ends a verb otherwise than by its own return is no verdict, not even a `SystemExit` that says 0. Outside of
    a verb click itself ends so, once it has told a shell how to complete a line. A verb that was asked to end by a
    signal writes what it has found, and that is never a pass.
    """
    streams.stand_in()
    with interrupts.heeded() as asked:
        code = _code()
        if asked.seen and code in {ExitCode.HELD, ExitCode.UNDECIDED}:
            streams.tell("Interrupted.")
            code = ExitCode.BROKEN
    sys.exit(code)


_EXTRA = (
    "what stands alone is read as a name; write a table as --data FILE, a report as --format html=FILE, and put words "
    "with blanks in quotes."
)


def _with_remedy(error: click.ClickException) -> click.ClickException:
    """The error; where something that a verb needs was not given, with the help of that, or where there is some."""
    verb = "crowdproof" if error.ctx is None else error.ctx.command_path  # type: ignore[attr-defined]
    if isinstance(error, click.NoSuchOption) and not error.possibilities:
        return click.UsageError(f"{error.format_message()} '{verb} --help' lists those that there are.", error.ctx)
    if isinstance(error, click.UsageError) and "unexpected extra argument" in error.message:
        return click.UsageError(f"{error.message}: {_EXTRA} '{verb} --help' shows all.", error.ctx)
    if not isinstance(error, click.MissingParameter):
        return error
    if isinstance(error.param, click.Option) and error.param.help:
        remedy = f"Give it: {error.param.help}"
    else:
        remedy = f"Give it where the usage above has it; '{verb} --help' says what it is."
    return click.MissingParameter(remedy, ctx=error.ctx, param=error.param, param_hint=error.param_hint)


def _code() -> int:
    """Run the command line; its exit code, whatever ended it."""
    try:
        code = cli.main(prog_name="crowdproof", standalone_mode=False)
        interrupts.keep()
    except (click.exceptions.Abort, KeyboardInterrupt):
        interrupts.keep()
        streams.tell("Interrupted.")
        code = ExitCode.BROKEN
    except click.ClickException as error:
        with streams.telling():
            _with_remedy(error).show()
        code = error.exit_code
    except streams.NobodyReadsError as error:
        code = error.exit_code
    except CrowdproofError as error:
        lists = isinstance(error, ConfigError)  # of mistakes, one on each line
        streams.tell(harmless(f"crowdproof: {visible(str(error), lines=lists)}"))
        code = error.exit_code
    except SystemExit:
        raise
    except BaseException as error:  # the last resort: a person never sees a traceback unasked
        if "CROWDPROOF_DEBUG" in os.environ:
            raise
        streams.tell(f"crowdproof: {visible(unforeseen(error, 'run it with --verbose to see where'))}")
        code = ExitCode.BROKEN
    return int(code or 0)
