"""Everything that reads what others wrote, each with samples of it; whatever comes, the error is one of ours."""

import datetime
import gzip
import io
import json
import random
import socket
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
from attrs import frozen
from raw_services import chunked, head, whole
from report.samples import SAMPLES

from crowdproof import cells, wire
from crowdproof.audit import audit
from crowdproof.audit.data.as_json import data_from_json, data_to_json
from crowdproof.audit.data.tables import read_table
from crowdproof.audit.gate.evidence import Evidence, Slice
from crowdproof.audit.gate.reading import read_project
from crowdproof.audit.releases.events import evaluate
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.targets import exchange, transport
from crowdproof.audit.targets.answer_bytes import encode
from crowdproof.audit.targets.channel import Channel, ClosedError, Kind, LateError, message
from crowdproof.audit.targets.http_answer import Answer
from crowdproof.audit.targets.http_faults import FaultyAnswerError
from crowdproof.audit.targets.loaded import Loaded
from crowdproof.claims import DP, Neighbours, parse_claim
from crowdproof.errors import CrowdproofError
from crowdproof.exact import Epsilon, rational
from crowdproof.report import FORMATS, render
from fuzzing.mutate import mutated, mutated_json

TABLE = pl.DataFrame({"age": [31, 47, None], "zip": ["53113", "é", ""], "x": [0.5, float("nan"), -1.0]})


@frozen
class Parser:
    """What reads, what it is given to begin with, and the errors that are its own."""

    parse: Callable[[bytes], object]
    samples: Callable[[], list[bytes]]
    errors: tuple[type[BaseException], ...] = (CrowdproofError,)
    mutate: Callable[[list[bytes], random.Random], bytes] = mutated


def _text(content: bytes) -> str:
    """Bytes as text, with halves of characters for what is no text."""
    return content.decode("utf-8", "surrogateescape")


def _texts(*samples: str) -> Callable[[], list[bytes]]:
    return lambda: [each.encode() for each in samples]


# --- words -------------------------------------------------------------------------------------------------------


def _cell(content: bytes) -> None:
    text = _text(content)
    cells.parse_cell(text)
    found = cells.readings(text)
    cells.may_cover(found, "53113")
    cells.is_suppressed(text)
    cells.may_be_suppressed(text)


def _finding(content: bytes) -> None:
    wire.loads(_text(content))


def _reported(content: bytes) -> None:
    """A witness file that can be read can be shown, in every way."""
    found = wire.loads(_text(content))
    for name in FORMATS:
        render(found, name)


def _dataset(content: bytes) -> None:
    data_from_json(_json(content))


def _json(content: bytes) -> object:
    try:
        return json.loads(_text(content))
    except (ValueError, RecursionError):
        return None


def _event(content: bytes) -> None:
    spec = _json(content)
    if isinstance(spec, dict):
        evaluate(spec, [1, 2, "a"])


def _finding_samples() -> list[bytes]:
    return [wire.dumps([each]).encode() for each in SAMPLES] + [wire.dumps(SAMPLES).encode()]


def _dataset_samples() -> list[bytes]:
    arrays = (np.array([1.0, np.inf]), np.array([[1, 2], [3, 4]]), np.array(["a"]), np.array([True]))
    tables = (TABLE, pl.DataFrame({"day": [datetime.date(2026, 1, 1)]}))
    return [json.dumps(data_to_json(each)).encode() for each in (*arrays, *tables)]


@cache
def _event_samples() -> list[bytes]:
    """Events that audits found, of the kinds that there are."""
    pair = Pair(np.zeros(2), np.array([1.0, 0.0]), Neighbours.REPLACE, "given")
    claim = DP("0.1", neighbours=Neighbours.REPLACE)
    found = [audit(mechanism, claim, pairs=[pair], budget=Budget(3_000), seed=1) for mechanism in (_Shifted(), _Both())]
    return [json.dumps(each.verdict.witness.event.spec).encode() for each in found]


class _Shifted:
    """Leaks by its values."""

    def __call__(self, data: np.ndarray, rng: np.random.Generator) -> float:
        return float(data[0] + rng.normal())


class _Both:
    """Leaks by two answers together."""

    def __call__(self, data: np.ndarray, rng: np.random.Generator) -> list[int]:
        first = int(rng.integers(2))
        return [first, first if data[0] else int(rng.integers(2))]


# --- files -------------------------------------------------------------------------------------------------------


@cache
def _folder() -> Path:
    """A folder for the inputs of this process; it is made in memory where the system has such a place."""
    memory = Path("/dev/shm")
    made = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None, prefix="fuzzing-")
    _KEPT.append(made)
    return Path(made.name)


_KEPT: list["tempfile.TemporaryDirectory[str]"] = []


def _file(content: bytes, *, suffix: str, read: Callable[[Path], object]) -> None:
    path = _folder() / f"input{suffix}"
    path.write_bytes(content)
    read(path)


