"""The command line with a witness: a process that judges, and one that only waits for its verdict.

Whatever runs inside the process that judges can end it, with any exit status: a target that is not isolated, a library
that aborts. So its status alone is no verdict. It tells its exit code to the process that waits as its last act, and
where it did not, there is none.
"""

import contextlib
import os
import signal
import sys
from typing import NoReturn

from crowdproof import cli
from crowdproof.cli import streams
from crowdproof.errors import ExitCode

PASSED_ON = frozenset(number for number in signal.Signals if number.name in {"SIGINT", "SIGTERM", "SIGHUP"})
"""Signals that ask the command line to end: they are meant for the process that works."""
TOKEN_BYTES = 16
"""Stand before the exit code in the pipe: who writes into every open file does not hit upon them."""
VANISHED = (
    "crowdproof: the process that judged ended before it came to a verdict ({how}): a target that is not isolated, or "
    "a library, ended it. Run the target with --isolate fresh."
)


def main() -> None:
    """Run the command line in a process of its own and end as it says; where there is no fork, run it here."""
    streams.stand_in()
    if not hasattr(os, "fork"):
        cli.main()
    told, tell = os.pipe()
    ends, alive = os.pipe()
    token = os.urandom(TOKEN_BYTES)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # whoever started us may not wait for children; we do
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*PASSED_ON, signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(told)
        os.close(alive)
        _end_with(ends)
        _judge(tell, token)
    os.close(tell)
    os.close(ends)
    status = _wait(child)
    _end(status, _code(told, token))


def _end_with(ends: int) -> None:
    """Be ended by a signal when the process that waits ends, which alone holds the other end of the pipe."""
    import fcntl  # where there is a fork there is this

    with contextlib.suppress(OSError, AttributeError):  # some systems cannot: then the work goes on to its end
        fcntl.fcntl(ends, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(ends, fcntl.F_SETFL, fcntl.fcntl(ends, fcntl.F_GETFL) | os.O_ASYNC)


def _judge(tell: int, token: bytes) -> NoReturn:
    """Run the command line, and tell its exit code when all is written."""
    try:
        cli.main()
    except SystemExit as end:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        os.write(tell, token + bytes([int(end.code or 0)]))
        raise
    raise AssertionError("the command line ends with an exit code")


def _wait(child: int) -> int:
    """Wait for the process that judges; its exit status, negative where a signal ended it."""
    while True:
        number = _next_signal()
        if number is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)


def _next_signal() -> signal.Signals | None:
    """Wait for a signal; the one to be passed on, if it is.

    The terminal sends an interrupt to both processes: it would come twice.
    """
    if not hasattr(signal, "sigwaitinfo"):
        number, by_hand = signal.Signals(signal.sigwait({*PASSED_ON, signal.SIGCHLD})), False
    else:
        info = signal.sigwaitinfo({*PASSED_ON, signal.SIGCHLD})
        number, by_hand = signal.Signals(info.si_signo), info.si_code <= 0
    if number is signal.SIGCHLD or (number is signal.SIGINT and not by_hand):
        return None
    return number


def _code(told: int, token: bytes) -> int | None:
    """The exit code that was told; None where there is none, or something else was written."""
    os.set_blocking(told, False)  # a process that is left behind may hold the other end
    try:
        written = os.read(told, 2 * TOKEN_BYTES)
    except BlockingIOError:
        return None
    if len(written) != TOKEN_BYTES + 1 or written[:TOKEN_BYTES] != token:
        return None
    return written[-1]


def _end(status: int, code: int | None) -> NoReturn:
    """End with the code that was told; a pass counts only where the process ended in good order too."""
    if code is not None and (code != ExitCode.HELD or status == ExitCode.HELD):
        sys.exit(code)
    if -status in PASSED_ON:
        signal.signal(-status, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-status})
        os.kill(os.getpid(), -status)
    how = f"signal {-status}" if status < 0 else f"exit status {status}"
    streams.tell(VANISHED.format(how=how))
    sys.exit(ExitCode.BROKEN)
