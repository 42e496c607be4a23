"""What can go wrong, as types: each error is one sentence with its remedy, and knows its exit code."""

from enum import IntEnum


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


def unforeseen(error: BaseException) -> str:
    """That an error is none of the user's; what to do about it is for the caller to add."""
    return f"internal error: {type(error).__name__}: {error}. This is a bug of crowdproof, not of your data"


def told(error: BaseException) -> str:
    """Why a claim could not be examined, whatever it was that went wrong.

    >>> told(TargetError("it fell over.")), told(ZeroDivisionError("1/0"))[:38]
    ('it fell over.', 'internal error: ZeroDivisionError: 1/0')
    """
    if isinstance(error, CrowdproofError):
        return str(error)
    return f"{unforeseen(error)}; audit this claim alone with --verbose to see where, and report it."
