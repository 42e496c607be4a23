"""The two datasets of a witness: what differs is always shown and marked, whatever form the data has."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdproof.findings import Estimate, Event, PairWitness
from crowdproof.report.datasets import differing, pair

HALF = Estimate.exactly(Fraction(1, 2))
PEOPLE = [{"age": 30, "zip": "10010"}, {"age": 31, "zip": "10011"}]


def witness(left, right):
    return PairWitness(left, right, Event("e"), HALF, HALF, HALF)


values = st.lists(st.integers(0, 3), max_size=30)


@given(values, values, st.integers(0, 6))
def test_nothing_is_lost_and_exactly_the_difference_is_marked(left, right, limit):
    both = pair(witness(left, right), limit)
    for side, own, other in ((both.left, left, right), (both.right, right, left)):
        assert side.total == len(own) == sum(each.times for each in side.rows)
        marked = Counter(int(each.cells[0]) for each in side.rows if each.differs)
        assert marked == Counter(own) - Counter(other)
        assert sum(not each.differs and not each.gap for each in side.rows) <= limit
        assert not any(a.gap and b.gap for a, b in zip(side.rows, side.rows[1:], strict=False))


@given(values, st.integers(0, 3), st.integers(0, 30))
def test_one_added_row_is_found_wherever_it_stands(rows, extra, place):
    assert differing(witness([*rows[:place], extra, *rows[place:]], rows)) == (("value",), [(str(extra),)], [])


@pytest.mark.parametrize(
    ("left", "right", "columns", "only"),
    [
        (PEOPLE, PEOPLE[:1], ("age", "zip"), ("31", "10011")),
        (
            {"age": [30, 31], "zip": ["10010", "10011"]},
            {"age": [30], "zip": ["10010"]},
            ("age", "zip"),
            ("31", "10011"),
        ),
        ({"columns": ["age"], "rows": [[30], [31]]}, {"columns": ["age"], "rows": [[30]]}, ("age",), ("31",)),
        ([[1, 2], [3, 4]], [[1, 2]], ("1", "2"), ("3", "4")),
        ([1.5, 2.5], [1.5], ("value",), ("2.5",)),
        (["a", None], ["a"], ("value",), ("(none)",)),
        (7, 8, ("value",), ("7",)),
        ({"total": 7}, {"total": 8}, ("total",), ("7",)),
    ],
)
def test_every_form_of_data_is_read(left, right, columns, only):
    got_columns, got_left, _ = differing(witness(left, right))
    assert (got_columns, got_left) == (columns, [only])


def test_equal_rows_are_gathered_and_a_long_middle_is_counted():
    both = pair(witness([*["a"] * 9, "x", *"bcdefgh"], [*["a"] * 9, *"bcdefgh"]), 3)
    assert [(each.cells, each.times, each.differs) for each in both.left.rows] == [
        (("a",), 9, False),
        (("x",), 1, True),
        (("b",), 1, False),
        (("c",), 1, False),
        ((), 5, False),
    ]
