"""In which form a service takes its table: as a file of CSV or Parquet, as JSON, or as a file that is uploaded."""

import hashlib
import json
import math
import re
from collections.abc import Callable
from typing import Any

import polars as pl
from attrs import frozen

from crowdproof.audit.targets.exchange import FORMATS, encode, from_json
from crowdproof.errors import NoReleaseError, ParameterError, TargetError

JSON = "application/json"
KINDS = ("csv", "parquet", "json", "upload")
TRIED = ("csv", "json", "upload:file", "json:data")
"""The forms that are tried first; a service that says which field it misses is asked with that field as well."""
MOST_FIELDS = 3
"""Fields that are tried of those which a service says it misses. A guess: most want one."""
ABOUT_FORM = frozenset({400, 413, 415, 422, 500})
"""Statuses that another form of the table may change: many services fail with 500 where they cannot read a body."""
_STATUS = re.compile(r"answered with status (\d{3})")
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_MISSED = re.compile(r'"loc"\s*:\s*\[\s*"body"\s*,\s*"([A-Za-z_][A-Za-z0-9_-]*)"')
"""The name of a field in the words of FastAPI, of an answer with status 422."""


@frozen
class Body:
    """How the table is put into a request.

    >>> Body.of("json:rows").content(pl.DataFrame({"age": [30, 41]}))
    (b'{"rows": [{"age": 30}, {"age": 41}]}', 'application/json')
    """

    kind: str
    field: str | None = None

    @classmethod
    def of(cls, form: str | None) -> "Body":
        """As it was written; CSV where nothing is."""
        kind, colon, field = (form or "csv").partition(":")
        if kind not in KINDS or (colon and (kind not in {"json", "upload"} or not _FIELD.fullmatch(field))):
            raise ParameterError(
                f"form is {form!r}: services are given csv, parquet, json (a list of rows), json:FIELD (an object with "
                "that list), or upload:FIELD (a file in a form)."
            )
        return cls(kind, field or ("file" if kind == "upload" else None))

    @property
    def accepted(self) -> str:
        """The media types of an answer, those that fit the question first."""
        return FORMATS.get(self.kind, f"{JSON}, text/csv")

    def content(self, table: pl.DataFrame) -> tuple[bytes, str]:
        """The body, and its media type."""
        if self.kind in FORMATS:
            return encode(table, self.kind), FORMATS[self.kind]
        if self.kind == "upload":
            return _uploaded(encode(table, "csv"), str(self.field))
        rows = [{name: _cell(value) for name, value in row.items()} for row in table.to_dicts()]
        return json.dumps(rows if self.field is None else {self.field: rows}).encode(), JSON


def _cell(value: Any) -> Any:
    """The cell as JSON has it: what is none of its types is a text, what is not finite is missing."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_cell(each) for each in value]
    return value if value is None or type(value) in {bool, int, str} else str(value)


def _uploaded(content: bytes, field: str) -> tuple[bytes, str]:
    """A file in a form, as a browser sends it."""
    limit = f"crowdproof-{hashlib.sha256(content).hexdigest()}"  # which the file cannot hold, short of a miracle
    head = (
        f'--{limit}\r\nContent-Disposition: form-data; name="{field}"; filename="data.csv"\r\n'
        "Content-Type: text/csv\r\n\r\n"
    )
    return head.encode() + content + f"\r\n--{limit}--\r\n".encode(), f"multipart/form-data; boundary={limit}"


def search(ask: Callable[[str], Any]) -> str:
    """The first form with which the service answers with a release; where there is none, what it said to the first.

    `ask` raises an `UnreachableError` where no form can help, and a `TargetError` where this one does not.
    """
    waiting, tried, failures = list(TRIED), [], []
    while waiting:
        form = waiting.pop(0)
        tried.append(form)
        try:
            ask(form)
        except UnreachableError:
            raise
        except TargetError as error:
            failures.append(error)
            status = _STATUS.search(str(error))
            if status is not None and int(status[1]) not in ABOUT_FORM:
                raise
            missed = list(dict.fromkeys(_MISSED.findall(str(error))))[:MOST_FIELDS]
            more = [f"{kind}:{field}" for field in missed for kind in ("json", "upload")]
            waiting[:0] = [each for each in more if each not in tried and each not in waiting]
        else:
            return form
    raise type(failures[0])(
        f"{str(failures[0]).rstrip('.')}. That was with the table as {tried[0]}; as {', '.join(tried[1:])} it gave no "
        "release either. If it wants another form, say so with --form, such as json:FIELD or upload:FIELD."
    )


class UnreachableError(TargetError):
    """A service does not answer at all."""


def released(text: str, what: str) -> Any:
    """What a service answers as JSON: as in the line protocol, or else rows as a table and other values as they are."""
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return from_json(text, what)
    names = set(answer) if isinstance(answer, dict) else set()
    if names & {"error", "value"} or {"columns", "rows"} <= names:
        return from_json(text, what)
    if answer is None or answer == {}:
        raise NoReleaseError(f"{what} is empty: let it answer with the release.")
    return from_json(f'{{"value": {text}}}', what)
