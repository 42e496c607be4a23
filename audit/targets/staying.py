"""Foreign code in our own process, which must not end it: a process that is gone passes no judgement."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from crowdproof.errors import TargetError

ENDS = ("_exit", "abort", "execv", "execve")
"""Functions that end the process at once, or put another program in its place; the others of their kind call these."""


@contextmanager
def staying() -> Iterator[None]:
    """Make `os._exit` and its like an error within the block; processes that are forked off may end as they like.

    A function that was taken from its module before the block still ends the process. So does code that is not Python.

    >>> with staying():
    ...     os._exit(0)
    Traceback (most recent call last):
    ...
    crowdproof.errors.TargetError: it ends its process with os._exit(0): let it return or raise, or isolate it.
    """
    modules = (os, import_module(os.name))  # which is where `os` has them from: posix or nt
    before = [(module, name, getattr(module, name)) for module in modules for name in ENDS]
    home = os.getpid()
    try:
        for module, name, end in before:
            setattr(module, name, _refusing(name, end, home))
        yield
    finally:
        for module, name, end in before:
            setattr(module, name, end)


def _refusing(name: str, end: Callable[..., Any], home: int) -> Callable[..., Any]:
    def refuse(*given: Any, **named: Any) -> Any:
        if os.getpid() != home:
            return end(*given, **named)
        shown = ", ".join([*map(repr, given), *(f"{key}={value!r}" for key, value in named.items())])
        raise TargetError(f"it ends its process with os.{name}({shown}): let it return or raise, or isolate it.")

    return refuse
