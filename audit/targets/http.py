"""A service: POST a table, get a release."""

import http.client
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import polars as pl

from crowdproof.audit.targets.behaviour import SEED, Behaviour, order_behaviour
from crowdproof.audit.targets.exchange import FORMATS, as_text, decode
from crowdproof.audit.targets.forms import require_table
from crowdproof.audit.targets.http_answer import Answer, Left
from crowdproof.audit.targets.http_faults import FaultyAnswerError, printable
from crowdproof.audit.targets.http_forms import JSON, Body, UnreachableError, released, search
from crowdproof.audit.targets.interface import Limits, Target
from crowdproof.audit.targets.spec import TargetSpec
from crowdproof.errors import NoReleaseError, ParameterError, TargetError
from crowdproof.findings import Json

REFUSALS = (400, 422)
"""Statuses that speak of the table. Others speak of the service: it is busy, elsewhere, or knows no such client."""
KINDS = (*FORMATS.values(), JSON)
"""Media types of a release."""
CHARSETS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
"""Names of UTF-8 and of a part of it, in lower case."""
FORM_SEARCHES = 3
"""How often all forms are tried in vain before the table is sent as CSV. A guess, as for functions."""


class HttpTarget(Target):
    """The table goes as CSV, Parquet, JSON or an uploaded file, parameters in the query, the seed in a header.

    The answer has status 200, and is CSV, Parquet or JSON, by its Content-Type.
    """

    _searches = 0

    def __init__(self, url: str, params: Mapping[str, Json], form: str | None, limits: Limits) -> None:
        if limits.memory is not None:
            raise ParameterError("a service runs elsewhere: its memory cannot be limited from here, leave that out.")
        self.name, self.params, self.form, self.limits = url, dict(params), form, limits
        Body.of(form)
        self._url = _with_query(_checked(url), self.params)

    @property
    def spec(self) -> Mapping[str, Json]:  # type: ignore[override]
        """What `load_target` makes the target from again."""
        return {"spec": self.name, "params": self.params, "form": self.form, "timeout": self.limits.seconds}

    def get_ready(self, datasets: Sequence[Any]) -> None:
        """Settle in which form it takes a table; what it refuses in every form says nothing of the form.

        After some searches in vain the table is sent as CSV.
        """
        tables = [each for each in datasets if isinstance(each, pl.DataFrame)]
        if self.form is None and tables and self._searches < FORM_SEARCHES:
            self._searches += 1
            self.form = search(lambda form: self._run(*Body.of(form).content(tables[0]), SEED, Body.of(form).accepted))

    def runs(self, data: Any, seeds: Sequence[int]) -> list[Any]:
        """One request for each seed."""
        body = Body.of(self.form)
        content, kind = body.content(require_table(data, self.name))
        return [self._run(content, kind, seed, body.accepted) for seed in seeds]

    def examine(self, data: Any, seconds: float | None = None) -> Behaviour:
        """A service cannot be had in a fresh state; what shows is shown."""
        self.behaviour = order_behaviour(self.runs, data, seconds=seconds, clocked=True)
        return self.behaviour

    def _run(self, content: bytes, kind: str, seed: int, accepted: str) -> Any:
        headers = {
            "Content-Type": kind,
            "Accept": accepted,
            "Accept-Encoding": "identity",
            "Crowdproof-Seed": str(seed),
        }
        request = urllib.request.Request(self._url, content, headers, method="POST")  # noqa: S310  (http or https)
        with self._told(), self._ask(request) as answer:
            if answer.status != http.client.OK:
                raise self._failure(answer)
            return self._release(answer)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Around a request: whatever goes wrong on the line is told in a sentence about the service."""
        try:
            yield
        except FaultyAnswerError as fault:
            raise TargetError(f"{self.name} {fault}") from None
        except TimeoutError:
            raise self._late() from None
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise self._late() from None
            raise UnreachableError(
                f"{self.name} cannot be reached: {printable(str(error.reason))}. See whether it is running there."
            ) from None
        except (http.client.HTTPException, OSError) as error:
            words = printable(f"{type(error).__name__} {error}")
            raise TargetError(f"{self.name} broke off its answer: {words}.") from None

    def _ask(self, request: urllib.request.Request) -> Any:
        """Send the request and read the head of the answer."""
        try:
            return _opener(self.limits.seconds).open(request, timeout=self.limits.seconds)
        except (http.client.InvalidURL, ValueError, OverflowError):  # of its own address all was checked
            raise TargetError(
                f"{self.name} cannot be asked through the proxy that the environment names: set http_proxy or "
                "https_proxy to an address such as http://host:8080, or the service's host in no_proxy."
            ) from None

    def _release(self, answer: Any) -> Any:
        what, kind = f"the answer of {self.name}", answer.media_type()
        if kind is None or kind.name not in KINDS:
            named = "(none)" if kind is None else kind.name
            raise TargetError(
                f"{what} is of type {named} and begins {answer.beginning()!r}: let it answer with the Content-Type "
                f"{', '.join(KINDS[:-1])} or {KINDS[-1]}."
            )
        for charset in set(kind.charsets) - CHARSETS:
            raise TargetError(f"{what} is in the charset {printable(charset)!r}: let it answer in UTF-8.")
        for coding in answer.encodings():
            shown = printable(coding)
            raise TargetError(f"{what} has the Content-Encoding {shown}: let it answer without, as it was asked to.")
        body = answer.whole()
        if kind.name == JSON:
            return released(as_text(body, what), what)
        return decode(body, "csv" if kind.name == FORMATS["csv"] else "parquet", what)

    def _failure(self, answer: Any) -> TargetError:
        """What a status other than 200 says."""
        status = f"{answer.status} {answer.reason}".strip()
        words = f"{self.name} answered with status {status}: {answer.beginning()}"
        if answer.status in REFUSALS:
            return NoReleaseError(words)
        if answer.status in range(200, 300):
            return TargetError(f"{words} (let it answer with 200 and the release.)")
        if answer.status in range(300, 400):
            return TargetError(f"{words} (a redirect is not followed: give the address of the service itself.)")
        return TargetError(
            f"{words} (that says nothing about the table: let the service answer all runs of the audit, and refuse a "
            f"table with status {' or '.join(map(str, REFUSALS))}.)"
        )

    def _late(self) -> UnreachableError:
        return UnreachableError(f"{self.name} gave no answer within {self.limits.seconds} s: raise its time limit.")


def _checked(url: str) -> urllib.parse.SplitResult:
    """The parts of an address that a request can be sent to; what is wrong with it is told before anything is sent."""
    if not all("!" <= each <= "~" for each in url):
        raise ParameterError(
            f"the address {url!r} holds a character that an address cannot have: write blanks and letters beyond "
            "ASCII as %20 and the like, and such a host as xn--...."
        )
    try:
        parts = urllib.parse.urlsplit(url)
        host, _ = parts.hostname or "", parts.port
        host.encode("idna")
    except ValueError as error:
        raise ParameterError(f"the address {url!r} cannot be read ({error}): write it like {EXAMPLE}.") from None
    if not host:
        raise ParameterError(f"the address {url!r} names no host: write it like {EXAMPLE}.")
    if parts.username is not None:
        raise ParameterError("an address with a user's name or password is not supported: write it without them.")
    return parts


EXAMPLE = "http://host:8080/path"
"""An address, for errors to show."""


def _with_query(parts: urllib.parse.SplitResult, params: Mapping[str, Json]) -> str:
    try:
        more = urllib.parse.urlencode(params)
    except UnicodeEncodeError:
        raise ParameterError("a parameter of the service holds text that is not Unicode: write it in UTF-8.") from None
    query = "&".join(filter(None, (parts.query, more)))
    return urllib.parse.urlunsplit(parts._replace(query=query))


def _opener(seconds: float | None) -> urllib.request.OpenerDirector:
    """What sends one request; connecting, sending and receiving together may take that long.

    It follows no redirect: whoever answers from elsewhere is not who was asked.
    """
    deadline = None if seconds is None else time.monotonic() + seconds

    def left() -> float | None:
        if deadline is None:
            return None
        if (rest := deadline - time.monotonic()) <= 0:
            raise TimeoutError
        return rest

    opener = urllib.request.OpenerDirector()
    unknown, proxies = urllib.request.UnknownHandler(), urllib.request.ProxyHandler()
    for handler in (unknown, proxies, _plain_handler(left), _secure_handler(left)):
        opener.add_handler(handler)
    return opener


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
    connection.response_class = partial(Answer, left=left)
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


def load(spec: TargetSpec) -> Target:
    """The target of a spec."""
    return HttpTarget(spec.place, spec.params, spec.form, spec.limits)
