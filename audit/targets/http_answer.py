"""The answer of a service, read strictly: one that leaves in doubt what it says or where it ends is a fault.

The reader of the standard library forgives much: a chunked body without its last chunk, a length with a sign, a header
without a colon. Here that would pass for a whole release, and a release that was cut short is another one.
"""

import http.client
import io
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

from attrs import frozen

from crowdproof.audit.targets.exchange import MOST_BYTES

MOST_LINE = 1 << 16
"""Bytes of one line of a head: as many as the standard library reads, and eight times what servers commonly send."""
MOST_HEADERS = 100
"""Header lines of an answer: as many as the standard library reads."""
MOST_INTERIM = 100
"""Answers such as `100 Continue` before the answer itself: one or two are common, a stream of them never ends."""
SHOWN = 200
"""Characters of an answer that an error shows: enough to recognise a login page."""
AT_ONCE = 1 << 16
"""Bytes that are read in one go."""
MOST_DIGITS = 16
"""Digits of a size that are read: far more bytes than any release has, and Python takes long for very long numbers."""
INTERIM = frozenset(range(100, 200)) - {http.client.SWITCHING_PROTOCOLS}
"""Statuses after which the answer itself is still to come."""
BODILESS = frozenset({http.client.SWITCHING_PROTOCOLS, http.client.NO_CONTENT, http.client.NOT_MODIFIED})
"""Statuses of answers that have a head only."""

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105  (a name in HTTP, no password)
_STATUS = re.compile(rb"HTTP/1\.\d ([1-9]\d\d)(?: (.*))?")
_NAME = re.compile(_TOKEN.encode())
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_CHUNK = re.compile(rb"([0-9A-Fa-f]+)[ \t]*(?:;[^\r\n]*)?\r\n")
_MEDIA_TYPE = re.compile(rf"({_TOKEN}/{_TOKEN})[ \t]*")
_PARAMETER = re.compile(rf';[ \t]*(?:({_TOKEN})=(?:({_TOKEN})|"((?:[^"\\]|\\.)*)"))?[ \t]*')
_BY_THE_RULES = "let the service answer by the rules of HTTP/1.1."

Left = Callable[[], float | None]
"""The seconds that are left; a `TimeoutError` where there are none."""


class FaultyAnswerError(http.client.HTTPException):
    """What is wrong with an answer: a sentence that lacks its subject, the service that sent it."""


