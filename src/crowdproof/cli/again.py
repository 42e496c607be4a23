"""The command that gives a finding again: its verb as it was called, with what the verb itself drew or chose."""

import shlex
from collections.abc import Iterator
from typing import Any

import click
from attrs import evolve
from click.core import ParameterSource

from crowdproof.findings import Finding

_NO_MATTER = frozenset(
    {
        "outputs",
        "at_risk",
        "witness",
        "badge",
        "certificates",
        "workers",
        "scheduler",
        "calibrate",
        "lenient",
        "exit_zero",
    }
)
"""Options that tell where results go or how they are come by; no verdict depends on them."""


def with_command(finding: Finding, **chosen: Any) -> Finding:
    """The finding with the command that gives it again, and with its seed, where the verb takes one.

    `chosen` are values of the verb's parameters, in place of those that were given.
    """
    known = finding.reproduce
    return evolve(finding, reproduce=evolve(known, command=_command({"seed": known.seed, **chosen})))


def _command(chosen: dict[str, Any]) -> str:
    context = click.get_current_context()
    words = ["crowdproof", *_verb(context)]
    for param in context.command.params:
        name = str(param.name)
        if name in chosen:
            words += _words(param, chosen[name])
        elif name in context.params and name not in _NO_MATTER and _given(context, name):
            words += _words(param, context.params[name])
    return shlex.join(words)


def _verb(context: click.Context) -> list[str]:
    """The verb, or the verbs of a group of them."""
    name = str(context.command.name)
    inner = context.parent is not None and context.parent.parent is not None
    return [*_verb(context.parent), name] if inner and context.parent is not None else [name]


def _given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is not ParameterSource.DEFAULT


def _words(param: click.Parameter, value: Any) -> Iterator[str]:
    """What is written to give the parameter that value; for None, nothing."""
    if value is None:
        return
    if isinstance(param, click.Option) and param.is_flag:
        yield from (param.opts if value else param.secondary_opts)[:1]
        return
    for each in value if isinstance(value, tuple) else (value,):
        yield from () if isinstance(param, click.Argument) else param.opts[:1]
        yield str(each)
