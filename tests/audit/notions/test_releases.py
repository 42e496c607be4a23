"""What suppression can explain of two releases, and what only a change of the recoding can."""

from itertools import permutations

import numpy as np
import polars as pl
import pytest
from attrs import evolve

from crowdproof import Neighbours
from crowdproof.audit import Pair
from crowdproof.audit.notions.recoded_rows import Releases, one_threshold

ADD, REPLACE = Neighbours.ADD_REMOVE, Neighbours.REPLACE


def releases(left, right, *, people=(9, 8), columns=("age", "illness")):
    """Two releases of tables of different people, of which all but one are in both."""
    tables = (
        pl.DataFrame(rows, schema=[(name, pl.String) for name in columns], orient="row") for rows in (left, right)
    )
    return Releases.of(different(people, columns), *tables)


def different(people, columns):
    """Tables of so many different people."""
    data = [pl.DataFrame({"id": range(count), **dict.fromkeys(columns, "x")}) for count in people]
    return Pair(*data, ADD, "by hand")


FLU, COLD, STAR = ("30", "flu"), ("30", "cold"), ("*", "*")


@pytest.mark.parametrize(
    ("left", "right", "people", "moved"),
    [
        ([FLU] * 3, [FLU] * 2, (3, 2), 0),
        ([FLU] * 3, [("40", "flu")] * 2, (3, 2), 2),
        ([FLU] * 3, [("40", "flu")] * 2, (5, 4), 0),  # other two may have been left out before
        ([FLU] * 3, [("40", "flu")] * 2, (4, 3), 1),
        ([FLU] * 3, [STAR] * 2, (3, 2), 0),
        ([FLU] * 3, [("*", "flu")] * 2, (3, 2), 0),
        ([FLU] * 3, [("*", "cold")] * 2, (3, 2), 2),
        ([FLU, COLD, COLD], [("*", "flu"), ("", "flu")], (3, 2), 1),
        ([FLU, ("*", "cold")], [("40", "cold")], (2, 1), 0),
        ([FLU] * 4, [COLD] * 6, (3, 2), 0),  # more rows than people: no recoding of rows
        ([FLU] * 3, [("30.0", "flu")] * 2, (3, 2), 0),
        ([FLU] * 3, [], (3, 2), 0),
    ],
)
def test_people_who_are_shown_with_two_values_are_counted(left, right, people, moved):
    assert releases(left, right, people=people).moved() == moved


@pytest.mark.parametrize("seed", range(200))
def test_no_suppression_of_rows_or_cells_is_taken_for_a_change(seed):
    """The recoding is fixed; whatever is hidden, in either release, is hidden at random."""
    rng = np.random.default_rng(seed)
    recoded = rng.choice(["a", "b", "c"], (6, 2))

    def release(rows):
        shown = rows[rng.random(len(rows)) < rng.random() ** 0.3]
        return np.where(rng.random(shown.shape) < rng.random() / 2, "*", shown).tolist()

    assert releases(release(recoded), release(recoded[:5]), people=(6, 5)).moved() == 0


@pytest.mark.parametrize("seed", range(60))
def test_the_count_is_the_least_over_all_ways_to_pair_people_up(seed):
    """Against every assignment of the rows of either release to people."""
    rng = np.random.default_rng(seed)
    left, right = (rng.choice(["a", "b", "*"], (rows, 2), p=[0.4, 0.4, 0.2]) for rows in (4, int(rng.integers(1, 4))))
    left, right = ([tuple(row) for row in side.tolist() if set(row) != {"*"}] for side in (left, right))

    def agree(one, other):
        return all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=True))

    best = min(
        sum(place is not None and not agree(left[place], row) for place, row in zip(places, right, strict=True))
        for places in permutations([*range(len(left)), *[None] * (4 - len(left))], len(right))
    )
    compared = evolve(releases(left, right, people=(4, 3)), recoded=(0, 1))  # none of them for a pseudonym
    assert compared.moved() == best


def test_a_row_that_is_new_may_be_that_of_the_person_who_came():
    assert releases([FLU, COLD], [FLU], people=(2, 1)).moved() == 0
    assert releases([FLU, FLU], [("30", "gout")], people=(2, 1)).moved() == 1


@pytest.mark.parametrize(
    ("left", "right", "columns", "relation", "expected"),
    [
        ([FLU] * 3, [FLU] * 2, ["age", "illness"], ADD, True),
        ([FLU] * 5, [], ["age", "illness"], ADD, True),
        ([FLU] * 5, [FLU] * 3, ["age"], ADD, False),
        ([FLU, FLU, COLD], [], ["age", "illness"], ADD, False),
        ([FLU, FLU, COLD], [], ["age"], ADD, True),
        ([FLU, FLU, COLD], [COLD], ["age"], ADD, False),
        ([FLU, FLU, COLD], [STAR] * 2, ["age"], ADD, True),
        ([FLU, COLD], [FLU, FLU], ["age"], ADD, False),
        ([FLU, COLD], [FLU, FLU], ["age"], REPLACE, True),
        ([FLU, COLD], [FLU, FLU], ["illness"], REPLACE, True),
        ([FLU, FLU, COLD], [("40", "flu")] * 3, ["age"], REPLACE, True),
        ([FLU, FLU, COLD], [("40", "flu")] * 3, ["age"], ADD, False),
        ([FLU, ("40", "flu")], [("50", "flu")] * 2, ["age"], REPLACE, False),
    ],
)
def test_what_a_threshold_on_groups_can_do(left, right, columns, relation, expected):
    assert releases(left, right).by_threshold(columns, relation) is expected


def test_the_columns_of_the_threshold_are_the_same_every_time():
    by_age = releases([FLU, FLU, COLD], [])
    by_both = releases([FLU, FLU, COLD], [COLD])
    by_neither = releases([FLU, FLU, ("40", "cold")], [])
    assert one_threshold([], ADD)
    assert one_threshold([by_age, by_age], ADD)
    assert one_threshold([by_both], ADD)
    assert not one_threshold([by_age, by_both], ADD)
    assert not one_threshold([by_neither], ADD)


def test_columns_that_come_and_go_are_not_explained_and_the_others_are_compared():
    wide = pl.DataFrame({"age": ["30"] * 3, "index": ["0", "1", "2"]})
    for age, moved in (("30", 0), ("40", 2)):
        read = Releases.of(different((3, 2), ["age"]), wide, pl.DataFrame({"age": [age] * 2}))
        assert read.moved() == moved
        assert not one_threshold([read], ADD)
