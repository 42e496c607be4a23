"""Standard output and standard error, which may be full, closed, or read by nobody any more."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import walk_tb
from typing import TextIO

import click

from crowdproof.errors import CrowdproofError, ParameterError

_STREAMS = {0: "stdin", 1: "stdout", 2: "stderr"}


class NobodyReadsError(CrowdproofError):
    """Whoever read standard output has gone: that is no verdict, and there is nothing to say about it."""


def unwritable(place: Path | str, error: OSError) -> ParameterError:
    """That a place cannot be written, why, and what to do about it."""
    full = error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
    remedy = "Make room there, or write elsewhere" if full else "Choose a place that can be written"
    return ParameterError(f"cannot write {place}: {error.strerror}. {remedy}.")


def stand_in() -> None:
    """Put streams in the place of those that are closed: writing fails as it would, and no file takes their number."""
    while (number := os.open(os.devnull, os.O_RDONLY)) <= max(_STREAMS):
        pass
    os.close(number)
    for number, name in _STREAMS.items():
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False))


def tell(text: str) -> None:
    """A line on standard error."""
    with telling():
        click.echo(text, err=True)


@contextmanager
def telling() -> Iterator[None]:
    """Around what is told on standard error: that it does not take it changes neither the work nor the exit code."""
    try:
        yield
    except OSError:
        _silence(sys.stderr)


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
        if not isinstance(error, BrokenPipeError) and not _of_echo(error):
            raise
        with printing():
            raise
    with printing():
        pass


def _of_echo(error: OSError) -> bool:
    """Whether it was raised where click prints."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return frame.f_code is click.echo.__code__


def _silence(stream: TextIO) -> None:
    """Let what a stream still holds vanish: at its end Python would try again, fail, and choose the exit code."""
    with suppress(OSError), Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())
