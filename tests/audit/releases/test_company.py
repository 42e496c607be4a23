"""A release is read by itself: its form, code, traits and cell are the same in any company, order and container."""

import datetime
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdproof.audit.compare.betting.learning import learn
from crowdproof.audit.releases import Form, Numbers, Records, Refusal, Releases, canonical, code, reader_for, traits
from crowdproof.audit.releases.batch import form_of
from crowdproof.audit.releases.keys import spelled
from crowdproof.audit.targets.taken import take
from crowdproof.errors import TargetError


@frozen
class Answer:
    total: float
    note: str


class Loud(str):
    """A text that is more than a text."""

    __slots__ = ()


class Tall(int):
    pass


floats = st.floats() | st.sampled_from([0.0, -0.0, 1.0, math.inf, -math.inf, math.nan, 2.0**53, 1e300])
whole = st.integers(-3, 3) | st.sampled_from([2**53, 2**53 + 1, -(2**60) - 1, 10**400, 2**64])
numpy_numbers = st.sampled_from(
    [np.float32(0.5), np.float64(-0.0), np.int8(3), np.uint64(2**64 - 1), np.bool_(True), np.float16(1.0)]
)
cells = floats | whole | st.booleans() | st.text(max_size=3) | st.none() | numpy_numbers
vectors = (
    st.lists(floats, max_size=3)
    | st.lists(whole, max_size=3)
    | st.lists(st.booleans(), max_size=3)
    | st.lists(cells, max_size=3).map(tuple)
    | st.lists(floats, min_size=1, max_size=3).map(np.array)
    | st.just(np.array(2.5))
    | st.just(np.array([[1.0, 2.0], [3.0, 4.0]]))
    | st.just(np.array(["a", "b"]))
)
tables = st.lists(st.none() | st.integers(0, 2), max_size=3).map(lambda column: pl.DataFrame({"age": column}))
odd = st.sampled_from(
    [
        b"bytes",
        Decimal("1.50"),
        Fraction(1, 3),
        1 + 2j,
        datetime.date(2020, 1, 1),
        {"a": 1, "b": [1, 2]},
        {1, 2},
        frozenset({"x"}),
        {Answer(1.0, "in a set")},
        Answer(2.0, "fine"),
        Loud("loud"),
        Tall(7),
        [{"age": 1}, {"age": 2}],
        pd.DataFrame({"age": [1, 2]}),
        pd.Series([1.0, 2.0], name="age"),
        Refusal("too few"),
        "\ud800",
        [],
        (),
        [[]],
        [[1], [2, 3]],
    ]
)
outputs = cells | vectors | tables | odd


def same(one, two):
    return spelled(one) == spelled(two)


@settings(max_examples=300, deadline=None)
@given(outputs, st.lists(outputs, max_size=8), st.integers(0, 8))
def test_a_release_is_the_same_in_any_company(output, company, place):
    place = min(place, len(company))
    among = Releases.of([*company[:place], output, *company[place:]])
    alone = Releases.of([output])
    assert same(among[place], canonical(output))
    assert same(alone[0], canonical(output))
    assert code(among[place]) == code(output)


@settings(max_examples=200, deadline=None)
@given(st.lists(outputs, min_size=1, max_size=10), st.data())
def test_cutting_and_joining_changes_no_release(company, data):
    cut = data.draw(st.integers(0, len(company)))
    whole = Releases.of(company)
    parts = [Releases.of(company[:cut]), Releases.of(company[cut:])]
    for other in (Releases.joined(parts), Releases.joined([whole[:cut], whole[cut:]])):
        assert [spelled(each) for each in other] == [spelled(each) for each in whole]
    order = np.array(data.draw(st.permutations(range(len(company)))))
    assert [spelled(each) for each in whole[order]] == [spelled(whole[place]) for place in order.tolist()]


@settings(max_examples=200, deadline=None)
@given(outputs, st.lists(outputs, max_size=8), st.integers(0, 8))
def test_every_reader_reads_a_release_the_same_in_any_company(output, company, place):
    place = min(place, len(company))
    among, alone = Releases.of([*company[:place], output, *company[place:]]), Releases.of([output])
    for reader in (Records(), Numbers(Form()), Numbers(Form((2,))), Numbers(Form(truth=True)), reader_for(among)):
        features = reader.candidates(among)
        assert reader.codes(among)[place] == reader.codes(alone)[0]
        with np.errstate(invalid="ignore", over="ignore"):
            here = [column[place] for column in reader.columns(among, features)]
            there = [column[0] for column in reader.columns(alone, features)]
        np.testing.assert_array_equal(here, there)


@settings(max_examples=30, deadline=None)
@given(st.lists(outputs, min_size=2, max_size=4), st.integers(0, 2**32 - 1))
def test_a_learned_score_puts_a_release_into_the_same_cell_in_any_company(kinds, seed):
    rng = np.random.default_rng(seed)
    left, right = ([kinds[each] for each in rng.integers(0, len(kinds), 60)] for _ in range(2))
    one, two = Releases.of(left), Releases.of(right)
    found = learn(reader_for(Releases.joined([one, two])), one, two, lambda counts: 0.0)
    if found is None:
        return
    score = found.score
    with np.errstate(invalid="ignore", over="ignore"):
        together = score.cells(one).tolist()
        alone = [int(score.cells(Releases.of([each]))[0]) for each in left]
        np.testing.assert_array_equal(score.count(one), np.bincount(alone, minlength=len(score.rank)))
    assert together == alone


