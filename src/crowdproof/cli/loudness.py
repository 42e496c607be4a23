"""How much is said: `--quiet` and `--verbose`, before or after the name of any verb."""

import click

from crowdproof.cli.streams import tell

_KEY = "crowdproof.loudness"
_ANSWERS = frozenset({"bound", "plan", "figures"})
"""Verbs that are asked for numbers, not for verdicts."""


def _remember(ctx: click.Context, param: click.Parameter, given: bool) -> None:
    if given:
        ctx.meta[_KEY] = param.name


def options() -> list[click.Option]:
    """The two options, fresh for each command; the one that is given last holds."""
    return [
        click.Option([*names], is_flag=True, expose_value=False, callback=_remember, help=text)
        for names, text in (
            (("-q", "--quiet"), "One line for each claim; no progress, no remarks."),
            (("-v", "--verbose"), "Progress in logs too, and where an error arose."),
        )
    ]


def quiet() -> bool:
    """Whether only verdicts and errors are wanted."""
    return _asked() == "quiet"


def terse() -> bool:
    """Whether a line for each claim is all that is to be printed. Where the report is the answer, it never is."""
    context = click.get_current_context(silent=True)
    return quiet() and context is not None and context.command.name not in _ANSWERS


def verbose() -> bool:
    """Whether everything is wanted."""
    return _asked() == "verbose"


def remark(text: str) -> None:
    """A line on stderr, unless it is to be quiet."""
    if not quiet():
        tell(text)


def _asked() -> str | None:
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_KEY)
