"""Two processes instead of one: the first works, and the second only waits for it and owns the exit code.

Whatever runs inside the process that works can end it, with any exit status: a target that is not isolated, a test, a
library that aborts. So its status alone is no verdict. It tells its exit code to the process that waits, and where it
did not, there is none. The command line works so, and so does pytest under our plugin.
"""

import contextlib
import math
import os
import signal
import sys
import time
from typing import NoReturn

from attrs import frozen

from crowdproof.interrupts import ASKING, UNASKED

PASSED_ON = ASKING | {number for number in signal.Signals if number.name == "SIGQUIT"}
"""Signals that are sent to the process that was started, and are meant for the one that works."""
OF_TERMINAL = frozenset(number for number in signal.Signals if number.name in {"SIGINT", "SIGQUIT"})
"""Signals of keys: the terminal sends them to both processes."""
TOKEN_BYTES = 16
"""Stand before the exit code in the pipe: who writes into every open file does not hit upon them."""
STATUS_BITS = 0xFF
"""What the system keeps of an exit code."""
MOST_STOPS = 100
"""So often the process that works is let go on after someone stopped it; then it is asked to end with what it has. By
hand it is stopped a few times."""
STOP_SECONDS = 0.1
"""How long after a stop that a key may have caused it is let go on: the key stops this process too, within far less."""
LEFT_SECONDS = 1.0
"""How long processes that were left behind have to end by themselves: helpers of Python do, which tidy up after us."""
KILL_SECONDS = 5.0
"""How long they are killed, with all that they start meanwhile, before this process ends all the same."""
ADOPT = 36
"""The number of `prctl` by which orphans below a process become its children: PR_SET_CHILD_SUBREAPER in Linux."""
DUMPABLE = 4
"""The number of `prctl` by which a process says whether others of its user may look into it: PR_SET_DUMPABLE."""
LAST_SECONDS = 8.0
"""What a process that was stopped too often has to write what it found, where the caller sets no such time."""
OF_SIGNAL = 128
"""A shell adds this to the number of the signal that ended a program, for an exit status."""


@frozen
class Line:
    """The line on which the process that works tells its exit code."""

    _pipe: int
    _token: bytes
    _home: int
    _identity: tuple[int, int]
    """Device and number of the pipe: code that closes files it did not open may have put another in its place."""

    def tell(self, code: int) -> None:
        """Tell the exit code: all is judged, and all is written. A process that is forked off has none to tell."""
        with contextlib.suppress(OSError):
            if os.getpid() == self._home:
                os.kill(os.getppid(), signal.SIGCONT)  # a target may have stopped it, and nobody else would notice
            if os.getpid() == self._home and _identity(self._pipe) == self._identity:
                os.write(self._pipe, self._token + bytes([code & STATUS_BITS]))


@frozen
class Ended:
    """How the process that worked ended."""

    status: int
    """Its exit status, negative where a signal ended it."""
    told: int | None
    """The exit code that it told; None where it told none."""
    killed: bool = False
    """Whether it was killed here, since it did not end when it was asked to."""

    @property
    def how(self) -> str:
        """The status in words.

        >>> Ended(0, None).how, Ended(-9, None).how
        ('exit status 0', 'signal 9')
        """
        return f"signal {-self.status}" if self.status < 0 else f"exit status {self.status}"


def fork(patience: float | None = None, *, alone: bool = False) -> Line | Ended:
    """Go on in a process of its own, where the line comes back; here, wait for it, and hand back how it ended.

    It is killed where it still goes on so many seconds of `patience` after SIGTERM was passed on to it. Without any,
    and on a system that cannot wait for a signal with a time limit, it may take as long as it likes. Where it is to
    leave the system `alone` at its end, processes that it leaves behind are ended, and neither of the two shows others
    its memory and its open files; both is so in Linux.
    """
    _flush()
    told, tell = os.pipe()
    ends, alive = os.pipe()
    token = os.urandom(TOKEN_BYTES)
    adopts = alone and _adopt()
    if alone:
        _control(DUMPABLE, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # whoever started us may not wait for children; we do
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*PASSED_ON, *UNASKED, signal.SIGCHLD})
    try:
        child = os.fork()
    except OSError:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in (told, tell, ends, alive):
            os.close(number)
        raise
    if child == 0:
        os.close(told)
        os.close(alive)
        _end_with(ends)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return Line(tell, token, os.getpid(), _identity(tell))
    os.close(tell)
    os.close(ends)
    status, killed = _wait(child, patience, adopts=adopts)
    if adopts:
        _end_orphans()
    return Ended(status, _code(told, token), killed)


