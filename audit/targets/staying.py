"""Foreign code in our own process, which must not end it: a process that is gone passes no judgement."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from crowdproof.errors import TargetError

_end = os._exit
"""As it is before foreign code can have put something else in its place."""
ENDS = ("_exit", "abort", "execv", "execve")
"""Functions that end the process at once, or put another program in its place; the others of their kind call these."""


@contextmanager
def staying() -> Iterator[None]:
    """Make `os._exit` and its like an error within the block; processes that are forked off may end as they like.

    One that is forked off and comes to the end of the block is ended there: see `no_copy`. A function that was taken
    from its module before the block still ends the process. So does code that is not Python.

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
        with no_copy():
            yield
    finally:
        for module, name, end in before:
            setattr(module, name, end)


class no_copy:  # noqa: N801  (a context manager, as those of contextlib are called)
    """Ends a process that was forked off within the block and leaves it: there is one judge, and a copy is none.

    Foreign code that forks and returns in both processes would leave a copy of us running, and two with the next run.
    A class, since it stands around every single run and a generator takes four times as long.
    """

    __slots__ = ("_home",)

    def __enter__(self) -> None:
        self._home = os.getpid()

    def __exit__(self, *_: object) -> None:
        if os.getpid() != self._home:
            _end(1)  # without what is buffered, which is not the copy's to write


def _refusing(name: str, end: Callable[..., Any], home: int) -> Callable[..., Any]:
    def refuse(*given: Any, **named: Any) -> Any:
        if os.getpid() != home:
            return end(*given, **named)
        shown = ", ".join([*map(repr, given), *(f"{key}={value!r}" for key, value in named.items())])
        raise TargetError(f"it ends its process with os.{name}({shown}): let it return or raise, or isolate it.")

    return refuse