def _evidence(path: Path) -> None:
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "name")
        evidence.standing(epoch)
        evidence.commit(epoch, evidence.draw(epoch), "run", Slice(0.5, 10))


def _evidence_samples() -> list[bytes]:
    path = _folder() / "sample.evidence"
    path.unlink(missing_ok=True)
    with Evidence(path) as evidence:
        epoch = evidence.open_epoch("key", "name")
        evidence.commit(epoch, evidence.draw(epoch), "run", Slice(1.5, 10, {"a": 1}, {"form": 2}))
    return [path.read_bytes()]


def _written(write: Callable[[pl.DataFrame, io.BytesIO], object]) -> Callable[[], list[bytes]]:
    def samples() -> list[bytes]:
        sinks = []
        for table in (TABLE, TABLE.head(0), TABLE.with_columns(pl.col("zip").cast(pl.Categorical))):
            sinks.append(io.BytesIO())
            write(table, sinks[-1])
        return [each.getvalue() for each in sinks]

    return samples


def _sqlite_samples() -> list[bytes]:
    path = _folder() / "sample.sqlite"
    path.unlink(missing_ok=True)
    base = sqlite3.connect(path)
    base.executescript("CREATE TABLE people (age INTEGER, zip TEXT); INSERT INTO people VALUES (31, 'a'), (47, NULL);")
    base.close()
    return [path.read_bytes()]


def _gzip_samples() -> list[bytes]:
    return [gzip.compress(b"age,zip\n31,a\n47,b\n", mtime=0)]


def _workbook_samples() -> list[bytes]:
    """Workbooks whose parts are not compressed, so that most changes of their bytes are changes of a cell."""
    whole, stored = io.BytesIO(), io.BytesIO()
    book = openpyxl.Workbook()
    for row in (["age", "zip"], [31, "a"], [47, None], [datetime.date(2026, 1, 1), "b"]):
        book.active.append(row)
    book.save(whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(stored, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    return [whole.getvalue(), stored.getvalue()]


def _mutated_workbook(samples: list[bytes], rng: random.Random) -> bytes:
    """A workbook with a part that is spoilt; its checksums are right, so that the part is read."""
    if rng.random() < 0.2:
        return mutated(samples, rng)
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(samples[0])) as source, zipfile.ZipFile(sink, "w") as target:
        spoilt = rng.choice([*source.namelist(), *["xl/worksheets/sheet1.xml"] * 4])
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, mutated([content], rng) if name == spoilt else content)
    return sink.getvalue()


CONFIG = """
error = "1e-6"
seconds = 60
evidence = ".crowdproof/evidence"
[defaults]
data = "people.csv"
runs = 700
[[claims]]
name = "ages"
target = "release:f"
claim = "dps(beta=0.5, epsilon=1, delta=0.02)"
params = { k = 3, columns = ["age"] }
sources = ["hierarchy.json"]
[[claims]]
name = "other"
target = "command: ./anonymize {input}"
claim = { notion = "dp", epsilon = "ln 3", delta = 1e-6 }
values = { age = [1, 2], city = ["a", "b"] }
mechanism = { kind = "laplace", scale = 1 }
[[suppressions]]
claim = "ages"
fingerprint = "0123456789abcdef"
until = 2026-12-31
reason = "known"
"""

# --- what targets send -------------------------------------------------------------------------------------------

VALUES = (
    None, True, 3, -(2**80), 0.5, "é", b"\0a", [1, [2, "a"]], (1, "b"), {"a": 1, 2: [3]}, {1, 2}, frozenset({"a"}),
    1 + 2j, Decimal("0.10"), Fraction(1, 3), datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1, 2, 3),
    datetime.timedelta(1, 2), np.float32(0.5), np.arange(6).reshape(2, 3), np.array(["a", "bc"]),
    np.array([1, "a"], dtype=object), TABLE, TABLE.head(0),
)  # fmt: skip


def _transport(content: bytes) -> None:
    transport.decode(content, "it")
    transport.decode(content, "it", table=transport.own_table)


def _frames(content: bytes) -> None:
    """Messages of a target, up to the end of the line or the first fault."""
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        theirs.setblocking(False)
        theirs.send(content[: 1 << 16])
    channel, loaded = Channel(ours), Loaded()
    try:
        while True:
            heard = channel.receive(1.0)
            if heard.kind is Kind.LOADED:
                loaded.hear(heard.body)
    finally:
        channel.close()


def _frame_samples() -> list[bytes]:
    told = message(Kind.LOADED, b"12345678", b'[["a.py"], ["numpy"]]')
    return [told + message(kind, b"12345678", encode(3)) * 2 for kind in Kind]


