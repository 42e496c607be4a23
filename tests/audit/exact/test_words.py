"""The event that is shown: simple where that loses nothing, and always evaluated exactly."""

from fractions import Fraction

import polars as pl
import pytest

from crowdproof import Epsilon
from crowdproof.audit.compare.exact import Mass, PairLaw, excess_at
from crowdproof.audit.compare.exact.exact_words import simplest

EPSILON = Epsilon.of("ln 2")


def law(*outcomes):
    """(output, left, right) in hundredths."""
    return PairLaw(
        tuple(
            Mass(str(i), Fraction(left, 100), Fraction(right, 100), output)
            for i, (output, left, right) in enumerate(outcomes)
        )
    )


def shown(outcomes):
    found = law(*outcomes)
    return simplest(found, excess_at(found, EPSILON)), excess_at(found, EPSILON)


def ages(*cells):
    return pl.DataFrame({"age": list(cells)})


def test_a_trait_that_separates_is_named_and_loses_nothing():
    simple, best = shown(
        [(ages("[20, 95]"), 30, 0), (ages("[20, 95]", "[20, 95]"), 20, 0), (ages("[20, 40]"), 50, 100)]
    )
    assert simple.words == "the release contains a range that ends at 95 in column age"
    assert simple.excess.bounds() == best.bounds()


def test_few_releases_are_named_where_no_trait_attains_the_excess():
    simple, best = shown([(5, 40, 0), (7, 10, 60), (9, 50, 0), (11, 0, 40)])
    assert simple.words == "the release is 5 or 9"
    assert simple.excess.bounds() == best.bounds()


def test_one_trait_may_lose_a_little_where_there_are_too_many_to_name():
    many = [(ages(*["[20, 95]"] * i), 9, 0) for i in range(1, 11)]
    simple, best = shown([*many, (ages("95"), 2, 0), (ages("[20, 40]"), 8, 100)])
    assert simple.words == "the release contains a range that ends at 95 in column age"
    assert simple.excess.bounds().low == Fraction(90, 100) < best.bounds().low == Fraction(92, 100)


def test_no_release_is_an_event():
    assert shown([(None, 60, 0), ("x", 40, 100)])[0].words == "there is no release"


@pytest.mark.parametrize("epsilon", ["0", "ln 2", "1"])
def test_what_is_shown_never_exceeds_the_best(epsilon):
    found = law(*[(i % 7, 1 + i % 3, 1 + (i * 5) % 4) for i in range(20)])
    best = excess_at(found, Epsilon.of(epsilon))
    assert simplest(found, best).excess.bounds().low <= best.bounds().low