class Answer(http.client.HTTPResponse):
    """The answer to one request; all of it has to arrive within the time that is left."""

    def __init__(self, line: socket.socket, *more: Any, left: Left, **options: Any) -> None:
        super().__init__(line, *more, **options)
        self._timed = _Timed(self.fp.detach(), line, left)
        self.fp = io.BufferedReader(self._timed)

    def begin(self) -> None:
        """Read the head; interim answers before it are passed over."""
        for _ in range(MOST_INTERIM + 1):
            self.status, self.reason = self._read_status_line()
            self.headers = self.msg = self._read_headers()
            if self.status not in INTERIM:
                self.code, self.version, self.will_close = self.status, 11, True
                return
        raise FaultyAnswerError(f"sent more than {MOST_INTERIM} interim answers and no other one: {_BY_THE_RULES}")

    def whole(self) -> bytes:
        """The body, which certainly came to its end, and nothing after it."""
        parts, size = [], 0
        for part in self._parts():
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise _too_long()
        if self._goes_on():
            raise FaultyAnswerError(
                f"sent bytes after the {size:,} that its answer has by its own account: let the service count its "
                "answer in bytes, and send nothing after it."
            )
        return b"".join(parts)

    def beginning(self) -> str:
        """The first characters of a body, for an error to show; one that does not come has none."""
        try:
            part = self._first_part()
        except (FaultyAnswerError, OSError):
            return ""
        return printable(part[:SHOWN].decode(errors="replace"))

    def media_type(self) -> "MediaType | None":
        """What the body is, by the header Content-Type; None where there is no such header."""
        values = set(self._all("Content-Type"))
        if not values:
            return None
        if len(values) > 1:
            shown = " and ".join(sorted(map(repr, values)))
            raise FaultyAnswerError(f"gave its answer several types, {shown}: let it send one Content-Type.")
        return MediaType.of(values.pop())

    def encodings(self) -> list[str]:
        """How the body was compressed, by the headers Content-Encoding."""
        values = [each.strip() for line in self._all("Content-Encoding") for each in line.split(",")]
        return [each for each in values if each.lower() not in {"", "identity"}]

    def _read_status_line(self) -> tuple[int, str]:
        line = self._read_line()
        found = _STATUS.fullmatch(line)
        if found is None:
            raise FaultyAnswerError(
                f"begins its answer with {_shown(line)}, which is no status line of HTTP/1.1: check its address, and "
                "that it is a web service."
            )
        return int(found[1]), printable((found[2] or b"").decode("iso-8859-1"))

    def _read_headers(self) -> http.client.HTTPMessage:
        headers = http.client.HTTPMessage()
        for _ in range(MOST_HEADERS + 1):
            line = self._read_line()
            if not line:
                return headers
            name, colon, value = line.partition(b":")
            if not colon or not _NAME.fullmatch(name) or _CONTROL.search(value):
                raise FaultyAnswerError(
                    f"has {_shown(line)} among the headers of its answer, which is none: {_BY_THE_RULES}"
                )
            headers[name.decode()] = value.strip(b" \t").decode("iso-8859-1")
        raise FaultyAnswerError(f"sent more than {MOST_HEADERS} headers: {_BY_THE_RULES}")

    def _read_line(self) -> bytes:
        """One line of the head, without its end."""
        line = self.fp.readline(MOST_LINE + 1)
        if len(line) > MOST_LINE:
            raise FaultyAnswerError(
                f"has a line of more than {MOST_LINE:,} bytes in the head of its answer: {_BY_THE_RULES}"
            )
        if not line.endswith(b"\n"):
            raise FaultyAnswerError(
                "broke off its answer before the end of its head: let the service answer all runs of the audit."
            )
        return line.removesuffix(b"\n").removesuffix(b"\r")

    def _all(self, name: str) -> list[str]:
        values: list[str] = self.headers.get_all(name, [])
        return values

    def _parts(self) -> Iterator[bytes]:
        """The body, piece by piece, up to where it says that it ends."""
        if not self._all("Transfer-Encoding"):
            yield from self._counted(self._content_length())
            return
        if not self._is_chunked():
            coding = ", ".join(self._all("Transfer-Encoding"))
            raise FaultyAnswerError(
                f"sent its answer with the Transfer-Encoding {coding!r}: let it be 'chunked', or send a Content-Length."
            )
        if self._all("Content-Length"):
            raise FaultyAnswerError(
                "gave its answer a Content-Length and chunks at once, so that nobody knows where it ends: let it send "
                "one of the two."
            )
        yield from self._chunks()

    def _is_chunked(self) -> bool:
        return [each.lower() for each in self._all("Transfer-Encoding")] == ["chunked"]

    def _content_length(self) -> int:
        lengths = set(self._all("Content-Length"))
        length = _length(lengths)
        if length is None:
            given = f" ({', '.join(sorted(map(_cut, lengths)))})" if lengths else ""
            raise FaultyAnswerError(
                f"does not say how long its answer is{given}, so that nobody knows whether it is whole: let it send "
                "one Content-Length, or answer in chunks."
            )
        if length > MOST_BYTES:
            raise _too_long()
        return length

    def _counted(self, length: int) -> Iterator[bytes]:
        """So many bytes; fewer are a fault."""
        missing = length
        while missing:
            part = self.fp.read(min(missing, AT_ONCE))
            if not part:
                raise FaultyAnswerError(
                    f"broke off its answer after {length - missing:,} of {length:,} bytes: let the service answer all "
                    "runs of the audit."
                )
            missing -= len(part)
            yield part

    def _chunks(self) -> Iterator[bytes]:
        """The content of all chunks, where the last one came, and the empty line after it."""
        while size := self._chunk_size():
            yield from self._counted(size)
            if self.fp.read(2) != b"\r\n":
                raise _broken_chunk()
        for _ in range(MOST_HEADERS + 1):
            line = self.fp.readline(MOST_LINE + 1)
            if line == b"\r\n":
                return
            if not line.endswith(b"\r\n"):
                raise _broken_chunk()
        raise FaultyAnswerError(f"sent more than {MOST_HEADERS} lines after the last chunk: {_BY_THE_RULES}")

    def _chunk_size(self) -> int:
        found = _CHUNK.fullmatch(self.fp.readline(MOST_LINE + 1))
        digits = b"" if found is None else found[1].lstrip(b"0") or b"0"
        if not digits:
            raise _broken_chunk()
        size = MOST_BYTES + 1 if len(digits) > MOST_DIGITS else int(digits, 16)
        if size > MOST_BYTES:
            raise _too_long()
        return size

    def _first_part(self) -> bytes:
        """What comes first of the body, whatever it says of its end."""
        if self.status in BODILESS:
            return b""
        if self._is_chunked():
            return next(self._chunks(), b"")
        length = _length(set(self._all("Content-Length")))
        return self.fp.read1(SHOWN if length is None else min(SHOWN, length))

    def _goes_on(self) -> bool:
        """Whether bytes beyond the end have arrived; they are not waited for."""
        self._timed.waits = False
        try:
            return bool(self.fp.peek(1))
        except OSError:
            return False