def test_an_array_of_releases_is_the_list_of_its_entries():
    rng = np.random.default_rng(3)
    for array in (
        rng.normal(size=5),
        rng.integers(0, 9, (4, 3)),
        rng.integers(0, 2, 6).astype(bool),
        rng.normal(size=(3, 2, 2)),
        np.array([2**62 + 1, 5]),
        np.array(["a", "b"]),
        np.array([1, "a", None], dtype=object),
        np.zeros((3, 0)),
        np.array([np.nan, 1.0], np.float32),
    ):
        assert [spelled(each) for each in Releases.of(array)] == [spelled(canonical(each)) for each in array]


DIFFERENT = [
    None, "no release", True, 1, "1", "True", b"1", 1.5, -0.0, 0, math.nan, "nan", math.inf, 2**53, 2**53 + 1,
    (), (1,), (True,), ((1,),), (1, 2), {1}, {"a": 1}, Decimal("1.5"), Fraction(3, 2), "1.5", pl.DataFrame({"a": [1]}),
]  # fmt: skip


def test_different_releases_are_told_apart():
    assert len({spelled(canonical(each)) for each in DIFFERENT}) == len(DIFFERENT)
    assert len({code(each) for each in DIFFERENT}) == len(DIFFERENT)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ((1, 2), [1.0, 2]),
        ([1, 2], np.array([1, 2])),
        ([[1, 2]], np.array([[1.0, 2.0]])),
        (np.float32(0.5), 0.5),
        (Loud("a"), "a"),
        (Tall(7), 7),
        ({"a": 1, "b": {3, 2}}, {"a": 1.0, "b": frozenset([2, 3])}),
        (Refusal("one reason"), Refusal("another")),
        (pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]})),
    ],
)
def test_the_same_content_in_another_container_is_the_same_release(one, two):
    assert code(one) == code(two)
    assert dict(traits(one)) == dict(traits(two))


def test_what_has_no_form_is_an_error_with_its_remedy():
    endless: list = []
    endless.append(endless)
    for output, words in ((endless, "nested"), (object(), "shows nothing"), ((x for x in ()), "shows nothing")):
        with pytest.raises(TargetError, match=words):
            canonical(output)


class Evil:
    def __repr__(self):
        raise OSError


class EvilList(list):
    def __iter__(self):
        raise OSError


@pytest.mark.parametrize("output", [Evil(), EvilList([1]), {"a": Evil()}, pl.DataFrame({"a": [Evil()]})])
def test_what_raises_when_it_is_looked_at_is_an_error_of_the_target(output):
    with pytest.raises(TargetError):
        canonical(output)


LONG = [*range(100), "here", *range(100)]


@pytest.mark.parametrize(
    "make",
    [
        lambda mark: pd.Series([1, 2], index=[mark, "q"]),
        lambda mark: pd.DataFrame({"a": [1]}, index=pd.Index([mark], name="a")),
        lambda mark: pd.DataFrame([[1, mark]], columns=["a", "a"]),
        lambda mark: pd.DataFrame({"a": [1]}, index=[mark]),
        lambda mark: pd.DataFrame({"a": [1, 2]}, index=pd.MultiIndex.from_tuples([("p", mark), ("p", "q")])),
        lambda mark: pd.Categorical([mark if each == "here" else str(each) for each in LONG]),
        lambda mark: {"t": pl.DataFrame({"a": [mark if each == "here" else str(each) for each in LONG]})},
        lambda mark: np.ma.masked_array([1.0, 2.0], mask=[mark == "x", False]),
        lambda mark: np.array([(1, mark)], dtype=[("a", int), ("b", "U3")]),
        lambda mark: pl.DataFrame({"a": [mark.encode() + b"\xff"] * 600}),
    ],
)
def test_no_part_of_a_release_is_overlooked(make):
    assert code(make("x")) != code(make("y"))
    assert dict(traits(make("x"))) != dict(traits(make("y")))
    assert code(make("x")) == code(make("x"))


@pytest.mark.parametrize(
    "release",
    [
        pd.DataFrame([[1, "x"]], columns=["a", "a"], index=["p"]),
        pd.Series([1, 2], index=["p", "q"]),
        pd.DataFrame({"a": [0.5, None], "b": pd.Categorical(["x", "y"]), "c": [1, "z"]}),
        pd.DataFrame({"a": pd.interval_range(0, 2), "d": pd.to_datetime(["2020-01-01", None])}),
    ],
)
def test_a_pandas_release_is_the_same_whether_it_comes_from_another_process_or_not(release):
    before = release.copy()
    assert code(take(release, "the target")) == code(release)
    assert before.equals(release)
    assert list(before.columns if before.ndim > 1 else []) == list(release.columns if release.ndim > 1 else [])


def test_forms():
    assert form_of(canonical([True, False])) == Form((2,), truth=True)
    assert form_of(canonical([True, 2])) is None
    assert form_of(canonical([2**53 + 1])) is None
