"""The answer of a service, read strictly: one that leaves in doubt what it says or where it ends is a fault.

The reader of the standard library forgives much: a chunked body without its last chunk, a length with a sign, a header
without a colon. Here that would pass for a whole release, and a release that was cut short is another one.
"""

import http.client
import io
import socket
from collections.abc import Callable
from typing import Any

from crowdproof.audit.targets.exchange import MOST_BYTES
from crowdproof.audit.targets.http_body import Body, too_long
from crowdproof.audit.targets.http_faults import BY_THE_RULES, SHOWN, FaultyAnswerError, printable
from crowdproof.audit.targets.http_head import read_headers, read_status_line, values_of
from crowdproof.audit.targets.media_type import MediaType

MOST_INTERIM = 100
"""Answers such as `100 Continue` before the answer itself: one or two are common, a stream of them never ends."""
INTERIM = frozenset(range(100, 200)) - {http.client.SWITCHING_PROTOCOLS}
"""Statuses after which the answer itself is still to come."""
BODILESS = frozenset({http.client.SWITCHING_PROTOCOLS, http.client.NO_CONTENT, http.client.NOT_MODIFIED})
"""Statuses of answers that have a head only."""

Left = Callable[[], float | None]
"""The seconds that are left; a `TimeoutError` where there are none."""


class Answer(http.client.HTTPResponse):
    """The answer to one request; all of it has to arrive within the time that is left."""

    def __init__(self, line: socket.socket, *more: Any, left: Left, **options: Any) -> None:
        super().__init__(line, *more, **options)
        self._timed = _Timed(self.fp.detach(), line, left)
        self.fp = io.BufferedReader(self._timed)

    def begin(self) -> None:
        """Read the head; interim answers before it are passed over."""
        for _ in range(MOST_INTERIM + 1):
            self.status, self.reason = read_status_line(self.fp)
            self.headers = self.msg = read_headers(self.fp)
            if self.status not in INTERIM:
                self.code, self.version, self.will_close = self.status, 11, True
                return
        raise FaultyAnswerError(f"sent more than {MOST_INTERIM} interim answers and no other one: {BY_THE_RULES}")

    def whole(self) -> bytes:
        """The body, which certainly came to its end, and nothing after it."""
        parts, size = [], 0
        for part in Body(self.fp, self.headers).parts():
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise too_long()
        if self._goes_on():
            raise FaultyAnswerError(
                f"sent bytes after the {size:,} that its answer has by its own account: let the service count its "
                "answer in bytes, and send nothing after it."
            )
        return b"".join(parts)

    def beginning(self) -> str:
        """The first characters of a body, for an error to show; one that does not come has none."""
        if self.status in BODILESS:
            return ""
        try:
            part = Body(self.fp, self.headers).first_part()
        except (FaultyAnswerError, OSError):
            return ""
        return printable(part[:SHOWN].decode(errors="replace"))

    def media_type(self) -> MediaType | None:
        """What the body is, by the header Content-Type; None where there is no such header."""
        values = set(values_of(self.headers, "Content-Type"))
        if not values:
            return None
        if len(values) > 1:
            shown = " and ".join(sorted(map(repr, values)))
            raise FaultyAnswerError(f"gave its answer several types, {shown}: let it send one Content-Type.")
        return MediaType.of(values.pop())

    def encodings(self) -> list[str]:
        """How the body was compressed, by the headers Content-Encoding."""
        lines = values_of(self.headers, "Content-Encoding")
        values = [each.strip() for line in lines for each in line.split(",")]
        return [each for each in values if each.lower() not in {"", "identity"}]

    def _goes_on(self) -> bool:
        """Whether bytes beyond the end have arrived; they are not waited for."""
        self._timed.waits = False
        try:
            return bool(self.fp.peek(1))
        except OSError:
            return False


class _Timed(io.RawIOBase):
    """Bytes from a socket: the time limit of a socket is for each piece, ours for the whole."""

    waits = True
    """Whether to wait for bytes that have not arrived."""

    def __init__(self, raw: Any, line: socket.socket, left: Left) -> None:
        self._raw, self._line, self._left = raw, line, left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        self._line.settimeout(self._left() if self.waits else 0.0)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
