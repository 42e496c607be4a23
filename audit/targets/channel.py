"""The line between the judge and the process of a target: messages of a kind, a ticket and a length."""

import socket
import struct
import time
from collections.abc import Callable
from enum import Enum

from attrs import frozen

from crowdproof.audit.targets import transport
from crowdproof.errors import TargetError

TICKET_BYTES = 8
"""An answer repeats the ticket of its request: with 64 random bits nobody writes one before it was asked."""
NO_TICKET = bytes(TICKET_BYTES)
LISTEN_SECONDS = 1.0
"""How long to wait for bytes before looking whether the other process is still there."""
AT_ONCE = 1 << 16
"""Bytes that are taken from the line in one go: a small message whole, a large one in a few thousand pieces."""

_HEADER = struct.Struct(f">c{TICKET_BYTES}sQ")


class Kind(Enum):
    """What a message is, in its first byte."""

    SETUP = b"s"
    DATASET = b"d"
    REQUEST = b"r"
    READY = b"y"
    OUTPUT = b"o"
    ERROR = b"e"
    DIED = b"x"


_KINDS = {kind.value: kind for kind in Kind}


@frozen
class Message:
    """One message, whole."""

    kind: Kind
    ticket: bytes
    body: bytes


def message(kind: Kind, ticket: bytes, body: bytes = b"") -> bytes:
    """A message as bytes."""
    return _HEADER.pack(kind.value, ticket, len(body)) + body


class LateError(Exception):
    """The time is over, and the message has not come, or only half of it."""


class ClosedError(Exception):
    """There is nobody at the other end."""


class Channel:
    """One end of the line. The other end is believed in nothing: what is no message is a `TargetError`."""

    def __init__(self, line: socket.socket, alive: Callable[[], bool] = lambda: True) -> None:
        self._line, self._alive, self._held = line, alive, bytearray()

    @property
    def silent(self) -> bool:
        """Whether all that has come was taken."""
        return not self._held

    def send(self, content: bytes, seconds: float | None = None) -> None:
        """Send messages whole, within that time."""
        self._line.settimeout(seconds)
        try:
            self._line.sendall(content)
        except TimeoutError:
            raise LateError from None
        except (BrokenPipeError, ConnectionResetError):
            raise ClosedError from None

    def receive(self, seconds: float | None = None) -> Message:
        """The next message, whole within that time."""
        deadline = None if seconds is None else time.monotonic() + seconds
        letter, ticket, length = _HEADER.unpack(self._exactly(_HEADER.size, deadline))
        if letter not in _KINDS:
            raise TargetError(f"something else than an answer was written into its channel: {letter + ticket!r}")
        if length > transport.MOST_BYTES:
            size, most = length >> 20, transport.MOST_BYTES >> 20
            raise TargetError(f"its answer is of {size:,} MiB, and {most} are read: let it release less.")
        return Message(_KINDS[letter], ticket, self._exactly(length, deadline))

    def close(self) -> None:
        """Hang up."""
        self._line.close()

    def _exactly(self, size: int, deadline: float | None) -> bytes:
        while len(self._held) < size:
            self._held += self._part(deadline)
        with memoryview(self._held) as held:
            content = bytes(held[:size])
        del self._held[:size]
        return content

    def _part(self, deadline: float | None) -> bytes:
        """Some bytes, as soon as there are any. What a process sent before it ended is heard after its end."""
        alive = True
        while True:
            self._line.settimeout(_next_wait(deadline))
            try:
                part = self._line.recv(AT_ONCE)
            except TimeoutError:
                if not alive:
                    raise ClosedError from None
                alive = self._alive()
                continue
            except ConnectionResetError:
                raise ClosedError from None
            if not part:
                raise ClosedError
            return part


def _next_wait(deadline: float | None) -> float:
    left = LISTEN_SECONDS if deadline is None else min(LISTEN_SECONDS, deadline - time.monotonic())
    if left <= 0:
        raise LateError
    return left
