"""Two versions of one table: what both say by brute force, and nothing more where one is made from the other."""

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import complementary
from crowdproof.attacks.complementary import Both, coarser, version
from crowdproof.attacks.grouped import Setting
from crowdproof.attacks.premise import smallest_group
from crowdproof.data import adult
from crowdproof.errors import ParameterError

KNOWN = ("age", "sex", "education_num", "race")


def setting(rows, seed=1):
    people = adult(complete=True).select(*KNOWN, "occupation")
    return Setting.of(people, KNOWN, "occupation", rows, usual=KNOWN, rng=np.random.default_rng(seed))


def test_each_version_is_k_anonymous_and_fine_in_its_own_columns_only():
    who = setting(300)
    release = version(who, ("age", "race"), 4)
    assert smallest_group(release, KNOWN) >= 4
    assert release["sex"].unique().to_list() == ["*"]
    assert release["age"].n_unique() > 3
    assert coarser(release, ("age", "race"))["age"].unique().to_list() == ["*"]


def test_what_both_say_is_what_the_groups_allow():
    """Second route: the groups are found from the texts of the cells, person by person."""
    who = setting(120)
    releases = [version(who, fine, 3) for fine in (("age", "race"), ("sex", "education_num"))]
    right, single = [0, 0, 0], [0, 0, 0]
    for person in who.tables.inside.iter_rows(named=True):
        groups = [
            release.filter(
                pl.Series([all(fits(row[c], person[c]) for c in KNOWN) for row in release.iter_rows(named=True)])
            )["occupation"].to_list()
            for release in releases
        ]
        shares = [{each: group.count(each) / len(group) for each in group} for group in groups]
        both = {each: shares[0][each] * shares[1][each] for each in set(shares[0]) & set(shares[1])}
        for place, said in enumerate((both, *shares)):
            best = max(sorted(said), key=lambda each: round(said[each], 12))
            right[place] += best == person["occupation"]
            single[place] += len(said) == 1
    found = Both.of(who, *releases)
    assert list(found.left) == single
    assert all(abs(a - b) <= 2 for a, b in zip(found.right, right, strict=True))  # products of floats may tie apart


def fits(cell, value):
    if cell.startswith("["):
        low, high = map(int, cell[1:-1].split(","))
        return low <= value <= high
    return cell == "*" or str(value) in cell.strip("{}").split(", ")


def test_a_version_that_is_made_from_the_first_adds_nothing():
    for seed in range(4):
        who = setting(400, seed)
        first = version(who, ("age", "race"), 3)
        found = Both.of(who, first, coarser(first, ("age", "race")))
        assert found.left[0] == found.left[1]
        assert not found.outcome("twin").succeeds


def test_versions_of_other_people_are_never_refuted():
    """The null: 12 pairs of versions of strangers' tables, each with a false-alarm rate of at most 0.001."""
    for seed in range(12):
        who, strangers = setting(400, seed), setting(400, seed + 100)
        releases = [version(strangers, fine, 3) for fine in (("age", "race"), ("sex", "education_num"))]
        assert not Both.of(who, *releases).outcome("strangers").succeeds


def test_one_column_makes_no_two_versions():
    with pytest.raises(ParameterError, match="name two or more"):
        complementary.run(data=pl.DataFrame({"age": range(40), "ill": ["flu", "gout"] * 20}))
