"""Whether somebody pressed Ctrl-C, though what was under way then ended by itself and told what it had found."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from attrs import define


@define
class Interrupts:
    """What was noticed so far."""

    seen: bool = False

    def check(self) -> None:
        """Raise the interrupt again, so that nothing else is begun."""
        if self.seen:
            raise KeyboardInterrupt


@contextmanager
def noticed() -> Iterator[Interrupts]:
    """Notice interrupts, which are raised as ever; outside the main thread there are none to notice."""
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
