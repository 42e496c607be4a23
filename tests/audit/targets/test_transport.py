"""Values as bytes: they come back as they were, and no other bytes are more than an error."""

import collections
import dataclasses
import datetime
import enum
import math
import random
import struct
from decimal import Decimal
from fractions import Fraction

import attrs
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdproof.audit.releases import same
from crowdproof.audit.releases.objects import Record
from crowdproof.audit.targets import transport
from crowdproof.audit.targets.answer_bytes import encode
from crowdproof.audit.targets.plain import MOST_DEPTH, plain
from crowdproof.audit.targets.transport import decode, own_table
from crowdproof.errors import TargetError

BERLIN = datetime.timezone(datetime.timedelta(hours=2))
VALUES = [
    None,
    True,
    0,
    -(2**70),
    3**20_000,
    0.1,
    -0.0,
    math.inf,
    math.nan,
    complex(1, -0.0),
    "",
    "zoë \ud800 \0",
    b"\0\xff",
    [1, [2.5, None]],
    (1, "a", ()),
    {1, 2},
    frozenset({"a"}),
    {"a": 1, (1, 2): {"b": b"c"}, None: []},
    Decimal("-1.50"),
    Decimal("NaN"),
    Fraction(-1, 3),
    datetime.date(2020, 2, 29),
    datetime.datetime(2020, 1, 2, 3, 4, 5, 6),
    datetime.datetime(2020, 1, 2, tzinfo=BERLIN),
    datetime.time(1, 2, 3),
    datetime.timedelta(days=-1, microseconds=7),
    np.float64(-0.0),
    np.float32(0.1),
    np.int8(-3),
    np.bool_(True),
    np.str_("é"),
    np.datetime64("2020-01-01"),
    np.timedelta64(3, "s"),
    np.arange(6.0).reshape(2, 3),
    np.array([True, False]),
    np.array(["a", "bé"]),
    np.array(["2020-01-01"], dtype="M8[D]"),
    np.zeros((0, 3), dtype="i2"),
    np.array(5),
    np.array([1, "a", None], dtype=object),
    pl.DataFrame({"a": [1, None], "b": ["x", "y"], "c": [[1], []]}),
    pl.DataFrame({"a": pl.Series(["x", "y"], dtype=pl.Categorical), "d": [datetime.date(2020, 1, 1)] * 2}),
    pl.DataFrame(),
]


def alike(left, right):  # noqa: PLR0911  (one return for each kind of value)
    """Whether two values are the same: types and the sign of zero count, and all nan are one."""
    if type(left) is not type(right):
        return False
    match left:
        case float():
            return struct.pack(">d", left) == struct.pack(">d", right) or (math.isnan(left) and math.isnan(right))
        case Decimal():
            return left.compare_total(right) == 0
        case list() | tuple():
            return len(left) == len(right) and all(map(alike, left, right))
        case dict():
            return alike([*left], [*right]) and alike([*left.values()], [*right.values()])
        case pl.DataFrame():
            return left.schema == right.schema and same(left, right)
        case np.ndarray() if left.dtype == object:
            return left.shape == right.shape and alike(left.tolist(), right.tolist())
        case np.ndarray():
            return (left.dtype, left.shape, left.tobytes()) == (right.dtype, right.shape, right.tobytes())
        case _:
            return bool(left == right)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("table", [own_table, transport.checked_table])
def test_a_value_comes_back_as_it_was(value, table):
    assert alike(plain(value, "it"), value)
    assert alike(decode(encode(value), "it", table), value)


trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner),
)


@given(trees)
def test_any_nesting_comes_back_as_it_was(value):
    assert alike(decode(encode(value), "it"), value)


Pair = collections.namedtuple("Pair", "left right")  # noqa: PYI024


@attrs.frozen
class Count:
    people: int


@dataclasses.dataclass
class Both:
    first: Count
    names: list[str]


class Vector(np.ndarray):
    pass


class Sex(enum.IntEnum):
    F = 1


@pytest.mark.parametrize(
    ("value", "content"),
    [
        (Pair(1, 2), (1, 2)),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (Both(Count(3), ["a"]), Record("Both", (("first", Record("Count", (("people", 3),))), ("names", ["a"])))),
        ([Sex.F], [1]),
        (np.arange(2).view(Vector), np.arange(2)),
    ],
)
def test_a_subclass_is_its_content(value, content):
    assert alike(plain(value, "it"), content)


@pytest.mark.parametrize(
    "value",
    [
        object(),
        (each for each in [1]),
        [print],
        np.ma.masked_array([1, 2], mask=[True, False]),
        np.zeros(2, dtype="i4,i4"),
        pl.DataFrame({"a": [object()]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_release_names_the_target(value):
    with pytest.raises(TargetError, match=r"^the target returned an? "):
        plain(value, "the target")


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


def test_depth_is_limited_on_both_sides():
    assert decode(encode(plain(nested(MOST_DEPTH - 1), "it")), "it") == nested(MOST_DEPTH - 1)
    with pytest.raises(TargetError, match="nested more than 64 times"):
        plain(nested(MOST_DEPTH + 5), "it")
    for levels in (MOST_DEPTH + 5, 100_000):
        with pytest.raises(TargetError, match="it cannot be read"):
            decode(packed("[" * levels + "]" * levels), "it")


def packed(text, tail=b""):
    return struct.pack(">I", len(text)) + text.encode() + tail


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        packed(""),
        packed("{}"),
        packed('{"a": 1, "b": 2}'),
        packed('{"eval": "1"}'),
        packed('{"bytes": 5}', b"abc"),
        packed('{"bytes": -1}', b"abc"),
        packed('{"bytes": true}', b"a"),
        packed("1", b"left over"),
        packed("9" * 5000),
        packed('{"array": ["|O", [1], 8]}', bytes(8)),
        packed('{"array": ["<i4,<i4", [1], 8]}', bytes(8)),
        packed('{"array": ["<f8", [-1], 8]}', bytes(8)),
        packed('{"array": ["<f8", [99999999999], 8]}', bytes(8)),
        packed('{"array": ["<U1", [1], 4]}', b"\xff" * 4),
        packed('{"scalar": ["<U0", 0]}'),
        packed('{"set": [[]]}'),
        packed('{"tuple": "ab"}'),
        packed('{"fraction": ["0x1", "0x0"]}'),
        packed('{"table": 4}', b"rubb"),
        b"\x80\x04\x8c\x02os\x8c\x05_exit\x93K\0\x85R.",
    ],
)
def test_other_bytes_are_one_error(content):
    with pytest.raises(TargetError, match=r"^it cannot be read: "):
        decode(content, "it")


def test_a_text_with_too_many_values_is_not_read(monkeypatch):
    content = encode(list(range(100)))
    assert len(decode(content, "it")) == 100
    monkeypatch.setattr(transport, "MOST_VALUES", 50)
    with pytest.raises(TargetError, match="more than 50 values"):
        decode(content, "it")


def test_damaged_bytes_of_every_kind_are_a_value_or_an_error():
    """A panic or an abort of a library would end this test, not fail it."""
    rng = random.Random(1)
    outcomes = set()
    for value in VALUES:
        content = encode(value)
        for _ in range(60 if isinstance(value, pl.DataFrame) else 10):
            damaged = bytearray(content)
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            try:
                decode(bytes(damaged[: rng.choice([None, rng.randrange(len(damaged))])]), "it")
                outcomes.add("value")
            except TargetError:
                outcomes.add("error")
    assert outcomes == {"value", "error"}