class _Line(io.BytesIO):
    """Stands for a connection that has sent these bytes and then hangs up."""

    def makefile(self, *_: object) -> io.BufferedReader:
        return io.BufferedReader(io.BytesIO(self.getvalue()))

    def settimeout(self, _: float | None) -> None:
        return


def _http(content: bytes) -> None:
    answer = Answer(_Line(content), left=lambda: 1.0)
    answer.begin()
    answer.media_type()
    answer.encodings()
    exchange.decode(answer.whole(), "csv", "the answer")


def _http_samples() -> list[bytes]:
    body = b"age,zip\n31,53113\n"
    answers = (
        whole(body), chunked(body[:5], body[5:]), head(length=5) + body, head("302 Found", Location="/login"),
        b"HTTP/1.1 100 Continue\r\n\r\n" + whole(body), whole(body, Content_Encoding="gzip"), head("204 No Content"),
        whole(b"[1, 2]", kind="application/json; charset=utf-8"), whole(b"<html>", kind="text/html"),
    )  # fmt: skip
    return list(answers)


def _answer_line(content: bytes) -> None:
    exchange.from_json(exchange.as_text(content, "it"), "it")


PARSERS = {
    "claims": Parser(
        lambda content: parse_claim(_text(content)),
        _texts(
            "dps(beta=0.5, epsilon=1, delta=0.02)",
            "dp(epsilon=ln 3, delta=1e-6, neighbours=replace)",
            "safe(epsilon=0)",
            "crowd-blending(k=20, epsilon=1)",
            "k-anonymity(k=5, columns=age;zip)",
            "dp(epsilon=ln(10/9))",
        ),
    ),
    "numbers": Parser(
        lambda content: rational(_text(content), "it"), _texts("0.1", "1/3", "-2", "1e-6", "5", " 7 ", "1.5e3")
    ),
    "epsilons": Parser(
        lambda content: str(Epsilon.of(_text(content))), _texts("ln 3", "ln(10/9)", "0.5", "2/3", "ln 2.5")
    ),
    "cells": Parser(
        _cell, _texts("[20, 40)", "20-40", "*", "531**", "{a, 'b, c'}", ">= 5", "NA", "< 3.5", "1,000", "")
    ),
    "config": Parser(partial(_file, suffix=".toml", read=read_project), _texts(CONFIG, CONFIG[:300])),
    "findings": Parser(_finding, _finding_samples),
    "findings as JSON": Parser(_finding, _finding_samples, mutate=mutated_json),
    "reports": Parser(_reported, _finding_samples, mutate=mutated_json),
    "datasets of a witness": Parser(_dataset, _dataset_samples, mutate=mutated_json),
    "events of a witness": Parser(_event, _event_samples, mutate=mutated_json),
    "evidence file": Parser(partial(_file, suffix=".evidence", read=_evidence), _evidence_samples),
    "csv file": Parser(
        partial(_file, suffix=".csv", read=read_table),
        _texts("age,zip\n31,a\n47,b\n", 'a;b\n"1;2";3\n', "age\n1\n2\nx\n", "day,x\n2026-01-01,0.5\n2026-01-02,nan\n"),
    ),
    "parquet file": Parser(
        partial(_file, suffix=".parquet", read=read_table), _written(lambda table, sink: table.write_parquet(sink))
    ),
    "arrow file": Parser(
        partial(_file, suffix=".arrow", read=read_table), _written(lambda table, sink: table.write_ipc(sink))
    ),
    "compressed arrow file": Parser(
        partial(_file, suffix=".arrow", read=read_table),
        _written(lambda table, sink: table.write_ipc(sink, compression="zstd")),
    ),
    "packed csv file": Parser(partial(_file, suffix=".csv.gz", read=read_table), _gzip_samples),
    "workbook": Parser(
        partial(_file, suffix=".xlsx", read=read_table), cache(_workbook_samples), mutate=_mutated_workbook
    ),
    "sqlite file": Parser(partial(_file, suffix=".sqlite", read=read_table), _sqlite_samples),
    "csv release": Parser(
        lambda content: exchange.decode(content, "csv", "it"),
        _texts("age,zip\n31,a\n", "age\n", "a,a\n1,2\n", '"a","b"\n"1","2"\n'),
    ),
    "parquet release": Parser(
        lambda content: exchange.decode(content, "parquet", "it"),
        _written(lambda table, sink: table.write_parquet(sink)),
    ),
    "http answer": Parser(_http, _http_samples, (CrowdproofError, FaultyAnswerError)),
    "line of an answer": Parser(
        _answer_line,
        _texts(
            '{"value": 3}', '{"value": [1, "a", null]}', '{"error": "no"}', '{"columns": ["a"], "rows": [[3], ["x"]]}'
        ),
    ),
    "answer of a function": Parser(_transport, lambda: [encode(each) for each in VALUES]),
    "frames": Parser(_frames, _frame_samples, (CrowdproofError, ClosedError, LateError)),
}
"""Name -> parser."""
