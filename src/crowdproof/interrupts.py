"""Signals that ask a process to end: its work stops with what was found so far, and that is written undisturbed.

Such a signal comes from Ctrl-C, from a CI job that is cancelled, from a terminal that is closed, or from a target. It
is raised as a `KeyboardInterrupt`, which every loop of an audit knows, and remembered, since foreign code may catch it.
Only the command line handles signals other than Ctrl-C: a program that uses this library has its own way with them.
"""

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from attrs import define

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ASKING = frozenset(
    number
    for number in signal.Signals
    if number.name in {"SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU"}
)
"""Signals that end a process unless it handles them, and that people, batch systems and programs send to have it end.

SIGQUIT is not among them: it is the way to end at once, whatever is lost.
"""
UNASKED = frozenset(
    int(number)
    for number in signal.valid_signals()
    if getattr(number, "name", "") in {"SIGVTALRM", "SIGPROF", "SIGPWR", "SIGSTKFLT", "SIGIO", "SIGEMT", "SIGLOST"}
    or getattr(signal, "SIGRTMIN", math.inf) <= number <= getattr(signal, "SIGRTMAX", -math.inf)
) - (frozenset() if hasattr(fcntl, "F_SETSIG") else {getattr(signal, "SIGIO", 0)})
"""Signals that end a process unless it handles them, and that nobody sends to have it end: nothing is done about them.

Where no other signal can tell that the process that waits is gone, SIGIO does: see `crowdproof.watch`.
"""
REPEAT_SECONDS = 5.0
"""A signal within so many seconds of the last one asks for what is being done already: to stop a target takes less than
one. After that it is raised again, since something may have swallowed the first one. The number is a guess."""

_HEEDED: list["Interrupts"] = []
"""The state of the process, where signals are heeded: at most one."""


@define
class Interrupts:
    """What was noticed so far, and whether a signal may break into what is under way."""

    seen: bool = False
    _raised: float = -math.inf
    """When it was last raised."""
    _unbroken: int = 0
    """How many blocks are open that no signal may break."""
    _waiting: bool = False
    """Whether one came during such a block."""
    _keeping: bool = False
    """Whether the work is over and its result is being written."""

    def check(self) -> None:
        """Raise the interrupt again, so that nothing else is begun."""
        if self.seen:
            raise KeyboardInterrupt

    def arrive(self) -> None:
        """Take notice of a signal, and raise it unless that would lose something."""
        self.seen = True
        now = time.monotonic()
        if self._keeping or now - self._raised < REPEAT_SECONDS:
            return
        if self._unbroken:
            self._waiting = True
            return
        self._raised = now
        raise KeyboardInterrupt

    def begin_block(self) -> None:
        """From here on a signal waits."""
        self._unbroken += 1

    def end_block(self) -> None:
        """Raise what has waited, at the end of the outermost block."""
        self._unbroken -= 1
        if self._waiting and not self._unbroken:
            self._waiting = False
            self.arrive()

    def keep(self, keeping: bool) -> None:
        """Whether from here on signals are only remembered."""
        self._keeping = keeping


def heed() -> Interrupts:
    """Raise every signal of `ASKING` as an interrupt from now on; those that are ignored or handled stay so.

    Those of `UNASKED` do nothing. They are handled and not ignored: a program that we start would ignore them too.
    """
    found, home = Interrupts(), os.getpid()
    before = {int(number): signal.getsignal(number) for number in ASKING | UNASKED}

    def handle(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        if os.getpid() != home:  # a process that a target forked ends as it would elsewhere
            signal.signal(number, before[number])
            signal.raise_signal(number)
        elif number in ASKING:
            found.arrive()

    for number, handler in before.items():
        if handler is signal.SIG_DFL or handler is signal.default_int_handler:
            signal.signal(number, handle)
    _HEEDED.append(found)
    return found


@contextmanager
def heeded() -> Iterator[Interrupts]:
    """Heed signals within the block, in the main thread of a process that does not do so yet."""
    if _HEEDED or threading.current_thread() is not threading.main_thread():
        yield _HEEDED[0] if _HEEDED else Interrupts()
        return
    before = {number: signal.getsignal(number) for number in ASKING | UNASKED}
    try:
        yield heed()
    finally:
        for number, handler in before.items():
            if handler is not None:  # which is one that was not set from Python
                signal.signal(number, handler)
        _HEEDED.clear()


@contextmanager
def noticed() -> Iterator[Interrupts]:
    """Notice Ctrl-C, which is raised as ever; where all signals are heeded, notice them all.

    Outside the main thread there are none to notice.
    """
    if _HEEDED:
        yield _HEEDED[0]
        return
    found, before = Interrupts(), signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield found
        return

    def handle(number: int, frame: FrameType | None) -> None:
        found.seen = True
        before(number, frame)

    signal.signal(signal.SIGINT, handle)
    try:
        yield found
    finally:
        signal.signal(signal.SIGINT, before)


def heeding() -> bool:
    """Whether the signals that ask for an end are heeded here."""
    return bool(_HEEDED)


def asked() -> bool:
    """Whether a signal that is heeded has come."""
    return any(each.seen for each in _HEEDED)


def check() -> None:
    """Raise again what was heeded and swallowed, so that nothing else is begun."""
    for each in _HEEDED:
        each.check()


def pass_asked(error: BaseException) -> None:
    """Raise an interrupt again that came from outside, for whoever catches everything that foreign code may raise.

    Where signals are heeded, one that nobody asked for is the foreign code's own, and an error like any other: it would
    choose by it which of its runs count, or end the work on everything else.
    """
    if isinstance(error, KeyboardInterrupt) and (not _HEEDED or asked()):
        raise error


def keep() -> None:
    """What was found is kept from here on: signals are remembered, and break into nothing."""
    for each in _HEEDED:
        each.keep(True)


@contextmanager
def breakable() -> Iterator[None]:
    """Work that goes on after `keep`: signals break into the block again."""
    check()
    try:
        for each in _HEEDED:
            each.keep(False)
        yield
    finally:
        keep()


@contextmanager
def unbroken() -> Iterator[None]:
    """Let signals wait until the end of the block, which begins or ends something that must not be left behind.

    Where they are not heeded, and outside the main thread, to which they come, this changes nothing.
    """
    main = threading.current_thread() is threading.main_thread()
    states = list(_HEEDED) if main else []
    for each in states:
        each.begin_block()
    try:
        yield
    finally:
        for each in states:
            each.end_block()
