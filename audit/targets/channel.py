"""The line between the judge and the process of a target: messages of a kind, a ticket and a length."""

import socket
import struct
import time
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

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
    FORM = b"f"
    REQUEST = b"r"
    READY = b"y"
    LOADED = b"l"
    OUTPUT = b"o"
    ERROR = b"e"
    DIED = b"x"


_KINDS = {kind.value: kind for kind in Kind}


class Message(NamedTuple):
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

    def __init__(self, line: socket.socket, alive: Callable[[], bool] | None = None) -> None:
        self._line, self._alive, self._held, self._taken = line, alive, b"", 0
        self._wait: float | None = None
        line.settimeout(None)

    @property
    def silent(self) -> bool:
        """Whether all that has come was taken."""
        return self._taken == len(self._held)

    def send(self, content: bytes, seconds: float | None = None) -> None:
        """Send messages whole, within that time."""
        self._let_wait(seconds)
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
        end = self._taken + size
        if end > len(self._held):
            self._hear(size, deadline)
            end = size
        content = self._held[self._taken : end]
        self._taken = end
        return content

    def _hear(self, size: int, deadline: float | None) -> None:
        """Hold at least that many bytes that were not taken yet, from the first on."""
        held = bytearray(self._held[self._taken :])
        while len(held) < size:
            held += self._part(deadline)
        self._held, self._taken = bytes(held), 0

    def _part(self, deadline: float | None) -> bytes:
        """Some bytes, as soon as there are any. What a process sent before it ended is heard after its end."""
        alive = True
        while True:
            self._let_wait(self._next_wait(deadline))
            try:
                part = self._line.recv(AT_ONCE)
            except TimeoutError:
                if not alive:
                    raise ClosedError from None
                alive = self._alive is None or self._alive()
                continue
            except ConnectionResetError:
                raise ClosedError from None
            if not part:
                raise ClosedError
            return part

    def _next_wait(self, deadline: float | None) -> float | None:
        """How long to listen before looking around again."""
        if deadline is None:
            return None if self._alive is None else LISTEN_SECONDS
        left = deadline - time.monotonic()
        if left <= 0:
            raise LateError
        return min(LISTEN_SECONDS, left)

    def _let_wait(self, seconds: float | None) -> None:
        if seconds != self._wait:  # which spares a call of the system for most messages
            self._line.settimeout(seconds)
            self._wait = seconds
