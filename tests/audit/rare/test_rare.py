"""Rare events against exact values, with a null that the intervals must hold."""

import math
from fractions import Fraction
from itertools import compress, product
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdproof import Epsilon, Neighbours
from crowdproof.audit import Pair
from crowdproof.audit.compare.rare import measure, measure_excess
from crowdproof.audit.data.rows import in_order
from crowdproof.audit.targets import load_target
from crowdproof.mechanism import is_deterministic
from crowdproof.mechanisms import Grid, Scheme, StronglySafe
from crowdproof.proofs.bounds import theorem5, tight


def tail(n: int, beta: Fraction, least: int) -> Fraction:
    return sum((math.comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(least, n + 1)), Fraction(0))


@pytest.mark.parametrize(("beta", "epsilon"), [("0.05", "2"), ("0.1", "0.5"), ("0.2", "1.5")])
def test_table_2_is_measured_on_the_black_box(beta, epsilon):
    claimed = theorem5(20, beta, epsilon)
    people = pl.DataFrame({"age": [41] * claimed.n})
    found = measure(
        StronglySafe(Scheme({"age": Grid(20)}), 20), people, Fraction(beta), lambda release: release.height >= 20
    )
    assert found.exact
    assert claimed.low <= found.value.low <= claimed.high
    assert found.runs == claimed.n + 1


def test_the_smallest_cell_of_table_2_is_two_in_ten_to_the_24():
    claimed = theorem5(20, "0.05", 2)
    assert abs(float(claimed.low) / 2.00e-24 - 1) < 0.01


@frozen
class Lossy:
    """Loses its release now and then, so that no stratum is settled by one run."""

    rate: float

    def __call__(self, data, rng):
        return len(data) if rng.random() >= self.rate else -1


def test_a_randomized_target_has_an_interval_that_holds_the_truth_and_is_small():
    beta = Fraction(1, 2)
    found = measure(Lossy(0.25), [0] * 6, beta, lambda rows: rows >= 4, runs=4_000, seed=3, error=Fraction(1, 1000))
    truth = tail(6, beta, 4) * Fraction(3, 4)
    assert found.value.low <= truth <= found.value.high
    assert found.value.high - found.value.low < Fraction(1, 5)
    assert not found.exact


def test_the_same_seed_gives_the_same_interval():
    one, two = (
        measure(Lossy(0.5), [0] * 3, Fraction(1, 2), lambda rows: rows >= 2, runs=500, seed=9) for _ in range(2)
    )
    assert one == two


def test_many_different_rows_are_stratified_by_how_many_are_drawn():
    found = measure(
        Lossy(0.0), list(range(80)), Fraction(1, 2), lambda rows: rows >= 40, runs=3_000, error=Fraction(1, 1000)
    )
    assert found.strata == 81
    assert found.value.low <= tail(80, Fraction(1, 2), 40) <= found.value.high


def test_the_excess_is_that_of_the_worst_pair():
    truth = tight(5, "0.5", "ln 3")
    people = pl.DataFrame({"age": [41] * truth.n})
    pair = Pair(people, people.head(truth.n - 1), Neighbours.ADD_REMOVE, "worst")
    found = measure_excess(
        StronglySafe(Scheme({"age": Grid(20)}), 5),
        pair,
        Fraction(1, 2),
        Epsilon.of("ln 3"),
        lambda release: release.height >= 5,
    )
    assert found.value.low == found.value.high
    assert truth.low <= found.value.low <= truth.high


@frozen
class First:
    """The first row of the sample: what comes out depends on the order."""

    deterministic: ClassVar[bool] = True

    def __call__(self, data, rng):
        return data[0] if len(data) else "nothing"


def by_all_subsets(data, beta, event):
    return sum(
        (
            math.prod(beta if each else 1 - beta for each in kept)
            for kept in product([False, True], repeat=len(data))
            if event(First()(list(compress(data, kept)), None))
        ),
        Fraction(0),
    )


def test_the_rows_keep_their_order():
    found = measure(First(), ["a", "b", "a", "a"], Fraction(1, 2), lambda output: output == "b")
    assert found.exact
    assert found.value.low == Fraction(1, 4)


