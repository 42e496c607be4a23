"""A few bytes that stand for more than any memory holds: an error of the target, at once, wherever it runs."""

import io
import json
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from crowdproof.audit.releases import sizes
from crowdproof.audit.releases.canonical import canonical, looked_at, snapshot
from crowdproof.audit.releases.objects import Other
from crowdproof.audit.releases.sizes import MOST_CELLS
from crowdproof.audit.releases.traits import traits
from crowdproof.audit.targets import answer_bytes, arrow, exchange, transport
from crowdproof.audit.targets.plain import plain
from crowdproof.errors import TargetError

NUMBERS = [Decimal("1E+999999999"), Decimal("1E-999999999"), Decimal("0E+999999999"), Decimal("1" * 20_000)]
FORGED = ["1E+999999999", "1E-999999999", "1/0", "1E+999999999/3", "nan", "0x1"]


@pytest.fixture(autouse=True)
def at_once():
    start = time.monotonic()
    yield
    assert time.monotonic() - start < 20


def sent(value):
    return transport.decode(answer_bytes.encode(value), "it")


@pytest.mark.parametrize("number", NUMBERS)
def test_a_decimal_number_without_end_is_no_release(number):
    for output in (number, [number], {"a": (number,)}):
        with pytest.raises(TargetError, match=r"more than 10,000 digits: let it return a rounded one"):
            plain(output, "it")
        with pytest.raises(TargetError, match=r"more than 10,000 digits"):
            sent(output)
        assert dict(traits(canonical(output)))


def test_its_twin_of_a_few_digits_is_one():
    for number in (Decimal("1E+300"), Decimal("-1.5"), Decimal("NaN"), Decimal("1E+6144"), Fraction(1, 3**2000)):
        assert repr(plain([number], "it")) == repr(sent([number])) == repr([number])
    assert dict(traits(Decimal("1.5")))["number",] == 1.5
    assert dict(traits(Fraction(1, 4)))["number",] == 0.25
    assert ("number",) not in dict(traits(Decimal("1E+400")))
    assert ("number",) not in dict(traits(Decimal("NaN")))


@pytest.mark.parametrize("kind", ["Decimal", "Fraction", "longdouble"])
@pytest.mark.parametrize("text", FORGED)
def test_a_forged_number_is_looked_at_in_no_time(kind, text):
    assert ("kind", kind) in dict(traits(Other(kind, text)))


def test_a_fraction_that_cannot_be_reduced_is_no_release():
    with pytest.raises(TargetError, match="a fraction of more than"):
        plain(Fraction(1 << 10**6, 3), "it")


EMPTY = [
    np.empty((10**9, 0)),
    np.empty((1 << 15, 1 << 15, 0)),
    np.broadcast_to(0, (10**12,)),
    np.empty((10**9, 0), "O"),
]


@pytest.mark.parametrize("array", EMPTY, ids=lambda array: str(array.shape))
def test_an_array_of_no_bytes_is_no_release(array):
    for read in (lambda each: plain(each, "it"), canonical, snapshot):
        with pytest.raises(TargetError, match="an array of"):
            read(array)


def test_a_table_of_no_bytes_is_no_release():
    table = pl.select(pl.repeat(None, 4 * 10**9, dtype=pl.Null))
    for read in (lambda each: plain(each, "it"), canonical, looked_at, snapshot):
        with pytest.raises(TargetError, match=r"a table of 4,000,000,000 rows and 1 columns"):
            read(table)


def stream(table, **options):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(allow_64bit=True, **options)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def answer(content):
    return answer_bytes.LENGTH.pack(len(text := b'{"table": %d}' % len(content))) + text + content


def named(array):
    return pa.table({"a": array})


