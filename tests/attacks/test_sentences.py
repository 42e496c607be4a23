"""No number of a sentence is written in: other data, or other settings, change every one that is not a setting."""

import re

import numpy as np
import polars as pl
import pytest

import crowdproof as cp
from crowdproof.attacks import CATALOGUE, load
from crowdproof.data import adult
from crowdproof.findings import Undecided

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
FIELDS = ("title", "knows", "sees", "infers", "claim", "remedy")
TABLE = {
    "linkage": {"rows": 200, "trials": 20},
    "intersection": {"rows": 160, "trials": 20},
    "singling-out": {"rows": 100, "trials": 20},
    "homogeneity": {"rows": 600},
    "background-knowledge": {"rows": 900},
    "skewness": {"rows": 900},
    "similarity": {"rows": 900},
    "complementary": {"rows": 300},
    "reconstruction": {"blocks": 15, "known": "age,sex,race,hours_per_week"},
    "grids": {"trials": 15, "rows": 300},
    "differencing": {"trials": 15, "rows": 300},
    "averaging": {"trials": 15, "answers": 50},
    "membership": {"trials": 15, "rows": 60, "others": 100},
}
"""On the same columns of three tables that have nothing in common."""
CENSUS = {"minimality": {"rows": 9000}, "definetti": {"outside": 700, "l": 3}, "downcoding": {"rows": 200}}
"""On all columns of the census."""
SETTINGS = {
    "clr": [
        {"trials": 30, "k": each, "data": pl.DataFrame({"pay": range(100 * each, 100 * each + 10 * each, 3)})}
        for each in (15, 17, 23)
    ],
    "xor": [{"epsilon": each} for each in ("0.2", "0.3", "0.5")],
    "dps-dp": [{"at_least": each * 128 * 10**5, "block": each, "trials": 2000} for each in (64, 128, 256)],
    "same-sample": [{"x": 10}, {"n": 3, "k": 2, "beta": "1/3", "x": 8}, {"n": 5, "beta": "1/5", "x": 11}],
    "degenerate": [{"k": each} for each in (3, 4, 5)],
    "fingerprint": [{"people": 200 + each, "films": 60, "known": 3, "trials": 20, "seed": each} for each in (1, 2, 3)],
    "side-channels": [{"others": each, "channel": "stars"} for each in (3, 4, 5)],
    "reuse": [{"k": each, "others": 90 + each, "beta": f"1/{each}"} for each in (2, 3, 4)],
    "guessing": [{"epsilon": f"0.0{each}", "advantage": f"0.{each}", "prior": f"{each}/9"} for each in (2, 3, 4)],
    "unicity": [{"people": 200 + each, "trials": 20, "seed": each} for each in (1, 2, 3)],
}
"""Other settings, for attacks that bring their own people or work out a law."""


SAME = {"100.0", "100", "50.0", "0.5", "1.0", "50", "51"}
"""What runs may have in common: all, one of two, what membership is set to, >50K, and an age that is made up."""


def tables():
    people = adult(complete=True)
    known = ["age", "sex", "race", "marital_status", "education_num", "hours_per_week", "occupation"]
    starts = ((0, 2411), (9000, 2833), (20000, 3307))
    return [people.slice(start, size).select(known).sample(fraction=1, shuffle=True, seed=1) for start, size in starts]


def sections():
    people = adult(complete=True)
    sizes = ((0, 9100), (9100, 9400), (18500, 9800))
    return [people.slice(start, size) for start, size in sizes]


def runs(name):
    if name in SETTINGS:
        return SETTINGS[name]
    which, settings = (tables(), TABLE[name]) if name in TABLE else (sections(), CENSUS[name])
    return [{"data": data, "seed": seed, **_moved(settings, seed)} for seed, data in enumerate(which)]


def _moved(settings, by):
    """Sizes that differ from run to run, so that what follows from them differs, too."""
    return {
        name: value + (7 if value > 9 else 1) * by if isinstance(value, int) else value
        for name, value in settings.items()
    }


SLOW = {"downcoding", "definetti", "degenerate", "intersection"}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.long) if each in SLOW else each for each in CATALOGUE]
)
def test_other_data_changes_every_number(name):
    """At each place of the sentences, the three runs do not all have the same number, unless it is a setting.

    Small counts may be the same by chance; what has two digits or more is not.
    """
    stories = [load(name).run(**settings) for settings in runs(name)]
    found = [NUMBER.findall(" ".join(story.learned)) for story in stories]
    said = set.intersection(*(set(NUMBER.findall(str(story.reproduce.parameters))) for story in stories))
    alike = set.intersection(*map(set, found))
    if len({*map(len, found)}) == 1:
        alike = {each[0] for each in zip(*found, strict=True) if len(set(each)) == 1}
    assert all(found)
    assert not [each for each in alike - said - SAME if len(each) > 1], found


@pytest.mark.parametrize("name", CATALOGUE)
def test_what_is_told_before_the_attack_runs_has_no_measured_number(name):
    attack = load(name).ATTACK
    for each in FIELDS:
        assert not re.search(r"\d[.,]\d|\d\d", getattr(attack, each)), each
    assert not re.search(r"\d[.,]\d|\d\d", CATALOGUE[name])


@pytest.mark.parametrize("name", ["clr", "linkage", "homogeneity", "side-channels", "membership", "singling-out"])
def test_an_array_of_numbers_is_data_and_a_release(name):
    rows = np.random.default_rng(1).integers(0, 30, (300, 3))
    settings = {"rows": 60} if name in {"singling-out", "membership", "homogeneity"} else {}
    settings |= {} if name == "homogeneity" else {"trials": 10}
    settings |= {"others": 60} if name == "membership" else {}
    finding = cp.attack(name, target=lambda table: table[::-1], data=rows, **settings)
    assert finding.subject
    assert "column_" in str(finding) or name in {"side-channels", "singling-out", "membership"}


def test_people_without_a_secret_are_nobody_s_example():
    people = pl.DataFrame({"age": [*range(20, 60)] * 5, "ill": ["flu", "gout", None, "cold"] * 50})
    for name in ("linkage", "intersection", "homogeneity", "complementary", "background-knowledge", "differencing"):
        data = (
            people
            if name != "complementary"
            else people.with_columns(zip=pl.col("age") % 7).select("age", "zip", "ill")
        )
        settings = {"rows": 40, **({"trials": 10} if name in {"linkage", "intersection", "differencing"} else {})}
        settings |= {"k": 10} if name == "differencing" else {"l": 2} if name == "background-knowledge" else {}
        assert "None" not in " ".join(load(name).run(data=data, **settings).learned)


def test_a_release_that_is_not_k_anonymous_refutes_no_claim_about_k_anonymity():
    people = pl.DataFrame({"age": range(400), "ill": ["flu", "gout"] * 200})
    for name, settings in (("singling-out", {"rows": 60, "trials": 10}), ("homogeneity", {"rows": 60})):
        verdict = cp.attack(name, target=lambda table: table, data=people, **settings).verdict
        assert isinstance(verdict, Undecided)
        assert "not k-anonymous for any k above 1" in verdict.reason
