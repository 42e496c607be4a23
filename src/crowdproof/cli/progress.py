"""Progress on stderr, for people who watch."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from crowdproof.cli.loudness import quiet, remark, verbose
from crowdproof.cli.streams import is_terminal

OFTEN = 0.1
"""Seconds between two updates of a bar."""
SELDOM = 5.0
"""Seconds between two lines in a log."""


def watched() -> bool:
    """Whether a person looks on who wants to see it move."""
    return is_terminal(sys.stderr) and not quiet()


class StderrProgress:
    """Tells `crowdproof.audit` how far it is: a bar on a terminal, lines in a log with `--verbose`, else nothing."""

    def __init__(self, title: str) -> None:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[message]}"),
        )
        self._title, self._last = title, 0.0
        self._logs = verbose() and not is_terminal(sys.stderr)
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True, disable=not watched())
        self._task = self._bar.add_task(title, total=None, message="")

    def update(self, done: int, total: int | None, message: str) -> None:
        """`done` of `total` runs, and what is known so far."""
        now = time.monotonic()
        if now - self._last < (SELDOM if self._logs else OFTEN):
            return
        self._last = now
        self._bar.update(self._task, completed=done, total=total, message=message)
        if self._logs:
            remark(f"{self._title}: {done:,} runs{'' if total is None else f' of {total:,}'}; {message}")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()


@contextmanager
def waiting(title: str) -> Iterator[None]:
    """A line with the time that has passed, for work that cannot tell how far it is."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not watched()) as bar:
        bar.add_task(title, total=None)
        yield
