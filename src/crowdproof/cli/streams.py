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

from crowdproof.errors import CrowdproofError, ExitCode, ParameterError, told
from crowdproof.visible import visible

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
    except (OSError, ValueError, AttributeError) as error:
        if _fault(sys.stderr, error) is None:
            raise
        _silence("stderr")


@contextmanager
def printing() -> Iterator[None]:
    """Around what is printed: that standard output does not take it is an error for the user's eyes."""
    try:
        yield
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError) as error:
        fault = _fault(sys.stdout, error)
        if fault is None:
            raise
        _silence("stdout")
        gone = isinstance(fault, BrokenPipeError)
        raise NobodyReadsError if gone else unwritable("to standard output", fault) from None


@contextmanager
def explained() -> Iterator[None]:
    """Around whatever may print, such as help: an error that comes of standard output is told as that of `printing`."""
    try:
        yield
    except (OSError, ValueError) as error:
        if not isinstance(error, BrokenPipeError) and not _of_echo(error):
            raise
        with printing():
            raise


def flushed(code: int) -> int:
    """Print what is left at the end of a verb; its exit code, unless `undelivered` raises that this failed."""
    try:
        with printing():
            pass
    except CrowdproofError as error:
        return undelivered(error, code)
    return code


def undelivered(failure: BaseException, code: int) -> int:
    """The exit code of a verb whose report could not be delivered, or the failure, where it is worse news.

    A failure to deliver makes a pass or an undecided claim an error. What was refuted stays refuted, and what could not
    be run stays so: there the failure is told, and no more.
    """
    if code not in {ExitCode.REFUTED, ExitCode.BROKEN}:
        raise failure
    if not isinstance(failure, NobodyReadsError):
        tell(f"crowdproof: {visible(told(failure))}")
    return code


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person may look at the stream; one that is closed, or is none, shows nothing to anybody."""
    return not _is_closed(stream) and stream is not None and stream.isatty()


def _fault(stream: TextIO | None, error: Exception) -> OSError | None:
    """What the system says of the stream, where that is what was raised; None where it was something else.

    Code that runs in our process may close a stream of Python, or put something else in its place. That is as if its
    descriptor were closed.
    """
    if isinstance(error, OSError):
        return error
    return OSError(errno.EBADF, os.strerror(errno.EBADF)) if _is_closed(stream) else None


def _is_closed(stream: TextIO | None) -> bool:
    try:
        return stream is None or stream.closed
    except ValueError:  # its buffer was taken away
        return True


def _of_echo(error: Exception) -> bool:
    """Whether it was raised where click prints."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return frame.f_code is click.echo.__code__


def _silence(name: str) -> None:
    """Let what a stream still holds vanish: at its end Python would try again, fail, and choose the exit code."""
    stream = getattr(sys, name)
    with suppress(OSError):
        if _is_closed(stream):
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  (it stays open)
            return
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
