"""The embedded and the generated tables."""

from importlib.resources import files

import polars as pl
import pytest

from crowdproof.data import adult, census, town
from crowdproof.errors import ParameterError


def test_adult_is_the_known_table():
    """Counts that the data's own description and the literature give."""
    table = adult()
    assert table.shape == (32_561, 15)
    assert adult(complete=True).height == 30_162
    assert (table["income"] == ">50K").sum() == 7_841
    assert (table["sex"] == "Female").sum() == 10_771
    assert table["age"].min() == 17
    assert table["age"].max() == 90
    unknown = {name: count for name, count in table.null_count().row(0, named=True).items() if count}
    assert unknown == {"workclass": 1_836, "occupation": 1_843, "native_country": 583}
    assert not any((table[name] == "?").any() for name in table.columns if table[name].dtype == pl.String)


def test_adult_comes_with_its_licence():
    text = (files("crowdproof.data") / "ADULT-LICENSE.txt").read_text()
    assert "CC BY 4.0" in text
    assert "Kohavi" in text


def test_a_census_is_the_same_for_the_same_seed():
    assert census(500, seed=3).equals(census(500, seed=3))
    assert not census(500, seed=3).equals(census(500, seed=4))
    assert census(0).height == 0
    assert census(7).columns == census(0).columns


def test_a_census_looks_like_one():
    table = census(20_000, seed=1)
    assert table.null_count().sum_horizontal().item() == 0
    assert 17 <= table["age"].min() < 20
    assert 80 < table["age"].max() <= 95
    married = table.group_by(young=pl.col("age") < 25).agg(share=(pl.col("marital_status") == "Married").mean())
    shares = dict(married.rows())
    assert shares[True] < 0.3 < shares[False]
    assert table["hours_per_week"].mode().to_list() == [40]
    assert set(table["sex"].unique().cast(pl.String)) == {"Female", "Male"}
    assert (table["race"] == "White").mean() == pytest.approx(0.76, abs=0.02)


def test_a_negative_size_is_refused():
    with pytest.raises(ParameterError, match="rows is -1: give a whole number of at least 0"):
        census(-1)


def test_the_town_has_one_rich_inhabitant():
    worth = town()["net_worth"].sort(descending=True)
    assert worth[0] == 35_000_000
    assert (worth > 10_000_000).sum() == 1
    assert worth[19] == 900_000
    assert worth.n_unique() == len(worth) == 160
    assert town(rich=False).equals(town().filter(pl.col("net_worth") < 10_000_000))
