"""A service: POST a table, get a release."""

import http.client
import io
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from email.message import Message
from typing import Any

from crowdproof.audit.targets.behaviour import Behaviour, order_behaviour
from crowdproof.audit.targets.exchange import FORMATS, MOST_BYTES, as_text, check_format, decode, encode, from_json
from crowdproof.audit.targets.forms import require_table
from crowdproof.audit.targets.interface import Limits, Target
from crowdproof.errors import NoReleaseError, ParameterError, TargetError
from crowdproof.findings import Json

REFUSALS = (400, 422)
"""Statuses that speak of the table. Others speak of the service: it is busy, elsewhere, or knows no such client."""
JSON = "application/json"
KINDS = (*FORMATS.values(), JSON)
"""Media types of a release."""
CHARSETS = (None, "utf-8", "utf8", "us-ascii", "ascii")
SHOWN = 200
"""Characters of an answer that an error shows: enough to recognise a login page."""
AT_ONCE = 1 << 16
"""Bytes that are read in one go."""


class HttpTarget(Target):
    """The table goes as CSV or Parquet, parameters in the query, the seed in the header Crowdproof-Seed.

    The answer has status 200, and is CSV, Parquet, or JSON as in the line protocol, by its Content-Type.
    """

    def __init__(self, url: str, params: Mapping[str, Json], form: str | None, limits: Limits) -> None:
        if limits.memory is not None:
            raise ParameterError("a service runs elsewhere: its memory cannot be limited from here, leave that out.")
        self.name, self.params, self.form, self.limits = url, dict(params), check_format(form), limits
        parts = urllib.parse.urlsplit(url)
        query = "&".join(filter(None, (parts.query, urllib.parse.urlencode(self.params))))
        self._url = urllib.parse.urlunsplit(parts._replace(query=query))
        self.spec = {"spec": url, "params": self.params, "form": self.form, "timeout": limits.seconds}

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One request for each seed."""
        content = encode(require_table(data, self.name), self.form)
        return [self._run(content, seed) for seed in seeds]

    def examine(self, data: Any) -> Behaviour:
        """A service cannot be had in a fresh state; what shows is shown."""
        self.behaviour = order_behaviour(self.runs, data)
        return self.behaviour

    def _run(self, content: bytes, seed: int) -> Any:
        headers = {
            "Content-Type": FORMATS[self.form],
            "Accept": FORMATS[self.form],
            "Accept-Encoding": "identity",
            "Crowdproof-Seed": str(seed),
        }
        request = urllib.request.Request(self._url, content, headers, method="POST")  # noqa: S310  (http or https)
        try:
            with _opener(self.limits.seconds).open(request, timeout=self.limits.seconds) as answer:
                return self._release(answer)
        except urllib.error.HTTPError as error:
            raise self._failure(error) from None
        except TimeoutError:
            raise self._late() from None
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise self._late() from None
            raise TargetError(f"{self.name} cannot be reached: {error.reason}.") from None
        except (http.client.HTTPException, ConnectionError, ssl.SSLError) as error:
            raise TargetError(f"{self.name} broke off its answer: {type(error).__name__} {error}.") from None

    def _release(self, answer: Any) -> Any:
        what, kind = f"the answer of {self.name}", _kind(answer.headers)
        if answer.status != http.client.OK:
            raise TargetError(f"{what} has status {answer.status}: let it answer with 200 and the release.")
        if kind not in KINDS:
            raise TargetError(
                f"{what} is of type {kind or '(none)'} and begins {_beginning(answer)!r}: let it answer with the "
                f"Content-Type {', '.join(KINDS[:-1])} or {KINDS[-1]}."
            )
        self._check_coding(answer.headers, what)
        body = self._read(answer)
        if kind == JSON:
            return from_json(as_text(body, what), what)
        return decode(body, "csv" if kind == FORMATS["csv"] else "parquet", what)

    def _check_coding(self, headers: Message, what: str) -> None:
        charset, coding = headers.get_content_charset(), headers.get("Content-Encoding", "identity")
        if charset not in CHARSETS:
            raise TargetError(f"{what} is in the charset {charset}: let it answer in UTF-8.")
        if coding.strip().lower() != "identity":
            raise TargetError(f"{what} has the Content-Encoding {coding}: let it answer without, as it was asked to.")

    def _read(self, answer: Any) -> bytes:
        """The body, which is as long as it says."""
        length = _length(answer.headers, f"the answer of {self.name}")
        parts, size = [], 0
        while part := answer.read(AT_ONCE):
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                most = f"{MOST_BYTES >> 20:,} MiB"
                raise TargetError(f"{self.name} answered with more than {most}: that is no release of this table.")
        if length is not None and size != length:
            raise TargetError(f"{self.name} broke off its answer after {size:,} of {length:,} bytes.")
        return b"".join(parts)

    def _failure(self, error: urllib.error.HTTPError) -> TargetError:
        with error:
            words = f"{self.name} answered with status {error.code} {error.reason}: {_beginning(error)}"
        if error.code in REFUSALS:
            return NoReleaseError(words)
        if error.code in range(300, 400):
            return TargetError(f"{words} (a redirect is not followed: give the address of the service itself.)")
        return TargetError(
            f"{words} (that says nothing about the table: let the service answer all runs of the audit, and refuse a "
            f"table with status {' or '.join(map(str, REFUSALS))}.)"
        )

    def _late(self) -> TargetError:
        return TargetError(f"{self.name} gave no answer within {self.limits.seconds} s: raise its time limit.")


def _kind(headers: Message) -> str | None:
    return headers.get_content_type() if "Content-Type" in headers else None


def _beginning(answer: Any) -> str:
    """The first characters of a body; one that does not come has none."""
    try:
        return str(answer.read(SHOWN).decode(errors="replace").strip())
    except (OSError, http.client.HTTPException):
        return ""


def _length(headers: Message, what: str) -> int | None:
    """How long the body is; None where it comes in chunks, of which the last one says so."""
    lengths = set(headers.get_all("Content-Length", []))
    if headers.get("Transfer-Encoding", "").strip().lower() == "chunked" and not lengths:
        return None
    if len(lengths) != 1 or not (length := lengths.pop().strip()).isdecimal():
        raise TargetError(
            f"{what} does not say how long it is, so that nobody knows whether it is whole: let the service send one "
            "Content-Length, or answer in chunks."
        )
    return int(length)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Whoever answers from elsewhere is not who was asked."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _opener(seconds: float | None) -> urllib.request.OpenerDirector:
    """What sends one request; connecting, sending and receiving together may take that long."""
    deadline = None if seconds is None else time.monotonic() + seconds

    def left() -> float | None:
        if deadline is None:
            return None
        if (rest := deadline - time.monotonic()) <= 0:
            raise TimeoutError
        return rest

    return urllib.request.build_opener(_NoRedirects, _plain_handler(left), _secure_handler(left))


Left = Callable[[], float | None]
"""The seconds that are left; a `TimeoutError` where there are none."""


class _Timed(io.RawIOBase):
    """Bytes from a socket: the time limit of a socket is for each piece, ours for the whole."""

    def __init__(self, raw: Any, line: socket.socket, left: Left) -> None:
        self._raw, self._line, self._left = raw, line, left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        self._line.settimeout(self._left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _timed_answer(left: Left) -> Callable[..., http.client.HTTPResponse]:
    def answer(line: socket.socket, *more: Any, **options: Any) -> http.client.HTTPResponse:
        made = http.client.HTTPResponse(line, *more, **options)
        made.fp = io.BufferedReader(_Timed(made.fp.detach(), line, left))
        return made

    return answer


def _connected(left: Left) -> Callable[..., socket.socket]:
    """Connects to the first address that answers, as `socket.create_connection`, within one time for all of them."""

    def connect(address: tuple[str, int], *_: Any) -> socket.socket:
        problem: OSError = OSError("the name has no address")
        for *_kind, place in socket.getaddrinfo(*address, type=socket.SOCK_STREAM):
            try:
                return socket.create_connection((str(place[0]), int(place[1])), left())
            except OSError as error:
                problem = error
        raise problem

    return connect


def _timed(connection: Any, left: Left) -> Any:
    connection.response_class = _timed_answer(left)
    connection._create_connection = _connected(left)  # noqa: SLF001  (there is no other way to set it)
    return connection


def _plain_handler(left: Left) -> urllib.request.HTTPHandler:
    class Handler(urllib.request.HTTPHandler):
        def http_open(self, request: urllib.request.Request) -> Any:
            return self.do_open(lambda *each, **more: _timed(http.client.HTTPConnection(*each, **more), left), request)

    return Handler()


def _secure_handler(left: Left) -> urllib.request.HTTPSHandler:
    class Handler(urllib.request.HTTPSHandler):
        def https_open(self, request: urllib.request.Request) -> Any:
            return self.do_open(lambda *each, **more: _timed(http.client.HTTPSConnection(*each, **more), left), request)

    return Handler()
