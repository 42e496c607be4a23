"""Top-down local generalization of sets."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdproof.errors import DataError, ParameterError
from crowdproof.mechanisms import Hierarchy, TopDown
from crowdproof.mechanisms.setvalued import Tree, balance

FOOD = Hierarchy(
    {
        "ale": ["beer", "drink"],
        "stout": ["beer", "drink"],
        "gin": ["spirit", "drink"],
        "ham": ["pork", "meat"],
        "rib": ["pork", "meat"],
        "egg": ["egg", "egg"],
    }
)
LEAVES = [leaf for leaf, _ in FOOD.paths]
baskets = st.lists(st.none() | st.sets(st.sampled_from(LEAVES)).map(sorted), min_size=1, max_size=30)


def table_of(sets):
    return pl.DataFrame({"basket": sets}, schema={"basket": pl.List(pl.String)})


@settings(max_examples=60)
@given(sets=baskets, k=st.integers(1, 5), order=st.randoms(use_true_random=False))
def test_the_release_is_k_anonymous_complete_and_blind_to_order(sets, k, order):
    release = TopDown("basket", FOOD, k, total=True)(table_of(sets))["basket"].to_list()
    assert min(Counter(release).values(), default=k) >= k
    empty, missing = sets.count([]), sets.count(None)
    filled = len(sets) - empty - missing
    kept = [count for count in (empty, missing, filled) if count >= k]
    assert len(release) == sum(kept)
    order.shuffle(sets)
    assert TopDown("basket", FOOD, k, total=True)(table_of(sets))["basket"].to_list() == release


@settings(max_examples=60)
@given(
    sets=st.lists(st.sets(st.sampled_from(LEAVES), min_size=1).map(sorted), min_size=1, max_size=8), k=st.integers(1, 3)
)
def test_every_set_is_covered_by_a_released_one(sets, k):
    """There is a one-to-one assignment of rows to released sets, each standing for exactly the items of its row."""
    release = TopDown("basket", FOOD, k, total=True)(table_of(sets))["basket"].to_list()
    tree = Tree.of(FOOD)
    written = [frozenset(each.strip("{}").split(", ")) for each in release]
    fits = [[covers(tree, nodes, items) for nodes in written] for items in sets]
    assert not release or has_assignment(fits)


def covers(tree, nodes, items):
    chains = [tree.ancestors[item] for item in items]
    return all(sum(node in nodes for node in chain) == 1 for chain in chains) and all(
        any(node in chain for chain in chains) for node in nodes
    )


def has_assignment(fits):
    """Whether every row can be given a release of its own (augmenting paths)."""
    owner = {}

    def place(row, tried):
        for column, fit in enumerate(fits[row]):
            if fit and column not in tried:
                tried.add(column)
                if column not in owner or place(owner[column], tried):
                    owner[column] = row
                    return True
        return False

    return all(place(row, set()) for row in range(len(fits)))


def test_with_k_1_nothing_is_lost():
    sets = [["ale"], ["ham", "gin"], ["egg", "stout"]]
    release = TopDown("basket", FOOD, 1)(table_of(sets))["basket"].to_list()
    assert release == ["{ale}", "{egg, stout}", "{gin, ham}"]


def test_texts_and_lists_mean_the_same():
    texts = pl.DataFrame({"basket": ["{ale, ham}", "{ale, rib}", "{}", "{}", None, "?"]})
    lists = table_of([["ale", "ham"], ["rib", "ale"], [], [], None, None])
    release = TopDown("basket", FOOD, 2)(texts)
    assert release.equals(TopDown("basket", FOOD, 2)(lists))
    assert release["basket"].to_list() == ["?", "?", "{ale, pork}", "{ale, pork}", "{}", "{}"]


def test_left_over_rows_are_none_or_at_least_k():
    groups = [[frozenset([name])] * count for name, count in (("a", 1), ("b", 5), ("c", 3))]
    kept, left_over = balance([list(each) for each in groups], 3)
    assert sorted(map(len, kept)) == [3, 3]
    assert len(left_over) == 3


def test_a_name_for_several_nodes_is_refused():
    tree = Hierarchy({"a": ["x", "m"], "b": ["x", "m"], "c": ["m", "z"], "d": ["m", "z"]})
    with pytest.raises(ParameterError, match="'m' names several nodes of the hierarchy: give each a name of its own"):
        TopDown("basket", tree, 1)(table_of([["a"]]))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pl.Series("basket", [["wine"]]), "holds the item 'wine', which its hierarchy does not: add it there"),
        (pl.Series("basket", ["ale, ham"]), "which is not a set: write it like '{a, b}'"),
        (pl.Series("basket", [1]), "is of type Int64: give lists, or texts like '{a, b}'"),
        (pl.Series("cart", [["ale"]]), "has no column 'basket': name one of its columns"),
    ],
)
def test_wrong_columns_are_refused(column, message):
    with pytest.raises(DataError, match=message):
        TopDown("basket", FOOD, 1)(pl.DataFrame([column]))