def end_as(status: int) -> NoReturn:
    """End this process at once with that status: by the same signal where it was one, and without another core dump."""
    if status >= 0:
        os._exit(status & STATUS_BITS)
    _by_signal(-status)
    os._exit(OF_SIGNAL - status)  # the first process of a container is not ended by its own signal


def _by_signal(number: int) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  (not on every system)

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with contextlib.suppress(OSError):  # SIGKILL has no handler to be set
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)


def _flush() -> None:
    """Write what is buffered, which both processes would write otherwise."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # a full disk, a closed stream, none at all
            stream.flush()


def _identity(number: int) -> tuple[int, int]:
    about = os.fstat(number)
    return about.st_dev, about.st_ino


def _end_with(ends: int) -> None:
    """Be ended by a signal when the process that waits ends, which alone holds the other end of the pipe."""
    import fcntl  # noqa: PLC0415  (where there is a fork there is this)

    with contextlib.suppress(OSError, AttributeError):  # some systems cannot: then the work goes on to its end
        fcntl.fcntl(ends, fcntl.F_SETOWN, os.getpid())
        if hasattr(fcntl, "F_SETSIG"):  # the usual one is SIGIO, which any process may send
            fcntl.fcntl(ends, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(ends, fcntl.F_SETFL, fcntl.fcntl(ends, fcntl.F_GETFL) | os.O_ASYNC)


def _adopt() -> bool:
    """Become the parent of every process that is orphaned below, which processes that are forked off do not.

    Not where there are children already, of whoever started us by `exec`: what they leave behind is not ours to end.
    """
    return _children() == set() and _control(ADOPT, 1)


def _control(number: int, value: int) -> bool:
    """Set a property of this process; whether the system has it."""
    try:
        import ctypes  # noqa: PLC0415  (not in every Python)

        return bool(ctypes.CDLL(None).prctl(number, value, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


def _children() -> set[int] | None:
    """The processes whose parent is this one; None where the system does not tell."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as listed:  # noqa: PTH123  (as fast)
            return set(map(int, listed.read().split()))
    except (OSError, ValueError):
        return None


def _end_orphans() -> None:
    """End the processes that were left behind, and those that they leave behind in turn."""
    start = time.monotonic()
    while (left := _children()) and (spent := time.monotonic() - start) < LEFT_SECONDS + KILL_SECONDS:
        for each in left if spent >= LEFT_SECONDS else ():
            with contextlib.suppress(OSError):
                os.kill(each, signal.SIGKILL)
        _bury()
        time.sleep(0.01)


def _bury(child: int | None = None) -> None:
    """Let go of adopted processes that have ended; how the process that works ended is left to be asked for."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid != child:
            os.waitpid(ended.si_pid, 0)


def _wait(child: int, patience: float | None, *, adopts: bool = False) -> tuple[int, bool]:
    """Wait for the process that works; its exit status, negative where a signal ended it, and whether that was ours."""
    until = math.inf
    killed = False
    stops = 0
    while True:
        number = _next_signal(until)
        if number is signal.SIGTERM and patience is not None:
            until = min(until, time.monotonic() + patience)
        if time.monotonic() >= until:
            number, until, killed = signal.SIGKILL, math.inf, True
        if number is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)
        changed, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        if changed and not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status), killed
        if adopts:
            _bury(child)
        if changed:
            stops += 1
            if stops == MOST_STOPS:
                until = min(until, time.monotonic() + (patience or LAST_SECONDS))
                os.kill(child, signal.SIGTERM)
            _let_go_on(child, os.WSTOPSIG(status))


def _let_go_on(child: int, number: int) -> None:
    """Let a process go on that was stopped: by a target, since whoever presses Ctrl-Z stops this process as well."""
    if number != signal.SIGSTOP:
        time.sleep(STOP_SECONDS)
    os.kill(child, signal.SIGCONT)


def _next_signal(until: float) -> signal.Signals | None:
    """Wait for a signal until that time; the one to be passed on, if it is. One of a key would come twice."""
    expected = {*PASSED_ON, signal.SIGCHLD}
    if not hasattr(signal, "sigwaitinfo"):
        number, by_hand = signal.Signals(signal.sigwait(expected)), False
    else:
        info = _arrived(expected, until)
        if info is None:
            return None
        number, by_hand = signal.Signals(info.si_signo), info.si_code <= 0
    if number is signal.SIGCHLD or (number in OF_TERMINAL and not by_hand):
        return None
    return number


def _arrived(expected: set[signal.Signals], until: float) -> signal.struct_siginfo | None:
    """The next signal; None where none comes until that time."""
    if until == math.inf:
        return signal.sigwaitinfo(expected)
    return signal.sigtimedwait(expected, max(0.0, until - time.monotonic()))


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
