"""How much is said on stderr besides errors: `--quiet` and `--verbose`, before or after the name of any verb."""

import click

from crowdproof.cli.streams import tell

_KEY = "crowdproof.loudness"


def _remember(ctx: click.Context, param: click.Parameter, given: bool) -> None:
    if given:
        ctx.meta[_KEY] = param.name


def options() -> list[click.Option]:
    """The two options, fresh for each command; the one that is given last holds."""
    return [
        click.Option([*names], is_flag=True, expose_value=False, callback=_remember, help=text)
        for names, text in (
            (("-q", "--quiet"), "No progress and no remarks; reports and errors stay."),
            (("-v", "--verbose"), "Progress in logs too, and where an error arose."),
        )
    ]


def quiet() -> bool:
    """Whether only errors and reports are wanted."""
    return _asked() == "quiet"


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
