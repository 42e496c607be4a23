"""Progress on stderr, for people who watch."""

import sys
import time
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

OFTEN = 0.1
"""Seconds between two updates."""


class StderrProgress:
    """Tells `crowdproof.audit` how far it is; silent where nobody watches."""

    def __init__(self, title: str) -> None:
        console = Console(stderr=True)
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[message]}"),
        )
        self._bar = Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty())
        self._task = self._bar.add_task(title, total=None, message="")
        self._last = 0.0

    def update(self, done: int, total: int | None, message: str) -> None:
        """`done` of `total` runs, and what is known so far."""
        now = time.monotonic()
        if now - self._last >= OFTEN:
            self._last = now
            self._bar.update(self._task, completed=done, total=total, message=message)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
