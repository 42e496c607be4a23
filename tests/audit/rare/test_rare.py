"""Rare events against exact values, with a null that the intervals must hold."""

import math
from fractions import Fraction

import polars as pl
import pytest
from attrs import frozen

from crowdproof import Epsilon, Neighbours
from crowdproof.audit import Pair
from crowdproof.audit.rare import measure, measure_excess
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
