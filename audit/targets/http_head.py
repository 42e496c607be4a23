"""The head of an answer: its status line and its headers, line by line."""

import http.client
import re
from typing import BinaryIO

from crowdproof.audit.targets.http_faults import BY_THE_RULES, TOKEN, FaultyAnswerError, cut, printable

MOST_LINE = 1 << 16
"""Bytes of one line of a head: as many as the standard library reads, and eight times what servers commonly send."""
MOST_HEADERS = 100
"""Header lines of an answer: as many as the standard library reads."""

_STATUS = re.compile(rb"HTTP/1\.\d ([1-9]\d\d)(?: (.*))?")
_NAME = re.compile(TOKEN.encode())
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


def read_status_line(file: BinaryIO) -> tuple[int, str]:
    """The status, and the words that the service gives with it."""
    line = _read_line(file)
    found = _STATUS.fullmatch(line)
    if found is None:
        raise FaultyAnswerError(
            f"begins its answer with {_shown(line)}, which is no status line of HTTP/1.1: check its address, and "
            "that it is a web service."
        )
    return int(found[1]), printable((found[2] or b"").decode("iso-8859-1"))


def read_headers(file: BinaryIO) -> http.client.HTTPMessage:
    """The headers, up to the empty line that ends the head."""
    headers = http.client.HTTPMessage()
    for _ in range(MOST_HEADERS + 1):
        line = _read_line(file)
        if not line:
            return headers
        name, colon, value = line.partition(b":")
        if not colon or not _NAME.fullmatch(name) or _CONTROL.search(value):
            raise FaultyAnswerError(
                f"has {_shown(line)} among the headers of its answer, which is none: {BY_THE_RULES}"
            )
        headers[name.decode()] = value.strip(b" \t").decode("iso-8859-1")
    raise FaultyAnswerError(f"sent more than {MOST_HEADERS} headers: {BY_THE_RULES}")


def values_of(headers: http.client.HTTPMessage, name: str) -> list[str]:
    """The value of every header of this name."""
    values: list[str] = headers.get_all(name, [])
    return values


def _read_line(file: BinaryIO) -> bytes:
    """One line of the head, without its end."""
    line = file.readline(MOST_LINE + 1)
    if len(line) > MOST_LINE:
        raise FaultyAnswerError(
            f"has a line of more than {MOST_LINE:,} bytes in the head of its answer: {BY_THE_RULES}"
        )
    if not line.endswith(b"\n"):
        raise FaultyAnswerError(
            "broke off its answer before the end of its head: let the service answer all runs of the audit."
        )
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _shown(line: bytes) -> str:
    return repr(cut(line.decode("iso-8859-1")))
