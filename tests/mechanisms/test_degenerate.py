"""Releases that are k-anonymous and show a person all the same."""

import numpy as np
import polars as pl
import pytest

from crowdproof.errors import DataError, ParameterError
from crowdproof.mechanism import is_deterministic
from crowdproof.mechanisms import AppendPerson, Contains, Duplicate, EpsSafe, Keep, Mondrian, Scheme

PEOPLE = pl.DataFrame({"name": ["Ann", "Bob", "Cy", "Di"], "age": [20, 30, 40, None]})


def test_chosen_rows_are_released_k_times_in_the_clear():
    release = Duplicate(Contains({"age": None}), 3)(PEOPLE)
    assert release.rows() == [("Di", "?")] * 3
    assert Duplicate(Contains({"age": 99}), 3)(PEOPLE).is_empty()


def test_one_person_is_attached_to_every_row():
    mechanism = AppendPerson(Mondrian(2, ["name", "age"]), Contains({"name": "Cy"}))
    release = mechanism(PEOPLE, np.random.default_rng(0))
    assert release.select("person_name", "person_age").unique().rows() == [("Cy", "40")]
    assert release.group_by(release.columns).len()["len"].min() >= 2
    absent = mechanism(PEOPLE.filter(pl.col("name") != "Cy"), np.random.default_rng(0))
    assert absent.select("person_name", "person_age").unique().rows() == [("?", "?")]


def test_it_uses_its_rng_as_the_mechanism_inside_does():
    person = Contains({"name": "Ann"})
    assert is_deterministic(AppendPerson(Mondrian(2), person))
    assert not is_deterministic(AppendPerson(EpsSafe([Scheme({"name": Keep()})], 2, 1), person))


def test_a_predicate_needs_its_columns():
    with pytest.raises(DataError, match="no column 'city': name one of its columns"):
        Duplicate(Contains({"city": "Bonn"}), 2)(PEOPLE)
    with pytest.raises(DataError, match=r"is not of its column's type: age \(Int64\); give one that is"):
        Contains({"age": "old"})(PEOPLE)
    with pytest.raises(ParameterError, match="the row names no column"):
        Contains({})
