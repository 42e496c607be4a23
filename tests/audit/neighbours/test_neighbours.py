"""Every proposed pair is a pair of neighbours; the search climbs, shrinks and repeats itself for a seed."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from attrs import frozen

from crowdproof import DPS, Epsilon, Neighbours, NotRefuted, Refuted
from crowdproof.audit import Budget, audit
from crowdproof.audit.data.rows import group
from crowdproof.audit.neighbours import Proposals, vector_pairs
from crowdproof.audit.neighbours.own_data import own_data, suspicious
from crowdproof.audit.neighbours.schema import schema_of
from crowdproof.audit.neighbours.search import Space, search
from crowdproof.errors import DataError, ParameterError

PEOPLE = pl.DataFrame(
    {
        "age": [21, 22, 23, 38, 39, 41, 42, 43, None, 95],
        "weight": [60.5, 70.25, float("nan"), 81.0, 55.5, 60.5, 60.5, 90.0, 77.7, 120.0],
        "city": ["Bonn", "Bonn", "Lyon", "Bonn", "Lyon", "Bonn", "Bonn", None, "Bonn", "Bonn"],
        "member": [True] * 9 + [False],
    }
)


@frozen
class Target:
    k: int = 3


@pytest.mark.parametrize("beta", [None, Fraction(1, 2)])
@pytest.mark.parametrize("relation", Neighbours)
def test_every_proposed_pair_is_a_pair_of_neighbours_of_the_same_schema(relation, beta):
    proposals = Proposals(PEOPLE, Target(), relation, Epsilon.of(1), beta)
    pairs = [*proposals.worst_cases(), *proposals.own_data()]
    assert len(pairs) > 8
    for pair in pairs:
        assert pair.left.schema == pair.right.schema == PEOPLE.schema
        assert group(pair.left, pair.right).neighbours(relation), pair.origin
        assert pair.relation is relation


def test_worst_cases_name_the_extreme_values_and_the_worst_size():
    origins = " ".join(
        p.origin
        for p in Proposals(PEOPLE, Target(), Neighbours.ADD_REMOVE, Epsilon.of(1), Fraction(1, 2)).worst_cases()
    )
    for value in ("age = 95", "age = 21", "city = None", "member = False", "worst case of safe k-anonymization"):
        assert value in origins


def test_suspicious_rows_are_extremes_and_singletons():
    table = pl.DataFrame({"age": [30, 30, 95, 30, 12], "city": ["Bonn", "Bonn", "Bonn", "Lyon", "Bonn"]})
    found = suspicious(table)
    assert found[2] == "greatest age"
    assert found[4] == "least age"
    assert found[3] == "rarest city"


def test_own_data_of_one_row_has_no_neighbours_to_offer():
    assert list(own_data(PEOPLE.head(1), Neighbours.ADD_REMOVE)) == []


def test_own_data_gets_one_row_more_where_rows_may_come_and_go():
    pairs = [pair for pair in own_data(PEOPLE, Neighbours.ADD_REMOVE) if pair.left.height > PEOPLE.height]
    assert [pair.left.height - pair.right.height for pair in pairs] == [1, 1]
    assert pairs[1].left.row(-1) == (95, 120.0, None, False)
    assert all(pair.left.height == pair.right.height for pair in own_data(PEOPLE, Neighbours.REPLACE))
    assert [pair.left for pair in own_data([3, 1, 2], Neighbours.ADD_REMOVE)][1] == [3, 1, 2, 2]


def test_an_empty_table_is_an_error():
    with pytest.raises(DataError, match="empty"):
        schema_of(PEOPLE.clear())


def test_no_data_is_an_error():
    with pytest.raises(DataError, match="nothing to audit on"):
        list(Proposals(None, Target(), Neighbours.ADD_REMOVE, Epsilon.of(1), None).worst_cases())


@pytest.mark.parametrize("length", [1, 2, 5])
def test_vectors_differ_by_one_in_one_place_or_in_each(length):
    for pair in vector_pairs(length):
        assert np.abs(pair.left - pair.right).sum() == 1
    for pair in vector_pairs(length, every=True):
        assert np.abs(pair.left - pair.right).max() == 1
    pairs = [(*pair.left, *pair.right) for pair in vector_pairs(length, every=True)]
    assert len(set(pairs)) == len(pairs)


def test_a_vector_of_nothing_is_an_error():
    with pytest.raises(ParameterError, match="at least one"):
        list(vector_pairs(0))


# --- search ---------------------------------------------------------------------------------------------------


def hidden(pair):
    """A leak that only tables with 4 or more people of 95 show, more of it the more there are."""
    old = int((pair.left["age"] == 95).sum())
    return (old - 4) / 10 + (0.05 if old >= 4 else 0)


def test_the_search_climbs_to_a_leak_and_makes_the_pair_small():
    space = Space(schema_of(PEOPLE), Neighbours.ADD_REMOVE, tuple(range(1, 20)))
    climb = search(space, hidden, examples=200, seed=5)
    assert climb.smallest is not None
    assert climb.smallest.left["age"].to_list().count(95) == 4
    assert climb.smallest.left.height <= 5
    assert group(climb.smallest.left, climb.smallest.right).neighbours(Neighbours.ADD_REMOVE)


def test_the_search_finds_nothing_where_there_is_nothing():
    climb = search(Space(schema_of(PEOPLE), Neighbours.REPLACE, (1, 5)), lambda pair: -1.0, examples=30, seed=5)
    assert climb.smallest is None
    assert climb.tried > 10


def test_the_same_seed_tries_the_same_pairs_and_another_tries_others():
    def visited(seed):
        sizes = []
        search(
            Space(schema_of(PEOPLE), Neighbours.ADD_REMOVE, tuple(range(1, 50))),
            lambda pair: sizes.append(pair.left.height) or -1.0,
            examples=40,
            seed=seed,
        )
        return sizes

    assert visited(1) == visited(1)
    assert visited(1) != visited(2)


@frozen
class ShowsMeeting:
    """Harmless on the usual worst cases: it gives itself away only when a row of 95 meets several of 38."""

    threshold: int
    deterministic = True
    k = 3

    def __call__(self, data, rng):
        old, others = (int((data["age"] == age).sum()) for age in (95, 38))
        return "seen" if old and others >= self.threshold else "nothing"


def test_an_audit_finds_what_only_the_search_can_find():
    claim, data = DPS("0.9", 1, "0.1"), PEOPLE.select("age")
    found = audit(ShowsMeeting(2), claim, data=data, budget=Budget(runs=30_000), search=300, seed=1)
    assert isinstance(found.verdict, Refuted)
    assert "found by search" in next(note.text for note in found.evidence if note.title == "Pair")
    unseen = audit(ShowsMeeting(10**6), claim, data=data, budget=Budget(runs=2_000), search=10)
    assert isinstance(unseen.verdict, NotRefuted)
