"""Rows that are made for the data, and what a release shows of them."""

import datetime

import numpy as np
import polars as pl
import pytest

from crowdproof.audit.one_run.canaries import KINDS, design
from crowdproof.audit.one_run.comparing import compare_with
from crowdproof.audit.releases import canonical
from crowdproof.errors import DataError, ParameterError

PEOPLE = pl.DataFrame(
    {
        "age": [30, 41, 58, 62, 33, 47],
        "income": [21_000.5, 30_000.0, 45_500.0, None, 28_000.0, 61_000.0],
        "seen": [datetime.date(2024, 1, day) for day in range(1, 7)],
        "sex": ["f", "m", "f", "m", "f", "m"],
        "city": ["a", "b", "c", "a", "b", None],
    }
)


def rng(seed=1):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("kind", KINDS)
def test_canaries_have_the_types_of_the_data(kind):
    made = design(PEOPLE, 40, rng(), kinds=[kind])
    assert made.rows.schema == PEOPLE.schema
    assert set(made.kinds) == {kind}
    assert len(made) == 40


def test_extreme_canaries_are_beyond_all_values_and_each_has_its_own():
    made = design(PEOPLE, 40, rng(), kinds=["extreme"]).rows
    for name in ("age", "income", "seen"):
        assert made[name].min() > PEOPLE[name].max()
        assert made[name].n_unique() == 40


def test_the_order_of_extreme_canaries_differs_from_column_to_column():
    made = design(PEOPLE, 200, rng(), kinds=["extreme"]).rows
    assert abs(made.select(pl.corr("age", "income", method="spearman")).item()) < 0.3


def test_inside_canaries_have_values_that_do_not_occur():
    made = design(PEOPLE, 40, rng(), kinds=["inside"]).rows
    assert not set(made["age"]) & set(PEOPLE["age"])
    assert not set(made["income"]) & set(PEOPLE["income"])
    assert made["age"].is_between(30, 62).all()


def test_combinations_are_of_values_that_occur_and_do_not_occur_together():
    made = design(PEOPLE, 40, rng(), kinds=["combination"]).rows
    for name in PEOPLE.columns:
        assert set(made[name]) <= set(PEOPLE[name])
    assert made.join(PEOPLE, on=PEOPLE.columns, how="semi", nulls_equal=True).is_empty()


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"x": pl.Series([250, 255], dtype=pl.UInt8)}),
        pl.DataFrame({"x": [1.0, float("nan"), float("inf")]}),
        pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Int64)}),
        pl.DataFrame({"x": ["a", "a"]}),
        pl.DataFrame({"x": [True, False]}),
        pl.DataFrame({"x": [7]}),
        pl.DataFrame({"x": [0.5]}),
        pl.DataFrame({"x": [datetime.datetime(2024, 1, 1), None], "y": [[1], [2]]}),
        pl.DataFrame({"x": pl.Series(["a", "b"], dtype=pl.Categorical), "y": [1, 2]}),
        pl.DataFrame({"values": [1, 2], "others": [3, 4], "here": [5, 6]}),
    ],
)
@pytest.mark.parametrize("twins", [False, True])
def test_any_table_gets_canaries_of_its_types(table, twins):
    made = design(table, 30, rng(), twins=twins)
    assert made.rows.schema == table.schema
    assert made.rows.height == 30
    assert (made.twins is not None) == twins


def test_mistakes_are_told():
    with pytest.raises(DataError, match="the table is empty"):
        design(PEOPLE.head(0), 3, rng())
    with pytest.raises(ParameterError, match="choose from extreme, inside, combination"):
        design(PEOPLE, 3, rng(), kinds=["odd"])


def test_the_rows_of_the_data_keep_their_order_and_only_coins_choose_canaries():
    made = design(PEOPLE, 50, rng(), kinds=["extreme"])
    coins = rng(2).integers(2, size=50).astype(bool)
    planted = made.planted(PEOPLE, coins, rng(3))
    assert planted.filter(pl.col("age") <= 62).equals(PEOPLE)
    assert planted.height == PEOPLE.height + coins.sum()
    without = coins.copy()
    without[np.flatnonzero(coins)[0]] = False
    one_less = made.planted(PEOPLE, without, rng(3))
    gone = made.rows[int(np.flatnonzero(coins)[0])]
    assert planted.filter(pl.col("age") != gone["age"].item()).equals(one_less)


def test_of_twins_one_is_in_the_data():
    made = design(PEOPLE, 50, rng(), kinds=["extreme"], twins=True)
    coins = rng(2).integers(2, size=50).astype(bool)
    planted = made.planted(PEOPLE, coins, rng(3))
    assert planted.height == PEOPLE.height + 50
    ages = set(planted["age"])
    assert all((age in ages) == bool(coin) for age, coin in zip(made.rows["age"], coins, strict=True))
    assert all((age in ages) != bool(coin) for age, coin in zip(made.twins["age"], coins, strict=True))


def features(release):
    made = design(PEOPLE, 30, rng(), kinds=["extreme"])
    compared = compare_with(made, canonical(release(made.rows.head(10))))
    return dict(zip(compared.names, compared.matrix, strict=True))


RELEASES = {
    "the rows": (lambda rows: rows, "value named in age"),
    "numbers as text": (lambda rows: rows.select(pl.col("age").cast(pl.String)), "value named in age"),
    "ends of ranges": (
        lambda rows: rows.select(pl.format("[{}, {}]", "age", pl.col("age") + 2000).alias("age")),
        "value named in age",
    ),
    "sets": (
        lambda rows: pl.DataFrame({"age": ["{" + f"{age}, 5" + "}" for age in rows["age"]]}),
        "value named in age",
    ),
    "dates": (lambda rows: rows.select("seen"), "value named in seen"),
    "counts": (lambda rows: rows.group_by("age").len("count"), "count of rows like it"),
    "a list": (lambda rows: rows["age"].to_list(), "value of age in the release"),
    "a mapping": (lambda rows: {"ages": set(rows["age"].to_list())}, "value of age in the release"),
}


@pytest.mark.parametrize("kind", RELEASES)
def test_what_a_release_shows_of_canaries_is_a_feature(kind):
    release, name = RELEASES[kind]
    found = features(release)
    assert found[name].tolist() == [1.0] * 10 + [0.0] * 20


def test_a_sum_of_rows_shows_their_direction():
    vectors = pl.DataFrame(rng().standard_normal((40, 60)))
    made = design(vectors, 30, rng(), kinds=["inside"])
    compared = compare_with(made, canonical(made.rows.head(15).sum().row(0)))
    found = dict(zip(compared.names, compared.matrix, strict=True))["direction of a released vector"]
    assert found[:15].mean() > found[15:].mean()


@pytest.mark.parametrize("release", [None, 7, "text", pl.DataFrame(), pl.DataFrame({"other": [1]}), [], {}])
def test_a_release_that_shows_nothing_of_canaries_has_no_features(release):
    found = features(lambda _: release)
    assert found == {}
