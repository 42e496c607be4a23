"""Files that somebody else named, read without waiting for anybody and to no more than their size."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from attrs import frozen

PART = 1 << 20
"""Bytes that are read at once. A guess: larger parts are not read faster."""


@frozen
class Regular:
    """An open file that is a regular one. Its size is that of when it was opened: some grow, and some have no end."""

    file: BinaryIO
    size: int
    changed: int
    """When it was changed, in nanoseconds."""

    def parts(self) -> Iterator[bytes]:
        """The content, as far as the size says; a file that would have to be waited for has none."""
        left = self.size
        while left and (part := self.file.read(min(left, PART))):
            yield part
            left -= len(part)


@contextmanager
def opened(path: Path) -> Iterator[Regular | None]:
    """The file; None where it is a device, a FIFO or a folder. One that cannot be opened is an OSError."""
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:  # waits for no FIFO
        about = os.fstat(file.fileno())
        yield Regular(file, about.st_size, about.st_mtime_ns) if stat.S_ISREG(about.st_mode) else None
