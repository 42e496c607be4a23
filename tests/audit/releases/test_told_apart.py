"""Two outputs that a user can tell apart have different codes, and a kept output does not change any more."""

import datetime
import decimal
import enum
import ipaddress
import pathlib
import re
import types
import uuid
from decimal import Decimal

import attrs
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdproof.audit.releases import Releases, canonical, code, columns, same, snapshot, traits
from crowdproof.audit.releases.objects import Record
from crowdproof.audit.targets.answer_bytes import encode
from crowdproof.audit.targets.taken import take
from crowdproof.audit.targets.transport import decode
from crowdproof.errors import TargetError


@attrs.frozen
class Yes:
    pass


@attrs.frozen
class No:
    pass


class Slotted:
    __slots__ = ("total",)

    def __init__(self, total):
        self.total = total


class Listed(list):
    """A list that may hold fields too."""


class Rounded:
    def __init__(self, total):
        self.total = total

    def __repr__(self):
        return f"{self.total:.1f}"


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def with_field(total):
    listed = Listed([1])
    listed.total = total
    return listed


def temporal(kind, number, rows):
    return pl.DataFrame({"t": pl.Series([number] + [0] * (rows - 1), dtype=pl.Int64).cast(kind)})


def tall(values, rows=600):
    return pl.DataFrame({"a": pl.Series(list(values) * (rows // len(values)))})


TINY = np.longdouble(1) + np.finfo(np.longdouble).eps
APART = {
    "a series by its index": (pd.Series({35: "oldest"}), pd.Series({36: "oldest"})),
    "a table by its index": (pd.DataFrame({"a": ["x"]}, index=[3]), pd.DataFrame({"a": ["x"]}, index=[4])),
    "an index that is out of order": (pd.DataFrame({"a": [1, 2]}, index=[1, 0]), pd.DataFrame({"a": [1, 2]})),
    "columns of one name": (
        pd.DataFrame([[1, 2, 3]], columns=["a", "a (3)", "a"]),
        pd.DataFrame([[1, 9, 3]], columns=["a", "a (3)", "a"]),
    ),
    "categories that no cell has": (
        pd.DataFrame({"a": pd.Categorical(["x"], categories=["x", "y"])}),
        pd.DataFrame({"a": pd.Categorical(["x"], categories=["x", "z"])}),
    ),
    "bins that no cell is in": (
        pd.DataFrame({"a": pd.cut([1, 2], [0, 5, 90])}),
        pd.DataFrame({"a": pd.cut([1, 2], [0, 5, 91])}),
    ),
    "large whole numbers among objects": (
        pd.DataFrame({"a": pd.Series([2**60 + 1, 0.5], dtype=object)}),
        pd.DataFrame({"a": pd.Series([2**60, 0.5], dtype=object)}),
    ),
    "arrow columns of one name": (
        pa.table([[1], [2]], names=["a", "a"]),
        pa.table([[3], [2]], names=["a", "a"]),
    ),
    "arrow nanoseconds": (
        pa.table({"t": pa.array([1], pa.timestamp("ns"))}),
        pa.table({"t": pa.array([2], pa.timestamp("ns"))}),
    ),
    "a polynomial": (np.poly1d([1, 1e-12]), np.poly1d([1, 2e-12])),
    "a namespace of arrays": (
        types.SimpleNamespace(a=np.arange(3000)),
        types.SimpleNamespace(a=np.where(np.arange(3000) == 1500, 7, np.arange(3000))),
    ),
    "an object that rounds": (Rounded(0.11), Rounded(0.12)),
    "slots": (Slotted(1), Slotted(2)),
    "a list with a field": (with_field(1), with_field(2)),
    "classes without fields": (Yes(), No()),
    "members of an enum": (Color.RED, Color.BLUE),
    "long doubles": (TINY, np.longdouble(1)),
    "an array of long doubles": (np.array([TINY]), np.array([np.longdouble(1)])),
    "whole long doubles": (np.longdouble(2**63) + 1, np.longdouble(2**63)),
    "nanoseconds of pandas": (pd.Timestamp(1), pd.Timestamp(2)),
    "durations of pandas": (pd.Timedelta(1), pd.Timedelta(2)),
    "paths": (pathlib.PurePosixPath("a"), pathlib.PurePosixPath("b")),
    "addresses": (ipaddress.ip_address("10.0.0.1"), ipaddress.ip_address("10.0.0.2")),
    "identifiers": (uuid.UUID(int=1), uuid.UUID(int=2)),
    "decimals": (Decimal("1.5"), Decimal("1.50")),
    "kinds of nan": (Decimal("NaN"), Decimal("sNaN")),
    "the order of entries": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "a name or a kind": ({Decimal(1): "x"}, {"Decimal": Decimal(1)}),
    "shapes without entries": (np.zeros((0, 3)), np.zeros((0, 4))),
    "names of fields": (np.array([(1,)], dtype=[("a", int)]), np.array([(1,)], dtype=[("b", int)])),
    "wide numbers": (
        pl.DataFrame({"a": pl.Series([2**70], dtype=pl.Int128)}),
        pl.DataFrame({"a": pl.Series([2**71], dtype=pl.Int128)}),
    ),
    "an empty list or a missing cell": (
        pl.DataFrame({"a": pl.Series([[], [1]], dtype=pl.List(pl.Int64))}),
        pl.DataFrame({"a": pl.Series([[None], [1]], dtype=pl.List(pl.Int64))}),
    ),
    "where a list ends": (pl.DataFrame({"a": [[1], [2, 3]]}), pl.DataFrame({"a": [[1, 2], [3]]})),
    "where a text ends": (tall(["a", "bc"]), tall(["ab", "c"])),
    "truth or text": (tall([True]), tall(["true"])),
    "date or text": (tall([datetime.date(2020, 1, 1)]), tall(["2020-01-01"])),
    "widths": (tall([0.5]), tall([0.5]).cast(pl.Float32)),
    "zones": (
        tall([datetime.datetime(2020, 1, 1)]).select(pl.col("a").dt.replace_time_zone("UTC")),
        tall([datetime.datetime(2020, 1, 1)]).select(pl.col("a").dt.replace_time_zone("Africa/Abidjan")),
    ),
    "categories": (
        pl.DataFrame({"a": pl.Series(["x"], dtype=pl.Enum(["x", "y"]))}),
        pl.DataFrame({"a": pl.Series(["x"], dtype=pl.Enum(["x", "z"]))}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", APART)
def test_outputs_that_differ_have_different_codes(kind):
    one, two = APART[kind]
    assert code(one) != code(two)
    assert code(one) == code(canonical(one)) == code(Releases.of([two, one])[1])
    assert list(traits(one))


@pytest.mark.parametrize("kind", APART)
def test_they_still_differ_when_they_come_from_another_process(kind):
    one, two = (_received(each) for each in APART[kind])
    if one is not None and two is not None:
        assert code(one) != code(two)
        assert not same(one, two)
        assert same(one, one)


def _received(output):
    """What the judge is sent, or None where the target is told that this is no release."""
    try:
        return decode(encode(take(output, "it")), "it")
    except TargetError:
        return None


@pytest.mark.parametrize("rows", [3, 900])
@pytest.mark.parametrize("kind", [pl.Datetime("ns"), pl.Datetime("ns", "UTC"), pl.Duration("ns"), pl.Time], ids=str)
def test_nanoseconds_are_told_apart_in_small_and_large_tables(kind, rows):
    one, two = temporal(kind, 1, rows), temporal(kind, 2, rows)
    assert code(one) != code(two)
    assert dict(traits(one)) != dict(traits(two))


@pytest.mark.parametrize("number", [2**62, -(2**62)])
@pytest.mark.parametrize("kind", [pl.Datetime("us"), pl.Datetime("ms"), pl.Duration("ms")], ids=str)
def test_times_beyond_those_of_python_are_releases(kind, number):
    one, two = temporal(kind, number, 2), temporal(kind, number + 1, 2)
    assert code(one) != code(two)
    assert dict(traits(one)) != dict(traits(two))


KINDS = [
    pl.Int8, pl.Int64, pl.UInt64, pl.Int128, pl.Float32, pl.Float64, pl.Boolean, pl.String, pl.Binary, pl.Date, pl.Time,
    pl.Datetime("ms"), pl.Datetime("ns"), pl.Datetime("us", "UTC"), pl.Duration("us"), pl.Decimal(10, 2),
    pl.Categorical(), pl.Enum(["0", "1"]), pl.List(pl.Int64), pl.List(pl.String), pl.Array(pl.Float64, 2),
    pl.Struct({"x": pl.Int64, "y": pl.String}), pl.List(pl.Struct({"x": pl.Date})), pl.Null,
]  # fmt: skip


def column(kind, cells):  # noqa: PLR0911  (one return for each kind)
    """Cells from 0, 1 and None as a column of that type."""
    if kind == pl.Null:
        return pl.Series([None] * len(cells))
    if isinstance(kind, pl.List):
        return pl.Series([None if each is None else column(kind.inner, [each] * each) for each in cells], dtype=kind)
    if isinstance(kind, pl.Array):
        return pl.Series([None if each is None else [each, 0.0] for each in cells], dtype=kind)
    if isinstance(kind, pl.Struct):
        fields = [column(field.dtype, cells).alias(field.name) for field in kind.fields]
        return pl.DataFrame(fields).to_struct("s")
    if kind in (pl.String, pl.Categorical, pl.Enum, pl.Decimal):
        return pl.Series([None if each is None else str(each) for each in cells], dtype=pl.String).cast(kind)
    if kind == pl.Binary:
        return pl.Series([None if each is None else bytes([each]) for each in cells], dtype=pl.Binary)
    return pl.Series(cells, dtype=pl.Int64).cast(kind)


def told(series):
    """The cells as Python objects; a time by its nanoseconds, which Python has none of."""
    return (series.to_physical() if series.dtype.is_temporal() else series).to_list()


cells = st.lists(st.sampled_from([0, 1, None]), min_size=1, max_size=4)


@settings(max_examples=400, deadline=None)
@given(cells, cells, st.sampled_from(KINDS), st.sampled_from(KINDS), st.sampled_from([1, 300]))
def test_tables_of_any_types_have_equal_codes_just_where_they_are_equal(left, right, one_kind, other_kind, times):
    one, two = column(one_kind, left * times).to_frame("a"), column(other_kind, right * times).to_frame("a")
    text = {pl.Categorical, pl.String}
    same_kind = one.schema == two.schema or set(map(type, (one.dtypes[0], two.dtypes[0]))) == text
    equal = same_kind and told(one.to_series()) == told(two.to_series())
    assert (code(one) == code(two)) is equal
    assert code(one) == code(snapshot(one)) == code(pl.concat([one[:1], one[1:]], rechunk=False))
    assert len(dict(traits(one))) > 3


@given(st.lists(st.text(alphabet="aé\0b", max_size=3), min_size=1))
def test_texts_are_joined_to_the_same_bytes_by_python_and_by_polars(texts):
    table, few = pl.DataFrame({"a": texts}), columns.FEW_TEXTS
    try:
        columns.FEW_TEXTS = 0
        assert columns.table_digest(table) == code_of_few(table, few)
    finally:
        columns.FEW_TEXTS = few


def code_of_few(table, few):
    columns.FEW_TEXTS = few
    return columns.table_digest(table)


@pytest.mark.parametrize("letter", ["*", b"*"])
def test_the_room_for_longer_texts_is_no_part_of_an_array_of_texts(letter):
    """A function that overwrites every text with a star leaves the type of the array as it was."""
    wide, narrow = np.array([letter * 9, letter]), np.array([letter, letter])
    wide[:] = letter
    assert wide.dtype != narrow.dtype
    assert canonical(wide) == canonical(narrow)
    assert code(wide) == code(narrow)


def test_the_same_table_of_any_make_has_one_code():
    content = {"a": [1, 2], "b": ["x", None], "c": [0.5, 1.5], "d": [True, False]}
    tables = [pl.DataFrame(content), pd.DataFrame(content), pa.table(content), pl.DataFrame(content).lazy()]
    filtered = pd.DataFrame({"b": ["y", "x"]})
    assert len({code(each) for each in tables}) == 1
    assert code(filtered[filtered.b == "y"]) == code(pl.DataFrame({"b": ["y"]}))
    assert code(pd.DataFrame({"b": pd.Categorical(["x", "y"])})) == code(pl.DataFrame({"b": ["x", "y"]}))


class Opaque:
    pass


@pytest.mark.parametrize(
    "output",
    [Opaque(), re.compile("a"), print, lambda: 0, iter([1]), np.random.default_rng(1), {"a": re.compile("a")}],
    ids=lambda output: type(output).__name__,
)
def test_what_shows_nothing_of_itself_is_no_release(output):
    with pytest.raises(TargetError, match=r"shows nothing of itself .*: return numbers, text"):
        canonical(output)


def test_two_members_that_cannot_be_told_apart_are_an_error():
    for output in ({float("nan"), float("nan")}, {float("nan"): 1, float("nan"): 2}):
        with pytest.raises(TargetError, match="two members that cannot be told apart"):
            canonical(output)


def test_a_signalling_nan_is_an_ordinary_release():
    odd = Decimal("sNaN")
    assert same(odd, Decimal("sNaN"))
    assert not same(odd, Decimal(1))
    assert code([odd]) == code([Decimal("sNaN")])
    assert list(traits({"a": odd}))
    with pytest.raises(decimal.InvalidOperation):
        odd == Decimal(1)  # noqa: B015


def buffers():
    return {
        "a table": lambda array: pl.DataFrame({"a": array}),
        "a column": lambda array: pl.Series("a", array),
        "a column of arrays": lambda array: pl.DataFrame({"a": array.reshape(2, 2)}),
        "a struct": lambda array: pl.DataFrame({"s": pl.DataFrame({"a": array}).to_struct("s")}),
        "a pandas table": lambda array: pd.DataFrame({"a": array}, copy=False),
        "a pandas series": lambda array: pd.Series(array, copy=False),
        "an arrow table": lambda array: pa.table({"a": pa.array(array)}),
        "an array": lambda array: array,
        "in a dict": lambda array: {"t": pl.DataFrame({"a": array}), "more": [pd.DataFrame({"a": array}, copy=False)]},
        "in a list": lambda array: [pl.Series("a", array), array],
        "in an object": lambda array: types.SimpleNamespace(t=pl.DataFrame({"a": array})),
    }


@pytest.mark.parametrize("keep", [snapshot, canonical, lambda output: Releases.of([output])[0]])
@pytest.mark.parametrize("kind", buffers())
def test_what_was_kept_does_not_change_with_a_buffer_that_is_used_again(kind, keep):
    array = np.zeros(4)
    kept = keep(buffers()[kind](array))
    before = code(kept)
    array[:] = 7
    assert code(kept) == before


def test_arrow_text_over_memory_that_changes():
    memory = bytearray(b"a text of thirty letters ......")
    offsets = pa.py_buffer(np.array([0, 15, 30]))
    texts = pa.LargeStringArray.from_buffers(2, offsets, pa.py_buffer(memory))
    kept = snapshot(pa.table({"a": texts}))
    memory[:2] = b"zz"
    assert kept["a"].to_list()[0] == "a text of thirt"


def test_rows_that_a_table_would_change_stay_rows():
    mixed = [{"a": True}, {"a": 1}]
    assert take(mixed, "it") == mixed
    assert code(take(mixed, "it")) != code(take([{"a": 1}, {"a": 1}], "it"))
    turned = [{"a": 1, "b": 2}, {"b": 2, "a": 1}]
    assert code(take(turned, "it")) != code(take([{"a": 1, "b": 2}] * 2, "it"))
    assert take([{"a": 1}, {"a": None}], "it").equals(pl.DataFrame({"a": [1, None]}))


def test_an_object_comes_back_from_another_process_as_its_fields():
    sent = take(types.SimpleNamespace(a=1, b=Color.RED), "it")
    assert sent == Record("SimpleNamespace", (("a", 1), ("b", Record("Color", (("name", "RED"), ("value", 1))))))
    assert decode(encode(sent), "it") == sent
