"""The body of an answer: where it ends is counted in bytes or in chunks, and one that ends early is a fault."""

import http.client
import io
import re
from collections.abc import Iterator

from attrs import frozen

from crowdproof.audit.targets.exchange import MOST_BYTES
from crowdproof.audit.targets.http_faults import BY_THE_RULES, SHOWN, FaultyAnswerError, cut
from crowdproof.audit.targets.http_head import MOST_HEADERS, MOST_LINE, values_of

AT_ONCE = 1 << 16
"""Bytes that are read in one go: what a socket holds by default. More would only be waited for."""
MOST_DIGITS = 16
"""Digits of a size that are read: far more bytes than any release has, and Python takes long for very long numbers."""

_CHUNK = re.compile(rb"([0-9A-Fa-f]+)[ \t]*(?:;[^\r\n]*)?\r\n")


@frozen(eq=False)
class Body:
    """The body that follows a head with these headers."""

    file: io.BufferedReader
    headers: http.client.HTTPMessage

    def parts(self) -> Iterator[bytes]:
        """The body, piece by piece, up to where it says that it ends."""
        codings = values_of(self.headers, "Transfer-Encoding")
        if not codings:
            yield from self._counted(self._content_length())
            return
        if not self._is_chunked():
            raise FaultyAnswerError(
                f"sent its answer with the Transfer-Encoding {', '.join(codings)!r}: let it be 'chunked', or send a "
                "Content-Length."
            )
        if values_of(self.headers, "Content-Length"):
            raise FaultyAnswerError(
                "gave its answer a Content-Length and chunks at once, so that nobody knows where it ends: let it send "
                "one of the two."
            )
        yield from self._chunks()

    def first_part(self) -> bytes:
        """What comes first of the body, whatever it says of its end."""
        if self._is_chunked():
            return next(self._chunks(), b"")
        length = _length(self._lengths())
        return self.file.read1(SHOWN if length is None else min(SHOWN, length))

    def _is_chunked(self) -> bool:
        return [each.lower() for each in values_of(self.headers, "Transfer-Encoding")] == ["chunked"]

    def _lengths(self) -> set[str]:
        return set(values_of(self.headers, "Content-Length"))

    def _content_length(self) -> int:
        lengths = self._lengths()
        length = _length(lengths)
        if length is None:
            given = f" ({', '.join(sorted(map(cut, lengths)))})" if lengths else ""
            raise FaultyAnswerError(
                f"does not say how long its answer is{given}, so that nobody knows whether it is whole: let it send "
                "one Content-Length, or answer in chunks."
            )
        if length > MOST_BYTES:
            raise too_long()
        return length

    def _counted(self, length: int) -> Iterator[bytes]:
        """So many bytes; fewer are a fault."""
        missing = length
        while missing:
            part = self.file.read(min(missing, AT_ONCE))
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
            if self.file.read(2) != b"\r\n":
                raise _broken_chunk()
        for _ in range(MOST_HEADERS + 1):
            line = self.file.readline(MOST_LINE + 1)
            if line == b"\r\n":
                return
            if not line.endswith(b"\r\n"):
                raise _broken_chunk()
        raise FaultyAnswerError(f"sent more than {MOST_HEADERS} lines after the last chunk: {BY_THE_RULES}")

    def _chunk_size(self) -> int:
        found = _CHUNK.fullmatch(self.file.readline(MOST_LINE + 1))
        if found is None:
            raise _broken_chunk()
        digits = found[1].lstrip(b"0") or b"0"
        if len(digits) > MOST_DIGITS:
            raise too_long()
        size = int(digits, 16)
        if size > MOST_BYTES:
            raise too_long()
        return size


def too_long() -> FaultyAnswerError:
    """That an answer has more bytes than are read."""
    return FaultyAnswerError(f"answered with more than {MOST_BYTES >> 20:,} MiB: that is no release of this table.")


def _length(lengths: set[str]) -> int | None:
    """The one length that the headers name, in digits only; None where there is none."""
    if len(lengths) != 1:
        return None
    digits = next(iter(lengths))
    if not (digits.isascii() and digits.isdecimal()):
        return None
    return MOST_BYTES + 1 if len(digits.lstrip("0")) > MOST_DIGITS else int(digits)


def _broken_chunk() -> FaultyAnswerError:
    return FaultyAnswerError(
        "broke off its answer between or within its chunks, or wrote their sizes wrong: let the service send every "
        "chunk, and a last one of size 0 with an empty line after it."
    )
