"""The checker of the definition: safe mechanisms pass, leaky twins are caught."""

from fractions import Fraction

import pytest

from crowdproof.proofs.crowd_blending import (
    Blends,
    Exposed,
    close,
    crowd_blending_check,
    datasets,
    histogram,
    synthetic,
)

BINS = {"ann": 0, "ben": 0, "cyd": 1, "dan": 1}


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_suppressed_histogram_blends(k):
    assert isinstance(crowd_blending_check(histogram(BINS, k), tuple(BINS), k, size=4), Blends)


def test_a_histogram_suppressed_for_less_is_caught_with_its_row():
    found = crowd_blending_check(histogram(BINS, 1), tuple(BINS), k=2, size=3)
    assert found == Exposed(("ann",), "ann", 1)


def test_k_others_is_too_much_to_ask():
    assert isinstance(crowd_blending_check(histogram(BINS, 2), tuple(BINS), 2, size=3, count_self=False), Exposed)


def test_releasing_everything_is_caught_and_releasing_nothing_is_not():
    everything = crowd_blending_check(lambda rows: {rows: Fraction(1)}, tuple(BINS), 2, size=3)
    assert isinstance(everything, Exposed)
    nothing = crowd_blending_check(lambda rows: {"": Fraction(1)}, tuple(BINS), 50, size=3)
    assert isinstance(nothing, Blends)


def test_synthetic_points_blend_at_their_epsilon_and_not_below():
    mechanism = synthetic(BINS, 2, Fraction(3))
    assert isinstance(crowd_blending_check(mechanism, tuple(BINS), 2, 3, size=3), Blends)
    assert isinstance(crowd_blending_check(mechanism, tuple(BINS), 2, 2, size=3), Exposed)


def test_laws_are_probabilities():
    mechanism = synthetic(BINS, 1, Fraction(3))
    for dataset in datasets(tuple(BINS), 3):
        assert sum(mechanism(dataset).values()) == 1
    assert close({"a": Fraction(1)}, {"a": Fraction(1)}, Fraction(1))
    assert not close({"a": Fraction(1)}, {"b": Fraction(1)}, Fraction(1000))
