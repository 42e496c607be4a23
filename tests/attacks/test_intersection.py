"""Two releases about one person: what both leave, by brute force, and nothing on fresh strongly safe samples."""

import numpy as np
import polars as pl
import pytest

from crowdproof.attacks import intersection
from crowdproof.attacks.intersection import Intersecting, admit, values_left
from crowdproof.data import adult
from crowdproof.errors import DataError
from crowdproof.findings import Refuted, Undecided
from crowdproof.mechanisms import Mondrian

KNOWN = ("age", "sex", "education_num")


def test_what_both_releases_leave_is_the_intersection_of_the_groups():
    """Brute force: the groups are found again from the tables, not from the cells."""
    people = adult(complete=True).select(*KNOWN, "occupation")
    hospitals = admit(people, 200, np.random.default_rng(3))
    mondrian = Mondrian(4, KNOWN)
    releases = hospitals.publish((mondrian, mondrian), hospitals.shared, np.random.default_rng(0))
    left = values_left(releases, hospitals.shared, Intersecting(KNOWN, "occupation"))
    expected = []
    for person in hospitals.shared.iter_rows(named=True):
        sets = [_values(release, person) for release in releases]
        assert person["occupation"] in sets[0] & sets[1]
        expected.append((len(sets[0]), len(sets[0] & sets[1]), sets[0] & sets[1] == {person["occupation"]}))
    assert left == expected


def test_the_share_that_is_determined_on_census_rows():
    """The published figure: at k = 2, two releases determine the occupation of more than a third beyond doubt."""
    known = ("age", "sex", "race", "marital_status", "education_num")
    hospitals = admit(adult(complete=True).select(*known, "occupation"), 600, np.random.default_rng(0))
    mondrian = Mondrian(2, known)
    releases = hospitals.publish((mondrian, mondrian), hospitals.shared, np.random.default_rng(0))
    left = values_left(releases, hospitals.shared, Intersecting(known, "occupation"))
    alone, both = (sum(each[which] == 1 for each in left) / len(left) for which in (0, 1))
    assert both > 1 / 3
    assert both > 3 * alone


def _values(release: pl.DataFrame, person: dict) -> set[str]:
    return {row["occupation"] for row in release.iter_rows(named=True) if all(_holds(row[c], person[c]) for c in KNOWN)}


def _holds(cell: str, value: object) -> bool:
    if cell.startswith("["):
        low, high = map(int, cell[1:-1].split(","))
        return low <= value <= high
    return str(value) in cell.strip("{}").split(", ")


PEOPLE = pl.DataFrame({"age": range(150), "ill": (["flu"] * 9 + ["gout"]) * 15})


def coin(people, rng):
    """Does not look at the people."""
    return pl.DataFrame({"age": ["*"], "ill": [rng.choice(["flu", "gout"])]})


def shuffled(people, rng):
    """Everybody's row as it is, in a random order."""
    return people[rng.permutation(people.height)]


def test_releases_that_do_not_look_at_the_people_are_never_refuted():
    """8 runs, each with a false-alarm rate of at most 0.001 by its intervals, and far less than that in truth."""
    for seed in range(8):
        story = intersection.run(target=coin, data=PEOPLE, rows=100, trials=40, seed=seed)
        assert not story.victim.succeeds


def test_a_release_of_the_rows_themselves_is_not_k_anonymous_and_says_nothing_of_the_claim():
    rare = PEOPLE.with_columns(ill=pl.Series([f"illness {i}" for i in range(150)]))
    verdict = intersection.run(target=shuffled, data=rare, rows=100, trials=40).finding().verdict
    assert isinstance(verdict, Undecided)
    assert "not k-anonymous for any k above 1" in verdict.reason


def pairs(people, rng):
    """Neighbours in age are published together, two by two: 2-anonymous, and the pairs depend on who is there."""
    rows = people.sort("age", "ill")
    group = pl.int_range(pl.len()) // 2
    cells = pl.format("[{}, {}]", pl.col("age").min().over(group), pl.col("age").max().over(group))
    return rows.select(cells.alias("age"), "ill").head(rows.height // 2 * 2).sort("age", "ill")


def test_groups_that_differ_between_two_releases_are_refuted():
    rare = pl.DataFrame({"age": range(600), "ill": [f"illness {i}" for i in range(600)]})
    story = intersection.run(target=pairs, data=rare, rows=400, trials=200)
    assert isinstance(story.finding().verdict, Refuted)
    assert story.victim.success.low > story.victim.baseline.high


def test_too_few_people_are_refused_with_the_remedy():
    with pytest.raises(DataError, match="at most 20"):
        intersection.run(data=pl.DataFrame({"age": range(30), "ill": ["flu"] * 30}), rows=40)
