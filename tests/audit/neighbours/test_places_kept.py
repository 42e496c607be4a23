"""In a pair of neighbours one place differs and all other rows keep theirs, whatever was grouped or exchanged."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from crowdproof import DP, DPS, CrowdBlending, Epsilon, Neighbours, NotRefuted, Refuted
from crowdproof.audit import Budget, Pair, audit
from crowdproof.audit.data.rows import group, in_one_place
from crowdproof.audit.neighbours import Proposals
from crowdproof.audit.notions.suspects import _suspect
from crowdproof.audit.replay import replay
from crowdproof.errors import DataError

MAKERS = [list, np.array, lambda rows: pl.DataFrame({"v": rows}, schema={"v": pl.Int64})]
ROWS = st.lists(st.integers(0, 4), min_size=1, max_size=8)


def listed(data):
    return data["v"].to_list() if isinstance(data, pl.DataFrame) else list(data)


def places_apart(one, other):
    return [place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]


@given(rows=ROWS, place=st.integers(0, 7), value=st.integers(0, 4), make=st.sampled_from(MAKERS))
def test_grouping_keeps_a_replaced_row_in_its_place(rows, place, value, make):
    other = [*rows]
    other[place % len(rows)] = value
    found = group(make(rows), make(other))
    left, right = (listed(found.dataset(counts)) for counts in (found.left, found.right))
    assert Counter(left) == Counter(rows)
    assert Counter(right) == Counter(other)
    assert len(places_apart(left, right)) == (rows != other)
    assert all(len(list(run)) == left.count(value) for value, run in itertools.groupby(left))  # equal rows together
    assert found.neighbours(Neighbours.REPLACE)


@given(rows=ROWS, other=ROWS, make=st.sampled_from(MAKERS))
def test_what_differs_in_one_place_is_told_by_trying_all_of_them(rows, other, make):
    removed = [[*each[:i], *each[i + 1 :]] for each in (rows, other) for i in range(len(each))]
    expected = rows in removed or other in removed
    if len(rows) == len(other):
        expected = len(places_apart(rows, other)) <= 1
    assert in_one_place(make(rows), make(other)) == expected


@given(rows=ROWS, place=st.integers(0, 7), make=st.sampled_from(MAKERS), swapped=st.booleans())
def test_a_row_that_may_blend_is_exchanged_in_its_place(rows, place, make, swapped):
    whole, rest = [*rows, 9], [*rows, 9]
    del rest[place % len(rows)]
    both = (make(rest), make(whole)) if swapped else (make(whole), make(rest))
    suspect = _suspect(Pair(*both, Neighbours.ADD_REMOVE, "some rows"))
    assert listed(suspect.without().left) == whole
    assert listed(suspect.without().right) == rest
    for other in set(suspect.kinds.tolist()) - {suspect.kind}:
        pair = suspect.exchanged(other)
        assert listed(pair.left) == whole
        (changed,) = places_apart(whole, listed(pair.right))
        assert changed == suspect.row
        assert suspect.kinds[whole.index(listed(pair.right)[changed])] == other


@pytest.mark.parametrize("beta", [None, Fraction(1, 2)])
@pytest.mark.parametrize("relation", Neighbours)
def test_every_proposed_pair_differs_in_one_place(relation, beta):
    people = pl.DataFrame({"age": [21, 38, 38, 41, 95, 22], "city": ["Bonn", "Lyon", "Bonn", None, "Bonn", "Rome"]})
    proposals = Proposals(people, object(), relation, Epsilon.of(1), beta)
    for pair in [*proposals.worst_cases(), *proposals.own_data()]:
        assert in_one_place(pair.left, pair.right), pair.origin


@frozen
class Local:
    """Each row answers for itself, in its place: with `truth` as it is, else with one of the three other values."""

    truth: Fraction
    fewest: int = 0
    """Of fewer rows nothing is told."""

    def __call__(self, rows, rng):
        if len(rows) < self.fewest:
            return "too few"
        return [row if rng.random() < self.truth else (row + int(rng.integers(1, 4))) % 4 for row in rows]

    def law(self, rows):
        lie = (1 - self.truth) / 3
        if len(rows) < self.fewest:
            return [("too few", Fraction(1))]
        answers = itertools.product(range(4), repeat=len(rows))
        return [
            (list(told), math.prod(self.truth if a == b else lie for a, b in zip(told, rows, strict=True)))
            for told in answers
        ]


AT_LN_3 = Fraction(1, 2)
BEYOND = Fraction(3, 5)
SEVEN_TENTHS = Fraction(7, 10)


@pytest.mark.parametrize(
    "claim", [DP("ln 3", 0, "replace"), DPS(SEVEN_TENTHS, "ln 3", 0, "replace")], ids=["dp", "dps"]
)
@pytest.mark.parametrize(("truth", "verdict"), [(AT_LN_3, NotRefuted), (BEYOND, Refuted)])
def test_local_answers_keep_their_claim_about_a_replaced_row(claim, truth, verdict):
    """With the rows before and after the replaced one moved, e^epsilon would be 9 and not 3."""
    found = audit(Local(truth), claim, data=[0, 1, 2, 3], budget=Budget(runs=500), seed=1)
    assert isinstance(found.verdict, verdict)
    if verdict is Refuted:
        witness = found.verdict.witness
        assert in_one_place(witness.left, witness.right)
        assert isinstance(replay(found, Local(truth), seed=2).verdict, Refuted)
        assert isinstance(replay(found, Local(AT_LN_3), seed=2).verdict, NotRefuted)


@pytest.mark.parametrize(("truth", "verdict"), [(AT_LN_3, NotRefuted), (BEYOND, Refuted)])
def test_rows_that_answer_for_themselves_blend(truth, verdict):
    pair = Pair([0, 1, 2, 3], [1, 2, 3], Neighbours.ADD_REMOVE, "one of each, and one less")
    found = audit(Local(truth, fewest=4), CrowdBlending(4, "ln 3"), pairs=[pair], budget=Budget(runs=500), seed=1)
    assert isinstance(found.verdict, verdict)


@pytest.mark.parametrize(("left", "right"), [([1, 2, 3], [3, 4, 2]), ([1, 2, 3], [3, 1])])
def test_a_given_pair_whose_rows_are_in_two_orders_is_an_error(left, right):
    relation = Neighbours.REPLACE if len(left) == len(right) else Neighbours.ADD_REMOVE
    tables = [pl.DataFrame({"v": rows}) for rows in (left, right)]
    with pytest.raises(DataError, match="rows in different orders"):
        audit(Local(AT_LN_3), DP(1, 0, relation), pairs=[Pair(*tables, relation, "mine")], budget=Budget(runs=100))
