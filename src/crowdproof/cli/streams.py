"""Standard output and standard error, which may be full, closed, or read by nobody any more."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from crowdproof.errors import CrowdproofError, ParameterError


class NobodyReadsError(CrowdproofError):
    """Whoever read standard output has gone: that is no verdict, and there is nothing to say about it."""


def unwritable(place: Path | str, error: OSError) -> ParameterError:
    """That a place cannot be written, why, and what to do about it."""
    full = error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
    remedy = "Make room there, or write elsewhere" if full else "Choose a place that can be written"
    return ParameterError(f"cannot write {place}: {error.strerror}. {remedy}.")


@contextmanager
def printing() -> Iterator[None]:
    """Around what is printed: that standard output does not take it is an error for the user's eyes."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        _silence(sys.stdout)
        gone = isinstance(error, BrokenPipeError)
        raise NobodyReadsError if gone else unwritable("to standard output", error) from None


@contextmanager
def explained() -> Iterator[None]:
    """Around whatever may print, such as help: an error that comes of standard output is told as that of `printing`."""
    try:
        yield
    except OSError as error:
        with printing():  # what could not be written is still to be written, and fails again
            if isinstance(error, BrokenPipeError):
                raise
        raise
    with printing():
        pass


def _silence(stream: TextIO) -> None:
    """Let what a stream still holds vanish: at its end Python would try again, fail, and choose the exit code."""
    with suppress(OSError), Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())
