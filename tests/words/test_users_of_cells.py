"""Everybody who looks at a cell sees the same in it: `check`, events, the notions and the attacks."""

import numpy as np
import polars as pl
import pytest

from crowdproof import Neighbours
from crowdproof.attacks.candidates import Reading, commonest
from crowdproof.attacks.extreme import numbers
from crowdproof.attacks.side_channels import shape
from crowdproof.attacks.singling_out import _inside
from crowdproof.audit import Pair
from crowdproof.audit.check.covering import covering_crowd
from crowdproof.audit.check.groups import group
from crowdproof.audit.check.stars import star_rows
from crowdproof.audit.notions.recoded_rows import Releases
from crowdproof.audit.releases import traits
from crowdproof.cells import (
    Anything,
    Range,
    is_clear,
    is_suppressed,
    may_be_suppressed,
    may_cover,
    members,
    parse_cell,
    readings,
    surely_covers,
)

CELLS = [
    None, "", " ", "*", "***", "30", "30.0", "030", "3e1", "[20, 40)", "(30, 40]", "[20, 40[", "20-40", "20..40",
    "20:40", "[20-30]", "40-60", "<30", "<=30", ">=65", "65+", "{20, 30}", "{a, b}", "{*}", "{}", "3*", "30*", "*0",
    "[a, f]", "?", "NA", "2020-01-02", "12345-6789", "-20--10", "1e-5", "20,5", "Bonn", "[30, 20]", "[30, 30]",
    "30-30", "none",
]  # fmt: skip


def one_cell(cell):
    return pl.DataFrame({"a": pl.Series([cell], dtype=pl.String)})


@pytest.mark.parametrize("cell", CELLS, ids=repr)
def test_whoever_asks_for_a_person_gets_the_same_answer(cell):
    expected = parse_cell(cell).covers(parse_cell("30"))
    for value in (30, "30"):
        assert Reading.of(one_cell(cell), ["a"]).could_be({"a": value}).tolist() == [expected]
        assert _inside(pl.Series([value]), parse_cell(cell)).tolist() == [expected]


@pytest.mark.parametrize("cell", CELLS, ids=repr)
def test_crowds_grow_by_what_covers(cell):
    """Five rows of the cell and one of 30: these five hide among 5, or 6 if 30 covers them; the one among 1, or 6."""
    release = pl.DataFrame({"a": pl.Series(["30", *[cell] * 5], dtype=pl.String)})
    groups = group(release.lazy(), ["a"])
    for covers in (surely_covers, may_cover):
        of_the_cell = 6 if covers(readings("30"), readings(cell)) else 5
        of_the_number = 6 if covers(readings(cell), readings("30")) else 1
        found = covering_crowd(groups, every_reading=covers is surely_covers)
        assert found.size == min(of_the_cell, of_the_number)


@pytest.mark.parametrize("cell", CELLS, ids=repr)
def test_the_ends_of_a_range_are_the_same_in_an_event_and_in_an_attack(cell):
    found = dict(traits(one_cell(cell)))
    starts, ends = ([name[2] for name in found if name[0] == kind] for kind in ("range starts", "range ends"))
    low, high = numbers(one_cell(cell), "a").row(0)[1:3]
    match parse_cell(cell):
        case Range(first, last):
            assert [float(each) for each in starts] == [float(each) for each in (first,) if each is not None]
            assert [float(each) for each in ends] == [float(each) for each in (last,) if each is not None]
            both = first is not None and last is not None
            assert (low, high) == ((float(first), float(last)) if both else (None, None))
        case _:
            assert low is None or low == high or cell == "{20, 30}"


@pytest.mark.parametrize("cell", CELLS, ids=repr)
def test_the_members_of_a_set_are_the_same_in_an_event(cell):
    held = [name[2] for name in dict(traits(one_cell(cell))) if name[0] == "set holds"]
    assert held == list(members(cell or "") or ())


@pytest.mark.parametrize("cell", CELLS, ids=repr)
def test_a_suppressed_cell_is_suppressed_to_all(cell):
    release, gone = one_cell(cell), is_suppressed(cell)
    assert (parse_cell(cell) == Anything()) is gone
    assert star_rows(group(release.lazy(), ["a"])) == gone
    assert shape(release)[0] == gone
    found = dict(traits(release))
    assert found["rows of stars",] == gone
    assert found.get(("stars", "a"), 0) == gone
    assert (commonest(release["a"]) is None) is gone


@pytest.mark.parametrize("cell", CELLS, ids=repr)
def test_only_what_cannot_be_a_suppressed_cell_refutes_a_recoding(cell):
    """Everybody is shown with that cell in one release, and with another value in the other."""
    data = [pl.DataFrame({"id": range(count), "a": "x"}) for count in (3, 2)]
    tables = [pl.concat([one_cell(each)] * count) for each, count in (("other", 3), (cell, 2))]
    seen = Releases.of(Pair(*data, Neighbours.ADD_REMOVE, "by hand"), *tables)
    assert seen.moved() == (0 if may_be_suppressed(cell) else 2)


def test_missing_cells_of_a_list_of_rows_are_suppressed():
    found = dict(traits([{"a": None, "b": "x"}, {"a": None, "b": None}]))
    assert found["stars", "a"] == 2
    assert found["rows of stars",] == 1
    assert dict(traits([{"a": "None"}]))["rows of stars",] == 0


def test_a_text_that_looks_like_a_range_is_found_again_in_the_data():
    """Keys such as 20-40, published as they are: nobody takes them for numbers of the data and fails."""
    keys = pl.Series(["20-40", "20-41", "7"])
    assert _inside(keys, parse_cell("20-40")).tolist() == [True, False, False]
    reading = Reading.of(pl.DataFrame({"key": keys}), ["key"])
    assert reading.could_be({"key": "20-40"}).tolist()[0]


def test_truth_values_are_found_in_a_release_of_truth_values():
    reading = Reading.of(pl.DataFrame({"smokes": [True, False]}), ["smokes"])
    assert reading.could_be({"smokes": True}).tolist() == [True, False]


def test_the_crowd_is_that_of_the_brute_force_search_by_either_reading():
    rng = np.random.default_rng(5)
    release = pl.DataFrame({name: rng.choice(CELLS[2:], 80) for name in ("a", "b")})
    rows = [tuple(map(readings, row)) for row in release.iter_rows()]
    for covers in (surely_covers, may_cover):
        crowds = [sum(all(map(covers, other, row)) for other in rows) for row in rows]
        found = covering_crowd(group(release.lazy(), ["a", "b"]), every_reading=covers is surely_covers)
        assert found.size == min(crowds)


def test_cells_of_both_kinds_are_among_the_examples():
    assert {is_clear(cell) for cell in CELLS} == {True, False}
