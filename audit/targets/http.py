"""A service: POST a table, get a release."""

import http.client
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from crowdproof.audit.targets.behaviour import Behaviour, order_behaviour
from crowdproof.audit.targets.exchange import FORMATS, check_format, decode, encode, from_json
from crowdproof.audit.targets.forms import require_table
from crowdproof.audit.targets.interface import Limits, Target
from crowdproof.errors import NoReleaseError, ParameterError, TargetError
from crowdproof.findings import Json

MOST = 1 << 30
"""The largest answer that is read, in bytes."""
REFUSALS = (400, 422)
"""Statuses that speak of the table. Others speak of the service: it is busy, elsewhere, or knows no such client."""


class HttpTarget(Target):
    """The table goes as CSV or Parquet, parameters in the query, the seed in the header Crowdproof-Seed.

    The answer is CSV or Parquet, by its Content-Type, or JSON as in the line protocol.
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
        headers = {"Content-Type": FORMATS[self.form], "Accept": FORMATS[self.form], "Crowdproof-Seed": str(seed)}
        request = urllib.request.Request(self._url, content, headers, method="POST")  # noqa: S310  (http or https)
        what = f"the answer of {self.name}"
        try:
            with urllib.request.urlopen(request, timeout=self.limits.seconds) as answer:  # noqa: S310
                kind, body = answer.headers.get_content_type(), self._read(answer)
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
        if kind == "application/json":
            return from_json(body, what)
        return decode(
            body, "parquet" if "parquet" in kind else self.form if kind not in FORMATS.values() else "csv", what
        )

    def _read(self, answer: Any) -> bytes:
        """All of it: the time limit of a socket is for each piece, ours for the whole."""
        deadline = time.monotonic() + (self.limits.seconds or float("inf"))
        parts, size = [], 0
        while part := answer.read(1 << 16):
            parts.append(part)
            size += len(part)
            if time.monotonic() > deadline:
                raise TimeoutError
            if size > MOST:
                raise TargetError(
                    f"{self.name} answered with more than {MOST >> 20} MiB: that is no release of this table."
                )
        return b"".join(parts)

    def _failure(self, error: urllib.error.HTTPError) -> TargetError:
        with error:
            end = error.read(400).decode(errors="replace").strip()
        words = f"{self.name} answered with status {error.code} {error.reason}: {end}"
        if error.code in REFUSALS:
            return NoReleaseError(words)
        return TargetError(
            f"{words} (that says nothing about the table: let the service answer all runs of the audit, and refuse a "
            f"table with status {' or '.join(map(str, REFUSALS))}.)"
        )

    def _late(self) -> TargetError:
        return TargetError(f"{self.name} gave no answer within {self.limits.seconds} s: raise its time limit.")