@settings(max_examples=40)
@given(left=st.lists(st.sampled_from("abc"), max_size=6), right=st.lists(st.sampled_from("abc"), max_size=6))
def test_what_depends_on_the_order_is_that_of_all_subsets(left, right):
    """Also where the two are no neighbours, or have their rows in different orders."""
    beta, b = Fraction(1, 3), (lambda output: output == "b")
    expected = [by_all_subsets(side, beta, b) for side in (left, right)]
    assert [measure(First(), side, beta, b).value.low for side in (left, right)] == expected
    found = measure_excess(First(), Pair(left, right, Neighbours.ADD_REMOVE, "any"), beta, Epsilon.of("ln 2"), b)
    assert found.value.low == found.value.high == expected[0] - 2 * expected[1]


@settings(max_examples=60)
@given(left=st.lists(st.integers(0, 2), max_size=8), right=st.lists(st.integers(0, 2), max_size=8))
def test_a_pair_in_order_has_both_datasets_as_they_are(left, right):
    for make in (list, lambda rows: np.array(rows, float), lambda rows: pl.DataFrame({"a": rows}, {"a": pl.Int64})):
        pair = in_order(make(left), make(right))
        for counts, rows in ((pair.left, left), (pair.right, right)):
            data = pair.dataset(counts)
            assert (data["a"].to_list() if isinstance(data, pl.DataFrame) else list(data)) == rows


@pytest.mark.parametrize("extra", [["new"], ["new", "newer"]], ids=len)
def test_by_sizes_a_row_stands_where_it_stood(extra):
    """70 different rows are too many to enumerate; the new ones come first on the left, and are not on the right."""
    many = [str(row) for row in range(70)]
    pair = Pair([*extra, *many], many, Neighbours.ADD_REMOVE, "new rows come first")
    found = measure_excess(
        First(),
        pair,
        Fraction(1, 2),
        Epsilon.of(0),
        lambda output: output == "new",
        runs=12_000,
        error=Fraction(1, 10**4),
    )
    assert found.value.low <= Fraction(1, 2) <= found.value.high
    assert found.value.low > Fraction(1, 10)


@pytest.mark.parametrize("relation", Neighbours)
def test_the_excess_by_sizes_agrees_with_the_one_by_multiplicities(relation):
    many = [*range(70), 1000]
    right = many[:-1] if relation is Neighbours.ADD_REMOVE else [*many[:-1], 2000]
    found = measure_excess(
        Lossy(0.0),
        Pair(many, right, relation, "many different rows"),
        Fraction(1, 2),
        Epsilon.of(0),
        lambda rows: rows >= 36,
        runs=6_000,
        error=Fraction(1, 1000),
    )
    truth = tail(71, Fraction(1, 2), 36) - tail(len(right), Fraction(1, 2), 36)
    assert found.value.low <= truth <= found.value.high


def seldom(table: pl.DataFrame, rng: np.random.Generator) -> int:
    """Counts the people, and in one run of a thousand says that there is nobody."""
    return 0 if rng.integers(1000) == 0 else table.height


def counts(table: pl.DataFrame) -> int:
    return table.height


@pytest.mark.parametrize(("function", "lost"), [(seldom, Fraction(1, 1000)), (counts, Fraction(0))])
def test_determinism_that_was_only_measured_makes_no_number_exact(function, lost):
    """Of the random one the trial runs see nothing but the same, and of each stratum one run would."""
    beta, people = Fraction(1, 2), pl.DataFrame({"age": [41] * 6})
    target = load_target(function, isolate="none")
    assert target.examine(people).deterministic
    assert target.deterministic
    assert not is_deterministic(target)
    found = measure(target, people, beta, lambda rows: rows >= 4, runs=4_000, error=Fraction(1, 1000))
    assert not found.exact
    assert found.value.low < found.value.high
    assert found.value.low <= tail(6, beta, 4) * (1 - lost) <= found.value.high


@frozen
class Declared:
    """The same count, by a mechanism that stands for it."""

    deterministic: ClassVar[bool] = True

    def __call__(self, data, rng):
        return counts(data)


def test_determinism_that_is_declared_makes_it_exact():
    people = pl.DataFrame({"age": [41] * 6})
    found = measure(Declared(), people, Fraction(1, 2), lambda rows: rows >= 4)
    assert found.exact
    assert found.value.low == found.value.high == tail(6, Fraction(1, 2), 4)
