"""What can go wrong, as types: each error is one sentence with its remedy, and knows its exit code."""

import errno
from enum import IntEnum

_FULL = ("there is no space left on the disk", "make some, or set TMPDIR to a folder on another disk.")
_MEMORY = "there is not enough memory: close other programs, raise the limit (ulimit -v), or audit less data."
_PROCESSES = "no more processes or threads can be started: end others, or raise the limit (ulimit -u)."
_LACKS = {
    errno.EMFILE: ("no more files can be open at a time", "raise the limit (ulimit -n), or close other programs."),
    errno.ENFILE: ("no more files can be open on this machine", "close other programs."),
    errno.ENOSPC: _FULL,
    getattr(errno, "EDQUOT", errno.ENOSPC): _FULL,
    errno.EFBIG: ("a file may not be as large as it has to be", "raise the limit of the size of files (ulimit -f)."),
    errno.EROFS: ("the file system can only be read", "give a folder that can be written, and set TMPDIR to one."),
    errno.ENOMEM: ("there is not enough memory", "close other programs, or raise the limit (ulimit -v)."),
    errno.EAGAIN: ("no more processes can be started", "end others, or raise the limit (ulimit -u)."),
}
"""What a machine may lack, by the number of the error: what is wrong, and the remedy."""


class ExitCode(IntEnum):
    """What the process tells its caller. 'Found something' and 'broke' are never the same code."""

    HELD = 0
    """Every claim held up."""
    REFUTED = 1
    """A claim was refuted."""
    USAGE = 2
    """A parameter, file or configuration is wrong."""
    BROKEN = 3
    """The audit could not run, or nothing was collected."""
    UNDECIDED = 4
    """An engine gave up or a budget was spent before a verdict."""


class CrowdproofError(Exception):
    """Base of every error that is meant for the user's eyes."""

    exit_code = ExitCode.BROKEN


class ParameterError(CrowdproofError, ValueError):
    """A parameter is out of its range or not a number at all."""

    exit_code = ExitCode.USAGE


class DataError(CrowdproofError, ValueError):
    """A table cannot be used: unreadable, empty, of mixed types, without a needed column."""

    exit_code = ExitCode.USAGE


class ConfigError(CrowdproofError):
    """A configuration file is wrong; the message lists every mistake found."""

    exit_code = ExitCode.USAGE


class TargetError(CrowdproofError):
    """The anonymizer under audit crashed, hung or returned something that is not a release."""

    exit_code = ExitCode.BROKEN


class OutOfTimeError(CrowdproofError):
    """The time that was given is over; who gave it goes by what was found until then."""

    def __init__(self) -> None:
        super().__init__("the budget of time was spent: raise --seconds.")


class NoReleaseError(TargetError):
    """The anonymizer answered this input with an exception or with nothing: it refused, as it may do again.

    Unlike a crash or a spent time limit this depends on the data alone, so an audit counts it as one more outcome.
    """


def pass_interrupts(error: BaseException) -> None:
    """Raise an interrupt again, for whoever catches everything else that foreign code may raise.

    Not all of that is an `Exception`: a library in Rust panics with a `BaseException`, a script ends with `SystemExit`.
    """
    if isinstance(error, KeyboardInterrupt):
        raise error


def unforeseen(error: BaseException, remedy: str) -> str:
    """What to do about an error that is no mistake of the user: the machine lacks something, or it is a bug."""
    return lack(error) or (
        f"internal error: {type(error).__name__}: {error}. This is a bug of crowdproof, not of your data; {remedy}, "
        "and report it."
    )


def lack(error: BaseException) -> str | None:
    """What the machine has too little of, with the remedy; None where the error is of another kind.

    >>> lack(OSError(errno.EMFILE, "Too many open files"))
    'no more files can be open at a time: raise the limit (ulimit -n), or close other programs.'
    """
    if isinstance(error, MemoryError):
        return _MEMORY
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return _PROCESSES
    if not isinstance(error, OSError):
        return None
    if "usable temporary directory" in str(error):
        return "no folder for temporary files can be written: make space in /tmp, or set TMPDIR to another folder."
    words = _LACKS.get(error.errno or 0)
    return None if words is None else f"{words[0]}{f' ({error.filename})' if error.filename else ''}: {words[1]}"


def told(error: BaseException) -> str:
    """Why a claim could not be examined, whatever it was that went wrong.

    >>> told(TargetError("it fell over.")), told(ZeroDivisionError("1/0"))[:38]
    ('it fell over.', 'internal error: ZeroDivisionError: 1/0')
    """
    if isinstance(error, CrowdproofError):
        return str(error)
    return unforeseen(error, "audit this claim alone with --verbose to see where")
