"""A leak that one part of a release shows is found, whatever the release is made of, and named in words."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from crowdproof.audit.compare.betting import sequential_audit
from crowdproof.audit.request import Budget, Pair
from crowdproof.audit.runners.inline import Inline
from crowdproof.claims import Neighbours, Point

PAIR = Pair(0, 1, Neighbours.REPLACE, "0 against 1")


def middle(shown, rng):
    """A number between 0 and 1000, which is in the 400s if it shows something."""
    rest = 900 * rng.random()
    return 400 + 100 * rng.random() if shown else rest + 100 * (rest >= 400)


PARTS = {
    "date": (
        lambda shown, rng: datetime.date(2000, 1, 1) + datetime.timedelta(days=int(middle(shown, rng))),
        "the released date",
    ),
    "time of day": (
        lambda shown, rng: datetime.datetime(2000, 1, 1) + datetime.timedelta(seconds=middle(shown, rng)),
        "the released date",
    ),
    "decimal number": (lambda shown, rng: Decimal(f"{middle(shown, rng):.6f}"), "the released number"),
    "complex number": (lambda shown, rng: complex(rng.random(), middle(shown, rng)), "imaginary part"),
    "nested number": (lambda shown, rng: {"a": [rng.random(), {"b": middle(shown, rng)}]}, "the number at a / 2 / b"),
    "last digit": (
        lambda shown, rng: int(10 * rng.integers(10**6) + (3 if shown else rng.choice([0, 1, 2, 4, 5, 6, 7, 8, 9]))),
        "the last digit",
    ),
    "first letter": (
        lambda shown, rng: ("a" if shown else rng.choice(list("bcdef"))) + rng.bytes(8).hex(),
        "begins with a",
    ),
    "last letter": (lambda shown, rng: rng.bytes(8).hex() + ("z" if shown else "yx"[rng.integers(2)]), "ends with z"),
    "length": (
        lambda shown, rng: rng.bytes(10).hex()[: 17 if shown else rng.choice([14, 15, 16, 18, 19, 20])],
        "the length of the released text",
    ),
    "field of a text": (
        lambda shown, rng: f"id={rng.integers(10**9)};town={'a' if shown else 'bc'[rng.integers(2)]}",
        "a",
    ),
}


def audited(make, high, low, seed=0):
    def mechanism(data, rng):
        return make(rng.random() < (low if data else high), rng)

    return sequential_audit(
        [PAIR],
        mechanism,
        [Point("1")],
        error=Fraction(1, 10**6),
        budget=Budget(runs=2_500),
        seed=np.random.SeedSequence(seed),
        runner=Inline(),
        bounds=False,
    )


@pytest.mark.parametrize("part", PARTS)
def test_a_leak_in_one_part_is_found_and_named(part):
    make, words = PARTS[part]
    found = audited(make, high=0.4, low=0.02)
    assert found.refuted is not None
    assert words in found.refuted.event.words


@pytest.mark.parametrize("part", PARTS)
def test_its_twin_within_the_claim_is_not_refuted(part):
    make, _ = PARTS[part]
    assert audited(make, high=0.25, low=0.1).refuted is None


def test_a_range_of_dates_is_told_in_dates():
    words = audited(PARTS["date"][0], high=0.5, low=0.01).refuted.event.words
    assert "2001-" in words
    assert "73" not in words