NULLS = pa.Array.from_buffers(pa.null(), 1 << 40, [None])
LONG = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1 << 20, "i4")), ["x" * 4096])
RUNS = pa.RunEndEncodedArray.from_arrays(pa.array([1 << 40], pa.int64()), pa.array(["a"]))
LIST = pa.LargeListArray.from_arrays(pa.array([0, 1 << 40], pa.int64()), NULLS)
STRUCT = pa.StructArray.from_arrays([NULLS], ["b"])
FIXED = pa.FixedSizeListArray.from_arrays(pa.Array.from_buffers(pa.null(), 1 << 30, [None]), 1 << 30)
TABLES = {
    "nulls": (named(NULLS), {}),
    "runs": (named(RUNS), {}),
    "a list of nulls": (named(LIST), {}),
    "a long list": (named(FIXED), {}),
    "a struct of nulls": (named(STRUCT), {}),
    "runs within a struct": (named(pa.StructArray.from_arrays([RUNS], ["b"])), {}),
    "views": (named(pa.array(["a"], pa.string_view())), {}),
    "a dictionary": (named(LONG), {}),
    "compressed": (named(pa.array(np.zeros(1 << 20))), {"compression": "zstd"}),
    "a compressed dictionary": (named(pa.array(["x" * 4096] * 9).dictionary_encode()), {"compression": "lz4"}),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_forged_table_is_not_unpacked(name):
    table, options = TABLES[name]
    with pytest.raises(TargetError, match=r"it cannot be read: ValueError: its table (has|is|stands)"):
        transport.decode(answer(stream(table, **options)), "it")


def test_columns_that_share_their_bytes_are_counted_one_by_one(monkeypatch):
    shared = pa.array(np.zeros(1 << 10))
    content = stream(pa.table([shared] * 8, names=list("abcdefgh")))
    assert arrow.read_checked(content, 1 << 17).num_rows == 1 << 10
    with pytest.raises(ValueError, match="stands for"):
        arrow.read_checked(content, 1 << 15)
    monkeypatch.setattr(arrow, "MOST_PIECES", 0)
    with pytest.raises(ValueError, match="pieces"):
        arrow.read_checked(content, 1 << 17)


def test_honest_tables_arrive():
    table = pl.DataFrame(
        {
            "text": ["a", None],
            "category": pl.Series(["x", None], dtype=pl.Categorical),
            "enum": pl.Series(["x", "y"], dtype=pl.Enum(["x", "y"])),
            "bytes": [b"a", b""],
            "lists": [["a"], None],
            "structs": [{"a": 1, "b": [None]}, None],
            "arrays": pl.Series([[1, 2], None], dtype=pl.Array(pl.Int8, 2)),
            "nothing": [None, None],
            "money": pl.Series(["1.5", None]).cast(pl.Decimal(10, 2)),
        }
    )
    read = sent(table)
    assert read.schema == table.schema
    assert read.equals(table)
    assert sent(pl.DataFrame()).is_empty()


def test_a_parquet_file_with_too_many_cells_is_not_read():
    sink = io.BytesIO()
    pa.parquet.write_table(named(pa.nulls(MOST_CELLS + 1)), sink)
    with pytest.raises(TargetError, match=r"the file: it returned a table of 33,554,433 rows and 1 columns"):
        exchange.decode(sink.getvalue(), "parquet", "the file")


NAMES = [str(number) for number in range(101)]
WIDE = {
    "csv": lambda: exchange.decode(",".join(NAMES).encode() + b"\n", "csv", "it"),
    "csv whose first name has a line break": lambda: exchange.decode(
        b'"a\n\nb",' + ",".join(NAMES).encode() + b"\n", "csv", "it"
    ),
    "json": lambda: exchange.from_json(f'{{"columns": {json.dumps(NAMES)}, "rows": []}}', "it"),
    "arrow": lambda: transport.decode(answer(stream(pa.table({name: [1] for name in NAMES}))), "it"),
    "polars": lambda: plain(pl.DataFrame({name: [1] for name in NAMES}), "it"),
}


@pytest.mark.parametrize("name", WIDE)
def test_a_table_of_very_many_columns_is_no_release(monkeypatch, name):
    for module in (sizes, arrow):
        monkeypatch.setattr(module, "MOST_COLUMNS", 100)
    with pytest.raises(TargetError, match=r"10[12] columns, and 100 are read"):
        WIDE[name]()


def test_a_text_of_very_many_cells_is_not_taken_apart(monkeypatch):
    monkeypatch.setattr(sizes, "MOST_CELLS", 1000)
    for content in (b"a\n" + b"1\n" * 1001, b"a,b\n" + b"1,2\n" * 501, b"a\n" + b"," * 1001):
        with pytest.raises(TargetError, match="1,000 cells are read: let it release less"):
            exchange.decode(content, "csv", "it")
    assert exchange.decode(b"a,b\n" + b"1,2\n" * 400, "csv", "it").shape == (400, 2)


@pytest.mark.parametrize("text", ['{"value": [%s1]}', '{"columns": [], "rows": [%s[]]}'])
def test_an_answer_of_very_many_values_is_not_read(monkeypatch, text):
    for module in (sizes, exchange):
        monkeypatch.setattr(module, "MOST_VALUES", 1000)
    for content in (text % ("[]," * 1000), (text % ("[]," * 1000)).encode()):
        with pytest.raises(TargetError, match="it holds more than 1,000 values: let it release less"):
            exchange.from_json(content, "it")
    assert exchange.from_json(text % ("[]," * 100), "it") is not None
    assert len(exchange.from_json(f'{{"value": "{"x" * 5000}"}}', "it")) == 5000