@frozen
class MediaType:
    """What a header Content-Type says."""

    name: str
    """In lower case, such as text/csv."""
    charsets: tuple[str, ...]
    """Every charset that is named, in lower case; common are one or none."""

    @classmethod
    def of(cls, value: str) -> "MediaType":
        """From the value of the header.

        >>> MediaType.of('Text/CSV; header=present; charset="UTF-8"')
        MediaType(name='text/csv', charsets=('utf-8',))
        """
        found = _MEDIA_TYPE.match(value)
        if found is None:
            raise _odd_type(value)
        name, place, charsets = found[1].lower(), found.end(), []
        while place < len(value):
            found = _PARAMETER.match(value, place)
            if found is None:
                raise _odd_type(value)
            if found[1] is not None and found[1].lower().partition("*")[0] == "charset":
                charsets.append((found[2] or found[3] or "").lower())
            place = found.end()
        return cls(name, tuple(charsets))


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


def printable(text: str) -> str:
    r"""The text in one line, without what would move the cursor of a terminal.

    >>> printable("please\r\n log\x1b[2J in ")
    'please log?[2J in'
    """
    return "".join(each if each.isprintable() else "?" for each in " ".join(text.split()))


def _length(lengths: set[str]) -> int | None:
    """The one length that the headers name, in digits only; None where there is none."""
    if len(lengths) != 1:
        return None
    digits = next(iter(lengths))
    if not (digits.isascii() and digits.isdecimal()):
        return None
    return MOST_BYTES + 1 if len(digits.lstrip("0")) > MOST_DIGITS else int(digits)


def _too_long() -> FaultyAnswerError:
    return FaultyAnswerError(f"answered with more than {MOST_BYTES >> 20:,} MiB: that is no release of this table.")


def _broken_chunk() -> FaultyAnswerError:
    return FaultyAnswerError(
        "broke off its answer between or within its chunks, or wrote their sizes wrong: let the service send every "
        "chunk, and a last one of size 0 with an empty line after it."
    )


def _odd_type(value: str) -> FaultyAnswerError:
    return FaultyAnswerError(f"gave its answer the Content-Type {_cut(value)!r}, which cannot be read: {_BY_THE_RULES}")


def _cut(text: str) -> str:
    return printable(text[:SHOWN])


def _shown(line: bytes) -> str:
    return repr(_cut(line.decode("iso-8859-1")))
